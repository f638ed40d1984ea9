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
						g, err := s.Layer(q, j, 1)
						if s.Has(q) != holds || (err == nil) != holds || holds != (len(g) == 2) {
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

// Micro-blocks lie apart, and counts name the last layer that had no number.
func TestStoreKeepsMicroBlocksApart(t *testing.T) {
	a, err := Assign(3, 2)
	must(t, err)
	job := &Job{Layers: []cluster.Layer{{Length: 1}, {Name: "b", Offset: 1, Length: 1}}}
	s := newStore(&node{rank: 2, job: job, a: a, own: a.Of(2), m: 2, params: 2, o: Options{Range: Top}})
	for i, q := range a.Of(2) {
		for j := range 2 {
			for l := range 2 {
				s.grads[l] = float32(100*i + 10*j + l)
				s.put(q, j, l)
			}
		}
	}
	for i, q := range a.Of(2) {
		for j := range 2 {
			for l := range 2 {
				if g, err := s.Layer(q, j, l); err != nil || g[0] != int32(100*i+10*j+l) {
					t.Errorf("block %d micro-block %d layer %d: %v, %v", q, j, l, g, err)
				}
			}
		}
	}
}
