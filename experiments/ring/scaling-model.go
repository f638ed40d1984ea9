package ring

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// iteration is data-parallel training without its arithmetic: per step a forward
// and a backward pass, the all-reduce of every bucket of layers, an update.
type iteration struct {
	Stack   stack
	Overlap bool // buckets are exchanged while earlier layers are still computed
	Bucket  int  // bytes: consecutive layers are exchanged together until so large; 0: each alone
	Steps   int
	Seed    uint64
	Trace   bool
}

// bucket is layers from … to, both included, from ≥ to: the backward pass runs
// from the last layer to the first.
type bucket struct{ from, to, params int }

// buckets cuts the layers in the order in which their gradients come.
func (it iteration) buckets() (out []bucket) {
	open := bucket{from: -1}
	for i := len(it.Stack.Layers) - 1; i >= 0; i-- {
		if open.from < 0 {
			open = bucket{from: i}
		}
		open.to, open.params = i, open.params+it.Stack.Layers[i].Params
		if 4*open.params >= it.Bucket || i == 0 {
			out = append(out, open)
			open = bucket{from: -1}
		}
	}
	return out
}

// body runs one rank. Every rank exchanges the buckets in the same order.
func (it iteration) body(p cluster.Proc, layers []cluster.Layer) error {
	var forward cluster.Work
	stages := make([]cluster.Work, 1, len(layers)+1)
	for i := len(layers) - 1; i >= 0; i-- {
		forward.FLOP += layers[i].Forward.FLOP
		stages = append(stages, layers[i].Backward)
	}
	stages[0] = forward
	last, buckets := len(layers)-1, it.buckets()
	for range it.Steps {
		reqs := p.Start(nil, stages...)
		if !it.Overlap {
			if err := cluster.Wait(p, reqs...); err != nil {
				return err
			}
		}
		for k, b := range buckets {
			if err := cluster.Wait(p, reqs[1+last-b.to]); err != nil {
				return err
			}
			if err := collective.RingAllReduceTiming(p, cluster.Tag(k), b.params); err != nil {
				return err
			}
		}
		if err := cluster.Wait(p, reqs...); err != nil {
			return err
		}
		if err := cluster.Compute(p, it.Stack.update(), nil); err != nil {
			return err
		}
	}
	return nil
}

// iterationTime holds what a run of iterations gave of one iteration.
type iterationTime struct {
	Seconds float64 // of one iteration: the last rank's end over the steps
	Bytes   int64   // that the busiest rank sent in one iteration
	Trace   *cluster.Trace
}

// run runs it on the first n workers of p.
func (it iteration) run(ctx context.Context, p *cluster.Platform, n int) (iterationTime, error) {
	return it.runFor(ctx, p, n, blogSingle)
}

// runFor returns run with another time on one GPU.
func (it iteration) runFor(ctx context.Context, p *cluster.Platform, n int, single float64) (iterationTime, error) {
	layers := it.Stack.layers(&p.Workers[0], single)
	cfg := virtual.Config{Workers: n, Seed: it.Seed, Trace: it.Trace}
	t, err := onCluster(ctx, p, cfg, func(p cluster.Proc) error { return it.body(p, layers) })
	if err != nil {
		return iterationTime{}, fmt.Errorf("%s: %w", it.Stack.Key, err)
	}
	return iterationTime{t.Seconds / float64(it.Steps), t.busiest() / int64(it.Steps), &t.Trace}, nil
}

// What the blog states of its network and its measurement.
const (
	blogSingle = 0.370 // seconds of an iteration on one GPU
	blogBatch  = 32    // samples per GPU and iteration, as we read it
)

// layerCost is a layer before its cost is known in seconds: parameters, and the floating-point
// operations of its forward pass per time step of one sample.
type layerCost struct {
	Name   string
	Params int
	Cost   float64
}

// stack is a network as a list of layers in forward order.
type stack struct {
	Key    string
	Layers []layerCost
	// Big and Work are the percentages of the parameters and of the operations that the
	// layers have which stand out; no numbers where none does.
	Big, Work float64
}

