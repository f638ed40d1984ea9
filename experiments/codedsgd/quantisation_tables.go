package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// of collects a number of each seed's training.
func (s *precisionStudy) of(kind int, f func(l learnt) float64) []float64 {
	var out []float64
	for _, l := range s.Learnt[kind] {
		out = append(out, f(l))
	}
	return out
}

// lossGap is how much more loss an arithmetic ends with than float32, by seed.
func (s *precisionStudy) lossGap(kind int) []float64 {
	var out []float64
	for i, l := range s.Learnt[kind] {
		out = append(out, l.Loss-s.Learnt[0][i].Loss)
	}
	return out
}

func (s *precisionStudy) distance(kind int) float64 {
	return meanOf(s.of(kind, func(l learnt) float64 { return l.Distance }))
}

// order is the largest distance of the three fine arithmetics: what the order of
// summation does.
func (s *precisionStudy) order() float64 {
	return max(s.distance(inFine), s.distance(inFineNodes), s.distance(inFineOne))
}

// saturated is the share of elements that were clipped.
func (s *precisionStudy) saturated(kind int) float64 {
	return meanOf(s.of(kind, func(l learnt) float64 { return float64(l.Saturated) / float64(max(l.Elements, 1)) }))
}

// moves says whether an arithmetic leads elsewhere: more than twice as far from
// float32's parameters as the order of summation does.
func (s *precisionStudy) moves(kind int) bool { return s.distance(kind) > 2*s.order() }

// changes says whether it changes the loss: by at least a hundredth, with a 95 %
// interval over seeds that leaves out 0. Of one seed that cannot be said.
func (s *precisionStudy) changes(kind int) bool {
	m, half := exp.MeanAndHalf(s.lossGap(kind))
	return !math.IsNaN(half) && math.Abs(m) > half && math.Abs(m) >= 0.01*meanOf(s.of(0, func(l learnt) float64 { return l.Loss }))
}

