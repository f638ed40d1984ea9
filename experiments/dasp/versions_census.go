package dasp

import (
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// The two tests of versions that a wait is held against. A push is ahead
//
//	bySmin  if v_n − min(v) > Smin: what sends it out of QIS (Alg. 1, line 5)
//	bySmax  if v_new + 1 − min(v of the others) > Smax: what DASP holds an answer
//	        by, the version it would be handed against everybody who stays behind;
//	        a worker that is itself the oldest is ahead of nobody
//
// v is the versions held as the gradient arrives, before its own update. A wait
// whose push is not ahead is in vain by that test: DASP's view of the same
// instant gives no reason for it. Neither test implies the other.
const (
	bySmin = iota
	bySmax
	tests
)

// census counts a run's decisions by what the methods' own count, clocks, made of a push and by
// what its versions were. Pushes that the run's end left unanswered are not in it.
type census struct {
	// Count[t][waited][ahead] counts pushes by test t; index 1 is yes.
	Count [tests][2][2]int
	// Seconds of the pushes made to wait, likewise [t][ahead]: from the instant at
	// which the answer could have left, its own update done, to the answer.
	Seconds [tests][2]float64
	// Early counts, [t][waited], the pushes that are ahead while the slowest worker
	// has made at most s pushes: the head start.
	Early [tests][2]int
	// Length is the run's, in worker-seconds.
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
}

func newOwnRun(o *train.Outcome) ownRun {
	return ownRun{1 - o.StateShare["QIS"], o.Iteration.PerWorker, o.Staleness.Mean, o.Log.Spread().Max(), o.Clock.Max}
}

// newCensus counts a run of a method that applies every gradient as it comes.
func newCensus(o *train.Outcome, opts rivals.Options) (census, error) {
	c, err := countPushes(o.Log, policyOf(o.Sync, opts), opts)
	c.Own = newOwnRun(o)
	return c, err
}

// policyOf returns a method's policy, a new one each time.
func policyOf(name string, o rivals.Options) func() dasp.Policy {
	return func() dasp.Policy { return kit.Must(rivals.New(name, o)) }
}

// countPushes takes the census of a log that a policy of fresh made.
func countPushes(l *dasp.Log, fresh func() dasp.Policy, o rivals.Options) (census, error) {
	c, cfg := census{Length: float64(l.Workers) * l.End.Seconds()}, kit.Must(o.Config())
	err := retrace(l, fresh, dasp.DurationCompute, func(s sight) {
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

func (c *census) waited() (waits, all int) {
	n := c.Count[bySmin]
	waits = n[1][0] + n[1][1]
	return waits, waits + n[0][0] + n[0][1]
}

// pool adds the counts and seconds of all seeds.
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

// vainShare returns the share of waits that test t finds no reason for, in per cent, the mean
// over the seeds that have a wait.
func vainShare(list []census, t int) kit.Estimate {
	var x kit.Sample
	for _, c := range list {
		if waits, _ := c.waited(); waits > 0 {
			x = append(x, float64(c.Count[t][1][0])/float64(waits))
		}
	}
	e := x.Mean().Times(100)
	if len(x) < len(list) {
		e.Samples = nil // they would pass for those of other seeds
	}
	return e
}

// storyLine holds one worker's two gaps after each push of anybody.
type storyLine struct {
	Ms             []float64 // virtual time of the push
	Clock, Version []int64   // t_n − min(t), v_n − min(v)
}

// follow notes both gaps of worker w until the slowest worker has made slowPushes pushes.
func follow(l *dasp.Log, fresh func() dasp.Policy, w int, slowPushes int64) (storyLine, error) {
	var s storyLine
	over := false
	err := retrace(l, fresh, dasp.DurationCompute, func(sight) {}, func(now sight) {
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

// sight is what the server knew when one push arrived. Its slices are valid until the next.
type sight struct {
	Index  int       // of the push in the log
	View   dasp.View // versions held, before the push's own update
	Clocks []int64   // pushes so far, this one counted
}

// attempts bounds how often a log is retraced to find its order of ties.
const attempts = 256

// retrace feeds the log's pushes to a fresh policy of the method that made it
// and tells of every instant: before with the view that the decision saw, after
// (may be nil) with what it left. A policy is pure, so this is the run once more
// without its bytes; an error says where it is not, that is, where the version a
// gradient was computed on or the state it was answered in is another.
//
// A log has whole nanoseconds, the server's clock finer instants. Where a timer
// ends in the nanosecond of a push, the log's own answers say which came first:
// the timer is tried, and if they contradict that, the push.
func retrace(l *dasp.Log, fresh func() dasp.Policy, f dasp.DurationForm, before, after func(sight)) error {
	ties, err := tiesOf(l, fresh, f)
	if err != nil {
		return err
	}
	return newRetraced(l, fresh(), f, ties).run(before, after)
}

// tiesOf returns, tie by tie, whether the push came before the timer: the first choice in
// binary order that the log bears out. Without one the error is that of all timers first.
func tiesOf(l *dasp.Log, fresh func() dasp.Policy, f dasp.DurationForm) ([]bool, error) {
	var ties []bool
	var first error
	for range attempts {
		r := newRetraced(l, fresh(), f, ties)
		err := r.run(nil, nil)
		if err == nil {
			return r.ties, nil
		}
		if first == nil {
			first = err
		}
		i := r.tie - 1 // the last tie met with another choice left
		for ; i >= 0 && r.ties[i]; i-- {
		}
		if i < 0 {
			break
		}
		ties = append(r.ties[:i], true)
	}
	return nil, first
}

// retraced is a retracing under way.
type retraced struct {
	sight
	log    *dasp.Log
	policy dasp.Policy
	form   dasp.DurationForm
	timers []time.Duration // 0: none
	open   []int           // each worker's latest push
	ties   []bool          // whether the push came first; grows as ties are met
	tie    int             // met so far
}

func newRetraced(l *dasp.Log, p dasp.Policy, f dasp.DurationForm, ties []bool) *retraced {
	return &retraced{log: l, policy: p, form: f, sight: sight{View: dasp.NewView(l.Workers), Clocks: make([]int64, l.Workers)},
		timers: make([]time.Duration, l.Workers), open: make([]int, l.Workers), ties: ties}
}

func (r *retraced) run(before, after func(sight)) error {
	for i, push := range r.log.Pushes {
		if err := r.expire(push.Received); err != nil {
			return err
		}
		n := push.Worker
		if held := r.View.V[n]; held != push.Pulled {
			return fmt.Errorf("dasp: retracing %s: push %d of worker %d is of version %d, the worker holds %d", r.policy.Name(), i, n, push.Pulled, held)
		}
		r.Index, r.open[n] = i, i
		r.Clocks[n]++
		compute := r.form.F(push)
		r.View.Finished(n, compute)
		if before != nil {
			before(r.sight)
		}
		if err := r.carry(r.policy.Step(dasp.Event{Kind: dasp.EventPush, Worker: n, At: push.Received, Compute: compute})); err != nil {
			return err
		}
		if after != nil {
			after(r.sight)
		}
	}
	return nil
}

// expire lets the timers end that do so before a push, earliest first, ties in
// rank order, as the server does.
func (r *retraced) expire(push time.Duration) error {
	for {
		w := -1
		for i, t := range r.timers {
			if t > 0 && t <= push && (w < 0 || t < r.timers[w]) {
				w = i
			}
		}
		if w < 0 || r.timers[w] == push && r.pushFirst() {
			return nil
		}
		at := r.timers[w]
		r.timers[w] = 0
		if err := r.carry(r.policy.Step(dasp.Event{Kind: dasp.EventTimer, Worker: w, At: at})); err != nil {
			return err
		}
	}
}

// pushFirst is the choice for the next tie, the timer where none is made yet.
func (r *retraced) pushFirst() bool {
	if r.tie == len(r.ties) {
		r.ties = append(r.ties, false)
	}
	r.tie++
	return r.ties[r.tie-1]
}

// carry does to the view what the server does to the weights.
func (r *retraced) carry(actions []dasp.Action) error {
	for _, a := range actions {
		switch a.Kind {
		case dasp.Apply:
			r.View.Updated()
		case dasp.SetTimer:
			r.timers[a.Workers[0]] = a.At
		case dasp.Reply:
			for _, w := range a.Workers {
				r.View.Handed(w)
				r.timers[w] = 0
				if p := r.log.Pushes[r.open[w]]; !p.Abandoned && p.State != a.State {
					return fmt.Errorf("dasp: retracing %s: push %d of worker %d was answered in %v, is answered in %v",
						r.policy.Name(), r.open[w], w, p.State, a.State)
				}
			}
		}
	}
	return nil
}
