package codedsgd_test

import (
	"math/bits"
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
)

// The packets of a group are useful: each is for the r others, each of which lacks exactly one of its r blocks; all
// packets together give every node every segment of every block that it lacks exactly once.
func TestAlgorithm3PacketsBringEverySegmentOnce(t *testing.T) {
	every(t, 7, func(a *codedsgd.Assignment, n, r int) {
		type piece struct{ node, block, position int }
		got := map[piece]int{}
		for _, group := range a.Groups() {
			packets := a.Packets(group)
			if len(packets) != r+1 {
				t.Fatalf("n=%d r=%d: %d packets of group %v", n, r, len(packets), group)
			}
			for _, p := range packets {
				if len(p.To) != r || len(p.Terms) != r || !slices.IsSortedFunc(p.Terms, func(x, y codedsgd.Term) int { return x.Block - y.Block }) {
					t.Fatalf("n=%d r=%d: packet %+v", n, r, p)
				}
				for _, to := range p.To {
					for _, term := range p.Terms {
						if holders := a.Holders(term.Block); holders[term.Position] != p.From {
							t.Errorf("n=%d r=%d: %+v: segment %d of block %d is node %d's", n, r, p, term.Position, term.Block, holders[term.Position])
						}
						if !a.Holds(to, term.Block) {
							got[piece{to, term.Block, term.Position}]++
						}
					}
				}
			}
		}
		for i := range n {
			for q := range a.Blocks() {
				for k := range r {
					want := 1
					if a.Holds(i, q) {
						want = 0
					}
					if got[piece{i, q, k}] != want {
						t.Errorf("n=%d r=%d: node %d gets segment %d of block %d %d times, want %d", n, r, i, k, q, got[piece{i, q, k}], want)
					}
				}
			}
		}
	})
}

// The printed loop: C(μ,r) combinations, whose packets with receivers are those of the groups and, from r = 3 to n−2,
// many more (80 against 20 for n = 5, r = 3); at r = 1 one for all others instead of n−1.
func TestAlgorithm3Line2LoopsOverAllCombinations(t *testing.T) {
	every(t, 7, func(a *codedsgd.Assignment, n, r int) {
		if n == 7 && r > 3 && r < 6 {
			return // C(20,4) and C(15,5) combinations of 7 nodes: n = 7 at 3 and 6 will do
		}
		sent, useful := 0, 0
		for i := range n {
			of, combinations := a.Of(i), 0
			var last []codedsgd.Term
			a.Literal(i, func(p codedsgd.Packet) bool {
				combinations++
				if last != nil && slices.CompareFunc(last, p.Terms, func(x, y codedsgd.Term) int { return x.Block - y.Block }) >= 0 {
					t.Fatalf("n=%d r=%d: %v does not come after %v", n, r, p.Terms, last)
				}
				last = slices.Clone(p.Terms)
				var union uint64
				times := make([]int, n)
				for _, term := range p.Terms {
					for v := range n {
						if a.Holds(v, term.Block) {
							union |= 1 << v
						} else {
							times[v]++
						}
					}
				}
				var once []int
				for v, c := range times {
					if c == 1 {
						once = append(once, v)
					}
				}
				if !slices.Equal(once, p.To) {
					t.Errorf("n=%d r=%d: %v is for %v, want %v", n, r, p.Terms, p.To, once)
				}
				if len(p.To) > 0 {
					sent++
				}
				if bits.OnesCount64(union) == r+1 {
					useful++
				}
				return true
			})
			if c := choose(len(of), r); combinations != c {
				t.Errorf("n=%d r=%d: %d combinations of %d blocks, want %d", n, r, combinations, len(of), c)
			}
		}
		groups := len(a.Groups()) * (r + 1)
		if r > 1 && useful != groups {
			t.Errorf("n=%d r=%d: %d packets whose blocks lie in r+1 nodes, the groups have %d", n, r, useful, groups)
		}
		want := groups
		if r == 1 && n > 1 {
			want = n
		}
		if (r <= 2 || r >= n-1) && sent != want { // others are TestAlgorithm3Line2LoopCount's
			t.Errorf("n=%d r=%d: %d packets with receivers, want %d", n, r, sent, want)
		}
	})
}

func choose(n, k int) int {
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return c
}

