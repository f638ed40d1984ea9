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
			r.Facts = kit.Facts("bound/points", claims.Tolerance("C30"))
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
	s := kit.NewSheet("finals", "model:model method:method nodes updates runs best±/%.2 against/points.2 staleness/versions.2 clipped")
	for _, f := range nets {
		p, n := f.w.plan, f.w.plan.most()
		clipped, stale := int64(0), 0.0
		for _, t := range f.w.ssgd {
			clipped += t.Clipped
		}
		for _, t := range f.w.asgd {
			stale += t.Staleness / float64(len(f.w.asgd))
		}
		add := func(method string, nodes int, updates int64, runs kit.Sample, stale, clipped any) {
			s.Add(p.Net.Model, method, nodes, updates, len(runs), runs.Mean().Times(100), against(runs, f.Serial), stale, clipped)
		}
		add("alone", 1, p.Updates, f.Serial, nil, nil)
		if p.Alone > 1 {
			add("longer", 1, p.Alone*p.Updates, f.Longer, nil, nil)
		}
		add("synchronous", n, p.Updates, f.SSGD, 0.0, clipped)
		add("asgd", n, p.Updates, f.ASGD, stale, nil)
	}
	return s.Frame
}

// finalsPlans holds how each network was trained, and which methods come within the
// bound of the network alone.
func finalsPlans(nets []*finals) result.Frame {
	s := kit.NewSheet("networks", "model:model within:within data:data nodes batch rate narrower every images blocks q times runs")
	for _, f := range nets {
		p, n, narrower := f.w.plan, f.w.plan.most(), 1.0
		if p.Width > 0 {
			narrower = 1 / p.Width
		}
		s.Add(p.Net.Model, f.within(), f.w.ssgd[0].Data.Name, n, p.Net.PerNode, p.Rate, narrower, p.Every, p.Images, p.blocks(n),
			microBlocks(n, redundancies...), p.Alone, len(f.w.asgd))
	}
	return s.Frame
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
