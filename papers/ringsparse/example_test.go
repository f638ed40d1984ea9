package ringsparse_test

import (
	"fmt"

	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/codec"
)

// One hop of one block: rank 0 sends whichever is sparser, its weights or its
// gradient, and rank 1 adds it to its own block of that kind and chooses anew.
func Example() {
	const eta, sign = 0.5, ringsparse.Descent
	w0 := []float32{0, 0, 3, 0} // the same on both ranks
	g := [][]float32{{2, 0, 0, 0}, {0, 4, 2, 0}}
	w := [][]float32{make([]float32, 4), make([]float32, 4)}
	for rank := range g {
		ringsparse.LocalStep(w[rank], w0, g[rank], eta, sign) // W′ = W0 − η·g
	}

	choose := func(weights, gradients []float32) ringsparse.Kind {
		sw, sg := ringsparse.Sparsity(weights, 0), ringsparse.Sparsity(gradients, 0)
		kind, _ := ringsparse.Choose(sw, sg, ringsparse.Weights)
		fmt.Printf("weights %v, gradients %v: %v\n", weights, gradients, kind)
		return kind
	}
	choose(w[0], g[0]) // gradients: rank 0 sends them, here as a bitmap and the values
	message := codec.Bitmap{}.Append(nil, g[0])
	fmt.Printf("%d bytes instead of %d\n", len(message), 4*len(g[0]))

	for i := range g[0] {
		g[1][i] += g[0][i] // at rank 1: the sum of 2 ranks,
	}
	ringsparse.ToWeights(w[1], w0, g[1], eta, 2, sign) // as weights: 2·W0 − η·Σg
	choose(w[1], g[1])                                 // as sparse: weights

	ringsparse.AverageWeights(w0, w[1], 2)
	fmt.Println("new weights", w0)
	// Output:
	// weights [-1 0 3 0], gradients [2 0 0 0]: gradients
	// 5 bytes instead of 16
	// weights [-1 -2 5 0], gradients [2 4 2 0]: weights
	// new weights [-0.5 -1 2.5 0]
}
