//gradsync:pure

package codedsgd

import (
	"fmt"
	"math"
)

// Split cuts a batch into pieces micro-blocks, as many for each block, and returns
// their bounds: pieces+1 of them. Block q's are pieces/Blocks() consecutive ones from
// q·pieces/Blocks() on. A batch that pieces do not divide gives some one sample more;
// one shorter than pieces gives empty ones. pieces must be a multiple of Blocks().
//
// Without speeds piece i begins at ⌊i·batch/pieces⌋, whatever n and r are. With
// speeds a block's size follows its holders' so that each node has samples in
// proportion to its speed; a node that is faster than r nodes are on average
// together would need a block twice, and has every block that is not empty.
//
// Source: Alg. 2, line 5
func (a *Assignment) Split(batch, pieces int, speeds []float64) []int {
	blocks := a.Blocks()
	if batch < 0 || pieces < 1 || pieces%blocks != 0 || speeds != nil && len(speeds) != a.n {
		panic(fmt.Sprintf("codedsgd: %d samples in %d pieces for %d blocks, %d speeds of %d nodes", batch, pieces, blocks, len(speeds), a.n))
	}
	bounds := make([]int, pieces+1)
	if speeds == nil {
		for i := range bounds {
			bounds[i] = i * batch / pieces // Alg. 2, line 5
		}
		return bounds
	}
	sizes, m := a.sizes(batch, speeds), pieces/blocks
	for q, size := range sizes {
		for j := range m {
			bounds[q*m+j+1] = bounds[q*m] + (j+1)*size/m
		}
	}
	return bounds
}

// sizes returns the samples of each block: the shares in whole samples, rounded
// down, and each sample left over to the block whose holders are most behind.
func (a *Assignment) sizes(batch int, speeds []float64) []int {
	want := a.shares(speeds)
	weights := a.weights(want)
	sizes, behind, left := make([]int, len(weights)), make([]float64, a.n), batch
	holders := make([][]int, len(weights))
	for q := range holders {
		holders[q] = a.Holders(q)
	}
	for i, share := range want {
		behind[i] = share * float64(batch)
	}
	give := func(q, samples int) {
		sizes[q] += samples
		left -= samples
		for _, i := range holders[q] {
			behind[i] -= float64(samples)
		}
	}
	for q, w := range weights {
		give(q, min(int(w*float64(batch)), left))
	}
	for left > 0 {
		best, most := 0, math.Inf(-1)
		for q, w := range weights {
			need := 0.
			for _, i := range holders[q] {
				need += behind[i]
			}
			if w > 0 && need > most {
				best, most = q, need
			}
		}
		give(best, 1)
	}
	return sizes
}

// shares returns which part of the batch each node should have: r·v_i/Σv, or all of it
// where that is more, the others then sharing the rest by speed. They add up to r.
func (a *Assignment) shares(speeds []float64) []float64 {
	share := make([]float64, a.n)
	left, full := a.r, make([]bool, a.n)
	for {
		most, sum := 0., 0.
		for i, v := range speeds {
			if !full[i] {
				most = max(most, v)
			}
		}
		// A power of two scales without rounding, and no sum of scaled speeds overflows.
		_, power := math.Frexp(most)
		scaled := func(v float64) float64 { return math.Ldexp(v, -power) }
		for i, v := range speeds {
			if !full[i] {
				sum += scaled(v)
			}
		}
		again := false
		for i, v := range speeds {
			if full[i] {
				continue
			}
			if share[i] = float64(left) * (scaled(v) / sum); share[i] >= 1 {
				share[i], full[i], again = 1, true, true
			}
		}
		if !again {
			return share
		}
		left = a.r
		for _, f := range full {
			if f {
				left--
			}
		}
	}
}

// weights returns the blocks' parts of the batch that give each node its share, of
// all such ones the nearest to equal parts (in relative entropy): iterative
// proportional fitting, which scales the blocks with and without a node to its share,
// node after node, until all shares hold.
func (a *Assignment) weights(share []float64) []float64 {
	const sweeps, exact = 10000, 1e-12
	w, sets := make([]float64, a.Blocks()), make([]uint64, a.Blocks())
	eachSubset(a.n, a.r, func(q int, set uint64) { sets[q] = set })
	for q := range w {
		w[q] = 1 / float64(len(w))
	}
	for range sweeps {
		off := 0.
		for i, want := range share {
			have := 0.
			for q, v := range w {
				if has(sets[q], i) {
					have += v
				}
			}
			off = max(off, math.Abs(have-want))
			with, without := scale(want, have), scale(1-want, 1-have)
			for q := range w {
				if has(sets[q], i) {
					w[q] *= with
				} else {
					w[q] *= without
				}
			}
		}
		if off < exact {
			break
		}
	}
	return w
}

// scale returns what makes have want; nothing can be made of nothing.
func scale(want, have float64) float64 {
	if !(want > 0) || !(have > 0) {
		return 0
	}
	return want / have
}
