package ringsparse

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/tensor/codec"
)

const howFill = "Real vectors, exchanged as gradients by the package in virtual time; shares are counted at every choice and averaged over blocks, ranks and seeds. "

// name says which support at which density.
func (f *filled) name() string {
	switch f.Support {
	case supportCommon:
		return fmt.Sprintf("%.3g %%, zeros coincide", 100*f.Density)
	case supportImages:
		return fmt.Sprintf("%.3g %%, MLP on images, first layer", 100*f.Density)
	}
	return fmt.Sprintf("%.3g %%, independent", 100*f.Density)
}

// worst is the largest distance from the closed form over hops, in standard deviations
// of a count of so many entries.
func (f *filled) worst(entries int) (most float64) {
	for k := range f.Nodes {
		m, _ := f.measured(k)
		p := f.expected(k)
		most = math.Max(most, math.Abs(m-p)/math.Sqrt(p*(1-p)/float64(entries*len(f.Hops))))
	}
	return most
}

func fillTable(plan fillPlan, all []filled) result.Table {
	t := result.Table{ID: "density", Title: "Share of non-zeros after k receives", Kind: result.Counted,
		Caption: howFill + fmt.Sprintf("Supports: independent, drawn by every rank for itself; coinciding, within one set that all ranks share and that is %.0f times as large as a rank's; images, gradients of the MLP's 784×512 layer and its biases on raw pixels, 16 images per rank, at the start of training. Vectors drawn: %d entries. ± is half the 95 %% interval over seeds. A support follows its formula if every hop is within %g standard deviations of counting as many entries; 2 %% of the value was meant at first, which is less than chance in small runs.", 1/commonShare, plan.Elements, plan.Within),
		Columns: []result.Column{{Key: "n", Title: "N"}, {Key: "support", Title: "density of one rank's block"}}}
	for _, k := range []string{"0", "1", "3"} {
		t.Columns = append(t.Columns, result.Column{Key: "k" + k, Title: "k = " + k, Unit: "%", Digits: 2})
	}
	t.Columns = append(t.Columns, result.Column{Key: "last", Title: "k = N − 1", Unit: "%", Digits: 2}, result.Column{Key: "half", Title: "±", Unit: "%", Digits: 2},
		result.Column{Key: "independent", Title: "1−(1−d)^N", Unit: "%", Digits: 2}, result.Column{Key: "ratio", Title: "measured over that", Digits: 3})
	for i := range all {
		f := &all[i]
		row := []any{f.Nodes, f.name()}
		for _, k := range []int{0, 1, 3} {
			m, _ := f.measured(k)
			row = append(row, 100*m)
		}
		last, half := f.measured(f.Nodes - 1)
		want := f.independent(f.Nodes - 1)
		t.Rows = append(t.Rows, append(row, 100*last, exp.OrNone(100*half), 100*want, last/want))
	}
	return t
}

// mainly is the codec that most blocks of a hop were sent with.
func (f *filled) mainly(hop int) uint8 {
	best := 0
	for id, n := range f.Codecs[hop] {
		if n > f.Codecs[hop][best] {
			best = id
		}
	}
	return uint8(best)
}

// forms lists the codecs in the order of hops: "coo 0–1, bitmap 2–7".
func (f *filled) forms() string {
	var parts []string
	for from := 0; from < f.Nodes; {
		to := from
		for to+1 < f.Nodes && f.mainly(to+1) == f.mainly(from) {
			to++
		}
		c, err := codec.ByID(f.mainly(from))
		if err != nil {
			panic(err) // it was sent
		}
		if from == to {
			parts = append(parts, fmt.Sprintf("%s %d", c.Name(), from))
		} else {
			parts = append(parts, fmt.Sprintf("%s %d–%d", c.Name(), from, to))
		}
		from = to + 1
	}
	return strings.Join(parts, ", ")
}

func fillSentTable(plan fillPlan, all []filled) result.Table {
	t := result.Table{ID: "sent", Title: "What is sent", Kind: result.Counted,
		Caption: howFill + fmt.Sprintf("Codec: the cheapest of direct, bitmap and coordinates by the corrected rule at %s, for most blocks of a hop (hop = receives in the sum; the last is the all-gather's). Bytes over those of dense blocks, all messages of all ranks; for images, all layers of the MLP.", linkName(plan.Link)),
		Columns: []result.Column{{Key: "n", Title: "N"}, {Key: "support", Title: "density of one rank's block"}, {Key: "forms", Title: "codec by hop"},
			{Key: "first", Title: "bytes, first hop", Unit: "%", Digits: 1}, {Key: "reduce", Title: "reduce-scatter", Unit: "%", Digits: 1}, {Key: "gather", Title: "all-gather", Unit: "%", Digits: 1}, {Key: "all", Title: "all", Unit: "%", Digits: 1}}}
	share := func(bytes, dense int64) float64 { return 100 * float64(bytes) / float64(dense) }
	for i := range all {
		f := &all[i]
		var reduce, dense int64
		for _, h := range f.Totals.Hops {
			reduce, dense = reduce+h.Bytes, dense+h.DenseBytes
		}
		t.Rows = append(t.Rows, []any{f.Nodes, f.name(), f.forms(), share(f.Totals.Hops[0].Bytes, f.Totals.Hops[0].DenseBytes), share(reduce, dense),
			share(f.Totals.Gather.Bytes, f.Totals.Gather.DenseBytes), share(f.Totals.Sent.Bytes, f.Totals.Sent.DenseBytes)})
	}
	return t
}

