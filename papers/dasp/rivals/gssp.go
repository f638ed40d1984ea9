//gradsync:pure

package rivals

import (
	"fmt"

	"gradsync/papers/dasp"
)

// gssp is grouping stale synchronous parallel.
type gssp struct {
	roster
	s      int64
	groups [][]int
	of     []int // worker → group
}

// NewGSSP returns grouping stale synchronous parallel [23], Sun et al.: workers
// of like speed form a group, which runs ASP inside; between groups it is SSP.
//
//	clock of a group = pushes of its workers present / their number, rounded down
//	answer n  iff  clock(group of n) − min over groups ≤ s
//
// With groups of one it is SSP, with one group ASP. The paper gives no formula
// for a group's clock; the mean is ours.
//
// Source: §1
func NewGSSP(o Options) (dasp.Policy, error) {
	if o.Staleness < 0 {
		return nil, fmt.Errorf("gssp: staleness %d clocks, want at least 0", o.Staleness)
	}
	of := make([]int, o.Workers)
	for i := range of {
		of[i] = -1
	}
	seen := 0
	for g, group := range o.Groups {
		for _, w := range group {
			if w < 0 || w >= o.Workers || of[w] >= 0 {
				return nil, fmt.Errorf("gssp: worker %d is in two groups or none of 0 to %d", w, o.Workers-1)
			}
			of[w] = g
			seen++
		}
	}
	if seen != o.Workers {
		return nil, fmt.Errorf("gssp: groups name %d workers of %d", seen, o.Workers)
	}
	return &gssp{newRoster("gssp", o.Workers), o.Staleness, o.Groups, of}, nil
}

// Step consumes one event.
func (p *gssp) Step(ev dasp.Event) []dasp.Action {
	p.out = p.out[:0]
	last := -1
	switch w := ev.Worker; ev.Kind {
	case dasp.EventPush:
		p.arrive(w)
		p.apply(1/float64(p.n()), w)
		p.waiting[w], last = true, w
	case dasp.EventJoin: // its group may be too far ahead although it is not
		if c, id := p.slowest(w); id >= 0 {
			p.clock[w] = c
		}
		p.present[w], p.waiting[w], last = true, true, w
	case dasp.EventLeave:
		p.leave(w)
	}
	p.between(last)
	return p.out
}

// between answers the waiters whose group is at most s ahead.
func (p *gssp) between(last int) {
	var slow int64 = -1
	for _, group := range p.groups {
		if c := p.groupClock(group); c >= 0 && (slow < 0 || c < slow) {
			slow = c
		}
	}
	for _, w := range p.waiters() {
		if p.groupClock(p.groups[p.of[w]])-slow > p.s {
			continue
		}
		state := dasp.State(0)
		if w == last {
			state = dasp.QIS
		}
		p.reply(w, state)
	}
}

// groupClock returns the group's clock, −1 if nobody of it is present.
func (p *gssp) groupClock(group []int) int64 {
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