// MarshalJSON writes a configuration by column: a stack may have 300 layers.
func (s stack) MarshalJSON() ([]byte, error) {
	x := struct {
		Key    string    `json:"key"`
		Params []int     `json:"params"`
		Cost   []float64 `json:"cost"`
	}{Key: s.Key}
	for _, b := range s.Layers {
		x.Params, x.Cost = append(x.Params, b.Params), append(x.Cost, b.Cost)
	}
	return json.Marshal(x)
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
	s := stack{Key: "deep-speech", Big: math.NaN(), Work: math.NaN()}
	conv := func(name string, in, high, wide, frequencies int) {
		weights := dsChannels * in * high * wide
		s.Layers = append(s.Layers, layerCost{name, weights + dsChannels, 2 * float64(weights) * float64(frequencies)})
	}
	conv("conv1", 1, 41, 11, 81)
	conv("conv2", dsChannels, 21, 11, 41)
	in := dsChannels * 41
	for i := range dsLayers {
		params := 2 * 3 * (dsUnits*in + dsUnits*dsUnits + dsUnits) // 2 directions, 3 gates
		s.Layers = append(s.Layers, layerCost{fmt.Sprintf("gru%d", i+1), params, 2 * float64(params)})
		in = dsUnits
	}
	params := dsUnits*dsLetters + dsLetters
	s.Layers = append(s.Layers, layerCost{"output", params, 2 * float64(params)})
	return s
}

// shares builds a stack of the blog's size from percentages of parameters and of operations, in
// forward order; the layers of big stand out.
func shares(key string, params, cost []float64, big ...int) stack {
	s := stack{Key: key}
	if len(big) == 0 {
		s.Big, s.Work = math.NaN(), math.NaN()
	}
	for _, i := range big {
		s.Big, s.Work = s.Big+params[i], s.Work+cost[i]
	}
	left := blogParams
	for i := range params {
		n := int(float64(blogParams) * params[i] / 100)
		if i == len(params)-1 {
			n = left
		}
		left -= n
		s.Layers = append(s.Layers, layerCost{fmt.Sprintf("layer%d", i+1), n, cost[i]})
	}
	return s
}

// evenly returns a stack of n equal layers.
func evenly(n int) stack {
	each := make([]float64, n)
	for i := range each {
		each[i] = 100 / float64(n)
	}
	return shares(fmt.Sprintf("even-%d", n), each, each)
}

// stacks returns the distributions over which the range of the overlap is shown; the first is the
// reference. They were written down before the first run.
func stacks() []stack {
	return []stack{deepSpeech(), evenly(10), evenly(300), shares("one", []float64{100}, []float64{100}),
		shares("big-input", []float64{60, 10, 10, 10, 10}, []float64{0, 25, 25, 25, 25}, 0),
		shares("big-output", []float64{10, 10, 10, 10, 60}, []float64{10, 10, 10, 10, 60}, 4),
		shares("vgg-like", []float64{1, 2, 3, 4, 60, 20, 10}, []float64{24, 24, 24, 22, 4, 1, 1}, 4, 5, 6)}
}

// stacksOf lists the stacks of a profile: ci leaves out the stack of 300 layers.
func stacksOf(profile string) []stack {
	return slices.DeleteFunc(stacks(), func(s stack) bool { return profile == "ci" && len(s.Layers) >= 100 })
}

// stackOf returns the stack of a key.
func stackOf(key string) stack {
	all := stacks()
	return all[slices.IndexFunc(all, func(s stack) bool { return s.Key == key })]
}

func (s stack) params() (n int) {
	for _, b := range s.Layers {
		n += b.Params
	}
	return n
}

func (s stack) cost() (sum float64) {
	for _, b := range s.Layers {
		sum += b.Cost
	}
	return sum
}

// layers gives the stack its costs in operations of host: forward and backward
// passes and the update of one iteration last single seconds there, the backward
// pass twice the forward.
func (s stack) layers(host *cluster.Host, single float64) []cluster.Layer {
	flop := single*host.FLOPS - s.update().FLOP
	out := make([]cluster.Layer, 0, len(s.Layers))
	offset, all := 0, s.cost()
	for _, b := range s.Layers {
		forward := flop * b.Cost / all / 3
		out = append(out, cluster.Layer{Name: b.Name, Offset: offset, Length: b.Params,
			Forward: cluster.Work{FLOP: forward}, Backward: cluster.Work{FLOP: 2 * forward}})
		offset += b.Params
	}
	return out
}

// update returns the work of w ← w − γ·g.
func (s stack) update() cluster.Work { return cluster.Work{FLOP: 2 * float64(s.params())} }
