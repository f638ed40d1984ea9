package dsspanchor

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// contestant is one method with its parameters.
type contestant struct {
	Key    string `json:"key"`
	Symbol string `json:"-"` // in an order such as ASP<SSP(3)
	Sync   string `json:"sync"`
	Lower  int64  `json:"lower"`  // SSP: s; DSSP: s_L; DASP: Smin; else 0
	Upper  int64  `json:"upper"`  // DSSP: s_U = s_L + r_max; DASP: Smax; else 0
	Stated string `json:"stated"` // claim of its time to 0.67; the next claim is its time to 0.68
}

// contestants lists Table I's six methods, in its order, and DASP twice: with the thresholds of the
// rule of dasp/thresholds (Smin = N/2, Smax = N), n being the number of workers, and with those of
// the tables.
func contestants(n int64) []contestant {
	dasp := func(lower, upper int64) contestant {
		return contestant{fmt.Sprintf("dasp-%d-%d", lower, upper), fmt.Sprintf("DASP(%d,%d)", lower, upper), "dasp", lower, upper, ""}
	}
	return []contestant{{"bsp", "BSP", "bsp", 0, 0, "X01"}, {"asp", "ASP", "asp", 0, 0, "X03"}, {"ssp-3", "SSP(3)", "ssp", 3, 0, "X05"},
		{"ssp-6", "SSP(6)", "ssp", 6, 0, "X07"}, {"ssp-15", "SSP(15)", "ssp", 15, 0, "X09"}, {"dssp", "DSSP", "dssp", setup.DSSPLower, setup.DSSPUpper, "X11"},
		dasp(n/2, n), dasp(setup.Smin, setup.Smax)}
}

// lead returns how many pushes ahead a bounded method lets the fast worker be, −1 for an unbounded
// one.
func (c contestant) lead() int64 {
	switch c.Sync {
	case "bsp":
		return 0
	case "ssp":
		return c.Lower + 1
	case "dssp":
		return c.Upper + 1
	}
	return -1
}

// config returns the run of n gradients of model on p.
func (c contestant) config(p *cluster.Platform, model string, n int64, seed uint64) train.Config {
	o := rivals.Defaults(len(p.Workers))
	o.Alpha = setup.Alpha
	switch c.Sync {
	case "ssp":
		o.Staleness = c.Lower
	case "dssp":
		o.Lower, o.Upper = c.Lower, c.Upper
	case "dasp":
		o.Smin, o.Smax = c.Lower, c.Upper
	}
	return train.Config{Sync: c.Sync, Model: model, Platform: p, Seed: seed, Batch: ownBatch, MaxPushes: n, Server: train.Server{Options: &o}, TimingOnly: true,
		Launch: train.DefaultLaunch, Overhead: train.DefaultOverhead}
}

// simulation holds what the tables need of a run.
type simulation struct {
	PerGradient float64 // seconds, after the first tenth
	Epochs300   float64 // seconds of fullGradients
	FastShare   float64 // of the gradients, worker 0
	FastWaits   float64 // of worker 0's time, from a gradient's arrival to its answer
	Waits       float64 // of all workers' time
	Staleness   float64 // mean, versions
	Largest     int64   // clocks ahead of the slowest
	Factor      float64 // slowest over fastest worker's iteration, waits apart
}

// timed runs c on p in one stage.
func (c contestant) timed(ctx context.Context, env exp.Env, p *cluster.Platform, model string, n int64, seed uint64) (simulation, error) {
	return train.KeptBy(ctx, env, c.config(p, model, n, seed), func(cfg train.Config) (simulation, error) {
		log, err := setup.FullSizeOf(model).InOneStage(ctx, cfg)
		if err != nil {
			return simulation{}, err
		}
		return simulationOf(log, n/10), nil
	})
}

// clusterRuns holds the runs of every contestant on one cluster, seed by seed.
type clusterRuns struct {
	list []contestant
	runs [][]simulation
}

// at returns the index of a contestant. It panics on an unknown key.
func (f clusterRuns) at(key string) int {
	i := slices.IndexFunc(f.list, func(c contestant) bool { return c.Key == key })
	if i < 0 {
		panic("dasp: no contestant " + key)
	}
	return i
}

// times returns the seconds of 300 epochs of contestant i, seed by seed.
func (f clusterRuns) times(i int) kit.Sample {
	return kit.Each(f.runs[i], func(l simulation) float64 { return l.Epochs300 })
}

// over returns the time of contestant i over BSP's.
func (f clusterRuns) over(i int) kit.Estimate { return f.times(i).Over(f.times(f.at("bsp"))) }

// ratio returns the time of the contestant of that key over BSP's.
func (f clusterRuns) ratio(key string) float64 { return f.over(f.at(key)).Value }

// mean returns what of gives of contestant i, the mean over seeds.
func (f clusterRuns) mean(i int, of func(simulation) float64) float64 {
	return kit.Each(f.runs[i], of).Mean().Value
}

// factor returns how much longer the slow worker's iteration is under ASP.
func (f clusterRuns) factor() float64 {
	return f.mean(f.at("asp"), func(l simulation) float64 { return l.Factor })
}

// largest returns how many clocks contestant i was ahead, the largest of any seed.
func (f clusterRuns) largest(i int) int64 {
	return kit.Largest(f.runs[i], func(l simulation) int64 { return l.Largest })
}

// simulationOf reduces a log. The mean time per gradient leaves out the first warm gradients; 300
// epochs take their time, and all other gradients at that mean.
func simulationOf(log *dasp.Log, warm int64) (l simulation) {
	first := 0
	for log.Updates[first].Pushes < warm {
		first++
	}
	from, to := log.Updates[first], log.Updates[len(log.Updates)-1]
	l.PerGradient = (to.At - from.At).Seconds() / float64(to.Pushes-from.Pushes)
	l.Epochs300 = from.At.Seconds() + float64(float64(fullGradients-from.Pushes)*l.PerGradient)
	busy, waits, answered := make([]float64, log.Workers), make([]float64, log.Workers), make([]int64, log.Workers)
	var stale, used, fast int64
	for _, p := range log.Pushes {
		l.Largest = max(l.Largest, p.Clock)
		if p.Applied > 0 {
			used++
			stale += p.Applied - 1 - p.Pulled
			if p.Worker == 0 {
				fast++
			}
		}
		if !p.Abandoned {
			answered[p.Worker]++
			busy[p.Worker] += (p.Received - p.Sent).Seconds()
			waits[p.Worker] += (p.Replied - p.Received).Seconds()
		}
	}
	last := log.Workers - 1
	l.FastShare, l.Staleness = float64(fast)/float64(used), float64(stale)/float64(used)
	l.FastWaits = waits[0] / (busy[0] + waits[0])
	l.Waits = floats.Sum(waits) / (floats.Sum(busy) + floats.Sum(waits))
	l.Factor = (busy[last] / float64(answered[last])) / (busy[0] / float64(answered[0]))
	return l
}