func lossTable(s *precisionStudy) result.Table {
	p := s.Plan
	t := result.Table{ID: "loss-" + p.Net.Key, Title: p.Net.Title + ": what the arithmetic does to the training", Kind: result.Trained,
		Caption: fmt.Sprintf("%s at width %g, %d classes, batches of %d, %d updates at rate %g; means over seeds. The same batches and first parameters; float32: the mean gradient of the batch in one piece. Steps of b bits: those of b bits on ±10, by a range of 10·2^(32−b) at 32 bits, which never clips. Distance: of the final parameters from float32's, relative to the way these went. Elsewhere: more than twice as far off as the worst of the three of %d bits, which differ from float32 in the order of summation and hardly more. Other loss: shown to differ by at least 1 %% of it, with a 95 %% interval that leaves out 0; where it is not shown, a difference below the ± column would not be seen. (The %d-bit rows were added after a trial of three updates, in which ±10 clipped.)%s",
			p.Net.Title, p.Width, classes(p.Nodes), p.Net.batch(p.Nodes), p.Updates, p.Rate, fineBits, fineBits, p.Note),
		Columns: []result.Column{{Key: "kind", Title: "arithmetic"}, {Key: "blocks", Title: "blocks"}, {Key: "step", Title: "step"}, {Key: "accuracy", Title: "accuracy", Unit: "%", Digits: 2}, {Key: "loss", Title: "loss", Digits: 4},
			{Key: "gap", Title: "loss − float32's", Digits: 5}, {Key: "half", Title: "± (95 %)", Digits: 5}, {Key: "distance", Title: "distance", Unit: "%", Digits: 4}, {Key: "saturated", Title: "saturated", Unit: "%", Digits: 3}, {Key: "moves", Title: "elsewhere"}, {Key: "changes", Title: "other loss shown"}}}
	for i, a := range s.Kinds {
		gap, half := exp.MeanAndHalf(s.lossGap(i))
		row := []any{a.Title, nil, nil, 100 * meanOf(s.of(i, func(l learnt) float64 { return l.Accuracy })), meanOf(s.of(i, func(l learnt) float64 { return l.Loss })), nil, nil, nil, nil, nil, nil}
		if i > 0 {
			row[5], row[6], row[7], row[9] = gap, exp.OrNone(half), 100*s.distance(i), yesNo(s.moves(i))
			if !math.IsNaN(half) {
				row[10] = yesNo(s.changes(i))
			}
		}
		if !a.Float {
			row[1], row[2] = a.blocksOf(p.Nodes), fmt.Sprintf("%.3g", a.Range/codedsgd.Top)
			row[8] = 100 * s.saturated(i)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func saturationTable(studies []precisionStudy) result.Table {
	t := result.Table{ID: "saturation", Title: "Elements that int32 cannot hold, by block and range", Kind: result.Trained,
		Caption: "First updates of one seed. A block's gradient is a sum over its images, and grows with them.",
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "blocks", Title: "blocks"}, {Key: "images", Title: "images per block", Digits: 1}}}
	for _, limit := range clippingRanges {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("r%g", limit), Title: fmt.Sprintf("outside ±%g", limit), Unit: "%", Digits: 4})
	}
	for i := range studies {
		s := &studies[i]
		for k, cut := range s.Cuts {
			row := []any{s.Plan.Net.Title, cut, float64(s.Plan.Net.batch(s.Plan.Nodes)) / float64(cut)}
			for _, share := range s.Clipped[k] {
				row = append(row, 100*share)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func sumsTable(studies []precisionStudy) result.Table {
	t := result.Table{ID: "sums", Title: "The largest element of a block's gradient", Kind: result.Trained,
		Caption: "The sum over the set's first images at fresh parameters, ten classes, one seed. Beyond 10 the paper's range clips it.",
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "images", Title: "images in the block"}, {Key: "largest", Title: "largest element", Digits: 2}, {Key: "clipped", Title: "beyond ±10"}}}
	for i := range studies {
		for k, images := range studies[i].Plan.Sums {
			x := studies[i].Largest[k]
			t.Rows = append(t.Rows, []any{studies[i].Plan.Net.Title, images, x, yesNo(x > paperRange)})
		}
	}
	return t
}

func wrapTable() result.Table {
	t := result.Table{ID: "wrap", Title: "The final sum in 32 bits and in 64", Kind: result.Counted,
		Caption: "Eq. (17) for blocks whose gradient is 2.0 each, on ±10: in int32 the sum wraps, as packets' sums may (their decoding takes away what was added); the final sum may not.",
		Columns: []result.Column{{Key: "blocks", Title: "blocks"}, {Key: "sum", Title: "sum", Digits: 1}, {Key: "narrow", Title: "int32", Digits: 3}, {Key: "wide", Title: "int64", Digits: 3}}}
	for blocks := 1; blocks <= 8; blocks++ {
		narrow, wide := wrappedSum(blocks)
		t.Rows = append(t.Rows, []any{blocks, 2 * float64(blocks), narrow, wide})
	}
	return t
}

func decodeTable(d decoded) result.Table {
	return result.Table{ID: "decode", Title: "Packets decoded wrongly", Kind: result.Counted,
		Caption: fmt.Sprintf("%d packets of 4 terms (n = 5, r = 4), numbers uniform over the whole range, coded and decoded by the algorithm; in %d a sum left int32's range. Beside it the same sums with arithmetic that stops at the ends, and in float32.", d.Packets, d.Wrapped),
		Columns: []result.Column{{Key: "arithmetic", Title: "arithmetic"}, {Key: "errors", Title: "packets wrong"}, {Key: "share", Title: "share", Unit: "%", Digits: 1}},
		Rows: [][]any{{"int32, wrapping", d.Errors, 100 * float64(d.Errors) / float64(d.Packets)}, {"int32, saturating", d.Saturating, 100 * float64(d.Saturating) / float64(d.Packets)},
			{"float32", d.Float32, 100 * float64(d.Float32) / float64(d.Packets)}}}
}

func mappingTable(m mapped) result.Table {
	return result.Table{ID: "mapping", Title: "The mapping of §3.1", Kind: result.Counted,
		Caption: fmt.Sprintf("%d numbers: a grid from −10 to 10 and random ones of all sizes.", m.Values),
		Columns: []result.Column{{Key: "what", Title: "what"}, {Key: "is", Title: "is"}},
		Rows: [][]any{{"10", fmt.Sprintf("0x%08X", uint32(m.Top))}, {"−10", fmt.Sprintf("0x%08X", uint32(m.Bottom))}, {"0", fmt.Sprint(m.Zero)}, {"step", fmt.Sprintf("%.4g", m.Step)},
			{"largest error", fmt.Sprintf("%.4g, %.6f half steps", m.Worst*m.Step/2, m.Worst)}, {"beyond ±10, clipped", fmt.Sprintf("%d of 6", m.Clipped)}, {"NaN and ±∞, counted", fmt.Sprintf("%d of 3", m.Refused)}}}
}

// bitsOf is how many bits on ±10 a range's steps are: 32 for the paper's.
func (a arithmetic) bitsOf() float64 { return 32 - math.Log2(a.Range/paperRange) }

// bitsFigure is the distance by step.
func bitsFigure(s *precisionStudy) result.Figure {
	f := result.Figure{ID: "bits-" + s.Plan.Net.Key, Title: s.Plan.Net.Title + ": distance from float32 by the bits of quantisation", Kind: result.Trained, Form: "line",
		X: result.Axis{Title: "bits on ±10"}, Y: result.Axis{Title: "distance", Unit: "%", Log: true},
		Caption: fmt.Sprintf("Final parameters, relative to the way of float32's; steps on ranges that clip nothing, and the paper's int32 on ±10, 32 bits, a step of %.3g. The level is what the order of summation does.", paperRange/float64(codedsgd.Top))}
	line, level, paper := result.Series{Name: "nothing clipped", Group: "cssgd"}, result.Series{Name: "order of summation", Group: "target"}, result.Series{Name: "the paper's int32", Group: "exact"}
	paper.X, paper.Y = []float64{s.Kinds[inPaper].bitsOf()}, []float64{100 * s.distance(inPaper)}
	for i, a := range s.Kinds {
		if a.Range > paperRange && a.Blocks == 0 {
			line.X, line.Y = append(line.X, a.bitsOf()), append(line.Y, 100*s.distance(i))
		}
	}
	last := len(line.X) - 1
	level.X, level.Y = []float64{line.X[last], paper.X[0]}, []float64{100 * s.order(), 100 * s.order()}
	f.Series = []result.Series{line, level, paper}
	f.Alt = fmt.Sprintf("Without clipping the parameters end %.2g %% off float32's with %g bits and %.2g %% off with %g; the order of summation puts them %.2g %% off. The paper's int32, which clips %.2g %% of the elements, ends %.2g %% off.",
		line.Y[0], line.X[0], line.Y[last], line.X[last], level.Y[0], 100*s.saturated(inPaper), paper.Y[0])
	return f
}
