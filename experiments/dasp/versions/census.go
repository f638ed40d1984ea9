package versions

import (
	"slices"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// The two tests of versions that judge a wait. A push is ahead
//
//	bySmin  if v_n − min(v) > Smin: the push leaves QIS (Alg. 1, line 5)
//	bySmax  if v_new + 1 − min(v of the others) > Smax: DASP holds the answer, since the version
//	        that it would hand out is too far ahead of the workers that stay behind; a worker
//	        that is itself the oldest is ahead of nobody
//
// v are the versions held as the gradient arrives, before its own update. If a push that waits is
// not ahead, its wait is in vain by that test: DASP, seeing the same instant, has no reason for
// it. Neither test implies the other.
const (
	bySmin = iota
	bySmax
	tests
)

// census counts a run's decisions, by whether the method made the push wait and by whether a test of
// versions finds it ahead. Pushes that the run's end left unanswered are not counted.
type census struct {
	// Count[t][waited][ahead] counts pushes by test t; index 1 is yes.
	Count [tests][2][2]int
	// Seconds[t][ahead] sums the waits: from the end of the push's own update, when the answer
	// could have left, to the answer.
	Seconds [tests][2]float64
	// Early[t][waited] counts the pushes that are ahead while the slowest worker has made at most
	// s pushes: the head start.
	Early [tests][2]int
	// Length of the run, in worker-seconds.
	Length float64

	Own ownRun
}

// ownRun holds what a method made of its own run, the warm-up left out.
type ownRun struct {
	Waited    float64 // share of pushes
	Iteration float64 // seconds per worker
	Staleness float64 // mean, versions
	Spread    int64   // largest v_new − min(v), the warm-up included
	Clock     int64   // largest clock gap at an arrival
	Busy      float64 // share of the workers' time that they compute
	Promises  promises
}

// newOwnRun reduces a run of any method.
func newOwnRun(o *train.Outcome) ownRun {
	return ownRun{Waited: 1 - o.StateShare["QIS"], Iteration: o.Iteration.PerWorker, Staleness: o.Staleness.Mean,
		Spread: o.Log.Spread().Max(), Clock: o.Clock.Max, Busy: busyShare(o.Log)}
}

// newCensus counts a run of a method that applies every gradient as it comes.
func newCensus(o *train.Outcome, opts rivals.Options) (census, error) {
	c, err := countPushes(o.Log, retrace.PolicyOf(o.Sync, opts), opts)
	c.Own = newOwnRun(o)
	return c, err
}

// countPushes takes the census of log l; fresh returns the policy that made l.
func countPushes(l *dasp.Log, fresh func() dasp.Policy, o rivals.Options) (census, error) {
	c, cfg := census{Length: float64(l.Workers) * l.End.Seconds()}, kit.Must(o.Config())
	err := retrace.Log(l, fresh, dasp.DurationCompute, func(s retrace.Sight) {
		p := l.Pushes[s.Index]
		if p.Abandoned {
			return
		}
		ahead := [tests]int{}
		if cfg.Decide(s.View, p.Worker).State != dasp.QIS {
			ahead[bySmin] = 1
		}
		oldest, _ := s.View.Oldest()
		if s.View.V[p.Worker] > oldest && s.View.Newest+1-oldest > cfg.Smax {
			ahead[bySmax] = 1
		}
		waited := 0
		if p.State == 0 {
			waited = 1
		}
		for t, a := range ahead {
			c.Count[t][waited][a]++
			if waited == 1 {
				c.Seconds[t][a] += (p.Replied - l.Updates[p.Applied-1].At).Seconds()
			}
			if a == 1 && slices.Min(s.Clocks) <= o.Staleness {
				c.Early[t][waited]++
			}
		}
	}, nil)
	return c, err
}

// waited returns how many pushes waited, and how many there are.
func (c *census) waited() (waits, all int) {
	n := c.Count[bySmin]
	waits = n[1][0] + n[1][1]
	return waits, waits + n[0][0] + n[0][1]
}

// pool adds up the counts and seconds of all seeds.
func pool(list []census) (all census) {
	for _, c := range list {
		for t := range tests {
			for w := range 2 {
				for a := range 2 {
					all.Count[t][w][a] += c.Count[t][w][a]
				}
				all.Seconds[t][w] += c.Seconds[t][w]
				all.Early[t][w] += c.Early[t][w]
			}
		}
		all.Length += c.Length
	}
	return all
}

// vainShare returns the share of waits for which test t finds no reason, in per cent, the mean over
// the seeds that have a wait.
func vainShare(list []census, t int) kit.Estimate {
	var x kit.Sample
	for _, c := range list {
		if waits, _ := c.waited(); waits > 0 {
			x = append(x, float64(c.Count[t][1][0])/float64(waits))
		}
	}
	e := x.Mean().Times(100)
	if len(x) < len(list) {
		e.Samples = nil // as they are, they would pass for samples of other seeds
	}
	return e
}

// storyLine holds one worker's two gaps after each push of any worker.
type storyLine struct {
	Ms             []float64 // virtual time of the push
	Clock, Version []int64   // t_n − min(t), v_n − min(v)
}

// follow records both gaps of worker w until the slowest worker has made slowPushes pushes.
func follow(l *dasp.Log, fresh func() dasp.Policy, w int, slowPushes int64) (storyLine, error) {
	var s storyLine
	over := false
	err := retrace.Log(l, fresh, dasp.DurationCompute, func(retrace.Sight) {}, func(now retrace.Sight) {
		if over {
			return
		}
		over = slices.Min(now.Clocks) >= slowPushes
		oldest, _ := now.View.Oldest()
		s.Ms = append(s.Ms, 1e3*l.Pushes[now.Index].Received.Seconds())
		s.Clock = append(s.Clock, now.Clocks[w]-slices.Min(now.Clocks))
		s.Version = append(s.Version, now.View.V[w]-oldest)
	})
	return s, err
}
