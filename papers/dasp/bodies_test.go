package dasp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gradsync/shared/race"
	"gradsync/shared/tensor/optim"
	"gradsync/shared/tensor/vec"
)

// TestBodiesHoldTheirVersion: weights of a version are written once, into the oldest
// body, and those that hold them already are taken as they are.
func TestBodiesHoldTheirVersion(t *testing.T) {
	var b bodies
	b.add(nil, 3) // of a timing-only run
	words := func(x ...float32) []byte { return vec.AppendBytes(nil, x) }
	if fresh := b.holding(0, []float32{1, 2}); !slices.Equal(fresh, words(1, 2)) || len(b) != 0 {
		t.Fatalf("% x", fresh)
	}
	old, held := words(7, 7), words(3, 4)
	b.add(old, 0)
	b.add(held, 5)
	if got := b.holding(5, []float32{9, 9}); &got[0] != &held[0] || !slices.Equal(got, words(3, 4)) {
		t.Errorf("version 5 was written again: % x", got)
	}
	if got := b.holding(5, []float32{3, 4}); &got[0] != &old[0] || !slices.Equal(got, words(3, 4)) {
		t.Errorf("the body of a dropped gradient holds % x", got)
	}
	b.add(old, 0)
	if got := b.holding(0, []float32{5, 6}); !slices.Equal(got, words(5, 6)) {
		t.Errorf("version 0 was not written: % x", got)
	}
	if len(b) != 0 {
		t.Errorf("%d bodies left", len(b))
	}
}

// loop is the optimiser, entry by entry.
//
// Source: Alg. 2, line 7
func loop(o Optimiser, w, sum, u []float32, weight float64) {
	for i, s := range sum {
		if o.Momentum == 0 && o.WeightDecay == 0 {
			w[i] -= float32(float32(o.Rate*weight) * s)
			continue
		}
		d := float32(float32(weight)*s) + float32(float32(o.WeightDecay)*w[i])
		u[i] = float32(float32(o.Momentum)*u[i]) + d
		w[i] -= float32(float32(o.Rate) * u[i])
	}
}

// TestOptimiserIsItsLoop: in pieces, by vector operations, by two threads, on gradients as they came, the steps give
// the loop's bits, and bodies hold the new weights. Also on a machine whose words are not the wire's.
func TestOptimiserIsItsLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	t.Cleanup(func() { floats = vec.Floats })
	all := []Optimiser{{Rate: 0.3, Momentum: 0.5, WeightDecay: 0.1}, {Rate: 0.3}, {Rate: 0.3, Momentum: 0.9}, {Rate: 0.3, WeightDecay: 0.01}}
	for _, o := range race.Less(all, all[:1]) {
		for _, n := range []int{0, 1, 15, 33, 4101, optim.Large + 17} {
			for _, k := range race.Less([]int{3, 1}, []int{3}) {
				for _, view := range []func([]byte) []float32{vec.Floats, func([]byte) []float32 { return nil }} {
					floats = view
					if err := stepsAre(o, n, k); err != nil {
						t.Errorf("rate %g, momentum %g, decay %g, %d entries, %d gradients: %v", o.Rate, o.Momentum, o.WeightDecay, n, k, err)
					}
				}
			}
		}
	}
}

// stepsAre compares two steps with the loop's.
func stepsAre(o Optimiser, n, k int) error {
	number := func(i, of int) float32 { return float32(math.Sin(float64(i*7+of*13))) * float32(1+of) }
	want, u := make([]float32, n), make([]float32, n)
	for i := range want {
		want[i] = number(i, 0)
	}
	one, bodied := slices.Clone(want), slices.Clone(want)
	stepping, applying := o, o
	for step := range 2 {
		weight := 1 / float64(step+k)
		sum := make([]float32, n)
		gradients := make([][]byte, k)
		for g := range gradients {
			part := make([]float32, n)
			for i := range part {
				part[i] = number(i, 1+g+3*step)
			}
			if g == 0 {
				copy(sum, part)
			} else {
				for i := range sum {
					sum[i] += part[i]
				}
			}
			gradients[g] = vec.AppendBytes(nil, part)
		}
		loop(o, want, sum, u, weight)
		stepping.Step(one, sum, weight)
		applying.apply(bodied, gradients, weight)
		if !slices.Equal(one, want) {
			return fmt.Errorf("step %d: Step differs from the loop", step)
		}
		if !slices.Equal(bodied, want) {
			return fmt.Errorf("step %d: apply differs from the loop", step)
		}
		for g, b := range gradients {
			if !slices.Equal(b, vec.AppendBytes(nil, want)) {
				return fmt.Errorf("step %d: body %d does not hold the new weights", step, g)
			}
		}
	}
	return nil
}
