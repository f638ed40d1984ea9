//gradsync:pure

package dasp

import (
	"fmt"

	"gradsync/shared/tensor/optim"
	"gradsync/shared/tensor/vec"
)

// Optimiser is the server's step from gradients to weights. The fidelity runs
// leave Momentum and WeightDecay at 0; they are the usual options, applied
// once per update.
//
//	d ← weight·Σ g + WeightDecay·w
//	u ← Momentum·u + d
//	w ← w − Rate·u
//
// Source: Alg. 2, line 7
type Optimiser struct {
	Rate, Momentum, WeightDecay float64

	velocity []float32 // u, allocated by the first step that needs it
}

// Step updates w in place by sum, the sum of the update's gradients; sum is
// left unspecified. Both have one entry per parameter. With plain SGD it is
//
//	w_{i+1} = w_i − γ·weight·sum
//
// in one multiplication and one subtraction per entry, so that every policy
// that makes the same updates gives the same bits.
//
// Source: Alg. 2, line 7
func (o *Optimiser) Step(w, sum []float32, weight float64) {
	if len(w) != len(sum) {
		panic(fmt.Sprintf("dasp: gradient has %d entries, want %d", len(sum), len(w)))
	}
	o.prepare(len(w))
	optim.Pieces(len(w), func(lo, hi int) { o.step(w[lo:hi], sum[lo:hi], o.velocityOf(lo, hi), weight) })
}

// apply updates w by gradients, messages' bodies, and leaves in each of them the new w.
//
// Source: Alg. 2, lines 6, 7
func (o *Optimiser) apply(w []float32, gradients [][]byte, weight float64) {
	for _, g := range gradients {
		if len(g) != 4*len(w) {
			panic(fmt.Sprintf("dasp: gradient of %d bytes, want %d", len(g), 4*len(w)))
		}
	}
	o.prepare(len(w))
	optim.Pieces(len(w), func(lo, hi int) {
		var own []float32
		sum := elements(gradients[0][4*lo:4*hi], &own)
		for _, g := range gradients[1:] { // Alg. 2, line 6: Σ g
			_ = vec.AddBytes(sum, g[4*lo:4*hi]) // of its length
		}
		o.step(w[lo:hi], sum, o.velocityOf(lo, hi), weight) // Alg. 2, line 7
		for _, g := range gradients {
			vec.AppendBytes(g[4*lo:4*lo], w[lo:hi])
		}
	})
}

// prepare makes the velocity of n parameters if the steps need it.
func (o *Optimiser) prepare(n int) {
	if o.velocity == nil && (o.Momentum != 0 || o.WeightDecay != 0) {
		o.velocity = make([]float32, n)
	}
}

// Velocity returns the velocity of n parameters, the steps' state, nil where steps have none.
//
// Source: ours: who goes on from another's step needs all that it led to
func (o *Optimiser) Velocity(n int) []float32 {
	o.prepare(n)
	return o.velocity
}

// velocityOf returns elements lo to hi of the velocity, nil where there is none.
func (o *Optimiser) velocityOf(lo, hi int) []float32 {
	if o.velocity == nil {
		return nil
	}
	return o.velocity[lo:hi]
}

// step makes the step on parameters w, whose velocity is u. Every product is rounded
// before it is added; u·Momentum + d and d + u·Momentum are the same bits.
func (o *Optimiser) step(w, sum, u []float32, weight float64) {
	if o.Momentum == 0 && o.WeightDecay == 0 {
		vec.AxpyTo(w, -float32(o.Rate*weight), sum) // Alg. 2, line 7
		return
	}
	vec.Scale(float32(weight), sum)
	vec.AxpyTo(sum, float32(o.WeightDecay), w) // d
	vec.Scale(float32(o.Momentum), u)
	vec.AddTo(u, sum)
	vec.AxpyTo(w, -float32(o.Rate), u)
}
