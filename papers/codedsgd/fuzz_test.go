package codedsgd_test

import (
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
)

// A header that passes is the header of the packet that it says, and of no other: all
// that is checked of it holds by the sets alone.
func FuzzHeader(f *testing.F) {
	for _, nr := range [][2]int{{3, 2}, {4, 2}, {5, 3}, {6, 1}, {10, 9}, {10, 5}} {
		a := assignment(f, nr[0], nr[1])
		for _, p := range a.Packets(a.Groups()[0]) {
			h := sure(a.Header(p))(f)
			f.Add(uint8(nr[0]), uint8(nr[1]), p.From, h[0], h[1], h[2], h[3])
		}
	}
	f.Add(uint8(62), uint8(31), 3, int64(1), int64(2), int64(3), int64(4))
	f.Fuzz(func(t *testing.T, nodes, redundancy uint8, from int, w0, w1, w2, w3 int64) {
		n := int(nodes)%codedsgd.MaxNodes + 1
		a := assignment(t, n, int(redundancy)%n+1)
		h := codedsgd.Header{w0, w1, w2, w3}
		p, err := a.ReadHeader(h, from)
		if err != nil {
			return
		}
		if again, err := a.Header(p); err != nil || again != (codedsgd.Header{w0 & (1<<n - 1), w1, w2, w3}) {
			t.Fatalf("n=%d r=%d: %v is %+v, whose header is %v, %v", n, a.Redundancy(), h, p, again, err)
		}
		lacking := make([]int, n)
		for i, term := range p.Terms {
			holders := a.Holders(term.Block)
			if i > 0 && p.Terms[i-1].Block >= term.Block || term.Position >= len(holders) || holders[term.Position] != from {
				t.Fatalf("n=%d r=%d: node %d sent %+v", n, a.Redundancy(), from, p)
			}
			for v := range n {
				if !slices.Contains(holders, v) {
					lacking[v]++
				}
			}
		}
		for _, to := range p.To {
			if to < 0 || to >= n || lacking[to] != 1 {
				t.Fatalf("n=%d r=%d: node %d lacks %d of %+v", n, a.Redundancy(), to, lacking[to], p)
			}
		}
	})
}
