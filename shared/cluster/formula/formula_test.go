package formula

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// The blog: 2.4 GB is the limit for 1.2 GB (300 million floats), 2.34 GB at
// N = 40; 10.8 s = (10−1)·1.2 is the gather direction of ten GPUs over 1 GB/s.
func TestTheBlogsNumbers(t *testing.T) {
	near(t, "RingBytes(40)", RingBytes(40, 1.2e9), 2.34e9)
	near(t, "RingBytes(1e9)", RingBytes(1e9, 1.2e9), 2.4e9*(1-1e-9))
	near(t, "NaiveGatherTime(10)", NaiveGatherTime(10, 1.2e9, 0, 1e9), 10.8)
	near(t, "NaiveGatherTime(2)", NaiveGatherTime(2, 1.2e9, 0, 1e9), 1.2)
	near(t, "RingTime at 6 GB/s", RingTime(1e9, 1.2e9, 0, 6e9), 0.4*(1-1e-9))
}

// Figures of the design's simulator table, which cut each step to whole nanoseconds: 1 ns of 128 µs, so 1e-5.
func TestTheDesignsRingTimes(t *testing.T) {
	for n, want := range map[int]float64{64: 0.163800, 256: 0.184875, 1024: 0.262142} {
		if got := RingTime(n, 1e8, 50e-6, 1.25e9); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("RingTime(%d) = %.7f s, want %.6f", n, got, want)
		}
	}
}

func TestOneRankExchangesNothing(t *testing.T) {
	for _, n := range []int{0, 1} {
		if RingBytes(n, 5) != 0 || RingTime(n, 5, 1, 1) != 0 || NaiveTime(n, 5, 1, 1) != 0 || NaiveRootBytes(n, 5) != 0 {
			t.Errorf("N=%d costs something", n)
		}
	}
}

// At the break-even size both cost the same; on either side one wins.
func TestBreakEvenSeparatesRingFromNaive(t *testing.T) {
	const alpha, b = 50e-6, 1.25e9
	for n := 3; n <= 200; n++ {
		k := BreakEven(n, alpha, b)
		near(t, "times at break-even", RingTime(n, k, alpha, b), NaiveTime(n, k, alpha, b))
		if RingTime(n, 1.1*k, alpha, b) >= NaiveTime(n, 1.1*k, alpha, b) || RingTime(n, 0.9*k, alpha, b) <= NaiveTime(n, 0.9*k, alpha, b) {
			t.Errorf("N=%d: %g bytes do not separate", n, k)
		}
	}
	if BreakEven(2, alpha, b) != 0 || !math.IsInf(BreakEven(1, alpha, b), 1) {
		t.Error("N=2 or N=1")
	}
}
