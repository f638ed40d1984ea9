//gradsync:pure

package rivals

import (
	"fmt"

	"gradsync/papers/dasp"
)

// stale is the family of SSP: every gradient is an update of its own as it arrives; its worker goes on while its
// group's clock, this push counted, is at most s ahead of the slowest group's.
//
//	ASP   s = ∞
//	SSP   groups of one
//	GSSP  groups of workers of like speed
type stale struct {
	roster
	s      int64
	weight float64
	groups [][]int // nil: of one
	of     []int   // worker → group
}

// NewASP returns asynchronous parallel: every gradient is an update of weight 1/N, or 1 with ASPWeight "1", and is
// answered at once.
//
// Source: §1
func NewASP(o Options) (dasp.Policy, error) {
	whole, err := choose("ASP's weight", o.ASPWeight, "1/N", "1")
	if err != nil {
		return nil, err
	}
	p := newStale("asp", o.Workers, Unbounded)
	if whole {
		p.weight = 1
	}
	return p, nil
}

// newSSP returns stale synchronous parallel [16]: every gradient is an update of weight 1/N as it arrives; its
// worker goes on while its clock, this push counted, is at most s ahead of the slowest.
//
//	answer n  iff  t_n − min(t) ≤ s
//
// s = 0 answers at BSP's instants; s = Unbounded is ASP.
//
// Source: §1
func newSSP(o Options) (dasp.Policy, error) {
	if o.Staleness < 0 {
		return nil, fmt.Errorf("ssp: staleness %d clocks, want at least 0", o.Staleness)
	}
	return newStale("ssp", o.Workers, o.Staleness), nil
}

// newGSSP returns grouping stale synchronous parallel [23], Sun et al.: workers of like speed form a group, which
// runs ASP inside; between groups it is SSP.
//
//	clock of a group = pushes of its workers present / their number, rounded down
//	answer n  iff  clock(group of n) − min over groups ≤ s
//
// With groups of one it is SSP, with one group ASP. The paper gives no formula for a group's clock; the mean is ours.
//
// Source: §1
func newGSSP(o Options) (dasp.Policy, error) {
	if o.Staleness < 0 {
		return nil, fmt.Errorf("gssp: staleness %d clocks, want at least 0", o.Staleness)
	}
	p := newStale("gssp", o.Workers, o.Staleness)
	p.groups, p.of = o.Groups, make([]int, o.Workers)
	for i := range p.of {
		p.of[i] = -1
	}
	seen := 0
	for g, group := range o.Groups {
		for _, w := range group {
			if w < 0 || w >= o.Workers || p.of[w] >= 0 {
				return nil, fmt.Errorf("gssp: worker %d is in two groups or none of 0 to %d", w, o.Workers-1)
			}
			p.of[w] = g
			seen++
		}
	}
	if seen != o.Workers {
		return nil, fmt.Errorf("gssp: groups name %d workers of %d", seen, o.Workers)
	}
	return p, nil
}

func newStale(name string, n int, s int64) *stale {
	return &stale{roster: newRoster(name, n), s: s, weight: 1 / float64(n)}
}

// Step consumes one event.
func (p *stale) Step(ev dasp.Event) []dasp.Action {
	p.out = p.out[:0]
	last := -1
	switch w := ev.Worker; ev.Kind {
	case dasp.EventPush:
		p.arrive(w)
		p.apply(p.weight, w)
		p.waiting[w], last = true, w
	case dasp.EventJoin:
		if p.join(w); p.groups != nil { // its group may be too far ahead although it is not
			p.out, p.waiting[w], last = p.out[:0], true, w
		}
	case dasp.EventLeave:
		p.leave(w)
	}
	switch {
	case p.groups != nil:
		p.between(last)
	case p.s < Unbounded:
		p.release(p.s, last)
	case last >= 0: // nobody else waits
		p.reply(last, dasp.QIS)
	}
	return p.out
}

// between answers the waiters whose group is at most s ahead.
func (p *stale) between(last int) {
	var slow int64 = -1
	for _, group := range p.groups {
		if c := p.groupClock(group); c >= 0 && (slow < 0 || c < slow) {
			slow = c
		}
	}
	var free []int
	for _, w := range p.waiters() {
		if p.groupClock(p.groups[p.of[w]])-slow <= p.s {
			free = append(free, w)
		}
	}
	p.answer(free, last)
}

// groupClock returns the group's clock, −1 if nobody of it is present.
func (p *stale) groupClock(group []int) int64 {
	var sum, n int64
	for _, w := range group {
		if p.present[w] {
			sum += p.clock[w]
			n++
		}
	}
	if n == 0 {
		return -1
	}
	return sum / n
}
