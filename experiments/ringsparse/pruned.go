package ringsparse

import (
	"math"
	"slices"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// prune returns the mask that keeps, of every layer, the share keep of its entries
// that are largest in magnitude (rounded up; of equals the first), and sets the
// others to +0.
func prune(params []float32, layers []cluster.Layer, keep float64) []bool {
	mask := make([]bool, len(params))
	for _, l := range layers {
		order := make([]uint64, l.Length) // sorts by falling magnitude, then by place
		for i := range order {
			order[i] = uint64(^(math.Float32bits(params[l.Offset+i])&^(1<<31)))<<32 | uint64(i)
		}
		slices.Sort(order)
		for _, k := range order[:int(math.Ceil(keep*float64(l.Length)))] {
			mask[l.Offset+int(uint32(k))] = true
		}
	}
	ringsparse.Project(params, mask)
	return mask
}
