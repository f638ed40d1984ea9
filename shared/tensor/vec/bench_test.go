package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// The operands: 16 Mi elements, 64 MiB each.
const benchElements = 64 << 20 / 4

// beside measures f in turns with copy() of the same 64 MiB. It reports f's own ns/op, and two ratios, above 1 where f
// is the faster: per source element, copy's time over f's; and per byte moved, f's bytes read and written (as many as
// given) over its time, over copy's (64 MiB read + 64 MiB written).
func beside(b *testing.B, bytes int, f func()) {
	b.Helper()
	src, dst := make([]float32, benchElements), make([]float32, benchElements)
	for i := range src {
		src[i], dst[i] = float32(i), 1 // every page of both is there
	}
	f()
	var copying, own time.Duration
	turns := 0
	for b.Loop() {
		t0 := time.Now()
		copy(dst, src)
		t1 := time.Now()
		f()
		copying, own = copying+t1.Sub(t0), own+time.Since(t1)
		turns++
	}
	byTime := float64(copying) / float64(own)
	b.ReportMetric(float64(own.Nanoseconds())/float64(turns), "ns/op")
	b.ReportMetric(byTime, "copy-time/time")
	b.ReportMetric(byTime*float64(bytes)/(8*benchElements), "bandwidth/copy's")
	b.ReportMetric(float64(bytes)*float64(turns)/float64(own.Nanoseconds()), "GB/s")
}

// sets runs a benchmark with each set of this machine.
func sets(b *testing.B, f func(b *testing.B)) {
	for _, set := range []isa{portable, avx2, avx512} {
		if supports(set) {
			b.Run(set.String(), func(b *testing.B) {
				defer use(set)()
				f(b)
			})
		}
	}
}

// sparse has about density·n elements that are not +0, at random places.
func sparse(n int, density float64) []float32 {
	r, x := rand.New(rand.NewPCG(1, 2)), make([]float32, n)
	for i := range x {
		if r.Float64() < density {
			x[i] = 1 + r.Float32()
		}
	}
	return x
}

func BenchmarkBitmap(b *testing.B) {
	for _, density := range []float64{0.01, 0.1, 0.5, 1} {
		x, y := sparse(benchElements, density), sparse(benchElements, 1)
		wire := AppendBitmap(make([]byte, 0, BitmapBytes(len(x), len(x))), x)
		full := Bytes(len(x))
		for _, op := range []struct {
			name  string
			bytes int
			f     func()
		}{
			{"append", full + len(wire), func() { wire = AppendBitmap(wire[:0], x) }},
			{"from", len(wire) + full, func() { _ = FromBitmap(y, wire) }},
		} {
			b.Run(fmt.Sprintf("%s/%g%%", op.name, 100*density), func(b *testing.B) {
				sets(b, func(b *testing.B) { beside(b, op.bytes, op.f) })
			})
		}
	}
}

func BenchmarkWords(b *testing.B) {
	x, y := sparse(benchElements, 1), sparse(benchElements, 0.5)
	p, q := make([]int32, benchElements), make([]int32, benchElements)
	wire := AppendBytes(nil, x)
	full := Bytes(len(x))
	for _, op := range []struct {
		name   string
		passes int // reads and writes of 64 MiB
		f      func()
	}{
		{"AppendBytes", 2, func() { wire = AppendBytes(wire[:0], x) }},
		{"FromBytes", 2, func() { _ = FromBytes(y, wire) }},
		{"AddBytes", 3, func() { _ = AddBytes(y, wire) }},
		{"AddTo", 3, func() { AddTo(y, x) }},
		{"AxpyTo", 3, func() { AxpyTo(y, 0.5, x) }},
		{"Scale", 2, func() { Scale(1.0001, y) }},
		{"QuantiseRange", 2, func() { QuantiseRange(p, x, 8) }},
		{"AddInt32", 3, func() { AddInt32(p, q) }},
		{"SubInt32", 3, func() { SubInt32(p, q) }},
		{"CountNonzero", 1, func() { CountNonzero(x) }},
		{"Transpose16", 2, func() { Transpose(y, block, x, len(x)/block, block, len(x)/block) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			sets(b, func(b *testing.B) { beside(b, op.passes*full, op.f) })
		})
	}
}
