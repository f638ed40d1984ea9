package collective

import (
	"fmt"

	"gradsync/shared/cluster"
)

// Hierarchical leaves in every rank's x the sum over ranks, exchanged on two
// levels. Ranks kG … kG+G−1, G = perNode, are node k.
//
//  1. Reduce-scatter on the ring of each node: every rank has one of G chunks.
//  2. All-reduce of that chunk on the ring of the ranks that have it, one per node.
//  3. All-gather on the ring of each node.
//
// So each chunk is summed within the nodes first, in ring order from its own
// position, and these sums in ring order of the nodes. N must be a multiple of
// perNode; the error names both.
//
// Source: ours: the two-level ring, for comparison on the blog's nodes × GPUs
func Hierarchical(p cluster.Proc, tag cluster.Tag, perNode int, x []float32) error {
	return hierarchical(p, tag, perNode, summed(x))
}

// HierarchicalTiming sends the messages of Hierarchical over n elements and
// sums nothing.
//
// Source: ours: the two-level ring, for comparison on the blog's nodes × GPUs
func HierarchicalTiming(p cluster.Proc, tag cluster.Tag, perNode, n int) error {
	return hierarchical(p, tag, perNode, declared(n))
}

func hierarchical(p cluster.Proc, tag cluster.Tag, perNode int, v vector) error {
	if perNode < 1 || p.Size()%perNode != 0 {
		return fmt.Errorf("collective: hierarchical all-reduce of %d ranks in nodes of %d: want a multiple", p.Size(), perNode)
	}
	node, local := p.Rank()/perNode, p.Rank()%perNode
	within := Ring{Order: make([]int, perNode)}
	for i := range within.Order {
		within.Order[i] = node*perNode + i
	}
	between := Ring{Order: make([]int, p.Size()/perNode)}
	for k := range between.Order {
		between.Order[k] = k*perNode + local
	}
	lo, hi, err := within.reduceScatter(p, tag, v)
	if err != nil {
		return err
	}
	if err := between.allReduce(p, tag, v.part(lo, hi)); err != nil {
		return err
	}
	return within.allGather(p, tag, v)
}
