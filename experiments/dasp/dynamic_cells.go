package dasp

import (
	"fmt"

	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// dynRunSeconds estimates one timing run.
func dynRunSeconds(profile string) float64 { return 0.015 * float64(dynPerWorker(profile)) / 150 }

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
func (r *runs) dynRun(what string, s dynScenario, p dynPace, cfg train.Config) (dynCell, error) {
	plan := s.plan(p, cfg.Seed, dynHorizon*float64(cfg.MaxPushes/workers)*p.Unit)
	cfg.Platform = plan.on(cfg.Platform)
	return logged(r, "dasp/dynamic/", what+", "+title[cfg.Sync], dynRunSeconds(r.env.Profile), cfg, func(o *train.Outcome) (dynCell, error) {
		return dynReduce(o, plan, p.Unit)
	})
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
