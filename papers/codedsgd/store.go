package codedsgd

import (
	"fmt"

	"gradsync/shared/cluster"
)

// store holds a node's own gradients in fixed point, and gives out no others: what a
// node decodes by is what it computed.
type store struct {
	rank   int
	layers []cluster.Layer
	limit  float64
	m      int
	place  []int     // of a block among the node's own; −1: it lacks it
	grads  []float32 // of the micro-block that is being computed
	fixed  [][]int32 // [place·m + micro-block]
	loss   float64   // of the step, a sum over samples

	saturated, notFinite int64 // of the step
	layer                int   // the last that had something not finite
}

func newStore(x *node) *store {
	s := &store{rank: x.rank, layers: x.job.Layers, limit: x.o.Range, m: x.m, grads: make([]float32, x.params)}
	s.place = make([]int, x.a.Blocks())
	for q := range s.place {
		s.place[q] = -1
	}
	for i, q := range x.own {
		s.place[q] = i
	}
	s.fixed = make([][]int32, len(x.own)*x.m)
	for i := range s.fixed {
		s.fixed[i] = make([]int32, x.params)
	}
	return s
}

// Has says whether the node computes a block.
func (s *store) Has(block int) bool { return block >= 0 && block < len(s.place) && s.place[block] >= 0 }

// Layer returns micro-block j of a block's gradient of one layer. A block that the
// node lacks is an error.
func (s *store) Layer(block, j, layer int) ([]int32, error) {
	if !s.Has(block) {
		return nil, fmt.Errorf("codedsgd: rank %d reads the gradient of block %d, which it lacks", s.rank, block)
	}
	l := s.layers[layer]
	return s.fixed[s.place[block]*s.m+j][l.Offset : l.Offset+l.Length], nil
}

// put quantises what grads has of a layer as micro-block j's of a block of the node.
func (s *store) put(block, j, layer int) {
	l := s.layers[layer]
	saturated, notFinite := Quantise(s.fixed[s.place[block]*s.m+j][l.Offset:], s.grads[l.Offset:l.Offset+l.Length], s.limit)
	s.saturated += int64(saturated)
	s.notFinite += int64(notFinite)
	if notFinite > 0 {
		s.layer = layer
	}
}

// stock moves the step's counts to t. Numbers out of range were saturated, which
// training survives; what was no number is an error.
func (s *store) stock(t *Totals, step int64) error {
	bad := s.notFinite
	t.Saturated += s.saturated
	t.NotFinite += bad
	s.saturated, s.notFinite = 0, 0
	if bad > 0 {
		return fmt.Errorf("codedsgd: rank %d, step %d: %d numbers of its gradients are NaN or infinite, the last in layer %d %q",
			s.rank, step, bad, s.layer, s.layers[s.layer].Name)
	}
	return nil
}
