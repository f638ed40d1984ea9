package scheme

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// Fig. 3's matrix: the last layer of the DNN with 8 hidden units, 10 × 8 weights and
// 10 biases. Three does not divide 8, 10 or 10, two divides all.
const smallWidth = 8. / 512

// most segments that gradients are cut in; the paper's clusters have ten nodes.
const mostSegments = 10

// splits are the ways that the paper names ("by row vectors or by column vectors").
var splits = []string{codedsgd.Columns, codedsgd.Rows}

// splitPlan says which gradients a profile cuts.
type splitPlan struct {
	Images int       `json:"images"` // of the gradients, the first of the set
	Widths []float64 `json:"widths"` // of the networks that are cut in all ways
}

func planSplit(profile string) splitPlan {
	return setup.Pick(profile, splitPlan{Images: 4, Widths: []float64{0.125, 0.25}}, splitPlan{Images: 16, Widths: []float64{1, 1}})
}

// fig3 cuts a real gradient by columns and by rows.
func fig3() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/fig3", Source: "CSSGD, Fig. 3", Kind: result.Trained, Profiles: exp.Profiles, Seedless: true,
		Seconds: func(profile string, _ int) float64 {
			return map[string]float64{"ci": 0.5, "quick": 3, "standard": 6, "paper": 6}[profile] // the last two read both sets
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planSplit(profile), "small_width": smallWidth, "networks": setup.Networks(), "segments": mostSegments,
				"range": setup.Range, "padding": paddingNodes}
		},
		Run: runSplits}.Experiment()
}

// runSplits cuts the gradients of the first seed.
func runSplits(ctx context.Context, env exp.Env, r *result.Result) error {
	plan := planSplit(env.Profile)
	r.Seeds = env.Seeds[:1]
	r.Config.(map[string]any)["seed"] = env.Seeds[0]
	small, err := gradientsOf(env, setup.DNN, smallWidth, plan.Images, r)
	if err != nil {
		return err
	}
	last := small[len(small)-1]
	var all []reassembly
	for i, w := range setup.Networks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		layers, err := gradientsOf(env, w, plan.Widths[i], plan.Images, r)
		if err != nil {
			return err
		}
		for _, s := range splits {
			all = append(all, reassemble(layers, s))
		}
	}
	var eq16 []printedPieces
	for _, k := range setup.Redundancies {
		eq16 = append(eq16, tryPrinted(last, k))
	}
	r.Frames = []result.Frame{matrix(last)}
	showSegments(r, last)
	showCuts(r, last, all, eq16, paddings())
	return nil
}

// matrix returns the layer, a row per output, with the bias last.
func matrix(l layerGradient) result.Frame {
	columns := "row"
	for c := range l.Shape[1] {
		columns += fmt.Sprintf(" c%d/.4", c)
	}
	s := kit.NewSheet("matrix", columns+" bias/.4")
	for row := range l.Shape[0] {
		line := []any{row}
		for c := range l.Shape[1] + 1 {
			line = append(line, float64(l.Values[l.at(row, c)]))
		}
		s.Add(line...)
	}
	return s.Frame
}

// at returns the place of a number: the biases, column Shape[1], stand behind the weights.
func (l layerGradient) at(row, column int) int {
	if column == l.Shape[1] {
		return l.Shape[0]*l.Shape[1] + row
	}
	return row*l.Shape[1] + column
}

