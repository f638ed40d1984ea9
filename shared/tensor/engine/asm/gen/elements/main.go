// Command elements writes the kernels of engine asm that are no products: norms,
// pools, and passes over elements, each for AVX-512 and for AVX2 with FMA.
//
// A kernel's body is written once, in vectors of 16 lanes: one zmm register or
// two ymm. Both sets so do the same operations in the same order.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	for _, s := range []set{{"512", true}, {"2", false}} {
		s.total()
		s.squares()
		s.normalise()
		s.normaliseAdd()
		s.normSumsBehind(false)
		s.normSumsBehind(true)
		s.normSumsRecomputed()
		s.normDataRecomputed()
		for _, gated := range []bool{false, true} {
			s.normSums(gated)
			s.normData(gated)
		}
		s.add()
		s.relu()
		s.reluBackward()
		s.maxPool()
		s.maxPoolPairs()
		s.maxPoolBackward()
		s.maxPoolBackwardPairs()
		s.avgPool()
		s.avgPoolBackward()
	}
	Generate()
}
