package dsspanchor

import (
	"math/rand/v2"

	"gradsync/shared/cluster"
)

// Two workers without a network: a fast one whose iteration takes 1 and a slow
// one whose iteration takes f ≥ 1. Times are relative to BSP's, f/2 per gradient.

// aspRatio returns ASP's time per gradient relative to BSP's. Nobody waits, so in time f the slow
// worker makes 1 gradient and the fast one f:
//
//	(f/(1 + f)) / (f/2) = 2/(1 + f)
func aspRatio(f float64) float64 { return 2 / (1 + f) }

// factorOf returns the time factor at which ASP takes ratio of BSP's time, the inverse of aspRatio.
func factorOf(ratio float64) float64 { return 2/ratio - 1 }

// boundedRatio returns the time of n gradients, relative to BSP's, under a method that keeps the
// fast worker at most lead pushes ahead. Whatever the bound, the fast worker soon makes one gradient
// per gradient of the slow one; all it ever gains is the lead:
//
//	n = 2m + lead,  time m·f,  so (m·f) / (n·f/2) = 1 − lead/n
func boundedRatio(lead, n int64) float64 { return 1 - float64(lead)/float64(n) }

// race plays DSSP between the two workers: Algorithms 1 and 2 of its paper, with an else before the
// wait, since as printed the worker is answered twice. If capped it is the form of rivals.NewDSSP,
// which allows no grant beyond upper; otherwise grants follow each other without limit.
type race struct {
	f            float64
	lower, upper int64
	capped       bool
	host         cluster.Host // for its jitter alone
}

// raced holds the outcome of a race. Times are in iterations of the fast worker.
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

// iterations returns r*: how many more iterations of the fast worker end nearest to a push of the
// slow one, if both go on at their last pace; the smallest of equals.
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

// reading names what the printed form is beside ASP, whose time over BSP's is asp, from its own
// times over BSP's with regular iterations, with 1 % jitter and with 5 %.
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
