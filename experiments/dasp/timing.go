package dasp

import (
	"context"
	"fmt"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// timing is a timing-only run at full model size.
func timing(p *cluster.Platform, method, model string, seed uint64) train.Config {
	o := options()
	return train.Config{Sync: method, Model: model, Platform: p, Seed: seed, Batch: fullBatch,
		MaxPushes: workers * perWorker, Warmup: warmup, Options: &o, TimingOnly: true}
}

// grid holds the cells of a timing table: [model][method][seed].
type grid map[string]map[string][]cell

// timingGrid runs every model and method on p for every seed, with overhead per
// iteration beside the layers.
func (r *runs) timingGrid(p *cluster.Platform, overhead time.Duration, seeds []uint64) (grid, error) {
	g := grid{}
	for _, m := range models {
		g[m] = map[string][]cell{}
		for _, method := range methods {
			for _, seed := range seeds {
				cfg := timing(p, method, m, seed)
				cfg.Overhead = overhead
				c, err := r.get(fmt.Sprintf("%s, %s, %s", p.Name, title[m], title[method]), 1, cfg)
				if err != nil {
					return g, err
				}
				g[m][method] = append(g[m][method], c)
			}
		}
	}
	return g, nil
}

// values collects one number per seed.
func values(cells []cell, of func(cell) float64) []float64 {
	out := make([]float64, len(cells))
	for i, c := range cells {
		out[i] = of(c)
	}
	return out
}

// The three readings of "mean iteration time". Claims are judged by the first:
// §3.2 reads the figure as the stragglers' influence on fast nodes, which only
// a mean over workers with their waits shows.
var readings = []struct {
	key, title string
	of         func(cell) float64
}{
	{"per_worker", "per worker, waits included", perIteration},
	{"per_push", "per push", func(c cell) float64 { return c.Iteration.PerPush }},
	{"per_update", "per update", func(c cell) float64 { return c.Iteration.PerUpdate }},
}

func perIteration(c cell) float64 { return c.Iteration.PerWorker }

// timingConfig is what a timing table records of its parameters; more names the
// clusters whose grids its claims need besides.
func timingConfig(p *cluster.Platform, others []platforms.Variant, more []string, seeds []uint64) map[string]any {
	cfg := map[string]any{"platform": p, "methods": methods, "models": models, "options": options(),
		"batch": fullBatch, "gradients": workers * perWorker, "warmup": warmup, "seeds": seeds,
		"plausible": names(others), "overheads": overheads, "launch": train.DefaultLaunch, "overhead": train.DefaultOverhead}
	for _, name := range more {
		cfg["beside "+name] = map[string]any{"platform": load(name), "plausible": names(sweep(name))}
	}
	return cfg
}

func names(variants []platforms.Variant) (out []string) {
	for _, v := range variants {
		out = append(out, v.Name)
	}
	return out
}

// sweep returns the plausible platforms around an embedded one.
func sweep(platform string) []platforms.Variant {
	v, err := platforms.Sweep(platform)
	if err != nil {
		panic(err) // embedded files: only a programmer can break them
	}
	return v
}

// judgeTiming judges a timing table: g is its own grid, wide and ranges are what
// the plausible platforms gave. It may run further grids.
type judgeTiming func(g grid, wide []plausibleRun, ranges map[string]string, r *runs) ([]result.Claim, error)

// timingTable is table 4 or 5: the reference platform, the claims, and the
// range over plausible platforms. judge may run the grids of further clusters;
// with their sweeps they are named in more.
func timingTable(id, heading, source, platform string, more []string, judge judgeTiming) exp.Experiment {
	e := exp.Experiment{ID: id, Title: heading, Source: source, Profiles: exp.Profiles}
	clusters := append([]string{platform}, more...)
	grids := func(platform string, seeds int) float64 { return float64(seeds + len(sweep(platform))*len(overheads)) }
	e.Shares = func(_ string, seeds int) map[string]float64 {
		parts := map[string]float64{}
		for _, c := range clusters {
			parts[c+", timing"] = 0.015 * float64(len(models)*len(methods)) * grids(c, seeds)
		}
		return parts
	}
	e.Seconds = func(profile string, seeds int) (total float64) {
		shares := e.Shares(profile, seeds)
		for _, c := range clusters {
			total += shares[c+", timing"]
		}
		return total
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		p := load(platform)
		others := sweep(platform)
		r := &runs{ctx: ctx, env: env}
		for _, c := range clusters {
			r.total += float64(len(models)*len(methods)) * grids(c, len(env.Seeds))
		}
		res := exp.NewResult(e, env, result.TimingOnly, timingConfig(p, others, more, env.Seeds))
		g, err := r.timingGrid(p, train.DefaultOverhead, env.Seeds)
		if err != nil {
			return incomplete(res), err
		}
		res.Tables = append(res.Tables, iterationTable(heading, g), stateTable(g))
		res.Figures = append(res.Figures, iterationFigure(heading, g))
		wide, err := r.overPlausible(others, env.Seeds[0])
		if err != nil {
			return incomplete(res), err
		}
		table, ranges := rangeTable(platform, wide)
		res.Tables = append(res.Tables, table)
		res.Notes = append(append(res.Notes, stateNotes(g)...), fixedCost)
		if res.Claims, err = judge(g, wide, ranges, r); err != nil {
			return incomplete(res), err
		}
		res.Status = complete
		return res, nil
	}
	return e
}