// pack(M, P, J, T): the header says all but the content, and no other header passes.
func TestAlgorithm3Line13HeaderSaysPJAndT(t *testing.T) {
	every(t, 7, func(a *codedsgd.Assignment, n, r int) {
		for _, group := range a.Groups() {
			for _, p := range a.Packets(group) {
				h, err := a.Header(p)
				must(t, err)
				got, err := a.ReadHeader(h, p.From)
				if err != nil || !slices.Equal(got.Terms, p.Terms) || !slices.Equal(got.To, p.To) || got.From != p.From {
					t.Errorf("n=%d r=%d: %+v became %+v, %v", n, r, p, got, err)
				}
				if r > 1 { // at r = 1 another node may not send this block, but who lacks it
					if _, err := a.ReadHeader(h, p.To[0]); err == nil {
						t.Errorf("n=%d r=%d: %+v passes as node %d's", n, r, p, p.To[0])
					}
				}
				for word := range h {
					for _, change := range []int64{1, -1, -1 << 62} {
						bad := h
						bad[word] += change
						signed := word == 0 && change == -1<<62 // beyond the n bits, where a run's sender signs
						if q, err := a.ReadHeader(bad, p.From); signed != (err == nil && slices.Equal(q.Terms, p.Terms) && slices.Equal(q.To, p.To)) {
							t.Errorf("n=%d r=%d: %v and %v are one packet: %v", n, r, h, bad, !signed)
						}
					}
				}
			}
		}
	})
}

// Headers of packets that nobody makes: blocks out of order or twice, a segment of
// another node, a block that the sender lacks, a receiver that lacks none, two or all.
func TestAlgorithm3Line13ForgedHeadersAreRefused(t *testing.T) {
	a := assignment(t, 4, 2) // blocks 01 02 03 12 13 23
	for _, x := range []struct {
		p  codedsgd.Packet
		ok bool
	}{
		{codedsgd.Packet{0, []codedsgd.Term{{0, 0}, {1, 0}}, []int{1, 2}}, true},
		{codedsgd.Packet{0, []codedsgd.Term{{0, 0}, {1, 0}}, []int{1}}, true},
		{codedsgd.Packet{1, []codedsgd.Term{{0, 1}, {3, 0}}, []int{0, 2}}, true},
		{codedsgd.Packet{0, []codedsgd.Term{{1, 0}, {0, 0}}, []int{1, 2}}, false},
		{codedsgd.Packet{0, []codedsgd.Term{{0, 0}, {0, 0}}, nil}, false},
		{codedsgd.Packet{1, []codedsgd.Term{{0, 0}, {3, 0}}, []int{0, 2}}, false},
		{codedsgd.Packet{0, []codedsgd.Term{{0, 0}, {3, 0}}, []int{0}}, false},
		{codedsgd.Packet{0, []codedsgd.Term{{0, 0}, {1, 0}}, []int{0, 1, 2}}, false},
		{codedsgd.Packet{0, []codedsgd.Term{{0, 0}, {1, 0}}, []int{1, 3}}, false},
		{codedsgd.Packet{0, nil, []int{1}}, false},
	} {
		h := sure(a.Header(x.p))(t)
		if _, err := a.ReadHeader(h, x.p.From); (err == nil) != x.ok {
			t.Errorf("%+v: %v", x.p, err)
		}
	}
}

// M is the sum over the terms, each of its own segment, of every micro-block by itself,
// and zeros fill the shorter ones.
func TestEquation12ContentIsTheSumOfSegments(t *testing.T) {
	a := assignment(t, 3, 2)
	grads := [][]int32{{1, 2, 3}, {4, 5, 6}, {10, 20, 30}, {40, 50, 60}, {100, 200, 300}, {400, 500, 600}} // two of each block
	cut := sure(codedsgd.NewCut(3, [2]int{3, 1}, 2, "rows"))(t)
	p := a.Packets([]int{0, 1, 2})[1] // node 1: segment 1 of block 0, which is {3}, and 0 of block 2
	got := []int32{7, 7, 7, 7}
	if err := codedsgd.Encode(got, p, held{a, 1, grads, 2}, 0, cut, 2); err != nil || !slices.Equal(got, []int32{103, 200, 406, 500}) {
		t.Errorf("%v holds %v, %v", p, got, err)
	}
}
