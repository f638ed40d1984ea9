package codedsgd_test

import (
	"math/big"
	"testing"

	"gradsync/papers/codedsgd"
)

// A real exchange of n·C(n,r) blocks, and one of the printed loop, sends as much as the
// proof counts: (30) block by block, and the loop's packets, of which what every node
// lacks is new. (28) and (29) are TestSection24BytesAreTheLoads'.
func TestSection24ProofAgainstRealExchanges(t *testing.T) {
	most := 5
	if testing.Short() {
		most = 4
	}
	const length = 60 // no rest in up to 6 segments
	gradients := func(bytes int64) *big.Rat { return big.NewRat(bytes, 4*length) }
	every(t, most, func(a *codedsgd.Assignment, n, r int) {
		check := func(what string, got, want *big.Rat) {
			if got.Cmp(want) != 0 {
				t.Errorf("n = %d, r = %d: %s %s, the proof has %s", n, r, what, got.RatString(), want.RatString())
			}
		}
		sent := func(o codedsgd.Options) codedsgd.Totals {
			got, _ := traffic(t, n, true, func() codedsgd.Job {
				q := newQuadratic(length)
				return codedsgd.Job{Task: q, Layers: q.layers, Batch: 60, Rate: 0.1, Steps: 1, Options: o}
			})
			return got
		}
		normal := sent(codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: 1, MicroBlocks: n * a.Blocks()})
		check("load of n times as many blocks", gradients(normal.Bytes), new(big.Rat).Mul(big.NewRat(int64(n), 1), codedsgd.LNormal(n, r)))

		e := sure(codedsgd.Enumerate(n, r))(t)
		loop, ok := e.Loop()
		if !ok {
			t.Fatalf("n = %d, r = %d: the loop is not counted", n, r)
		}
		printed := sent(codedsgd.Options{Redundancy: r, Literal: true})
		check("packets of the printed loop", big.NewRat(printed.Packets, 1), big.NewRat(loop.Packets, 1))
		check("load of the printed loop", gradients(printed.Bytes), big.NewRat(loop.Packets, int64(r)))
		check("its load per receiver", gradients(printed.Delivered), big.NewRat(loop.Deliveries, int64(r)))
		check("received of it", gradients(printed.Received), gradients(printed.Delivered))
		check("its useful bytes", gradients(printed.Useful), codedsgd.LUncoding(n, r))
	})
}
