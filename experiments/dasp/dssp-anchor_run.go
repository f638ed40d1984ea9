package dasp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

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
	Stated string `json:"stated"` // claim of its time to 0.67; 0.68 is the next
}

// contestants are Table I's six, in its order, and DASP with the thresholds of the rule of
// dasp/thresholds (Smin = N/2, Smax = N) and with those of the tables of six workers.
func contestants(n int64) []contestant {
	dasp := func(lower, upper int64) contestant {
		return contestant{fmt.Sprintf("dasp-%d-%d", lower, upper), fmt.Sprintf("DASP(%d,%d)", lower, upper), "dasp", lower, upper, ""}
	}
	return []contestant{{"bsp", "BSP", "bsp", 0, 0, "X01"}, {"asp", "ASP", "asp", 0, 0, "X03"}, {"ssp-3", "SSP(3)", "ssp", 3, 0, "X05"},
		{"ssp-6", "SSP(6)", "ssp", 6, 0, "X07"}, {"ssp-15", "SSP(15)", "ssp", 15, 0, "X09"}, {"dssp", "DSSP", "dssp", dsspLower, dsspUpper, "X11"},
		dasp(n/2, n), dasp(smin, smax)}
}

// lead returns how many pushes a bounded method may let the fast worker be ahead, −1
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

// lap holds what this page needs of a run.
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

// timed runs c on p in one stage.
func (c contestant) timed(ctx context.Context, env exp.Env, p *cluster.Platform, model string, n int64, seed uint64) (lap, error) {
	return train.KeptBy(ctx, env, c.config(p, model, n, seed), func(cfg train.Config) (lap, error) {
		log, err := costsOf(model).inOneStage(ctx, cfg)
		if err != nil {
			return lap{}, err
		}
		return lapOf(log, n/10), nil
	})
}

// field holds the laps of every contestant on one cluster, seed by seed.
type field struct {
	list []contestant
	laps [][]lap
}

// at returns the place of a contestant; an unknown key is a programmer's mistake.
func (f field) at(key string) int {
	i := slices.IndexFunc(f.list, func(c contestant) bool { return c.Key == key })
	if i < 0 {
		panic("dasp: no contestant " + key)
	}
	return i
}

func (f field) times(i int) kit.Sample {
	return kit.Each(f.laps[i], func(l lap) float64 { return l.Epochs300 })
}

func (f field) over(i int) kit.Estimate { return f.times(i).Over(f.times(f.at("bsp"))) }

func (f field) ratio(key string) float64 { return f.over(f.at(key)).Value }

func (f field) mean(i int, of func(lap) float64) float64 { return kit.Each(f.laps[i], of).Mean().Value }

// factor returns how much longer the slow worker's iteration is under ASP.
func (f field) factor() float64 {
	return f.mean(f.at("asp"), func(l lap) float64 { return l.Factor })
}

// largest returns the most clocks that a contestant was ahead in any seed.
func (f field) largest(i int) int64 {
	return kit.Largest(f.laps[i], func(l lap) int64 { return l.Largest })
}

// lapOf reduces a log; the mean time per gradient is over what follows the first warm
// gradients, and the time of 300 epochs is theirs and as many more at that pace.
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

// Two workers without a network: a fast one whose iteration takes 1 and a slow
// one whose iteration takes f ≥ 1. Times are relative to BSP's, f/2 per gradient.

// aspRatio is ASP's time per gradient relative to BSP's. Nobody waits, so in time
// f the slow worker makes 1 gradient and the fast one f:
//
//	(f/(1 + f)) / (f/2) = 2/(1 + f)
func aspRatio(f float64) float64 { return 2 / (1 + f) }

// factorOf is the time factor at which ASP takes ratio of BSP's time: the inverse of aspRatio.
func factorOf(ratio float64) float64 { return 2/ratio - 1 }

// boundedRatio is the time of n gradients, relative to BSP's, of a method that keeps the fast
// worker at most lead pushes ahead. Whatever the bound, the fast worker soon makes one gradient
// per gradient of the slow one; the lead is all that it ever gains:
//
//	n = 2m + lead,  time m·f,  so (m·f) / (n·f/2) = 1 − lead/n
func boundedRatio(lead, n int64) float64 { return 1 - float64(lead)/float64(n) }

// race plays DSSP between the two workers: Algorithms 1 and 2 of its paper, with else before
// the wait (as printed the worker is answered twice). capped is the form that rivals.NewDSSP
// has, which allows no grant beyond upper; without it grants follow each other without limit.
type race struct {
	f            float64
	lower, upper int64
	capped       bool
	host         cluster.Host // of its jitter alone
}

// raced holds what a race leaves. Times are in iterations of the fast worker.
type raced struct {
	time    float64 // of all gradients
	waited  float64 // of the fast worker, in total
	largest int64   // clocks that the fast worker was ahead, after a push
	waits   int64   // how often it waited
}

// run plays n gradients; r draws the jitter.
func (x race) run(n int64, r *rand.Rand) raced {
	period := [2]float64{1, x.f}
	var out raced
	var clock [2]int64
	var push [2][2]float64 // the last two pushes of each, latest first
	next := [2]float64{x.host.DrawJitter(r), float64(x.f * x.host.DrawJitter(r))}
	waiting, grant := false, int64(0)
	for range n {
		w := 1
		if !waiting && next[0] <= next[1] {
			w = 0
		}
		out.time = next[w]
		clock[w]++
		push[w] = [2]float64{out.time, push[w][0]}
		goes := w == 1
		if gap := clock[0] - clock[1]; w == 0 {
			out.largest = max(out.largest, gap)
			goes = true
			switch {
			case grant > 0:
				grant--
			case gap > x.lower:
				if clock[0] >= 2 && clock[1] >= 2 {
					grant = x.iterations(push)
				}
				if x.capped {
					grant = max(min(grant, x.upper-gap), 0)
				}
				goes = grant > 0
			}
		}
		if goes {
			next[w] = out.time + float64(period[w]*x.host.DrawJitter(r))
		} else {
			waiting = true
			out.waits++
		}
		if waiting && clock[0]-clock[1] <= x.lower {
			waiting = false
			out.waited += out.time - push[0][0]
			next[0] = out.time + x.host.DrawJitter(r)
		}
	}
	return out
}

// iterations returns r*: how many more iterations of the fast worker end nearest to a
// push of the slow one, if both go on at their last pace; the smallest of equals.
func (x race) iterations(push [2][2]float64) int64 {
	own, its := push[0][0]-push[0][1], push[1][0]-push[1][1]
	best, nearest := int64(0), -1.0
	for r := int64(0); r <= x.upper-x.lower; r++ {
		for k := int64(1); k <= x.upper-x.lower+1; k++ {
			d := push[0][0] + float64(float64(r)*own) - push[1][0] - float64(float64(k)*its)
			if d = max(d, -d); nearest < 0 || d < nearest {
				best, nearest = r, d
			}
		}
	}
	return best
}

// reading tells what the printed form is beside ASP, whose time is asp: by its times over
// BSP's with regular iterations, with 1 % jitter and with 5 %.
func reading(steady, near, shaken, asp float64) string {
	is := func(x float64) bool { return x <= asp*1.05 }
	switch {
	case !is(steady):
		return "never"
	case is(shaken):
		return "always"
	case is(near):
		return "regular"
	}
	return "perfect"
}
