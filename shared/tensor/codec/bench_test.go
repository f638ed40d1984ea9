package codec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor/vec"
)

// Rates are per dense byte, 16 MiB.
func BenchmarkCodecs(b *testing.B) {
	const n = 4 << 20
	for _, d := range []float64{0.01, 0.1, 0.5, 1} {
		r := rand.New(rand.NewPCG(1, 2))
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			if r.Float64() < d {
				x[i] = 1 + r.Float32()
			}
		}
		for _, c := range All() {
			wire := c.Append(make([]byte, 0, 9*n), x)
			for _, op := range []struct {
				name string
				f    func()
			}{
				{"append", func() { wire = c.Append(wire[:0], x) }},
				{"decode", func() { _ = c.Decode(y, wire) }},
				{"accumulate", func() { _ = c.Accumulate(y, wire) }},
			} {
				b.Run(fmt.Sprintf("%s/%s/%g%%", c.Name(), op.name, 100*d), func(b *testing.B) {
					b.SetBytes(int64(vec.Bytes(n)))
					for b.Loop() {
						op.f()
					}
				})
			}
		}
	}
}
