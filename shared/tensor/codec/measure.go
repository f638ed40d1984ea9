package codec

import (
	"math/rand/v2"
	"time"

	"gradsync/shared/tensor/vec"
)

// Rate is how fast one core codes, in bytes of dense float32 per second.
//
// Source: S42, Tc and Td
type Rate struct {
	Name       string
	Encode     float64 // Append
	Decode     float64 // Decode; 0 for passes that are no codec
	Accumulate float64 // Accumulate; 0 for passes that are no codec
}

// Names of Measure's passes that are no codec: counting zeros, turning weights
// into gradients or back, and copy() for scale.
//
// Source: ours: S41 counts, S51 converts, and neither is free
const (
	Count   = "count"
	Convert = "convert"
	Copy    = "copy"
)

// measured is the number of elements that are coded to measure: 4 MiB, a block
// that does not stay in a core's own cache beside its wire.
const measured = 1 << 20

// now is the clock; tests have their own.
var now = time.Now

// Measure measures this machine for about the time of budget: every registered
// codec in the order of IDs, then Count, Convert and Copy, over elements of which
// the share density is not +0, at random places. Each rate is that of the fastest
// of several rounds, which other programs disturbed least; a round goes through
// all of them. It looks at a wall clock, so no virtual run may call it.
//
// Source: ours: S42 needs Tc and Td, and one cold call misjudges them
func Measure(density float64, budget time.Duration) []Rate {
	begin := now()
	x := testVector(measured, density)
	rates, passes := []Rate(nil), []func(){}
	best := []time.Duration(nil)
	add := func(f func()) {
		f() // cold: memory and workspaces are made here
		passes, best = append(passes, f), append(best, 1<<62)
	}
	all := All()
	for _, c := range all {
		wire, y := c.Append(nil, x), make([]float32, measured)
		add(func() { wire = c.Append(wire[:0], x) })
		add(func() { _ = c.Decode(y, wire) })
		add(func() { _ = c.Accumulate(y, wire) })
	}
	w, out := testVector(measured, 1), make([]float32, measured)
	add(func() { vec.CountNonzero(x) })
	add(func() { convert(out, w, x, 3, 0.1) })
	add(func() { copy(out, x) })
	for round := 0; round < 3 || now().Sub(begin) < budget; round++ {
		for i, f := range passes {
			start := now()
			f()
			best[i] = min(best[i], max(now().Sub(start), 1))
		}
	}
	rate := func(i int) float64 { return float64(vec.Bytes(measured)) / best[i].Seconds() }
	for i, c := range all {
		rates = append(rates, Rate{c.Name(), rate(3 * i), rate(3*i + 1), rate(3*i + 2)})
	}
	for i, name := range []string{Count, Convert, Copy} {
		rates = append(rates, Rate{Name: name, Encode: rate(3*len(all) + i)})
	}
	return rates
}

// testVector returns n elements: values at random places, in the share density, and
// +0 elsewhere.
func testVector(n int, density float64) []float32 {
	r, x := rand.New(rand.NewPCG(7, 8)), make([]float32, n)
	for i := range x {
		if r.Float64() < density {
			x[i] = float32(0.01 * r.NormFloat64())
		}
	}
	return x
}

// convert makes the patent's Pw = m·W0 − ηPg in one pass.
func convert(out, w, g []float32, m, eta float32) {
	w, g = w[:len(out)], g[:len(out)]
	for i := range out {
		out[i] = float32(m*w[i]) - float32(eta*g[i])
	}
}
