package codedsgd

import (
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/model"
)

// layerGradient is one layer of a block's gradient in fixed point, and what it stands
// for.
type layerGradient struct {
	Network, Layer string    // the network's key
	Shape          [2]int    // of the weights; the bias stands behind them
	Values         []float32 // sums over the images
	Fixed          []int32
}

// gradientsOf computes the gradients of all layers of a network on the first images
// of its set, as one block's: sums, in fixed point.
func gradientsOf(env exp.Env, w network, width float64, images int, res *result.Result) ([]layerGradient, error) {
	g, err := train.Gradient(train.GradConfig{Name: w.Model, Width: width, Data: w.dataset(env.Profile), DataDir: env.DataDir,
		Engine: env.Engine, Seed: env.Seeds[0], To: images})
	if err != nil {
		return nil, err
	}
	addData(res, result.Data(*g.Data))
	res.Engine = g.Engine
	var out []layerGradient
	for _, l := range g.Model.Layers() {
		x := layerGradient{Network: w.Key, Layer: l.Name, Shape: shapeOf(g.Model, l),
			Values: make([]float32, l.Length), Fixed: make([]int32, l.Length)}
		for i, v := range g.Grads[l.Offset : l.Offset+l.Length] {
			x.Values[i] = v * float32(images)
		}
		if saturated, notFinite := codedsgd.Quantise(x.Fixed, x.Values, fixedRange); saturated+notFinite > 0 {
			return nil, fmt.Errorf("codedsgd: %s, %s: %d numbers beyond ±%g, %d are none", w.Title, l.Name, saturated, fixedRange, notFinite)
		}
		out = append(out, x)
	}
	return out, nil
}

// fixedRange is what int32's largest number stands for (§3.1).
const fixedRange = 10.0

// shapeOf is rows and columns of a layer's weights: outputs, and inputs of each.
func shapeOf(m *model.Model, l model.LayerInfo) [2]int {
	for _, p := range m.Params() {
		if p.Offset == l.Offset {
			return [2]int{p.Shape[0], p.Length / p.Shape[0]}
		}
	}
	return [2]int{}
}

// reassembly is what came of cutting layers and putting them together again.
type reassembly struct {
	Network, Split string
	Layers         int
	Numbers        int // compared, over all layers and numbers of segments
	Ragged         int // of the cuts, those whose segments differ in length
	Cuts, Wrong    int
}

// reassemble cuts every layer in 1 to mostSegments segments, each laid out by itself
// as in a packet, and puts them back into a layer of other numbers.
func reassemble(layers []layerGradient, split string) (reassembly, error) {
	x := reassembly{Network: layers[0].Network, Split: split, Layers: len(layers)}
	for _, l := range layers {
		got := make([]int32, len(l.Fixed))
		for r := 1; r <= mostSegments; r++ {
			cut, err := codedsgd.NewCut(len(l.Fixed), l.Shape, r, split)
			if err != nil {
				return x, err
			}
			for i, v := range l.Fixed {
				got[i] = ^v // differs everywhere
			}
			for k := range r {
				part := make([]int32, cut.Len(k))
				cut.Gather(part, l.Fixed, k)
				cut.Scatter(got, part, k)
			}
			for i, v := range l.Fixed {
				if got[i] != v {
					x.Wrong++
				}
			}
			x.Cuts++
			x.Numbers += len(l.Fixed)
			if cut.Len(0) != cut.Len(r-1) {
				x.Ragged++
			}
		}
	}
	return x, nil
}

// printed is what eq. (16)'s index 0 … r, r+1 pieces, does to a gradient that r
// holders send in pieces 0 … r−1.
type printed struct {
	R, Length int
	Begin     int // of piece r, where the gradient is cut in r as eq. (10) has it
	Missing   int // numbers that nobody sends where it is cut in r+1
}

func tryPrinted(l layerGradient, r int) (printed, error) {
	x := printed{R: r, Length: len(l.Fixed)}
	x.Begin, _ = codedsgd.Segment(x.Length, r, r)
	cut, err := codedsgd.NewCut(len(l.Fixed), l.Shape, r+1, codedsgd.Columns)
	if err != nil {
		return x, err
	}
	got := make([]int32, x.Length)
	for i, v := range l.Fixed {
		got[i] = ^v
	}
	for k := range r { // a block has r holders
		part := make([]int32, cut.Len(k))
		cut.Gather(part, l.Fixed, k)
		cut.Scatter(got, part, k)
	}
	for i, v := range l.Fixed {
		if got[i] != v {
			x.Missing++
		}
	}
	return x, nil
}

// segmentsOf says for each number of a layer which segment it is in.
func segmentsOf(l layerGradient, r int, split string) ([]int, error) {
	cut, err := codedsgd.NewCut(len(l.Fixed), l.Shape, r, split)
	if err != nil {
		return nil, err
	}
	marks := make([]int32, len(l.Fixed))
	for k := range r {
		part := make([]int32, cut.Len(k))
		fill(part, int32(k))
		cut.Scatter(marks, part, k)
	}
	out := make([]int, len(marks))
	for i, k := range marks {
		out[i] = int(k)
	}
	return out, nil
}

// paddingNodes is where the zeros that packets are filled up with are counted.
const paddingNodes = 8

// padding is what segments of unequal length cost one exchange of a network at full
// size: a packet is as long as its longest segment.
type padding struct {
	Network    network
	Redundancy int
	Split      string
	Packets    int // times layers
	Exact      int // numbers by eq. (28): C(n,r+1)·(r+1)/r gradients, rounded down
	Sent       int // numbers in packets
}

func (p padding) percent() float64 { return 100 * (float64(p.Sent)/float64(p.Exact) - 1) }

func paddings() ([]padding, error) {
	var out []padding
	for _, w := range networks() {
		m, err := w.network(paddingNodes)
		if err != nil {
			return nil, err
		}
		for _, r := range redundancies {
			a, err := codedsgd.Assign(paddingNodes, r)
			if err != nil {
				return nil, err
			}
			for _, s := range splits {
				p := padding{Network: w, Redundancy: r, Split: s}
				for _, l := range m.Layers() {
					cut, err := codedsgd.NewCut(l.Length, shapeOf(m, l), r, s)
					if err != nil {
						return nil, err
					}
					for _, group := range a.Groups() {
						for _, packet := range a.Packets(group) {
							p.Sent += cut.Padded(packet)
							p.Packets++
						}
					}
				}
				p.Exact = len(a.Groups()) * (r + 1) * m.NumParams() / r
				out = append(out, p)
			}
		}
	}
	return out, nil
}
