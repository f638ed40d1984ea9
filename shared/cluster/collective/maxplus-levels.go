package collective

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Hierarchical returns the instants, by rank and in picoseconds, at which HierarchicalTiming
// over n elements with nodes of perNode ranks ends on ranks that call it at the instants from;
// nil: all at 0.
//
// Each level is a recurrence of its own. Where ranks are not equally fast, one may still receive
// on a level when a neighbour sends to it on the next, through the same NIC, which takes messages
// in the order of their first bytes. Which these are shows when the next level was computed: then
// all is computed anew with them, until none is added or moves. An instant depends on
// earlier ones alone, so that this ends, with the one schedule there is. But where two messages
// for one rank were sent at one instant and arrive at one, nothing says which comes
// first, the event engine decides by what it happened to do before, and tied tells so.
func (m *MaxPlus) Hierarchical(ctx context.Context, perNode, n int, from []int64) (ends []int64, tied bool, err error) {
	p := len(m.hosts)
	if perNode < 1 || p%perNode != 0 {
		return nil, false, fmt.Errorf("collective: hierarchical all-reduce of %d ranks in nodes of %d: want a multiple", p, perNode)
	}
	if err := m.clocks(from).bounded(2*(perNode-1)+2*(p/perNode-1), n); err != nil {
		return nil, false, err
	}
	x := &levels{MaxPlus: m, perNode: perNode, n: n, second: make([][]arrival, p), third: make([][]arrival, p)}
	for {
		x.tied = false
		ends, settled, err := x.pass(ctx, from)
		if err != nil || settled {
			return ends, x.tied, err
		}
	}
}

// levels is a two-level exchange that is computed again until it is settled.
type levels struct {
	*MaxPlus
	perNode, n int
	// second are the messages of the second level that a rank gets during its first, by rank,
	// and third those of the third that it gets during its second.
	second, third [][]arrival
	tied          bool // two messages of different levels reach a rank at one instant
	// made are the lanes of each level as the pass before made them: one that begins as it did then
	// ends as it did.
	made [3][]made
}

// pass computes all levels with the early messages of the pass before, and tells whether
// they were the right ones.
func (x *levels) pass(ctx context.Context, from []int64) (now []int64, settled bool, err error) {
	p, nodes := len(x.hosts), len(x.hosts)/x.perNode
	c, second, third := x.clocks(from), make([][]arrival, p), make([][]arrival, p)
	within, between := make([]ending, p), make([]ending, p)
	for k := range nodes {
		l := c.lane(every(k*x.perNode, x.perNode, 1), x.n)
		l.streams = streams{others: x.second, ends: within}
		if err := x.run(ctx, 0, k, l, 0, x.perNode-1); err != nil {
			return nil, false, err
		}
	}
	for i := range x.perNode {
		lo, hi := Chunk(x.n, x.perNode, i+1)
		l := c.lane(every(i, nodes, x.perNode), hi-lo)
		l.streams = streams{others: x.third, taken: x.second, until: within, early: second, ends: between}
		if err := x.run(ctx, 1, i, l, 0, 2*(nodes-1)); err != nil {
			return nil, false, err
		}
	}
	for k := range nodes {
		l := c.lane(every(k*x.perNode, x.perNode, 1), x.n)
		l.streams = streams{taken: x.third, until: between, early: third}
		if err := x.run(ctx, 2, k, l, x.perNode-1, 2*(x.perNode-1)); err != nil {
			return nil, false, err
		}
	}
	settled = slices.EqualFunc(second, x.second, sameArrivals) && slices.EqualFunc(third, x.third, sameArrivals)
	x.second, x.third = second, third
	return c.now, settled, nil
}

// made is a lane as a pass made it: what it began with and what came of it, by position.
type made struct {
	before, after []position
	tied          bool
}

// position is the state of one rank of a lane, and its messages of other levels.
type position struct {
	now, free     int64
	others, taken []arrival
	until, end    ending
	early         []arrival
}

// state returns the positions of a lane.
func (l *lane) state() []position {
	out := make([]position, len(l.ranks))
	for i, r := range l.ranks {
		out[i] = position{now: l.now[r], free: l.free[r]}
		for _, f := range []struct {
			of *[]arrival
			by [][]arrival
		}{{&out[i].others, l.others}, {&out[i].taken, l.taken}, {&out[i].early, l.early}} {
			if f.by != nil {
				*f.of = slices.Clone(f.by[r]) // the next pass writes into its own
			}
		}
		if l.until != nil {
			out[i].until = l.until[r]
		}
		if l.ends != nil {
			out[i].end = l.ends[r]
		}
	}
	return out
}

