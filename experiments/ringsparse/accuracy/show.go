package accuracy

import (
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
)

// trainings holds all trainings of a plan.
type trainings struct {
	plan  trainingPlan
	seeds []uint64
	at    func(point) []training
}

func show(v *kit.View[point, training]) {
	m := trainings{planTraining(v.Profile), v.Seeds, v.At}
	for _, t := range m.plan.points() {
		x := m.at(t)[0]
		v.Engine = x.Engine
		setup.AddData(v.Result, x.Data)
	}
	v.Facts = m.facts()
	v.Frames = []result.Frame{m.final(), m.cost(), m.nets(), m.curves(), m.every()}
	for _, net := range m.plan.Nets {
		where := map[string]any{"net": net.Model}
		curve := func(id, x, y string) result.Figure {
			return result.Figure{ID: id + net.Model, Form: "line", Frame: "curves", Where: where, X: x, Y: []string{y}, By: []string{"form"}}
		}
		v.Figures = append(v.Figures, curve("accuracy-", "updates", "accuracy"), curve("loss-", "seconds", "loss"))
	}
	v.Claims = []result.Claim{m.judge()}
}

// compared is a form beside its base, seed by seed.
type compared struct {
	Diff     kit.Sample // final accuracy, of 1
	Loss     kit.Sample // test loss at the last evaluation
	Updates  kit.Sample // to the target, over the base's, of the seeds on which both reach it
	Lost     int        // seeds on which the base alone reaches it at an evaluation
	Same     int        // seeds with the base's bits
	Promised int        // seeds on which those were promised
}

// compare sets the seeds of a form beside its base's.
func compare(f exchangeForm, these, base []training) (c compared) {
	for i, m := range these {
		b := base[i]
		c.Diff = append(c.Diff, m.Accuracy-b.Accuracy)
		c.Loss = append(c.Loss, m.Curve[len(m.Curve)-1].Loss-b.Curve[len(b.Curve)-1].Loss)
		if m.SHA256 == b.SHA256 {
			c.Same++
		}
		if f.Bits && m.Totals.Kinds[ringsparse.Weights].Blocks == 0 {
			c.Promised++
		}
		mine, ok := train.Reach(m.Curve, targetShare*b.Accuracy)
		theirs, also := train.Reach(b.Curve, targetShare*b.Accuracy)
		switch {
		case ok && also:
			c.Updates = append(c.Updates, mine.Updates/theirs.Updates)
		case also:
			c.Lost++
		}
	}
	return c
}

// against compares a point with its base; ok is false if the network lacks the form, or the form
// has no base.
func (m trainings) against(t point) (c compared, ok bool) {
	f, ok := m.plan.form(t.Net, t.Form)
	if !ok || f.Base == "" {
		return c, false
	}
	return compare(f, m.at(t), m.at(point{t.Net, f.Base})), true
}

// margin reports how a paired difference lies to ± maxDifference: "within" it with its whole
// interval, "outside" with its whole interval, "open" where the interval does not tell; of one
// seed, which has no interval, "within" or "alone".
func (c compared) margin() string {
	e := c.Diff.Mean()
	half := e.Half()
	if math.IsNaN(half) {
		half = 0
	}
	switch {
	case e.Value-half >= -maxDifference && e.Value+half <= maxDifference:
		return "within"
	case e.CI == nil:
		return "alone"
	case math.Abs(e.Value)-half > maxDifference:
		return "outside"
	}
	return "open"
}

// parts returns what P10 rests on of one network: the difference of accuracy lies inside the margin, the
// updates to the target are at most the limit, each with its interval, and whenever the base reaches
// the target, so does the form.
func (c compared) parts(net string) (out []result.Part) {
	add := func(e kit.Estimate, finding, criterion string) {
		p := kit.Part(e.Value, false, "model", net, "criterion", criterion)
		p.CI95, p.Samples = e.CI, e.Samples
		out = append(out, claims.Mark(p, finding))
	}
	add(c.Diff.Mean().Times(100), claims.Inside(c.Diff.Mean().CI, -maxDifference, maxDifference), "accuracy")
	if len(c.Updates) > 0 {
		add(c.Updates.Mean(), claims.AtMost(c.Updates.Mean().CI, maxUpdates), "updates")
	}
	switch {
	case c.Lost == 0:
	case c.Lost < len(c.Diff):
		out = append(out, claims.Mark(kit.Part(float64(c.Lost), false, "model", net, "criterion", "reached"), claims.Undecided))
	default: // in no seed does the form reach what its base reaches
		out = append(out, kit.Part(float64(c.Lost), false, "model", net, "criterion", "reached"))
	}
	return out
}

