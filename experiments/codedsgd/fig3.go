package codedsgd

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/model"
)

// Fig. 3's matrix: the last layer of the DNN with 8 hidden units, 10 × 8 weights and
// 10 biases. Three does not divide 8, 10 or 10, two divides all.
const smallWidth = 8. / 512

// most segments that gradients are cut in; the paper's clusters have ten nodes.
const mostSegments = 10

// splits are the ways that the paper names ("by row vectors or by column vectors").
var splits = []string{codedsgd.Columns, codedsgd.Rows}

// splitPlan is what a profile computes.
type splitPlan struct {
	Images int       `json:"images"` // of the gradients, the first of the set
	Widths []float64 `json:"widths"` // of the networks that are cut in all ways
}

func planSplit(profile string) splitPlan {
	if profile == "ci" {
		return splitPlan{Images: 4, Widths: []float64{0.125, 0.25}}
	}
	return splitPlan{Images: 16, Widths: []float64{1, 1}}
}

// layerGradient is one layer of a block's gradient in fixed point, and what it stands
// for.
type layerGradient struct {
	Network, Layer string
	Shape          [2]int    // of the weights; the bias stands behind them
	Values         []float32 // sums over the images
	Fixed          []int32
}

// gradientsOf computes the gradients of all layers of a network on the first images
// of its set, as one block's: sums, in fixed point.
func gradientsOf(env exp.Env, w network, width float64, images int, res *result.Result) ([]layerGradient, error) {
	g, err := train.Gradient(train.GradConfig{Name: w.Model, Width: width, Data: w.dataset(env.Profile), DataDir: env.DataDir, Engine: env.Engine, Seed: env.Seeds[0], To: images})
	if err != nil {
		return nil, err
	}
	addData(res, *g.Data)
	res.Engine = g.Engine
	var out []layerGradient
	for _, l := range g.Model.Layers() {
		x := layerGradient{Network: w.Title, Layer: l.Name, Shape: shapeOf(g.Model, l), Values: make([]float32, l.Length), Fixed: make([]int32, l.Length)}
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

// fig3 cuts a real gradient by columns and by rows.
func fig3() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/fig3", Title: "Splitting a gradient matrix by column", Source: "CSSGD, Fig. 3", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		switch profile {
		case "ci":
			return 0.5
		case "quick":
			return 3
		}
		return 6 // reads both sets
	}
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planSplit(env.Profile)
		res := exp.NewResult(e, env, result.Trained, map[string]any{"plan": plan, "small_width": smallWidth, "networks": networks(), "segments": mostSegments, "range": fixedRange, "seed": env.Seeds[0], "padding": paddingNodes})
		res.Seeds = env.Seeds[:1]
		small, err := gradientsOf(env, dnn, smallWidth, plan.Images, res)
		if err != nil {
			return res, err
		}
		last := small[len(small)-1]
		var all []reassembly
		for i, w := range networks() {
			if err := ctx.Err(); err != nil {
				return res, err
			}
			layers, err := gradientsOf(env, w, plan.Widths[i], plan.Images, res)
			if err != nil {
				return res, err
			}
			for _, s := range splits {
				x, err := reassemble(layers, s)
				if err != nil {
					return res, err
				}
				all = append(all, x)
			}
		}
		var eq16 []printed
		for _, r := range redundancies {
			x, err := tryPrinted(last, r)
			if err != nil {
				return res, err
			}
			eq16 = append(eq16, x)
		}
		pads, err := paddings()
		if err != nil {
			return res, err
		}
		if err := drawSplits(res, last); err != nil {
			return res, err
		}
		res.Tables = append(res.Tables, reassemblyTable(all), printedTable(eq16), paddingTable(pads))
		res.Notes = fig3Notes(last, all, eq16, pads)
		res.Status = complete
		return res, nil
	}
	return e
}
