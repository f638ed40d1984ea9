package codedsgd

import (
	"testing"

	"gradsync/shared/cluster"
)

// A node's store gives its own blocks and nothing else: every read of a block that it
// lacks is an error that says whose and which.
func TestANodeReadsOnlyWhatItComputed(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for r := 1; r <= n; r++ {
			a, err := Assign(n, r)
			must(t, err)
			for rank := range n {
				job := &Job{Layers: []cluster.Layer{{Length: 3}, {Offset: 3, Length: 2}}}
				s := newStore(&node{rank: rank, job: job, a: a, own: a.Of(rank), m: 2, params: 5, o: Options{Range: 10}})
				for q := -1; q <= a.Blocks(); q++ {
					holds := q >= 0 && q < a.Blocks() && a.Holds(rank, q)
					for j := range 2 {
						if g, err := s.Layer(q, j, 1); s.Has(q) != holds || (err == nil) != holds || holds != (len(g) == 2) {
							t.Errorf("n=%d r=%d: node %d reads block %d: %v, %v", n, r, rank, q, g, err)
						}
					}
				}
				if len(s.fixed) != 2*len(a.Of(rank)) {
					t.Errorf("n=%d r=%d: node %d stores %d micro-blocks for %d blocks", n, r, rank, len(s.fixed), len(a.Of(rank)))
				}
			}
		}
	}
}
