package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor/vec"
)

// sparse returns n values of which about a part is +0; −0 and NaN are among the others.
func sparse(r *rand.Rand, n int, zeros float64) []float32 {
	x := special(r, random(r, n))
	for i := range x {
		if r.Float64() < zeros {
			x[i] = 0
		}
	}
	return x
}

func TestCountNonzero(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(11, 11))
		x, bounds := sparse(r, 5000, 0.7), []int32{0, 1, 1, 300, 1324, 5000}
		counts := room[int32](m, len(bounds)-1)
		m.ok(m.CountNonzero(len(bounds)-1, up(m, x), up(m, bounds), counts))
		for b, got := range down[int32](m, counts, len(bounds)-1) {
			if want := vec.CountNonzero(x[bounds[b]:bounds[b+1]]); int(got) != want {
				m.t.Errorf("block %d: %d, want %d", b, got, want)
			}
		}
	})
}

// lengths are below, at and above whole words and segments.
var lengths = []int{1, 8, 31, 33, 1000, 1024, 1025, 5003}

// TestBitmap: the wire form that the device makes is vec's, byte for byte, and it reads it as vec does.
func TestBitmap(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(12, 12))
		for i, n := range append(lengths, 300_000) {
			if n > 10_000 && testing.Short() {
				continue
			}
			x := sparse(r, n, []float64{0.9, 0, 1, 0.5}[i%4])
			px, counts, offsets := up(m, x), room[int32](m, kernels.Segments(n)), room[int32](m, kernels.Segments(n)+1)
			bitmap, values := room[uint32](m, kernels.BitmapWords(n)), room[uint32](m, n)
			m.ok(m.PackBitmap(n, px, counts, offsets, bitmap, values))
			ends := down[int32](m, offsets, kernels.Segments(n)+1)
			ones := int(ends[len(ends)-1])
			words := down[uint32](m, bitmap, kernels.BitmapWords(n))
			wire := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), (n+7)/8)...)
			packed := down[uint32](m, values, ones)
			wire = append(wire, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(packed))), 4*ones)...)
			if want := vec.AppendBitmap(nil, x); string(wire) != string(want) {
				m.t.Fatalf("%d elements: %d bytes, want %d, or other ones", n, len(wire), len(want))
			}
			dst := random(r, n)
			added, plain := up(m, dst), room[float32](m, n)
			m.ok(m.UnpackBitmap(n, bitmap, values, counts, offsets, plain, false))
			m.ok(m.UnpackBitmap(n, bitmap, values, counts, offsets, added, true))
			same(m.t, "decoded", down[float32](m, plain, n), x)
			for i, v := range x {
				if math.Float32bits(v) != 0 {
					dst[i] += v
				}
			}
			same(m.t, "added", down[float32](m, added, n), dst)
			m.clear()
		}
	})
}

// clippedOf sums a device's counts.
func clippedOf(m *machine, p unsafe.Pointer, n int) (c vec.Clipped) {
	for i, v := range down[int32](m, p, kernels.ClippedInts(n)) {
		*[]*int{&c.Saturated, &c.NaN, &c.Inf}[i%3] += int(v)
	}
	return c
}

// quantised writes the integer next to src·scale, halves to even, to dst, clamped to −limit … limit.
func quantised(dst []int32, src []float32, scale float32, limit int32) (c vec.Clipped) {
	for i, x := range src {
		r := math.RoundToEven(float64(float32(x * scale)))
		out := max(r, -r) > float64(limit)
		switch {
		case x != x:
			r = 0
			c.NaN++
		case math.IsInf(float64(x), 0):
			c.Inf++
		case out:
			c.Saturated++
		}
		dst[i] = int32(min(max(r, -float64(limit)), float64(limit)))
	}
	return c
}

