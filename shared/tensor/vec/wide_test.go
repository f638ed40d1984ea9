package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: at range 2³¹−1 a step is 1, at 10 the range's end is the largest int32. What
// is out of range stays among 16 neighbours that are not.
func TestQuantiseRangeByHand(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const most = math.MaxInt32
	eachSet(t, func(t *testing.T) {
		for _, c := range []struct {
			x       float32
			limit   float64
			want    int32
			clipped Clipped
		}{
			{0.5, most, 0, Clipped{}}, {1.5, most, 2, Clipped{}}, {2.5, most, 2, Clipped{}}, {-2.5, most, -2, Clipped{}}, {-3.5, most, -4, Clipped{}},
			{10, 10, most, Clipped{}}, {-10, 10, -most, Clipped{}}, {5, 10, 1 << 30, Clipped{}}, // (2³¹−1)/2 to even
			{math.Nextafter32(10, 11), 10, most, Clipped{Saturated: 1}}, {-1e30, 10, -most, Clipped{Saturated: 1}},
			{inf, 10, most, Clipped{Inf: 1}}, {-inf, 10, -most, Clipped{Inf: 1}}, {nan, 10, 0, Clipped{NaN: 1}},
			{math.Float32frombits(1 << 31), 10, 0, Clipped{}}, {math.MaxFloat32, 1e39, 730750775, Clipped{}},
			{0.1, 0.1, most, Clipped{Saturated: 1}}, // float32's 0.1 is more
		} {
			for _, n := range []int{1, block, block + 3, 4 * block} {
				for _, at := range []int{0, n - 1, n / 2} {
					x, q := make([]float32, n), make([]int32, n)
					for i := range x {
						x[i] = float32(c.limit / 4)
					}
					x[at] = c.x
					if got := QuantiseRange(q, x, c.limit); q[at] != c.want || got != c.clipped {
						t.Errorf("%g in %g, n = %d: %d, %+v; want %d, %+v", c.x, c.limit, n, q[at], got, c.want, c.clipped)
					}
				}
			}
		}
	})
	for _, limit := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-300} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("range %g is accepted", limit)
				}
			}()
			QuantiseRange(make([]int32, 1), make([]float32, 1), limit)
		}()
	}
}

// TestQuantiseRangeRounds: the definition, in math's words, of random numbers.
func TestQuantiseRangeRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, q := make([]float32, 5000), make([]int32, 5000)
	eachSet(t, func(t *testing.T) {
		for _, limit := range []float64{10, 640, 0.3, 1e-20} {
			for i := range x {
				x[i] = float32(limit * (2*r.Float64() - 1) * math.Exp2(-float64(r.IntN(34))))
			}
			QuantiseRange(q, x, limit)
			for i, v := range x {
				if want := math.RoundToEven(float64(v) * (math.MaxInt32 / limit)); math.Abs(float64(v)) <= limit && float64(q[i]) != want {
					t.Fatalf("%g in %g: %d, want %v", v, limit, q[i], want)
				}
			}
		}
	})
}

// By hand: sums beyond int32, of either sign.
func TestAddInt32WideByHand(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, n := range []int{1, block, 2*block + 5} {
			sum, x := make([]int64, n), make([]int32, n)
			for i := range x {
				x[i] = math.MinInt32 + int32(i)
			}
			for range 3 {
				AddInt32Wide(sum, x)
			}
			for i, s := range sum {
				if want := 3 * (math.MinInt32 + int64(i)); s != want {
					t.Errorf("element %d of %d: %d, want %d", i, n, s, want)
				}
			}
		}
	})
}