// showSegments fills in the sizes of the matrix's segments, and draws it, one lane per
// row. In a packet all segments are as long as the longest.
func showSegments(r *result.Result, l layerGradient) {
	sizes := kit.NewSheet("segments", "split:split r k weights biases numbers padded")
	pictures := kit.NewSheet("pictures", "figure split:split r even")
	drawn := kit.NewSheet("drawn", "figure row from to segment:segment value/.4")
	for _, s := range splits {
		for _, n := range setup.Redundancies {
			at := segmentsOf(l, n, s)
			id, draw := fmt.Sprintf("%s-%d", s, n), s == codedsgd.Columns || n == setup.Redundancies[len(setup.Redundancies)-1]
			weights, biases, least, most := make([]int, n), make([]int, n), math.MaxInt, 0
			for k := range n { // segment by segment, so that the legend is in their order
				for row := range l.Shape[0] {
					for c := range l.Shape[1] + 1 {
						if at[l.at(row, c)] != int32(k) {
							continue
						}
						if c == l.Shape[1] {
							biases[k]++
						} else {
							weights[k]++
						}
						if draw {
							drawn.Add(id, row, c, c+1, fmt.Sprint(k), float64(l.Values[l.at(row, c)]))
						}
					}
				}
				least, most = min(least, weights[k]+biases[k]), max(most, weights[k]+biases[k])
			}
			for k := range n {
				sizes.Add(s, n, k, weights[k], biases[k], weights[k]+biases[k], most)
			}
			if draw {
				pictures.Add(id, s, n, least == most)
				r.Figures = append(r.Figures, result.Figure{ID: id, Form: "gantt", Frame: "drawn", Where: map[string]any{"figure": id},
					X: "from", Y: []string{"to"}, Lane: "row", State: "segment", Label: "value"})
			}
		}
	}
	r.Frames = append(r.Frames, sizes.Frame, pictures.Frame, drawn.Frame)
}

// showCuts fills in the layers that were cut and put together again, eq. (16) as printed,
// and the cost of uneven segments.
func showCuts(r *result.Result, l layerGradient, all []reassembly, eq16 []printedPieces, pads []padding) {
	wrong, numbers, ragged, cuts, fits := 0, 0, 0, 0, 0
	whole := kit.NewSheet("reassembled", "network:network split:split layers cuts ragged numbers wrong")
	for _, x := range all {
		wrong, numbers, ragged, cuts = wrong+x.Wrong, numbers+x.Numbers, ragged+x.Ragged, cuts+x.Cuts
		whole.Add(x.Network, x.Split, x.Layers, x.Cuts, x.Ragged, x.Numbers, x.Wrong)
	}
	tried := kit.NewSheet("printed", "r pieces length begin missing share/%.1")
	for _, x := range eq16 {
		fits += setup.One(x.Begin < x.Length || x.Missing == 0)
		tried.Add(x.R, x.R+1, x.Length, x.Begin, x.Missing, 100*float64(x.Missing)/float64(x.Length))
	}
	padded := kit.NewSheet("padding", "network:network r split:split packets exact sent more/%.3 worst")
	padded.Kind = result.Counted
	worst := slices.MaxFunc(pads, func(a, b padding) int { return cmp.Compare(a.percent(), b.percent()) })
	for _, p := range pads {
		padded.Add(p.Network.Key, p.Redundancy, p.Split, p.Packets, p.Exact, p.Sent, p.percent(), p == worst && p.Sent > p.Exact)
	}
	r.Frames = append(r.Frames, whole.Frame, tried.Frame, padded.Frame)
	r.Facts = kit.Facts("compared/million.1", float64(numbers)/1e6, "compared.numbers", numbers, "wrong", wrong, "right", wrong == 0,
		"cuts", cuts, "ragged", ragged, "fits", fits > 0, "fits.cases", fits, "cases", len(eq16), "padded", worst.Sent > worst.Exact,
		"padding.n", paddingNodes, "rows", l.Shape[0], "columns", l.Shape[1], "segments.most", mostSegments, "layer", l.Layer)
}

// layerGradient is one layer of a block's gradient, in fixed point and as floats.
type layerGradient struct {
	Network, Layer string    // the network's key
	Shape          [2]int    // of the weights; the bias stands behind them
	Values         []float32 // sums over the images
	Fixed          []int32
}

// gradientsOf computes the gradients of all layers of a network on the first images
// of its set, as one block's: sums, in fixed point.
func gradientsOf(env exp.Env, w setup.Network, width float64, images int, res *result.Result) ([]layerGradient, error) {
	g, err := train.Gradient(train.GradConfig{Name: w.Model, Width: width, Data: w.Dataset(env.Profile), DataDir: env.DataDir,
		Engine: env.Engine, Seed: env.Seeds[0], To: images})
	if err != nil {
		return nil, err
	}
	setup.AddData(res, *g.Data)
	res.Engine = g.Engine
	var out []layerGradient
	for _, l := range g.Model.Layers() {
		x := layerGradient{Network: w.Key, Layer: l.Name, Shape: setup.Shape(g.Model, l),
			Values: make([]float32, l.Length), Fixed: make([]int32, l.Length)}
		for i, v := range g.Grads[l.Offset : l.Offset+l.Length] {
			x.Values[i] = v * float32(images)
		}
		if saturated, notFinite := codedsgd.Quantise(x.Fixed, x.Values, setup.Range); saturated+notFinite > 0 {
			return nil, fmt.Errorf("codedsgd: %s, %s: %d numbers beyond ±%d, %d are none", w.Title, l.Name, saturated, setup.Range, notFinite)
		}
		out = append(out, x)
	}
	return out, nil
}

