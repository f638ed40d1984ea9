package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// The hypotheses, as they were written before the first run. Times are per push:
// with every worker always under way that is N·time/gradients, so that ASP, which
// never waits, is the control: the speeds only change hands, and its factor is 1.
// Per worker it would not be, because a mean over workers weighs a permanently
// slow one as much as a fast one.
const (
	// dynH1 holds in a case if (DSSP/SSP when speeds change)/(DSSP/SSP when they do
	// not) is above 1, its 95 % interval too.
	dynH1 = "H1: when speeds change, DSSP's prediction from the last interval helps less: its iteration time relative to SSP's rises"
	// dynH2 holds in a case if |ln factor| of DASP, the factor by which changing
	// speeds change the iteration time, is below those of SSP and of DSSP, with both
	// 95 % intervals of the differences above 0.
	dynH2 = "H2: DASP's iteration time changes by less than SSP's and DSSP's when the same speeds change hands"
	// dynH3 holds in a case if DASP lets go of a formerly slow worker within N
	// versions in the mean, and after fewer of that worker's own gradients than SSP,
	// its 95 % interval too.
	dynH3 = "H3: versions forgive a slow past: the formerly slow worker stops being the oldest within N versions under DASP, under SSP only after the clocks have levelled"
)

// dynCase is a model, on the clusters' own links or on faster ones.
type dynCase struct {
	Model string
	Link  float64 // bytes/s of every NIC; 0: the platform's own
}

// dynFast is the link on which devices, not the server's NIC, set the pace of
// the large models: InfiniBand as in DSSP's paper, the fastest of the plausible.
const dynFast = 12.5e9

func (c dynCase) title() string {
	if c.Link > 0 {
		return title[c.Model] + ", 100 Gb/s"
	}
	return title[c.Model]
}

func dynCases(profile string) []dynCase {
	if profile == "ci" {
		return []dynCase{{"lenet5", 0}, {"vgg19_bn", dynFast}}
	}
	return []dynCase{{"lenet5", 0}, {"resnet18", 0}, {"vgg19_bn", 0}, {"resnet18", dynFast}, {"vgg19_bn", dynFast}}
}

// dynPerWorker is how many iterations of each worker a timing run has.
func dynPerWorker(profile string) int64 {
	if profile == "ci" {
		return 90
	}
	return 250
}

// dynCell is a run in the numbers of this experiment.
type dynCell struct {
	cell
	Clock    train.Distribution
	Waiting  float64    // mean number of workers that wait for others
	Around   []float64  // the same around the onsets
	Onsets   int        // that Around is over
	States   [3][]int64 // DASP's pushes around the onsets, by state
	Releases []dynRelease
}

// dynGrid holds cells by case, scenario and method: one per seed.
type dynGrid map[string]map[string]map[string][]dynCell

func dynCells(c []dynCell) []cell {
	out := make([]cell, len(c))
	for i := range c {
		out[i] = c[i].cell
	}
	return out
}

func dynPerPush(c cell) float64 { return c.Iteration.PerPush }

// dynConfig is a timing-only run of a case.
func dynConfig(c dynCase, base, profile string) train.Config {
	p := load(base)
	if c.Link > 0 {
		p = p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = c.Link })
	}
	cfg := timing(p, "asp", c.Model, 0)
	cfg.MaxPushes = workers * dynPerWorker(profile)
	return cfg
}

// dynTimed runs every scenario and method of a case for every seed.
func (r *runs) dynTimed(c dynCase) (map[string]map[string][]dynCell, error) {
	out := map[string]map[string][]dynCell{}
	paces := map[string]dynPace{}
	for _, s := range dynScenarios {
		out[s.Key] = map[string][]dynCell{}
		cfg := dynConfig(c, s.Base, r.env.Profile)
		if _, ok := paces[s.Base]; !ok {
			p, err := r.dynPaceOf(cfg.Platform, cfg)
			if err != nil {
				return nil, err
			}
			paces[s.Base] = p
		}
		for _, seed := range r.env.Seeds {
			for _, method := range methods {
				cfg.Sync, cfg.Seed = method, seed
				x, err := r.dynRun(c.title()+", "+s.Title, s, paces[s.Base], cfg)
				if err != nil {
					return nil, err
				}
				out[s.Key][method] = append(out[s.Key][method], x)
			}
		}
	}
	return out, nil
}

