package collective

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/shared/cluster"
)

// MaxPlus computes when the ranks of a ring have their result in virtual time, without
// a runtime: each step of each rank is a few maxima and sums of instants, and nothing is
// allocated for it. Its instants are those of package virtual, to the picosecond, for
// hosts that share no NIC; 100,000 ranks take minutes where events would take hours.
//
// With b the instant at which the left neighbour l begins to send what rank r receives in
// a step of S bytes, and with the NIC model of cluster.Host,
//
//	first = b + o_l + α_l + α_r           the first byte is at r
//	in_r  = max(first, in_r) + o_r + S/B_r  r's ingress has taken it
//	got   = max(in_r, b + o_l + S/B_l + α_l + α_r + o_r)
//
// and r begins its next step when it has got that and its own message has left.
//
// Source: ours: a recurrence in max-plus algebra, equal to the event engine where both run
type MaxPlus struct {
	hosts  []cluster.Host
	header int
}

// NewMaxPlus returns the recurrence on the workers of p, whose messages have header bytes
// before their bodies. Nodes of several hosts are refused: who may use a shared NIC first is
// a matter of events.
func NewMaxPlus(p *cluster.Platform, header int) (*MaxPlus, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if len(p.Nodes) > 0 {
		return nil, fmt.Errorf("collective: platform %q has nodes whose hosts share a NIC: only events order their messages", p.Name)
	}
	return &MaxPlus{p.Workers, header}, nil
}

// Ring returns the instants, by rank and in picoseconds, at which RingAllReduceTiming over n
// elements ends on ranks that call it at the instants from; nil: all at 0.
func (m *MaxPlus) Ring(ctx context.Context, n int, from []int64) ([]int64, error) {
	all := make([]int, len(m.hosts))
	for i := range all {
		all[i] = i
	}
	c, steps := m.clocks(from), 2*(len(all)-1)
	if err := c.bounded(steps, n); err != nil {
		return nil, err
	}
	if err := c.lane(all, n).run(ctx, 0, steps); err != nil {
		return nil, err
	}
	return c.now, nil
}

// clocks is the state of an exchange, by rank, in picoseconds.
type clocks struct {
	hosts  []cluster.Host
	header int

	now  []int64 // when it begins its next step
	free []int64 // when its NIC can receive
}

func (m *MaxPlus) clocks(from []int64) *clocks {
	c := &clocks{m.hosts, m.header, make([]int64, len(m.hosts)), make([]int64, len(m.hosts))}
	copy(c.now, from)
	return c
}

// bounded returns an error if a number of steps over n elements could leave the range of the clock,
// which is the virtual runtime's.
func (c *clocks) bounded(steps, n int) error {
	const most = math.MaxInt64 / 2
	step := 0.0
	for i := range c.hosts {
		h := &c.hosts[i]
		step = max(step, 2*(h.Latency+h.Overhead).Seconds()+float64(c.header+4*n)/h.Bandwidth)
	}
	if end := float64(slices.Max(c.now)) + float64(steps)*3e12*step; !(end < most) {
		return fmt.Errorf("collective: a ring of %d ranks may take %.3g s: want a run under 53 days", len(c.hosts), end/1e12)
	}
	return nil
}

// lane is a ring of some of the ranks. Slices are by position of the receiver; now and next
// begin one earlier, with the last position, so that position i's left neighbour is at i.
type lane struct {
	*clocks
	ranks    []int
	at, next []int64  // when a position begins this step and the next
	ingress  []int64  // free, by position
	first    []int64  // from the left's start to the first byte
	sizes    [2]sized // of the short chunks and of the long ones
	long     int      // how many chunks are long
	streams           // of the levels before and after; see Hierarchical
}

// sized holds the durations of one size of chunk, by receiver.
type sized struct {
	in  []int64 // on its ingress
	out []int64 // from the left's start until the last byte is there
	own []int64 // on its own egress
}

// lane takes the state of ranks into a ring over n elements.
func (c *clocks) lane(ranks []int, n int) *lane {
	p := len(ranks)
	l := &lane{clocks: c, ranks: ranks, at: make([]int64, p+1), next: make([]int64, p+1), ingress: make([]int64, p),
		first: make([]int64, p), long: n % p}
	for k := range l.sizes {
		l.sizes[k] = sized{make([]int64, p), make([]int64, p), make([]int64, p)}
	}
	for i, r := range ranks {
		left, host := &c.hosts[ranks[mod(i-1, p)]], &c.hosts[r]
		l.at[i+1], l.ingress[i] = c.now[r], c.free[r]
		l.first[i] = picoseconds((left.Overhead + left.Latency + host.Latency).Seconds())
		for k := range l.sizes {
			size, s := float64(c.header+4*(n/p+k)), &l.sizes[k]
			s.in[i] = picoseconds(host.Overhead.Seconds() + size/host.Bandwidth)
			s.own[i] = s.in[i] // both directions of a NIC are equally fast
			s.out[i] = picoseconds(left.Overhead.Seconds()+size/left.Bandwidth) + picoseconds((left.Latency + host.Latency + host.Overhead).Seconds())
		}
	}
	l.at[0] = l.at[p]
	return l
}

func picoseconds(seconds float64) int64 { return int64(math.Round(seconds / 1e-12)) }

// run makes steps from … to−1 of the ring, numbered as line's, and writes the state back.
func (l *lane) run(ctx context.Context, from, to int) error {
	p := len(l.ranks)
	for s := from; s < to; s++ {
		if s%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Position i receives chunk i−s−1 and sends chunk i−s: between the cuts both have one size.
		cuts := [...]int{0, mod(s, p), mod(s+1, p), mod(s+l.long, p), mod(s+l.long+1, p), p}
		slices.Sort(cuts[:])
		for k := range len(cuts) - 1 {
			if lo, hi := cuts[k], cuts[k+1]; lo < hi {
				l.step(s-from, lo, hi, l.sized(lo-s-1), l.sized(lo-s))
			}
		}
		l.next[0] = l.next[p]
		l.at, l.next = l.next, l.at
		l.mixed, l.busy = l.busy, false
	}
	l.settle(to > from)
	for i, r := range l.ranks {
		l.now[r], l.free[r] = l.at[i+1], l.ingress[i]
	}
	return nil
}

// sized returns the durations of chunk c.
func (l *lane) sized(c int) *sized {
	if mod(c, len(l.ranks)) < l.long {
		return &l.sizes[1]
	}
	return &l.sizes[0]
}

// step makes step k of a run for positions lo … hi−1, which get messages of one size and send
// messages of one size.
func (l *lane) step(k, lo, hi int, got, own *sized) {
	if l.mixed {
		l.mixedStep(k, lo, hi, got, own)
		return
	}
	left, self, next := l.at[lo:hi], l.at[lo+1:hi+1], l.next[lo+1:hi+1]
	ingress, first := l.ingress[lo:hi], l.first[lo:hi]
	in, out, sent := got.in[lo:hi], got.out[lo:hi], own.own[lo:hi]
	for i, begin := range left {
		taken := max(begin+first[i], ingress[i]) + in[i]
		ingress[i] = taken
		next[i] = max(taken, begin+out[i], self[i]+sent[i])
	}
}
