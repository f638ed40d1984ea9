//gradsync:pure

package rivals

import (
	"fmt"

	"gradsync/papers/dasp"
)

// ssp is stale synchronous parallel.
type ssp struct {
	roster
	s int64
}

// NewSSP returns stale synchronous parallel [16]: every gradient is an update of
// weight 1/N as it arrives; its worker goes on while its clock, this push
// counted, is at most s ahead of the slowest.
//
//	answer n  iff  t_n − min(t) ≤ s
//
// s = 0 answers at BSP's instants; s = Unbounded is ASP.
//
// Source: §1
func NewSSP(o Options) (dasp.Policy, error) {
	if o.Staleness < 0 {
		return nil, fmt.Errorf("ssp: staleness %d clocks, want at least 0", o.Staleness)
	}
	return &ssp{newRoster("ssp", o.Workers), o.Staleness}, nil
}

// Step consumes one event.
func (p *ssp) Step(ev dasp.Event) []dasp.Action {
	p.out = p.out[:0]
	last := -1
	switch w := ev.Worker; ev.Kind {
	case dasp.EventPush:
		p.arrive(w)
		p.apply(1/float64(p.n()), w)
		p.waiting[w], last = true, w
	case dasp.EventJoin:
		p.join(w)
	case dasp.EventLeave:
		p.leave(w)
	}
	p.release(p.s, last)
	return p.out
}

// release answers, in rank order, the waiters that are at most s clocks ahead;
// last has just pushed and is not delayed.
func (r *roster) release(s int64, last int) {
	slow, _ := r.slowest(-1)
	for _, w := range r.waiters() {
		if r.clock[w]-slow > s {
			continue
		}
		state := dasp.State(0)
		if w == last {
			state = dasp.QIS
		}
		r.reply(w, state)
	}
}
