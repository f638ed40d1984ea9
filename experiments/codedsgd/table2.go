package codedsgd

import (
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// table2 is the accuracy that the networks reach alone, with all the time that they
// are given, and under the three algorithms.
func table2() exp.Experiment {
	return figure{id: "table2", source: "Table 2", nets: networks(), depth: atLargest, serial: true,
		show: func(t *trainer, r *result.Result, all []sweep) error {
			r.Kind = result.Trained
			var nets []*finals
			for i := range all {
				f, err := t.finals(&all[i].largest)
				if err != nil {
					return err
				}
				nets = append(nets, f)
			}
			r.Frames = []result.Frame{finalsFrame(nets), finalsPlans(nets)}
			r.Facts = []result.Fact{kit.Number("bound", "points", kit.AsIs, claims.Tolerance("C30"))}
			r.Claims = []result.Claim{judgeFinals(nets)}
			return nil
		}}.experiment()
}

// finals are the best accuracies of one network's runs, shares.
type finals struct {
	w                  *largest
	Serial, SSGD, ASGD kit.Sample // in as many updates
	Longer             kit.Sample // alone, in plan.Alone times as many
}

// finals trains the network alone and collects best accuracies.
func (t *trainer) finals(w *largest) (*finals, error) {
	f := &finals{w: w}
	alone, err := t.all(w.plan.serialJobs(w.seeds))
	if err != nil {
		return f, err
	}
	for i, run := range alone {
		f.Serial, f.Longer, f.SSGD = append(f.Serial, run.bestIn(w.plan.Updates)), append(f.Longer, run.best()), append(f.SSGD, w.ssgd[i].best())
	}
	for _, run := range w.asgd {
		f.ASGD = append(f.ASGD, run.best())
	}
	return f, nil
}

// against returns how far the mean of runs is above that of others, in points.
func against(runs, others kit.Sample) float64 { return 100 * (meanOf(runs) - meanOf(others)) }

// finalsFrame has a row for each network and method.
func finalsFrame(nets []*finals) result.Frame {
	type row struct {
		*finals
		method         string
		nodes          int
		updates        int64
		runs           kit.Sample
		stale, clipped any
	}
	var rows []row
	for _, f := range nets {
		p, n := f.w.plan, f.w.plan.most()
		clipped, stale := int64(0), 0.0
		for _, t := range f.w.ssgd {
			clipped += t.Clipped
		}
		for _, t := range f.w.asgd {
			stale += t.Staleness / float64(len(f.w.asgd))
		}
		rows = append(rows, row{f, "alone", 1, p.Updates, f.Serial, nil, nil})
		if p.Alone > 1 {
			rows = append(rows, row{f, "longer", 1, p.Alone * p.Updates, f.Longer, nil, nil})
		}
		rows = append(rows, row{f, "synchronous", n, p.Updates, f.SSGD, 0.0, clipped}, row{f, "asgd", n, p.Updates, f.ASGD, stale, nil})
	}
	stale := kit.Num("staleness", "versions", 2, func(r row) float64 {
		if x, ok := r.stale.(float64); ok {
			return x
		}
		return math.NaN()
	})
	return kit.Frame("finals", rows, kit.Word("model", "model", func(r row) string { return r.w.plan.Net.Model }),
		kit.Word("method", "method", func(r row) string { return r.method }), kit.Count("nodes", "", func(r row) int { return r.nodes }),
		kit.Count("updates", "", func(r row) int64 { return r.updates }), kit.Count("runs", "", func(r row) int { return len(r.runs) }),
		kit.Half("best", "%", 2, func(r row) kit.Estimate { return r.runs.Mean().Times(100) }),
		kit.Num("against", "points", 2, func(r row) float64 { return against(r.runs, r.Serial) }),
		stale, kit.Any("clipped", "", func(r row) any { return r.clipped }))
}

// finalsPlans holds how each network was trained, and which methods come within the
// bound of the network alone.
func finalsPlans(nets []*finals) result.Frame {
	count := func(key string, of func(f *finals) int64) kit.Col[*finals] { return kit.Count(key, "", of) }
	return kit.Frame("networks", nets, kit.Word("model", "model", func(f *finals) string { return f.w.plan.Net.Model }),
		kit.Word("within", "within", (*finals).within), kit.Word("data", "data", func(f *finals) string { return f.w.ssgd[0].Data.Name }),
		count("nodes", func(f *finals) int64 { return int64(f.w.plan.most()) }), count("batch", func(f *finals) int64 { return int64(f.w.plan.Net.PerNode) }),
		kit.Num("rate", "", kit.AsIs, func(f *finals) float64 { return f.w.plan.Rate }),
		kit.Num("narrower", "", kit.AsIs, func(f *finals) float64 {
			if f.w.plan.Width == 0 {
				return 1
			}
			return 1 / f.w.plan.Width
		}),
		count("every", func(f *finals) int64 { return f.w.plan.Every }), count("images", func(f *finals) int64 { return int64(f.w.plan.Images) }),
		count("blocks", func(f *finals) int64 { return int64(f.w.plan.blocks(f.w.plan.most())) }),
		count("q", func(f *finals) int64 { return int64(microBlocks(f.w.plan.most(), redundancies...)) }),
		count("times", func(f *finals) int64 { return f.w.plan.Alone }))
}

// within says which methods come within the bound of the network alone: all, the
// synchronous ones, ASGD, or none.
func (f *finals) within() string {
	near := func(runs kit.Sample) bool { return against(runs, f.Serial) >= -claims.Tolerance("C30") }
	switch ssgd, asgd := near(f.SSGD), near(f.ASGD); {
	case ssgd && asgd:
		return "all"
	case ssgd:
		return "synchronous"
	case asgd:
		return "asgd"
	}
	return "none"
}

// judgeFinals judges C30 as tolerances.csv has it: means of best accuracies of every
// method at most 1 point below the serial training's, on all networks.
func judgeFinals(nets []*finals) result.Claim {
	bound := claims.Tolerance("C30")
	f := claims.Found{}
	ok, worst := true, math.Inf(-1)
	var gaps, longer []args
	for _, net := range nets {
		f.Seeds = len(net.SSGD)
		p := net.w.plan
		for _, m := range []struct {
			method string
			runs   kit.Sample
		}{{"synchronous", net.SSGD}, {"asgd", net.ASGD}} {
			below := 100 * (meanOf(net.Serial) - meanOf(m.runs))
			holds := below <= bound
			worst, ok = max(worst, below), ok && holds
			f.Parts = append(f.Parts, result.Part{Of: map[string]string{"model": p.Net.Model, "method": m.method}, Value: against(m.runs, net.Serial), Holds: &holds})
			gaps = append(gaps, args{"model": p.Net.Model, "method": m.method, "points": against(m.runs, net.Serial)})
			if p.Alone > 1 {
				longer = append(longer, args{"model": p.Net.Model, "method": m.method, "times": p.Alone, "points": against(m.runs, net.Longer)})
			}
		}
	}
	found := result.Because("C30-found", "points", max(worst, 0))
	f.Holds, f.Words = &ok, &found
	f.Notes = []result.Reason{result.Because("C30", "gaps", gaps), result.Because("C30-bound", "points", bound)}
	if longer != nil {
		f.Notes = append(f.Notes, result.Because("C30-longer", "gaps", longer))
	}
	f.Notes = append(f.Notes, result.Because("C30-changed"))
	return claims.Verdict("C30", f)
}