// tolerated returns which of tolerances.csv's own two conditions a form misses on one
// network: how much lower the mean is, and how many more updates the target takes.
func (c compared) tolerated(net string) (out []result.Reason) {
	if mean, lower := c.Diff.Mean().Value, claims.Tolerance("P10"); mean < -lower {
		out = append(out, result.Because("P10-lower", "net", net, "points", -100*mean, "limit", 100*lower))
	}
	if c.Lost > 0 {
		out = append(out, result.Because("P10-alone", "net", net, "n", c.Lost, "of", len(c.Diff)))
	}
	switch more := c.Updates.Mean(); {
	case more.N == 0:
	case more.Value > maxUpdates:
		out = append(out, result.Because("P10-updates", "net", net, "times", more.Value, "limit", maxUpdates))
	case claims.AtMost(more.CI, maxUpdates) != claims.Holds:
		out = append(out, result.Because("P10-updates-open", "net", net, "times", more.Value, "half", half(more), "limit", maxUpdates, "n", more.N))
	}
	return out
}

// half returns half of an interval as an argument, nil for none.
func half(e kit.Estimate) any {
	if e.CI == nil {
		return nil
	}
	return e.Half()
}

// judge judges P10 by the patent's form on every network, and by the bits that are
// promised.
func (m trainings) judge() result.Claim {
	var found []any
	var parts []result.Part
	var missed, own []result.Reason
	neither, lost := 0, false
	for _, t := range m.plan.points() {
		f, _ := m.plan.form(t.Net, t.Form)
		c, ok := m.against(t)
		if !ok {
			continue
		}
		if f.Bits && c.Same < c.Promised {
			lost = true
			missed = append(missed, result.Because("P10-bits", "net", t.Net, "n", c.Promised-c.Same, "of", c.Promised))
		}
		if f.Key != patentForm {
			continue
		}
		e, margin := c.Diff.Mean().Times(100), c.margin()
		found = append(found, map[string]any{"net": t.Net, "diff": e.Value, "half": half(e)})
		lower := c.tolerated(t.Net)
		parts = append(parts, c.parts(t.Net)...)
		own, neither = append(own, lower...), neither+len(c.Diff)-len(c.Updates)-c.Lost
		if margin != "within" {
			control := ""
			if o, ok := m.against(point{t.Net, orderForm}); ok {
				control = o.margin()
			}
			code := map[string]string{"alone": "P10-one", "outside": "P10-outside", "open": "P10-open"}[margin]
			missed = append(missed, result.Because(code, "net", t.Net, "diff", e.Value, "half", half(e), "margin", 100*maxDifference,
				"seeds", len(c.Diff), "control", control))
		}
	}
	words := result.Because("P10-found", "nets", found)
	out := claims.OfParts(parts, len(m.seeds), &words)
	if lost {
		out.Finding = claims.Differs
	}
	out.Notes = []result.Reason{result.Because("P10", "seeds", len(m.seeds), "margin", 100*maxDifference, "lower", 100*claims.Tolerance("P10"),
		"more", maxUpdates, "target", 100*targetShare)}
	if len(own) == 0 {
		out.Notes = append(out.Notes, result.Because("P10-own-hold"))
	}
	out.Notes = slices.Concat(out.Notes, own, missed)
	if neither > 0 {
		out.Notes = append(out.Notes, result.Because("P10-target", "n", neither))
	}
	return claims.Verdict("P10", out)
}

// final returns the frame of the accuracy at the end, paired with the form compared with.
func (m trainings) final() result.Frame {
	head := "net:model form:form accuracy±/%.2 diff±/points.2 within:bool margin:margin loss±/.4 updates~/.3 same same_all:bool"
	return kit.Rows("final", head, m.plan.points(), func(t point) []any {
		row := []any{t.Net, t.Form, kit.Each(m.at(t), percentAccuracy).Mean()}
		c, ok := m.against(t)
		if !ok {
			return append(row, nil, nil, nil, nil, nil, nil, nil)
		}
		return append(row, c.Diff.Mean().Times(100), c.margin() == "within", c.margin(), c.Loss.Mean(), c.Updates.Mean(),
			c.Same, c.Same == len(c.Diff))
	})
}

func percentAccuracy(x training) float64 { return 100 * x.Accuracy }
func virtualSeconds(x training) float64  { return x.Seconds }

