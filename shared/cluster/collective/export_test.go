package collective

import "gradsync/shared/cluster"

// ReduceScatter is the first half of AllReduce, which Hierarchical takes alone.
func (r Ring) ReduceScatter(p cluster.Proc, tag cluster.Tag, x []float32) (lo, hi int, err error) {
	return r.reduceScatter(p, tag, summed(x))
}

// AllGather is the second half.
func (r Ring) AllGather(p cluster.Proc, tag cluster.Tag, x []float32) error {
	return r.allGather(p, tag, summed(x))
}

// NaiveGather sends the messages of NaiveGatherTiming with numbers: root's x is the sum.
func NaiveGather(p cluster.Proc, tag cluster.Tag, root int, x []float32) error {
	return naiveGather(p, tag, root, summed(x))
}
