package formula

import (
	"math"
	"math/big"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Max(math.Abs(want), 1e-300) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// T grows from D/B at N = 2 to 2D/B: the text says that it does not grow with N.
func TestS13T(t *testing.T) {
	near(t, "T(1)", T(1, 8, 2), 0)
	near(t, "T(2)", T(2, 8, 2), 4)
	near(t, "T(4)", T(4, 8, 2), 6)
	near(t, "T(1e6)", T(1e6, 8, 2), 8*(1-1e-6))
	near(t, "Dense(4)", Dense(4, 8), 12)
}

// By hand: 4000 B at 1 MB/s; 1125 B, 1 ms and 2 ms of coding.
func TestS42TaTb(t *testing.T) {
	near(t, "Ta", Ta(4000, 1e6), 4e-3)
	near(t, "Tb", Tb(1e-3, 1125, 1e6, 2e-3), 4.125e-3)
}

// Pw and Pg against exact rationals, and as each other's inverse, for all small arguments.
func TestS51PwPg(t *testing.T) {
	for _, s := range []int{-1, 1} {
		for m := 1; m <= 9; m++ {
			for a := -3; a <= 3; a++ {
				for b := -3; b <= 3; b++ {
					w0, pg, eta := float64(a)/4, float64(b)/8, 0.5
					want := new(big.Rat).Add(big.NewRat(int64(m*a), 4), big.NewRat(int64(s*b), 16))
					f, _ := want.Float64()
					near(t, "Pw", Pw(w0, eta, pg, m, s), f)
					near(t, "Pg", Pg(w0, eta, f, m, s), pg)
				}
			}
		}
	}
}

// The design's figures: 1 % is 7.7 % at 8 nodes and 15 % at 16, 8 % is 49 % at 8.
func TestFillIn(t *testing.T) {
	for _, c := range []struct {
		d    float64
		k    int
		want float64
	}{{0.01, 7, 0.077}, {0.01, 15, 0.15}, {0.08, 7, 0.49}} {
		if got := FillIn(c.d, c.k); math.Abs(got-c.want) > 0.005 {
			t.Errorf("FillIn(%g, %d) = %.4f, want about %g", c.d, c.k, got, c.want)
		}
	}
	near(t, "FillIn(0.25, 1)", FillIn(0.25, 1), 0.4375)
	near(t, "FillIn(1, 3)", FillIn(1, 3), 1)
	near(t, "FillIn(0, 3)", FillIn(0, 3), 0)
	near(t, "FillIn(1e-12, 9)", FillIn(1e-12, 9), 1e-11-45e-24) // not lost in 1 − (1−d)^10
	for d := 0.0; d <= 1; d += 0.125 {
		near(t, "FillIn(d, 0)", FillIn(d, 0), d)
	}
}

// The design's figures: at 1 Gb/s and 2 GB/s each for packing and unpacking bitmap and
// values need d < 0.84, at 10 Gb/s they never pay.
func TestBitmapBreakEven(t *testing.T) {
	near(t, "1 Gb/s", BitmapBreakEven(0.125e9, 2e9, 2e9), 1-1./32-0.125)
	if got := BitmapBreakEven(1.25e9, 2e9, 2e9); got >= 0 {
		t.Errorf("10 Gb/s: %g, want less than 0", got)
	}
	// On either side of it the inequality, and S42 with the form's bytes, agree.
	const n, b, encode, decode = 1 << 20, 0.125e9, 1e9, 3e9
	at := BitmapBreakEven(b, encode, decode)
	for _, d := range []float64{0, at - 0.01, at + 0.01, 1} {
		saves := Tb(4*n/encode, BitmapBytes(n, d), b, 4*n/decode) < Ta(4*n, b)
		if BitmapSaves(d, 4*n, b, 4*n/encode, 4*n/decode) != saves || saves != (d < at) {
			t.Errorf("density %g, break-even %g: saves %v", d, at, saves)
		}
	}
}

func TestCoordinatesBelowOneIn32(t *testing.T) {
	d := cooBelow()
	near(t, "bytes", COOBytes(3200, d), BitmapBytes(3200, d))
	if COOBytes(3200, d/2) >= BitmapBytes(3200, d/2) || COOBytes(3200, 2*d) <= BitmapBytes(3200, 2*d) {
		t.Error("1/32 does not separate coordinates from bitmap")
	}
}

func TestSteps(t *testing.T) {
	for n := 1; n <= 9; n++ {
		if r, g := Steps(n); r != n-1 || g != n-1 {
			t.Errorf("N = %d: %d and %d", n, r, g)
		}
		near(t, "GatherSparse", GatherSparse(n, 5), float64(5*(n-1)))
	}
}

// The bounds are those of their sums: hop by hop 5j + 3.
func TestErrorBounds(t *testing.T) {
	for m := 1; m <= 16; m++ {
		sum := 0
		for j := 1; j <= m; j++ {
			sum += 5*j + 3
		}
		near(t, "ConversionError", ConversionError(-0.5, 0.25, 2, m), 1.001*float64(sum)*4/(1<<24))
		near(t, "UpdateError", UpdateError(-0.5, 0.25, 2, m), 1.001*(float64(sum)/float64(m)+3)/(1<<24))
	}
}
