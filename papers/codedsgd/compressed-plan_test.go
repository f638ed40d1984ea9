package codedsgd

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// plans calls f with every plan of n ≤ most.
func plans(t *testing.T, most int, f func(n, r, depth int, p *SumPlan)) {
	t.Helper()
	for n := 1; n <= most; n++ {
		for r := 1; r <= n; r++ {
			a, err := Assign(n, r)
			must(t, err)
			for depth := 1; depth <= r; depth++ {
				p, err := PlanSums(a, depth)
				must(t, err)
				f(n, r, depth, p)
			}
		}
	}
}

// TestSumPlansPaper: for all n ≤ 9, r and t every node can cancel what it does not need
// and gets what it needs once, and the packets counted are the closed form.
func TestSumPlansPaper(t *testing.T) {
	checked := 0
	plans(t, 9, func(n, r, depth int, p *SumPlan) {
		if err := p.Check(); err != nil {
			t.Errorf("n = %d, r = %d, t = %d: %v", n, r, depth, err)
		}
		if got, want := p.Load(), CompressedLoad(n, r, depth); got.Cmp(want) != 0 {
			t.Errorf("n = %d, r = %d, t = %d: %v counted, %v by the formula", n, r, depth, got, want)
		}
		checked++
	})
	if checked != 165 {
		t.Errorf("%d plans, want 165", checked)
	}
	a, _ := Assign(5, 4)
	if p, err := PlanSums(a, 0); err != nil || p.depth != 4 {
		t.Errorf("the depth by itself: %v, %v, want 4", p, err)
	}
	for _, depth := range []int{-1, 5} {
		if _, err := PlanSums(a, depth); err == nil {
			t.Errorf("depth %d is no error", depth)
		}
	}
}

// clone copies a plan so that it can be spoilt.
func (p *SumPlan) clone() *SumPlan {
	c := *p
	c.sums, c.packets = slices.Clone(p.sums), slices.Clone(p.packets)
	for i := range c.sums {
		c.sums[i].Blocks = slices.Clone(c.sums[i].Blocks)
	}
	for i := range c.packets {
		c.packets[i].Terms, c.packets[i].To = slices.Clone(c.packets[i].Terms), slices.Clone(c.packets[i].To)
	}
	return &c
}

// TestSpoiltSumPlansFail: a packet dropped, sent twice, sent by a neighbour or to one receiver more, a block forgotten
// or counted twice and a depth off by one are seen, in every plan of n ≤ 6 that sends anything.
func TestSpoiltSumPlansFail(t *testing.T) {
	plans(t, 6, func(n, r, depth int, p *SumPlan) {
		if r == n {
			return
		}
		name := fmt.Sprintf("n = %d, r = %d, t = %d", n, r, depth)
		for i := range p.packets {
			for what, spoil := range map[string]func(*SumPlan){
				"dropped":   func(p *SumPlan) { p.packets = slices.Delete(p.packets, i, i+1) },
				"twice":     func(p *SumPlan) { p.packets = append(p.packets, p.packets[i]) },
				"a term":    func(p *SumPlan) { p.packets[i].Terms, p.packets[i].To = p.packets[i].Terms[1:], p.packets[i].To[1:] },
				"segment":   func(p *SumPlan) { p.packets[i].Terms[0].Position++ },
				"not asked": func(p *SumPlan) { p.packets[i].To[0] = p.packets[i].From },
				"sender":    func(p *SumPlan) { p.packets[i].From = p.packets[i].To[0] },
			} {
				c := p.clone()
				spoil(c)
				if c.Check() == nil {
					t.Errorf("%s, packet %d, %s: passes", name, i, what)
				}
				if len(c.packets) != len(p.packets) && c.Load().Cmp(CompressedLoad(n, r, depth)) == 0 {
					t.Errorf("%s, packet %d, %s: counts the same", name, i, what)
				}
			}
		}
		// Two packets of one node in one are short, and nobody can cancel; a packet of one
		// term goes to a node that lacks the sum too, but has another slice.
		merged, misled := 0, 0
		for i, packet := range p.packets {
			if next := slices.IndexFunc(p.packets[i+1:], func(o SumPacket) bool { return o.From == packet.From }); next >= 0 {
				c := p.clone()
				other := c.packets[i+1+next]
				c.packets[i].Terms, c.packets[i].To = append(c.packets[i].Terms, other.Terms...), append(c.packets[i].To, other.To...)
				c.packets = slices.Delete(c.packets, i+1+next, i+2+next)
				if err := c.Check(); err != nil && strings.Contains(err.Error(), "cannot cancel") {
					merged++
				}
			}
			for k := range n {
				if len(packet.To) == 1 && k != packet.To[0] && !p.knows(k, packet.Terms[0].Sum) {
					c := p.clone()
					c.packets[i].To[0] = k
					if c.Check() == nil {
						t.Errorf("%s, packet %d: %d is misled", name, i, k)
					}
					misled++
				}
			}
		}
		if n >= 4 && depth >= 2 && r < n-1 && merged == 0 || n >= 4 && depth == 1 && r < n-1 && misled == 0 {
			t.Errorf("%s: %d packets merged, %d misled", name, merged, misled)
		}
		for _, other := range []int{depth - 1, depth + 1} {
			c := p.clone()
			if c.depth = other; other > 0 && c.Load().Cmp(CompressedLoad(n, r, depth)) == 0 || c.Check() == nil {
				t.Errorf("%s: depth %d passes", name, other)
			}
		}
	})
}

