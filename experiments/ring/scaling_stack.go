package ring

import (
	"fmt"

	"gradsync/shared/cluster"
)

// What the blog states of its network and its measurement.
const (
	blogSingle = 0.370 // seconds of an iteration on one GPU
	blogBatch  = 32    // samples per GPU and iteration, as we read it
)

// block is a layer before its cost is known in seconds: parameters, and the
// floating-point operations of its forward pass per time step of one sample.
type block struct {
	Name   string  `json:"name"`
	Params int     `json:"params"`
	Cost   float64 `json:"cost"`
}

// stack is a network as a list of layers in forward order.
type stack struct {
	Key    string  `json:"key"`
	Title  string  `json:"title"`
	Why    string  `json:"why"`
	Blocks []block `json:"blocks"`
}

// The network like Deep Speech 2 (Amodei et al., 2016): two convolutions over a
// spectrogram of 161 frequencies, seven bidirectional GRU layers whose directions
// are added, one output layer over 29 characters. Its best network had 100 million
// parameters; units are chosen so that ours has 300.
const (
	dsUnits    = 1910
	dsLayers   = 7
	dsChannels = 32
	dsLetters  = 29
)

// deepSpeech returns the reference stack.
func deepSpeech() stack {
	s := stack{Key: "deep-speech", Title: "like Deep Speech 2", Why: "what the blog names: seven equal recurrent layers hold nearly everything"}
	conv := func(name string, in, high, wide, frequencies int) {
		weights := dsChannels * in * high * wide
		s.Blocks = append(s.Blocks, block{name, weights + dsChannels, 2 * float64(weights) * float64(frequencies)})
	}
	conv("conv1", 1, 41, 11, 81)
	conv("conv2", dsChannels, 21, 11, 41)
	in := dsChannels * 41
	for i := range dsLayers {
		params := 2 * 3 * (dsUnits*in + dsUnits*dsUnits + dsUnits) // 2 directions, 3 gates
		s.Blocks = append(s.Blocks, block{fmt.Sprintf("gru%d", i+1), params, 2 * float64(params)})
		in = dsUnits
	}
	params := dsUnits*dsLetters + dsLetters
	s.Blocks = append(s.Blocks, block{"output", params, 2 * float64(params)})
	return s
}

// shares builds a stack of the blog's size from percentages of parameters and of
// operations, in forward order.
func shares(key, title, why string, params, cost []float64) stack {
	s := stack{Key: key, Title: title, Why: why}
	left := blogParams
	for i := range params {
		n := int(float64(blogParams) * params[i] / 100)
		if i == len(params)-1 {
			n = left
		}
		left -= n
		s.Blocks = append(s.Blocks, block{fmt.Sprintf("layer%d", i+1), n, cost[i]})
	}
	return s
}

// evenly is a stack of n equal layers.
func evenly(n int) stack {
	each := make([]float64, n)
	for i := range each {
		each[i] = 100 / float64(n)
	}
	return shares(fmt.Sprintf("even-%d", n), fmt.Sprintf("%d equal layers", n), "no layer stands out", each, each)
}

// stacks are the distributions over which the range of the overlap is shown; the
// first is the reference. They were written down before the first run.
func stacks() []stack {
	return []stack{deepSpeech(), evenly(10), evenly(300),
		shares("one", "one layer", "all gradients come at the end: nothing can overlap", []float64{100}, []float64{100}),
		shares("big-input", "language model, big embedding", "60 % of the parameters are an embedding, whose gradient comes last and costs nothing; four recurrent layers", []float64{60, 10, 10, 10, 10}, []float64{0, 25, 25, 25, 25}),
		shares("big-output", "language model, big output layer", "60 % of the parameters are the output layer, whose gradient comes first; four recurrent layers", []float64{10, 10, 10, 10, 60}, []float64{10, 10, 10, 10, 60}),
		shares("vgg-like", "convolutions, then big linear layers", "90 % of the parameters are in three linear layers with 6 % of the operations, whose gradients come first", []float64{1, 2, 3, 4, 60, 20, 10}, []float64{24, 24, 24, 22, 4, 1, 1}),
	}
}

// stacksOf are those of a profile: ci leaves out the one of 300 layers.
func stacksOf(profile string) (out []stack) {
	for _, s := range stacks() {
		if profile != "ci" || len(s.Blocks) < 100 {
			out = append(out, s)
		}
	}
	return out
}

func (s stack) params() (n int) {
	for _, b := range s.Blocks {
		n += b.Params
	}
	return n
}

func (s stack) cost() (sum float64) {
	for _, b := range s.Blocks {
		sum += b.Cost
	}
	return sum
}

// layers gives the stack its costs in operations of host: forward and backward
// passes and the update of one iteration last single seconds there, the backward
// pass twice the forward.
func (s stack) layers(host *cluster.Host, single float64) []cluster.Layer {
	flop := single*host.FLOPS - s.update().FLOP
	out := make([]cluster.Layer, 0, len(s.Blocks))
	offset, all := 0, s.cost()
	for _, b := range s.Blocks {
		forward := flop * b.Cost / all / 3
		out = append(out, cluster.Layer{Name: b.Name, Offset: offset, Length: b.Params,
			Forward: cluster.Work{FLOP: forward}, Backward: cluster.Work{FLOP: 2 * forward}})
		offset += b.Params
	}
	return out
}

// update is the work of w ← w − γ·g.
func (s stack) update() cluster.Work { return cluster.Work{FLOP: 2 * float64(s.params())} }
