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
		p := r.platform(name)
		for n, model := range setup.Models {
			costs := setup.FullSizeOf(model)
			unit := 0.0
			if r.at("noise") == burstsLevel {
				var err error
				if unit, err = pace(ctx, costs, r, p, model, e); err != nil {
					return m, err
				}
			}
			for k := range setup.Methods {
				m.Same[c][n][k] = true
			}
			for seed := range uint64(e.Seeds) {
				on, horizon := p, math.Inf(1)
				if unit > 0 {
					on, horizon = p.Clone(), burstHorizon*float64(e.PerWorker)*unit
					for w, phases := range bursts(len(on.Workers), unit, horizon, seed) {
						on.Workers[w].Slow = phases
					}
				}
				took, err := m.time(ctx, costs, r, on, c, n, seed, e)
				if err == nil && took > horizon {
					err = fmt.Errorf("dasp/multiverse: a run takes %g s, its bursts reach %g s", took, horizon)
				}
				if err != nil {
					return m, err
				}
			}
		}
	}
	return m, nil
}

// time runs all methods with one network on one cluster, notes what they did, and returns the seconds
// of the longest run.
func (m *measured) time(ctx context.Context, costs setup.FullSize, r reading, p *cluster.Platform, c, n int, seed uint64, e effort) (
	longest float64, err error) {
	digests := [5]string{}
	for k, method := range setup.Methods {
		cfg := r.config(p, method, setup.Models[n], seed, e)
		log, err := costs.InOneStage(ctx, cfg)
		if err != nil {
			return longest, err
		}
		longest = max(longest, log.End.Seconds())
		stats := log.Stats(cfg.Warmup)
		m.Times[c][n][k] = append(m.Times[c][n][k], r.mean(stats.Iteration))
		digests[k] = log.Digest()
		if k != own {
			continue
		}
		for i := range setup.States {
			m.Waits[c][n][i] = m.Waits[c][n][i] || stats.States[i].Pushes > 0
		}
		m.Bounded = m.Bounded && log.Spread().Max() <= cfg.Options.Smax
	}
	for k := range setup.Methods {
		m.Same[c][n][k] = m.Same[c][n][k] && digests[k] == digests[own]
	}
	return longest, nil
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