// reassembly holds the counts of layers that were cut and put together again.
type reassembly struct {
	Network, Split string
	Layers         int
	Numbers        int // compared, over all layers and numbers of segments
	Ragged         int // cuts whose segments differ in length
	Cuts, Wrong    int
}

func reassemble(layers []layerGradient, split string) reassembly {
	x := reassembly{Network: layers[0].Network, Split: split, Layers: len(layers)}
	for _, l := range layers {
		for r := 1; r <= mostSegments; r++ {
			cut := kit.Must(codedsgd.NewCut(len(l.Fixed), l.Shape, r, split))
			x.Wrong += l.lost(cut, r)
			x.Cuts++
			x.Numbers += len(l.Fixed)
			x.Ragged += setup.One(cut.Len(0) != cut.Len(r-1))
		}
	}
	return x
}

// lost puts the first segments of a layer, each laid out by itself as in a packet, into a
// layer of other numbers, and counts the numbers that are not the layer's then.
func (l layerGradient) lost(cut codedsgd.Cut, segments int) int {
	got := make([]int32, len(l.Fixed))
	for i, v := range l.Fixed {
		got[i] = ^v // differs everywhere
	}
	for k := range segments {
		part := make([]int32, cut.Len(k))
		cut.Gather(part, l.Fixed, k)
		cut.Scatter(got, part, k)
	}
	return unlike(got, l.Fixed)
}

// printedPieces holds the effect of eq. (16)'s index 0 … r, r+1 pieces, on a gradient that
// r holders send in pieces 0 … r−1.
type printedPieces struct {
	R, Length int
	Begin     int // of piece r, where the gradient is cut in r as eq. (10) has it
	Missing   int // numbers that nobody sends where it is cut in r+1
}

func tryPrinted(l layerGradient, r int) printedPieces {
	x := printedPieces{R: r, Length: len(l.Fixed)}
	x.Begin, _ = codedsgd.Segment(x.Length, r, r)
	x.Missing = l.lost(kit.Must(codedsgd.NewCut(x.Length, l.Shape, r+1, codedsgd.Columns)), r) // a block has r holders
	return x
}

// segmentsOf says for each number of a layer which segment it is in.
func segmentsOf(l layerGradient, r int, split string) []int32 {
	cut, marks := kit.Must(codedsgd.NewCut(len(l.Fixed), l.Shape, r, split)), make([]int32, len(l.Fixed))
	for k := range r {
		cut.Scatter(marks, slices.Repeat([]int32{int32(k)}, cut.Len(k)), k)
	}
	return marks
}

// paddingNodes is where the zeros that packets are filled up with are counted.
const paddingNodes = 8

// padding is the cost of segments of unequal length in one exchange of a network at full
// size: a packet is as long as its longest segment.
type padding struct {
	Network    setup.Network
	Redundancy int
	Split      string
	Packets    int // times layers
	Exact      int // numbers by eq. (28): C(n,r+1)·(r+1)/r gradients, rounded down
	Sent       int // numbers in packets
}

func (p padding) percent() float64 { return 100 * (float64(p.Sent)/float64(p.Exact) - 1) }

func paddings() (out []padding) {
	for _, w := range setup.Networks() {
		m := w.Build(paddingNodes)
		for _, r := range setup.Redundancies {
			a := kit.Must(codedsgd.Assign(paddingNodes, r))
			for _, s := range splits {
				p := padding{Network: w, Redundancy: r, Split: s, Exact: len(a.Groups()) * (r + 1) * m.NumParams() / r}
				for _, l := range m.Layers() {
					cut := kit.Must(codedsgd.NewCut(l.Length, setup.Shape(m, l), r, s))
					for _, group := range a.Groups() {
						for _, packet := range a.Packets(group) {
							p.Sent += cut.Padded(packet)
							p.Packets++
						}
					}
				}
				out = append(out, p)
			}
		}
	}
	return out
}