// line is f's density by hop, measured or by a closed form.
func (f *filled) line(name, group string, of func(k int) float64) result.Series {
	s := result.Series{Name: name, Group: group}
	for k := range f.Nodes {
		s.X, s.Y = append(s.X, float64(k)), append(s.Y, 100*of(k))
	}
	return s
}

func (f *filled) mean(k int) float64 { m, _ := f.measured(k); return m }

// largest are the ways round the largest ring.
func largest(plan fillPlan, all []filled) (out []*filled) {
	for i := range all {
		if all[i].Nodes == plan.Nodes[len(plan.Nodes)-1] {
			out = append(out, &all[i])
		}
	}
	return out
}

func fillFigure(plan fillPlan, all []filled) result.Figure {
	f := result.Figure{ID: "fill-in", Title: fmt.Sprintf("Independent zeros, N = %d", plan.Nodes[len(plan.Nodes)-1]), Kind: result.Counted, Form: "line",
		X: result.Axis{Title: "k, receives in the sum"}, Y: result.Axis{Title: "not zero", Unit: "%"}, Caption: howFill + "Measured, and 1−(1−d)^(k+1)."}
	for _, x := range largest(plan, all) {
		if x.Support != supportEach {
			continue
		}
		key := fmt.Sprintf("%g %%", 100*x.Density)
		f.Series = append(f.Series, x.line(key+" measured", "measured "+key, x.mean), x.line(key+" formula", "formula "+key, x.independent))
		f.Alt += fmt.Sprintf("From %.3g %% of a rank's block to %.3g %% of the sum of %d, the formula %.3g %%. ", 100*x.mean(0), 100*x.mean(x.Nodes-1), x.Nodes, 100*x.independent(x.Nodes-1))
	}
	f.Alt = strings.TrimSpace(f.Alt)
	return f
}

func coincideFigure(plan fillPlan, all []filled) result.Figure {
	f := result.Figure{ID: "coinciding", Title: fmt.Sprintf("Zeros that coincide, N = %d", plan.Nodes[len(plan.Nodes)-1]), Kind: result.Counted, Form: "line",
		X: result.Axis{Title: "k, receives in the sum"}, Y: result.Axis{Title: "not zero", Unit: "%"},
		Caption: howFill + "Where ranks have their zeros in the same places, sums stay sparser than 1−(1−d)^(k+1) of the same first density."}
	for _, x := range largest(plan, all) {
		if x.Support == supportEach || x.Support == supportCommon && x.Density != plan.Densities[1] {
			continue
		}
		f.Series = append(f.Series, x.line(x.name(), x.Support, x.mean), x.line(fmt.Sprintf("formula at %.3g %%", 100*x.Density), "formula "+x.Support, x.independent))
		f.Alt += fmt.Sprintf("%s: %.3g %% of the sum of %d, where independent zeros would leave %.3g %%. ", x.name(), 100*x.mean(x.Nodes-1), x.Nodes, 100*x.independent(x.Nodes-1))
	}
	f.Alt = strings.TrimSpace(f.Alt)
	return f
}

func fillNotes(plan fillPlan, all []filled) []string {
	worst := 0.0
	var each, common []string
	var images *filled
	for i := range all {
		if all[i].Support == supportEach {
			worst = math.Max(worst, all[i].worst(plan.Elements))
		}
	}
	for _, x := range largest(plan, all) {
		m, want := x.mean(x.Nodes-1), x.independent(x.Nodes-1)
		switch x.Support {
		case supportEach:
			each = append(each, fmt.Sprintf("%.3g %% → %.3g %%", 100*x.Density, 100*m))
		case supportCommon:
			common = append(common, fmt.Sprintf("%.3g %% instead of %.3g %%", 100*m, 100*want))
		case supportImages:
			images = x
		}
	}
	follows := fmt.Sprintf("follow 1−(1−d)^(k+1): no hop is more than %.1f standard deviations of counting away", worst)
	if worst > plan.Within {
		follows = fmt.Sprintf("do not follow 1−(1−d)^(k+1): they are up to %.1f standard deviations of counting away, allowed %g", worst, plan.Within)
	}
	n := images.Nodes
	got, want := images.mean(n-1), images.independent(n-1)
	compare := "less than"
	if got >= want {
		compare = "no less than"
	}
	return []string{
		fmt.Sprintf("Sums of blocks with independent zeros %s. At N = %d: %s. The all-gather carries the densest of these forms N − 1 times, half of all messages.", follows, n, strings.Join(each, ", ")),
		fmt.Sprintf("Zeros that coincide fill in less: within a common set, %s at N = %d.", strings.Join(common, ", "), n),
		fmt.Sprintf("Real gradients are such a case. The first layer of the MLP on raw pixels has %.1f %% non-zeros on one rank and %.1f %% in the sum of %d, %s the %.1f %% of independent zeros: pixels that are black in all images give the same rows of zeros on every rank. A model with independent zeros, as timing-only runs have, overstates the bytes of such layers.", 100*images.mean(0), 100*got, n, compare, 100*want),
	}
}