// dynRun times one run on its scenario's speeds, or loads what an earlier call
// left.
func (r *runs) dynRun(what string, s dynScenario, p dynPace, cfg train.Config) (c dynCell, err error) {
	plan := s.plan(p, cfg.Seed, dynHorizon*float64(cfg.MaxPushes/workers)*p.Unit)
	cfg.Platform = plan.on(cfg.Platform)
	key, err := r.key(cfg)
	if err != nil {
		return c, err
	}
	if r.env.Memo == nil || !r.env.Memo.Load(key+"/dynamic", &c) {
		if err := r.ctx.Err(); err != nil {
			return c, err
		}
		out, err := train.Run(r.ctx, cfg)
		if err != nil {
			return c, fmt.Errorf("dasp: %s, %s: %w", what, title[cfg.Sync], err)
		}
		if c, err = dynReduce(out, plan, p.Unit); err != nil {
			return c, fmt.Errorf("dasp: %s, %s: %w", what, title[cfg.Sync], err)
		}
		if r.env.Memo != nil {
			if err := r.env.Memo.Save(key+"/dynamic", c); err != nil {
				return c, err
			}
		}
	}
	r.done++
	r.report(r.done, what+", "+title[cfg.Sync])
	return c, nil
}

// dynReduce measures a run after its first `warmup` iterations of unit seconds.
func dynReduce(o *train.Outcome, plan dynSchedule, unit float64) (dynCell, error) {
	end := o.Log.End.Seconds()
	if end > plan.Horizon {
		return dynCell{}, fmt.Errorf("the run takes %g s, its schedule reaches %g s", end, plan.Horizon)
	}
	from, waits := warmup*unit, dynWaits(o.Log)
	c := dynCell{cell: reduce(o, false), Clock: o.Clock, Waiting: dynWaited(waits, from, end, -1) / (end - from)}
	c.Around, c.Onsets = dynAround(waits, plan.Onsets, unit, from, end)
	if o.Sync == "dasp" {
		c.States = dynStatesAround(o.Log, plan.Onsets, unit, from, end)
	}
	c.Releases = dynReleases(o.Log, o.Sync == "dasp", plan.Endings, unit, from)
	return c, nil
}

// dynamic asks what the methods make of speeds that change during the run.
func dynamic() exp.Experiment {
	e := exp.Experiment{ID: "dasp/dynamic", Title: "Speeds that change during the run", Profiles: exp.Profiles,
		Source: "ours: §1 names changing speeds as the method's motive and §2 its states' answer; no table of the paper varies them"}
	runsOf := func(profile string, seeds int) float64 {
		return float64(len(dynCases(profile))*len(dynScenarios)*len(methods)) * float64(seeds)
	}
	e.Seconds = func(profile string, seeds int) float64 {
		return 0.015 * float64(dynPerWorker(profile)) / 150 * runsOf(profile, seeds)
	}
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		r := &runs{ctx: ctx, env: env, total: runsOf(env.Profile, len(env.Seeds))}
		res := newResult(e, env, result.TimingOnly, dynSetup(env))
		g := dynGrid{}
		for _, c := range dynCases(env.Profile) {
			cells, err := r.dynTimed(c)
			if err != nil {
				return incomplete(res), err
			}
			g[c.title()] = cells
		}
		lines, err := r.dynTimeLines()
		if err != nil {
			return incomplete(res), err
		}
		dynConclude(res, env.Profile, g, lines)
		res.Status = complete
		return res, nil
	}
	return e
}

// dynSetup is what the result records of its parameters.
func dynSetup(env exp.Env) map[string]any {
	bases, scenarios := map[string]any{}, []string{}
	for _, s := range dynScenarios {
		bases[s.Base] = load(s.Base)
		scenarios = append(scenarios, s.Title)
	}
	cases := []string{}
	for _, c := range dynCases(env.Profile) {
		cases = append(cases, c.title())
	}
	return map[string]any{"platforms": bases, "scenarios": scenarios, "cases": cases, "methods": methods, "options": options(),
		"batch": fullBatch, "gradients": workers * dynPerWorker(env.Profile), "warmup": warmup, "seeds": env.Seeds,
		"schedule": map[string]any{"deal": []int{dynDealFrom, dynDealTo}, "calm": []int{dynCalmFrom, dynCalmTo}, "burst": []int{dynBurstFrom, dynBurstTo},
			"first_calm": dynFirstCalm, "burst_factor": dynBurstFactor, "forget": dynForget},
		"hypotheses": []string{dynH1, dynH2, dynH3}}
}
