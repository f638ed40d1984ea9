// Package retrace reads the log of a run again: Log repeats every decision with the view that the
// server had.
package retrace

import (
	"fmt"
	"time"

	"gradsync/experiments/kit"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// PolicyOf returns a maker of fresh policies of a method.
func PolicyOf(name string, o rivals.Options) func() dasp.Policy {
	return func() dasp.Policy { return kit.Must(rivals.New(name, o)) }
}

// Sight holds what the server knew when a push arrived. Its slices are valid until the next push.
type Sight struct {
	Index  int       // of the push in the log
	View   dasp.View // versions held, before the push's own update
	Clocks []int64   // pushes so far, this one counted
}

// attempts bounds how often a log is retraced to find the order of its ties.
const attempts = 256

// Log feeds the pushes of l to a fresh policy of the method that made l. It calls before with the
// view that each decision saw, and after with the view that the decision left; both may be nil. A
// policy is pure, so the run happens once more, without its bytes. Log returns an error where it
// does not: where a gradient was computed on another version, or was answered in another state.
//
// A log has whole nanoseconds, the server's clock finer instants. Where a timer ends in the
// nanosecond of a push, the answers in l tell which came first: Log tries the timer, and if they
// contradict that, the push.
func Log(l *dasp.Log, fresh func() dasp.Policy, f dasp.DurationForm, before, after func(Sight)) error {
	ties, err := tiesOf(l, fresh, f)
	if err != nil {
		return err
	}
	return newRetraced(l, fresh(), f, ties).run(before, after)
}

// tiesOf returns, tie by tie, whether the push came before the timer: the first choice in binary
// order that the log bears out. If there is none, it returns the error of the first choice, all
// timers first.
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

// retraced is the state of a retracing.
type retraced struct {
	Sight
	log    *dasp.Log
	policy dasp.Policy
	form   dasp.DurationForm
	timers []time.Duration // 0: none
	open   []int           // each worker's latest push
	ties   []bool          // whether the push came first; grows as ties are met
	tie    int             // ties met so far
}

func newRetraced(l *dasp.Log, p dasp.Policy, f dasp.DurationForm, ties []bool) *retraced {
	return &retraced{log: l, policy: p, form: f, Sight: Sight{View: dasp.NewView(l.Workers), Clocks: make([]int64, l.Workers)},
		timers: make([]time.Duration, l.Workers), open: make([]int, l.Workers), ties: ties}
}

func (r *retraced) run(before, after func(Sight)) error {
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
			before(r.Sight)
		}
		if err := r.carry(r.policy.Step(dasp.Event{Kind: dasp.EventPush, Worker: n, At: push.Received, Compute: compute})); err != nil {
			return err
		}
		if after != nil {
			after(r.Sight)
		}
	}
	return nil
}

// expire lets the timers end that do so before a push, earliest first, ties in rank order, as the
// server does.
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

// pushFirst returns the choice for the next tie: the timer, where none is made yet.
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
