//gradsync:pure

package rivals

import "gradsync/papers/dasp"

// bsp is bulk synchronous parallel: a round ends when every worker present has
// pushed; it makes one update of the mean gradient, summed in rank order.
type bsp struct {
	roster
	missing int // all workers below it have pushed or are not present
}

// NewBSP returns bulk synchronous parallel.
//
//	w ← w − γ·(1/N)·Σ_n g_n
//
// One update a round, of gradients that were all computed on the same weights:
// the parameters do not depend on the cluster.
//
// Source: §1
func NewBSP(o Options) (dasp.Policy, error) {
	return &bsp{roster: newRoster("bsp", o.Workers)}, nil
}

// Step consumes one event.
func (b *bsp) Step(ev dasp.Event) []dasp.Action {
	b.out = b.out[:0]
	last := -1
	switch ev.Kind {
	case dasp.EventPush:
		b.arrive(ev.Worker)
		b.waiting[ev.Worker] = true
		last = ev.Worker
	case dasp.EventJoin: // with the weights of the round that is under way
		b.join(ev.Worker)
		b.missing = 0
	case dasp.EventLeave:
		if b.waiting[ev.Worker] {
			b.drop(ev.Worker)
		}
		b.leave(ev.Worker)
	}
	b.barrier(last)
	return b.out
}

// barrier ends the round if nobody present is missing; last is the worker that
// completed it and did not wait.
func (b *bsp) barrier(last int) {
	for ; b.missing < b.n(); b.missing++ {
		if b.present[b.missing] && !b.waiting[b.missing] {
			return
		}
	}
	b.missing = 0
	round := b.waiters()
	if len(round) == 0 {
		return
	}
	b.apply(1/float64(len(round)), round...)
	for _, w := range round {
		state := dasp.State(0)
		if w == last {
			state = dasp.QIS
		}
		b.reply(w, state)
	}
}
