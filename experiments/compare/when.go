package compare

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// when sweeps links, workers, networks and numbers of nodes by time alone, and weighs
// the times with what the two trained comparisons say of samples.
func when() exp.Experiment {
	e := exp.Experiment{ID: "compare/when", Title: "Which method to use when", Source: "ours: the methods of all four documents side by side", Profiles: exp.Profiles}
	e.Shares = func(profile string, seeds int) map[string]float64 {
		return map[string]float64{equalSet: studySeconds(profile, seeds), unequalSet: studySeconds(profile, seeds), "synchronous": syncSeconds(profile, seeds)}
	}
	e.Seconds = func(profile string, seeds int) float64 {
		return sweepSeconds(profile) + 2*studySeconds(profile, seeds) + syncSeconds(profile, seeds)
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan, s := planSweep(env.Profile), sizeOf(env.Profile)
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"sweep": plan, "methods": sweepMethods(), "size": s, "grounds": append(groundsOf(equalSet), groundsOf(unequalSet)...),
			"target_rule": targetRule, "pilot_seed": pilotSeed, "seeds": env.Seeds})
		bar := &exp.Bar{Env: env, Total: float64(len(plan.laps())) + 2*parts(len(env.Seeds))}
		laps, err := sweep(ctx, plan, bar)
		if err != nil {
			return interrupted(res), err
		}
		r := &runs{ctx: ctx, env: env, bar: bar}
		g := newGuide(plan, laps)
		for _, set := range []string{equalSet, unequalSet} {
			st, err := r.runStudy(set, s)
			if err != nil {
				return interrupted(res), err
			}
			g.samples(st)
		}
		res.Data, res.Engine = g.studies[0].Data, g.studies[0].Engine
		res.Tables = []result.Table{g.adviceTable(), g.networkTable(), g.regionTable(), g.bestTable(), g.sampleTable(), g.densityTable(), g.timeTable()}
		for _, set := range []string{equalWorkers, straggler} {
			res.Figures = append(res.Figures, g.linkFigure(plan.Models[len(plan.Models)-1], set))
		}
		res.Notes, res.Status = g.notes(), complete
		return res, nil
	}
	return e
}

// sweepSeconds estimates the sweep.
func sweepSeconds(profile string) float64 {
	p := planSweep(profile)
	perLap := 0.0
	for _, n := range p.Nodes {
		perLap += 0.0012 * float64(n)
	}
	return perLap * float64(len(p.laps())/len(p.Nodes))
}

// guide is what advice is computed from.
type guide struct {
	plan    sweepPlan
	times   map[place]float64 // seconds of a round
	studies []*study
	// factor is how many times as many samples as BSP an asynchronous method needs, by
	// set of the trained comparison.
	factor map[string]map[string]factor
}

// factor is a ratio of samples with its interval over seeds.
type factor struct {
	Ratio float64
	CI    *[2]float64
}

// counted is the ratio where its interval lies above 1, else 1: a cost that the seeds'
// noise can make is not counted, and staleness gets no credit.
func (f factor) counted() float64 {
	if f.CI == nil || f.CI[0] <= 1 {
		return 1
	}
	return f.Ratio
}

// place is a method at a point, with the density of its gradients.
type place struct {
	point
	Method  string
	Density float64
}

func newGuide(plan sweepPlan, laps []lap) *guide {
	g := &guide{plan: plan, times: map[place]float64{}, factor: map[string]map[string]factor{}}
	for _, l := range laps {
		g.times[place{l.Point, l.Method, l.Density}] = l.Round
	}
	return g
}

// time is a round of a method with dense gradients.
func (g *guide) time(p point, method string) float64 {
	t, ok := g.times[place{p, method, 1}]
	if !ok {
		panic(fmt.Sprintf("compare: %s was not run at %+v", method, p))
	}
	return t
}

// samples takes in what a trained comparison says of asynchronous methods.
func (g *guide) samples(st *study) {
	g.studies = append(g.studies, st)
	f := map[string]factor{}
	for _, m := range methods() {
		if !m.Async {
			continue
		}
		if ours, base, ok := st.overLinks(m.Key); ok {
			r, ci := ratio(ours, base)
			f[m.Key] = factor{r, ci}
		}
	}
	g.factor[st.Set] = f
}

// overLinks are, by seed, the gradients to the target of a method and of BSP: geometric
// means over the links, which share their seeds and so count once.
func (s *study) overLinks(k string) (ours, base []float64, ok bool) {
	ours, base = make([]float64, len(s.Seeds)), make([]float64, len(s.Seeds))
	for _, gr := range s.Grounds {
		_, o, _, reachedO := reached(s.cells(gr, k), s.Target)
		_, b, _, reachedB := reached(s.cells(gr, "bsp"), s.Target)
		if !reachedO || !reachedB {
			return nil, nil, false
		}
		for i := range o {
			ours[i] += math.Log(o[i]) / float64(len(s.Grounds))
			base[i] += math.Log(b[i]) / float64(len(s.Grounds))
		}
	}
	for i := range ours {
		ours[i], base[i] = math.Exp(ours[i]), math.Exp(base[i])
	}
	return ours, base, true
}

// weighed is a method's round times the samples that staleness costs, where the trained
// comparisons say so; ok is false where they do not.
func (g *guide) weighed(p point, method string) (seconds float64, ok bool) {
	t := g.time(p, method)
	if !sweepMethod(method).Async {
		return t, true
	}
	set := equalSet
	if p.Set != equalWorkers {
		set = unequalSet
	}
	f, ok := g.factor[set][method]
	return float64(t * f.counted()), ok
}
