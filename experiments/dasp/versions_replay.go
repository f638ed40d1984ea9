package dasp

import (
	"fmt"
	"time"

	"gradsync/papers/dasp"
)

// sight is what the server knew when one push arrived. Its slices are valid
// until the next.
type sight struct {
	Index  int       // of the push in the log
	View   dasp.View // versions held, before the push's own update
	Clocks []int64   // pushes so far, this one counted
}

// replay feeds the log's pushes to a fresh policy of the method that made it
// and tells of every instant: before with the view that the decision saw, after
// (may be nil) with what it left. A policy is pure, so this is the run once more
// without its bytes; an error says where it is not, that is, where the version a
// gradient was computed on or the state it was answered in is another.
func replay(l *dasp.Log, p dasp.Policy, f dasp.DurationForm, before, after func(sight)) error {
	r := replayed{log: l, policy: p, sight: sight{View: dasp.NewView(l.Workers), Clocks: make([]int64, l.Workers)},
		timers: make([]time.Duration, l.Workers), open: make([]int, l.Workers)}
	for i, push := range l.Pushes {
		if err := r.expire(push.Received); err != nil {
			return err
		}
		n := push.Worker
		if held := r.View.V[n]; held != push.Pulled {
			return fmt.Errorf("dasp: replay of %s: push %d of worker %d is of version %d, the worker holds %d", p.Name(), i, n, push.Pulled, held)
		}
		r.Index, r.open[n] = i, i
		r.Clocks[n]++
		r.View.Finished(n, f.F(push))
		before(r.sight)
		if err := r.carry(p.Step(dasp.Event{Kind: dasp.EventPush, Worker: n, At: push.Received, Compute: f.F(push)})); err != nil {
			return err
		}
		if after != nil {
			after(r.sight)
		}
	}
	return nil
}

// replayed is a replay under way.
type replayed struct {
	sight
	log    *dasp.Log
	policy dasp.Policy
	timers []time.Duration // 0: none
	open   []int           // each worker's latest push
}

// expire lets the timers end that do so before an instant, earliest first, ties
// in rank order, as the server does.
func (r *replayed) expire(before time.Duration) error {
	for {
		w := -1
		for i, t := range r.timers {
			if t > 0 && t < before && (w < 0 || t < r.timers[w]) {
				w = i
			}
		}
		if w < 0 {
			return nil
		}
		at := r.timers[w]
		r.timers[w] = 0
		if err := r.carry(r.policy.Step(dasp.Event{Kind: dasp.EventTimer, Worker: w, At: at})); err != nil {
			return err
		}
	}
}

// carry does to the view what the server does to the weights.
func (r *replayed) carry(actions []dasp.Action) error {
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
					return fmt.Errorf("dasp: replay of %s: push %d of worker %d was answered in %v, is answered in %v", r.policy.Name(), r.open[w], w, p.State, a.State)
				}
			}
		}
	}
	return nil
}