// ratio returns the mean over seeds of a form's number over its base's.
func (m trainings) ratio(t point, of func(training) float64) kit.Estimate {
	f, _ := m.plan.form(t.Net, t.Form)
	if f.Base == "" {
		return kit.Estimate{}
	}
	return kit.Each(m.at(t), of).Ratio(kit.Each(m.at(point{t.Net, f.Base}), of))
}

// shares returns the choices of weights and by the tie, and the bytes sent as weights, in
// per cent.
func shares(these []training) (weights, ties, carried float64) {
	var all ringsparse.Totals
	for _, x := range these {
		all.Merge(x.Totals)
	}
	of := func(n int64) float64 { return 100 * float64(n) / float64(max(all.Choices, 1)) }
	carried = 100 * float64(all.Kinds[ringsparse.Weights].Bytes) / float64(max(all.Sent.Bytes, 1))
	return of(all.Chosen[ringsparse.Weights]), of(all.Ties), carried
}

// cost returns the frame of what the exchanges sent and took.
func (m trainings) cost() result.Frame {
	head := "net:model form:form seconds/s.2 time_ratio/.3 bytes_ratio/.3 weights/%.1 ties/%.1 carried/%.1 drops:bool"
	return kit.Rows("cost", head, m.plan.points(), func(t point) []any {
		weights, ties, carried := shares(m.at(t))
		if f, _ := m.plan.form(t.Net, t.Form); f.Sync != "ringsparse" {
			weights, ties, carried = math.NaN(), math.NaN(), math.NaN()
		}
		return []any{t.Net, t.Form, kit.Each(m.at(t), virtualSeconds).Mean(), m.ratio(t, virtualSeconds),
			m.ratio(t, func(x training) float64 { return float64(x.Bytes) }), weights, ties, carried, m.at(t)[0].Lossy}
	})
}

// nets returns the frame of what is said of a network as a whole.
func (m trainings) nets() result.Frame {
	head := "net:model updates rate pruned:bool untied:bool largest/points.2 largest_control/points.2 printed_same"
	return kit.Rows("nets", head, m.plan.Nets, func(net network) []any {
		largest := func(form string) float64 {
			c, ok := m.against(point{net.Model, form})
			if !ok {
				return math.NaN()
			}
			most := 0.0
			for _, d := range c.Diff {
				most = max(most, math.Abs(d))
			}
			return 100 * most
		}
		patent := m.at(point{net.Model, patentForm})
		weights, ties, _ := shares(patent)
		var same any
		if _, ok := m.plan.form(net.Model, "printed"); ok {
			same = compare(exchangeForm{}, m.at(point{net.Model, "printed"}), patent).Same
		}
		return []any{net.Model, net.Updates, net.Rate, net.Pruned, weights == 0 && ties == 0, largest(patentForm), largest(orderForm), same}
	})
}

// curves returns the mean over seeds, which have the same evaluations. Pruned forms begin at half
// of the updates and are left out.
func (m trainings) curves() result.Frame {
	out := kit.NewSheet("curves", "net:model form:form end:bool updates seconds/s.2 accuracy/%.1 loss/.2")
	for _, t := range m.plan.points() {
		if f, _ := m.plan.form(t.Net, t.Form); f.Pruned {
			continue
		}
		last := len(m.at(t)[0].Curve) - 1
		for i := range last + 1 {
			mean := func(of func(train.Point) float64) kit.Estimate {
				return kit.Each(m.at(t), func(x training) float64 { return of(x.Curve[i]) }).Mean()
			}
			out.Add(t.Net, t.Form, i == last, mean(func(p train.Point) float64 { return float64(p.Updates) }),
				mean(func(p train.Point) float64 { return p.Seconds }), mean(func(p train.Point) float64 { return 100 * p.Accuracy }),
				mean(func(p train.Point) float64 { return p.Loss }))
		}
	}
	return out.Frame
}

// every lists all trainings.
func (m trainings) every() result.Frame {
	out := kit.NewSheet("seeds", "net:model form:form seed accuracy/%.2 sha256")
	for _, t := range m.plan.points() {
		for i, x := range m.at(t) {
			out.Add(t.Net, t.Form, m.seeds[i], percentAccuracy(x), x.SHA256[:12])
		}
	}
	return out.Frame
}

func (m trainings) facts() []result.Fact {
	return kit.Facts("workers", m.plan.Workers, "batch", m.plan.Batch, "link/Gb/s", m.plan.Link, "images", m.plan.EvalImages,
		"keep/%.0", 100*m.plan.Keep, "margin/points", 100*maxDifference, "target/%.0", 100*targetShare,
		"threshold", sparseThreshold, "short", m.plan.Nets[0].Updates < 1000)
}
