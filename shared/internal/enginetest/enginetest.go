// Package enginetest is the conformance suite of tensor.Engine: every engine
// runs it in its own tests.
//
// Results are compared with a plain float64 reference; the tolerance is the
// bound of floating-point summation, so it is neither tuned nor generous:
//
//	|got − want| ≤ (k+2)·2⁻²⁴·Σ|a·b|   for a sum of k products
//
// and where a batch norm uses such sums, their bounds carried through its
// formula. Batches go in and come out by the engine's own layout, with finite
// garbage in the padding of activations.
package enginetest

import (
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/race"
	"gradsync/shared/tensor"
)

// Run checks what the contract of tensor.Engine says; under the race detector only
// that every operation leaves the same bits on any number of threads, since the
// other checks call the engine on one.
//
// Source: ours: the contract in shared/tensor/engine.go
func Run(t *testing.T, e tensor.Engine) { run(t, e, full) }

// RunSlow is Run with fewer repeats of the same operations, for an engine that takes
// seconds for what others do in milliseconds.
//
// Source: ours: a device that is emulated
func RunSlow(t *testing.T, e tensor.Engine) { run(t, e, few) }

// repeats says how often the groups that repeat all operations do so.
type repeats struct {
	images, procs, threads []int // of sameBits: all combinations
	batch                  int   // of allocations
	clean                  int   // convolutions and products for each that finds NaN in the scratch memory
}

var (
	full = repeats{[]int{3, 65}, []int{1, 2, 7}, []int{1, 2, 3, 5}, 17, 1}
	few  = repeats{[]int{3}, []int{1, 7}, []int{1, 5}, 3, 6}
)

func run(t *testing.T, e tensor.Engine, often repeats) {
	for _, c := range []struct {
		name  string
		check func(*testing.T, tensor.Engine)
	}{
		{"gemm", gemms}, {"conv", often.convs}, {"linear", often.linears}, {"bias", biases},
		{"normForward", normsForward}, {"normInference", normsInference}, {"normBackward", normsBackward},
		{"relu", relus}, {"add", adds}, {"maxPool", maxPools}, {"avgPool", avgPools}, {"loss", losses},
		{"nan", nans}, {"shorts", shorts}, {"sameBits", often.sameBits}, {"allocations", often.allocations},
	} {
		if race.Enabled && c.name != "sameBits" {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.check(t, e) })
	}
}

// unit is the largest relative error of one rounding.
const unit = 0x1p-24

// sum is a reference value: the exact-enough sum and what bounds its error.
type sum struct {
	value, abs float64
	terms      int
}

func (s *sum) add(x, y float32) { s.add64(float64(x) * float64(y)) }

func (s *sum) add64(p float64) {
	s.value += p
	s.abs += math.Abs(p)
	s.terms++
}

// bound returns how far a float32 sum in any order may be off.
func (s *sum) bound() float64 { return float64(s.terms+2) * unit * s.abs }

// relu returns the sum behind a ReLU, which widens no error.
func (s *sum) relu() { s.value = max(s.value, 0) }

// compare checks outputs against sums.
func compare(t *testing.T, what string, got []float32, want []sum) {
	t.Helper()
	for i := range want {
		within(t, what, i, got[i], want[i].value, want[i].bound())
	}
}

// within checks output i of an operation.
func within(t *testing.T, what string, i int, got float32, want, bound float64) {
	t.Helper()
	if d := math.Abs(float64(got) - want); !(d <= bound) {
		t.Fatalf("%s: output %d is %g, want %g ± %.2g", what, i, got, want, bound)
	}
}

// random fills a buffer with distinct values around zero.
func random(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}