func TestQuantise(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(13, 13))
		for _, n := range lengths {
			x := special(r, random(r, n))
			for i := range x {
				if r.IntN(5) == 0 {
					x[i] = (float32(r.IntN(2000)) - 1000 + 0.5) / 256 // halves
				}
			}
			px, q, clipped := up(m, x), room[int32](m, n), room[int32](m, kernels.ClippedInts(n))
			check := func(what string, want []int32, wantClipped vec.Clipped) {
				if c := clippedOf(m, clipped, n); c != wantClipped {
					m.t.Fatalf("%s of %d elements: clipped %+v, want %+v", what, n, c, wantClipped)
				}
				for i, v := range down[int32](m, q, n) {
					if v != want[i] {
						m.t.Fatalf("%s: %g is %d, want %d", what, x[i], v, want[i])
					}
				}
			}
			want := make([]int32, n)
			for _, c := range []struct {
				scale float32
				limit int32
			}{{256, 1000}, {1 << 29, 1<<31 - 1}, {1e-3, 0}, {3e9, 1<<31 - 1}} {
				m.ok(m.Quantise(n, px, q, clipped, c.scale, c.limit))
				check(fmt.Sprintf("scale %g, limit %d", c.scale, c.limit), want, quantised(want, x, c.scale, c.limit))
			}
			for _, limit := range []float64{1, 2.5, 1e-39, 1e30, 0.1} {
				for _, top := range []int32{math.MaxInt32, 1 << 29, 1000} {
					m.ok(m.QuantiseRange(n, px, q, clipped, limit, top))
					over := vec.QuantiseRange(want, x, limit)
					for i, v := range want {
						if v != math.MaxInt32 && v != -math.MaxInt32 && max(int64(v), -int64(v)) > int64(top)+1 {
							over.Saturated++
						}
						want[i] = max(-top, min(top, v))
					}
					check(fmt.Sprintf("range %g, limit %d", limit, top), want, over)
				}
			}
			m.clear()
		}
		if m.Quantise(1, nil, nil, nil, 0, 1) == nil || m.QuantiseRange(1, nil, nil, nil, 0, 1) == nil || m.QuantiseRange(1, nil, nil, nil, 1, -1) == nil {
			m.t.Error("a scale of 0 passes")
		}
	})
}

func TestIntegers(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(14, 14))
		for _, n := range lengths {
			a, b := make([]int32, n), make([]int32, n)
			for i := range a {
				a[i], b[i] = int32(r.Uint32()), int32(r.Uint32())
			}
			pa, pb := up(m, a), up(m, b)
			compare := func(what string) {
				for i, v := range down[int32](m, pa, n) {
					if v != a[i] {
						m.t.Fatalf("%s: element %d is %d, want %d", what, i, v, a[i])
					}
				}
			}
			m.ok(m.AddInt32(n, pa, pb))
			vec.AddInt32(a, b)
			compare("sum")
			m.ok(m.AddInt32(n, pa, pb))
			m.ok(m.SubInt32(n, pa, pb))
			compare("sum and difference")
			m.clear()
		}
	})
}

// TestPrefix: offsets are the sums of the counts before them, below, at and above what a
// thread adds by itself and a round of the block.
func TestPrefix(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(9, 9))
		for _, n := range []int{0, 1, 15, 16, 17, 256, 257, 4095, 4096, 4097, 8200} {
			counts := make([]int32, n)
			for i := range counts {
				counts[i] = int32(r.IntN(1025))
			}
			p := room[int32](m, n+1)
			m.ok(m.Prefix(n, up(m, counts), p))
			sum := int32(0)
			for i, got := range down[int32](m, p, n+1) {
				if got != sum {
					t.Fatalf("%d counts: offset %d is %d, want %d", n, i, got, sum)
				}
				if i < n {
					sum += counts[i]
				}
			}
			m.clear()
		}
	})
}

// TestPrefixSteps: the sum over 256 MiB's segments, by one block, is short beside a copy of
// them: on a card a thread's instruction takes some nanoseconds, the copy 130 µs.
func TestPrefixSteps(t *testing.T) {
	d := emulated.New(emulated.Options{})
	m := newMachine(t, d)
	n := kernels.Segments(64 << 20)
	counts, offsets := up(m, make([]int32, n)), room[int32](m, n+1)
	before := d.Instructions()
	m.ok(m.Prefix(n, counts, offsets))
	if steps := (d.Instructions() - before) / 256; steps > 6000 {
		t.Errorf("%d instructions of each thread for %d segments", steps, n)
	} else {
		t.Log(steps)
	}
	m.close()
}
