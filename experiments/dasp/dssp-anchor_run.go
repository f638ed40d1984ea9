package dasp

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// contestant is one method with its parameters.
type contestant struct {
	Name   string `json:"name"`
	Sync   string `json:"sync"`
	Lower  int64  `json:"lower"`  // SSP: s; DSSP: s_L; DASP: Smin; else 0
	Upper  int64  `json:"upper"`  // DSSP: s_U = s_L + r_max; DASP: Smax; else 0
	Stated string `json:"stated"` // claim of its time to 0.67; 0.68 is the next
}

// contestants are Table I's six, in its order, and DASP with the thresholds of
// the rule of dasp/thresholds (Smin = N/2, Smax = N) and with those of the tables
// of six workers.
func contestants(n int64) []contestant {
	return []contestant{
		{Name: "BSP", Sync: "bsp", Stated: "X01"}, {Name: "ASP", Sync: "asp", Stated: "X03"},
		{Name: "SSP s=3", Sync: "ssp", Lower: 3, Stated: "X05"}, {Name: "SSP s=6", Sync: "ssp", Lower: 6, Stated: "X07"},
		{Name: "SSP s=15", Sync: "ssp", Lower: 15, Stated: "X09"},
		{Name: "DSSP [3, 15]", Sync: "dssp", Lower: dsspLower, Upper: dsspUpper, Stated: "X11"},
		{Name: fmt.Sprintf("DASP (%d, %d)", n/2, n), Sync: "dasp", Lower: n / 2, Upper: n},
		{Name: fmt.Sprintf("DASP (%d, %d)", smin, smax), Sync: "dasp", Lower: smin, Upper: smax},
	}
}

// lead is how many pushes a bounded method may let the fast worker be ahead, −1
// for the unbounded.
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

// config is the timing-only run of n gradients.
func (c contestant) config(p *cluster.Platform, model string, n int64, seed uint64) train.Config {
	o := rivals.Defaults(len(p.Workers))
	o.Alpha = alpha
	switch c.Sync {
	case "ssp":
		o.Staleness = c.Lower
	case "dssp":
		o.Lower, o.Upper = c.Lower, c.Upper
	case "dasp":
		o.Smin, o.Smax = c.Lower, c.Upper
	}
	return train.Config{Sync: c.Sync, Model: model, Platform: p, Seed: seed, Batch: anchorBatch, MaxPushes: n, Options: &o, TimingOnly: true,
		Launch: train.DefaultLaunch, Overhead: train.DefaultOverhead}
}

// lap is a run in the numbers of this page.
type lap struct {
	PerGradient float64 // seconds, after the first tenth
	Epochs300   float64 // seconds of fullGradients
	FastShare   float64 // of the gradients, worker 0
	FastWaits   float64 // of worker 0's time, from a gradient's arrival to its answer
	Waits       float64 // of all workers' time
	Staleness   float64 // mean, versions
	Largest     int64   // clocks ahead of the slowest
	Factor      float64 // slowest over fastest worker's iteration, waits apart
}

// laps of every seed by contestant, in the order of the list.
type field struct {
	list []contestant
	laps [][]lap
}

// times returns one contestant's seconds of 300 epochs, by seed.
func (f field) times(i int) []float64 {
	out := make([]float64, len(f.laps[i]))
	for s, l := range f.laps[i] {
		out[s] = l.Epochs300
	}
	return out
}

// mean of one number of a contestant over seeds.
func (f field) mean(i int, of func(lap) float64) float64 {
	sum := 0.0
	for _, l := range f.laps[i] {
		sum += of(l)
	}
	return sum / float64(len(f.laps[i]))
}

// fields runs every contestant on p for every seed.
func (r *runs) fields(p *cluster.Platform, list []contestant, model string, n int64, seeds []uint64) (field, error) {
	f := field{list, make([][]lap, len(list))}
	network, err := costsOf(model)
	if err != nil {
		return f, err
	}
	for i, c := range list {
		for _, seed := range seeds {
			l, err := kept(r, "dasp/dssp-anchor/", fmt.Sprintf("%s, %s, %s", p.Name, model, c.Name), 1, c.config(p, model, n, seed), func(cfg train.Config) (lap, error) {
				log, err := network.inOneStage(r.ctx, cfg)
				if err != nil {
					return lap{}, err
				}
				return lapOf(log, cfg.MaxPushes/10), nil
			})
			if err != nil {
				return f, err
			}
			f.laps[i] = append(f.laps[i], l)
		}
	}
	return f, nil
}

// lapOf reduces a log; the mean time per gradient is over what follows the first
// warm gradients, and the time of 300 epochs is theirs and as many more at that
// pace.
func lapOf(log *dasp.Log, warm int64) (l lap) {
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