// A sum with a block forgotten, or twice, fails.
func TestSpoiltSumsFail(t *testing.T) {
	plans(t, 6, func(n, r, depth int, p *SumPlan) {
		for i := range p.sums {
			for what, spoil := range map[string]func([]int) []int{
				"forgotten": func(b []int) []int { return b[1:] },
				"twice":     func(b []int) []int { return append(b, b[0]) },
			} {
				c := p.clone()
				c.sums[i].Blocks = spoil(c.sums[i].Blocks)
				if c.Check() == nil {
					t.Errorf("n = %d, r = %d, t = %d: a block %s in sum %d passes", n, r, depth, what, i)
				}
			}
		}
	})
}

// TestSumPlanDefinition compares the sums with the definition's, found by looking at every
// block and node, and K(M) is what the packets of M go to.
func TestSumPlanDefinition(t *testing.T) {
	plans(t, 7, func(n, r, depth int, p *SumPlan) {
		sums := 0
		for k := range n {
			for q := range p.a.Blocks() {
				holders := p.a.Holders(q)
				if slices.Contains(holders, k) {
					continue
				}
				found := slices.IndexFunc(p.sums, func(s Sum) bool { return s.Slice == k && slices.Equal(s.Common, holders[:depth]) })
				if found < 0 || !slices.Contains(p.sums[found].Blocks, q) {
					t.Errorf("n = %d, r = %d, t = %d: block %d is not in c(%v, %d)", n, r, depth, q, holders[:depth], k)
				}
				sums++
			}
		}
		for _, s := range p.sums {
			sums -= len(s.Blocks)
		}
		if sums != 0 {
			t.Errorf("n = %d, r = %d, t = %d: %d blocks too few in the sums", n, r, depth, sums)
		}
		for _, packet := range p.packets {
			for j, term := range packet.Terms {
				if s := p.sums[term.Sum]; s.Slice != packet.To[j] || s.Common[term.Position] != packet.From {
					t.Errorf("n = %d, r = %d, t = %d: %v", n, r, depth, packet)
				}
			}
		}
	})
}

// TestSumPlanLengths: ragged layers. Segments cover each sum without overlap, packets are as long as their longest
// term, and where n·t divides the length the elements are the load times the length.
func TestSumPlanLengths(t *testing.T) {
	plans(t, 6, func(n, r, depth int, p *SumPlan) {
		for _, length := range []int{0, 1, n - 1, n * depth, n*depth + 1, 3*n*depth - 1, 60 * n * depth} {
			packets, elements, delivered := p.Volume(length)
			if length%(n*depth) == 0 {
				if want := new(big.Rat).Mul(p.Load(), big.NewRat(int64(length), 1)); want.Cmp(big.NewRat(elements, 1)) != 0 {
					t.Errorf("n = %d, r = %d, t = %d: %d elements of %d, want %v", n, r, depth, elements, length, want)
				}
			}
			if length == 60*n*depth && r < n && packets != int64(len(p.packets)+n) {
				t.Errorf("n = %d, r = %d, t = %d: %d packets", n, r, depth, packets)
			}
			// Delivered by hand: each sum's slice, and each slice to n−1; more by padding.
			var least int64
			for i, s := range p.sums {
				lo, hi := p.Slice(length, s.Slice)
				next := 0
				for position := range depth {
					from, to := p.within(length, SumTerm{i, position})
					if from != next {
						t.Fatalf("n = %d, r = %d, t = %d, length %d: segment from %d, want %d", n, r, depth, length, from, next)
					}
					next = to
				}
				if next != hi-lo {
					t.Fatalf("n = %d, r = %d, t = %d, length %d: segments end at %d of %d", n, r, depth, length, next, hi-lo)
				}
				least += int64(hi - lo)
			}
			if p.gathers() {
				least += int64(length * (n - 1))
			}
			most := least + 2*int64(len(p.packets)*n) // a slice and a segment are at most 1 longer each
			if delivered < least || delivered > most || length%(n*depth) == 0 && delivered != least {
				t.Errorf("n = %d, r = %d, t = %d, length %d: %d delivered, want %d to %d", n, r, depth, length, delivered, least, most)
			}
		}
	})
}