// like tells whether a lane begins alike at two positions.
func (a position) like(b position) bool {
	return a.now == b.now && a.free == b.free && a.until == b.until && sameArrivals(a.others, b.others) && slices.Equal(a.taken, b.taken)
}

// run makes the steps of lane k of a level, or takes what the pass before made of the same.
func (x *levels) run(ctx context.Context, level, k int, l *lane, from, to int) error {
	if len(x.made[level]) == k {
		x.made[level] = append(x.made[level], made{})
	}
	m, before := &x.made[level][k], l.state()
	if slices.EqualFunc(before, m.before, position.like) {
		l.restore(m)
	} else {
		l.mixed, m.before, m.tied = true, before, false
		l.tied = &m.tied
		if err := l.run(ctx, from, to); err != nil {
			return err
		}
		m.after = l.state()
	}
	x.tied = x.tied || m.tied
	return nil
}

// restore leaves l as the pass before did.
func (l *lane) restore(m *made) {
	for i, r := range l.ranks {
		a := &m.after[i]
		l.now[r], l.free[r] = a.now, a.free
		if l.early != nil {
			l.early[r] = slices.Clone(a.early)
		}
		if l.ends != nil {
			l.ends[r] = a.end
		}
		for j := range a.others {
			l.others[r][j].taken = a.others[j].taken
		}
	}
}

// every returns n ranks from first on, step apart.
func every(first, n, step int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = first + i*step
	}
	return ranks
}

// ending is the last message that a rank gets on a level: when its first byte is there and
// when its sender began; of a level without messages both are as early as can be.
type ending struct{ first, begun int64 }

// before tells whether e's first byte comes before other's; of two at one instant that of the
// message that was sent first does.
func (e ending) before(other ending) bool {
	return e.first < other.first || e.first == other.first && e.begun < other.begun
}

// arrival is a message that reaches a rank while that still receives on the level before.
type arrival struct {
	ending
	in    int64 // how long it takes the ingress
	taken int64 // when it has passed it, in the order with the level's own
}

func sameArrivals(a, b []arrival) bool {
	return slices.EqualFunc(a, b, func(x, y arrival) bool { return x.ending == y.ending && x.in == y.in })
}

// streams are the messages of other levels that share the ingress of a lane's ranks, by rank.
type streams struct {
	mixed, busy bool        // this step looks at them; the next has to
	others      [][]arrival // of the next level, to be taken in order with the lane's own
	taken       [][]arrival // the lane's own first ones, which the level before has taken
	until       []ending    // of the level before: what comes before is early
	early       [][]arrival // such messages, found here
	ends        []ending    // of this lane, found here
	served      []int       // of others, by position
	tied        *bool       // set where the order of messages is nobody's
}

// mixedStep is step where receivers may have messages of other levels.
func (l *lane) mixedStep(k, lo, hi int, got, own *sized) {
	for i := lo; i < hi; i++ {
		r := l.ranks[i]
		a := arrival{ending: ending{l.at[i] + l.first[i], l.at[i]}, in: got.in[i]}
		if l.taken != nil && k < len(l.taken[r]) {
			a.taken = l.taken[r][k].taken
			l.busy = l.busy || k+1 < len(l.taken[r])
		} else {
			l.take(i, a.ending)
			a.taken = max(a.first, l.ingress[i]) + a.in
			l.ingress[i] = a.taken
		}
		if l.until != nil {
			*l.tied = *l.tied || a.ending == l.until[r]
			if a.before(l.until[r]) {
				l.early[r] = append(l.early[r], a)
				l.busy = true
			}
		}
		l.next[i+1] = max(a.taken, a.begun+got.out[i], l.at[i+1]+own.own[i])
	}
}

// take lets position i take what others send before next.
func (l *lane) take(i int, next ending) {
	if l.others == nil {
		return
	}
	if l.served == nil {
		l.served = make([]int, len(l.ranks))
	}
	list := l.others[l.ranks[i]]
	if l.served[i] < len(list) && list[l.served[i]].ending == next {
		*l.tied = true
	}
	for l.served[i] < len(list) && list[l.served[i]].before(next) {
		a := &list[l.served[i]]
		a.taken = max(a.first, l.ingress[i]) + a.in
		l.ingress[i] = a.taken
		l.served[i]++
	}
	l.busy = l.busy || l.served[i] < len(list)
}

// settle takes what others sent later than the pass before believed, and notes the lane's
// last messages, if it made steps.
func (l *lane) settle(stepped bool) {
	never := ending{math.MaxInt64, math.MaxInt64}
	for i, r := range l.ranks {
		if l.take(i, never); l.ends == nil {
			continue
		}
		if l.ends[r] = (ending{math.MinInt64, math.MinInt64}); stepped {
			l.ends[r] = ending{l.next[i] + l.first[i], l.next[i]}
		}
	}
}
