package multiverse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/dasp/setup"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// The networks and methods by their place in a measured reading: setup's, in their order.
const (
	asp = 1 // of setup.Methods
	own = 4 // DASP
	cnn = 1 // the first of setup.Models that is no LeNet-5
)

// measured keeps what a reading found, by cluster, network and method.
type measured struct {
	Times [2][3][5][]float64 // seconds of an iteration by the reading's mean, per seed
	Same  [2][3][5]bool      // DASP's run is the method's, event by event, in every seed
	Waits [2][3][3]bool      // a state of setup.States occurs in some seed
	// Bounded says that no two workers' versions were ever farther apart than Smax.
	Bounded bool
}

// measure times every cell of Tables 4 and 5 as r reads them.
func measure(ctx context.Context, r reading, e effort) (measured, error) {
	m := measured{Bounded: true}
	for c, name := range clusters {
		for n, model := range setup.Models {
			on, err := r.clusterOf(ctx, name, model, e)
			if err != nil {
				return m, err
			}
			for k := range setup.Methods {
				m.Same[c][n][k] = true
			}
			for seed := range uint64(e.Seeds) {
				if err := m.time(ctx, on, r, c, n, seed, e); err != nil {
					return m, err
				}
			}
		}
	}
	return m, nil
}

// time runs all methods with one network on one cluster, and notes what they did.
func (m *measured) time(ctx context.Context, on undisturbed, r reading, c, n int, seed uint64, e effort) error {
	digests := [5]string{}
	for k, method := range setup.Methods {
		log, stats, err := on.run(ctx, r, method, seed, e)
		if err != nil {
			return err
		}
		m.Times[c][n][k] = append(m.Times[c][n][k], r.mean(stats.Iteration))
		digests[k] = log.Digest()
		if k != own {
			continue
		}
		for i := range setup.States {
			m.Waits[c][n][i] = m.Waits[c][n][i] || stats.States[i].Pushes > 0
		}
		m.Bounded = m.Bounded && log.Spread().Max() <= r.options().Smax
	}
	for k := range setup.Methods {
		m.Same[c][n][k] = m.Same[c][n][k] && digests[k] == digests[own]
	}
	return nil
}

// hasStates answers F3 by DASP's own runs alone: all three states occur with both large networks
// among unequal workers.
func hasStates(ctx context.Context, r reading, e effort) (bool, error) {
	for _, model := range setup.Models[cnn:] {
		on, err := r.clusterOf(ctx, setup.Heterogeneous, model, e)
		if err != nil {
			return false, err
		}
		all, seen := [3]bool{true, true, true}, [3]bool{}
		for seed := uint64(0); seed < uint64(e.Seeds) && seen != all; seed++ {
			_, stats, err := on.run(ctx, r, setup.Methods[own], seed, e)
			if err != nil {
				return false, err
			}
			for i := range setup.States {
				seen[i] = seen[i] || stats.States[i].Pushes > 0
			}
		}
		if seen != all {
			return false, nil
		}
	}
	return true, nil
}

// undisturbed is a network on a cluster as a reading has it, before bursts of load.
type undisturbed struct {
	*cluster.Platform
	model string
	costs setup.FullSize
	unit  float64 // seconds of an iteration that bursts are counted in; 0: the reading has none
}

// clusterOf returns a network on a cluster as r reads it.
func (r reading) clusterOf(ctx context.Context, name, model string, e effort) (u undisturbed, err error) {
	u = undisturbed{Platform: r.platform(name), model: model, costs: setup.FullSizeOf(model)}
	if r.at("noise") == burstsLevel {
		u.unit, err = pace(ctx, u.costs, r, u.Platform, model, e)
	}
	return u, err
}

// run makes a method's run of a seed, with the seed's bursts. It refuses one that outlasts them.
func (u undisturbed) run(ctx context.Context, r reading, method string, seed uint64, e effort) (
	*dasp.Log, dasp.Stats, error) {
	p, horizon := u.Platform, math.Inf(1)
	if u.unit > 0 {
		p, horizon = p.Clone(), burstHorizon*float64(e.PerWorker)*u.unit
		for w, phases := range bursts(len(p.Workers), u.unit, horizon, seed) {
			p.Workers[w].Slow = phases
		}
	}
	cfg := r.config(p, method, u.model, seed, e)
	log, err := u.costs.InOneStage(ctx, cfg)
	if err != nil {
		return nil, dasp.Stats{}, err
	}
	if took := log.End.Seconds(); took > horizon {
		return nil, dasp.Stats{}, fmt.Errorf("dasp/multiverse: a run takes %g s, its bursts reach %g s", took, horizon)
	}
	return log, log.Stats(cfg.Warmup), nil
}

// mean returns the mean iteration time by r's definition; the first worker is one of the fastest.
func (r reading) mean(t dasp.IterationTime) float64 {
	switch r.at("mean") {
	case "mean-push":
		return t.PerPush
	case "mean-update":
		return t.PerUpdate
	case "mean-fastest":
		return t.ByWorker[0]
	}
	return t.PerWorker
}

// pace returns the mean iteration of the median worker under ASP, undisturbed and without jitter.
func pace(ctx context.Context, costs setup.FullSize, r reading, p *cluster.Platform, model string, e effort) (float64, error) {
	cfg := r.config(p.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 }), setup.Methods[asp], model, 0, e)
	cfg.MaxPushes = min(cfg.MaxPushes, 40*setup.Workers)
	log, err := costs.InOneStage(ctx, cfg)
	if err != nil {
		return 0, err
	}
	times := slices.Sorted(slices.Values(log.Stats(cfg.Warmup).Iteration.ByWorker))
	return (times[(setup.Workers-1)/2] + times[setup.Workers/2]) / 2, nil
}

// admissible says which filters a reading passes.
type admissible struct {
	Equal   bool // F1 on the homogeneous cluster
	Unequal bool // F1 on the heterogeneous one
	States  bool // F3
}

// filter applies the filters to m.
func (m measured) filter() admissible {
	a := admissible{true, true, true}
	for n := cnn; n < len(setup.Models); n++ {
		for k, method := range setup.Methods {
			if method == "bsp" || k == own {
				continue
			}
			a.Equal = a.Equal && !m.Same[0][n][k]
			a.Unequal = a.Unequal && !m.Same[1][n][k]
		}
		a.States = a.States && m.Waits[1][n] == [3]bool{true, true, true}
	}
	return a
}

// all reports whether a reading is admissible; onUnequal whether a platform of the second block is.
func (a admissible) all() bool { return a.Equal && a.Unequal && a.States }

func (a admissible) onUnequal() bool { return a.Unequal && a.States }
