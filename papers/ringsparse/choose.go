//gradsync:pure

package ringsparse

// Choose keeps the sparser block of the two: weights if Sw ≥ Sg, gradients
// otherwise.
//
//	Sw ≥ Sg → W_i,   Sw < Sg → G_i
//
// sw and sg are F of the two blocks. At equal sparsity the patent takes weights, as
// it does of two dense blocks; tie is taken instead, or is Weights. byTie says
// that nothing but this rule decided.
//
// Source: S41
func Choose(sw, sg float64, tie Kind) (k Kind, byTie bool) {
	switch {
	case sw > sg: // S4–S6, step 2
		return Weights, false
	case sw < sg: // S4–S6, step 2
		return Gradients, false
	}
	return tie, true // S4–S6, step 2
}
