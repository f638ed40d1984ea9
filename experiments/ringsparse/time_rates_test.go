package ringsparse

import (
	"strings"
	"testing"

	"gradsync/shared/cluster"
)

// Counts by hand: two sizes, one where gradients alone and the printed rule are faster
// than RingSparse, one where RingSparse is the fastest of all.
func TestRateNotes(t *testing.T) {
	laps := map[cell]lap{}
	set := func(way string, n int, seconds float64) {
		for w := range 2 {
			for _, g := range links {
				laps[cell{w, wayIndex(way), g, n}] = lap{Seconds: seconds}
			}
		}
	}
	for _, w := range ways {
		set(w.Key, 8, 4)
		set(w.Key, 16, 4)
	}
	set("ringsparse", 8, 3)
	set("gradients", 8, 2)
	set("printed", 8, 2.5)
	set("ringsparse", 16, 1)
	works, nodes := []workload{{Title: "a"}, {Title: "b"}}, []int{8, 16}
	if s := promiseNote(works, laps, laps, nodes); !strings.Contains(s, "fastest of the 7 ways in 6 of 12 cases") || !strings.Contains(s, "faster than RingSparse in 6 of 12, and with measured instead of assumed rates in 6 of 12") {
		t.Error(s)
	}
	if s := packOnceNote(works, laps, nodes); !strings.Contains(s, "in 6 of 12 cases") || !strings.Contains(s, "a at 1 Gb/s, N = 8: 3000.00 ms against 2500.00 ms") {
		t.Error(s)
	}
	set("printed", 8, 3)
	if s := packOnceNote(works, laps, nodes); !strings.HasPrefix(s, "In all 12 cases") {
		t.Error(s)
	}
	if s := ratesNote(works, laps, laps, nodes); !strings.Contains(s, "RingSparse is faster than the dense ring in 8 of 8 cases at the assumed rates") || !strings.Contains(s, "gradients alone in 4 of 8") {
		t.Error(s)
	}
}

// At 10 Gb/s a byte takes 0.8 ns: of a float32's 32 bits one is the bitmap's, and
// packing and unpacking at 13.6 and 13 GB/s cost 0.188 of sending it. At 2 GB/s they cost
// more than sending.
func TestMeasuredRatesMoveTheBreakEven(t *testing.T) {
	if d := breakEven(measuredRates, 10); d < 0.7806 || d > 0.7809 {
		t.Errorf("%g", d)
	}
	if d := breakEven(referencePlatform().Codecs, 10); d > -0.281 || d < -0.282 {
		t.Errorf("%g", d)
	}
	if s := breakEvenNote(); !strings.Contains(s, "not even for a block of zeros at 10 Gb/s and 25 Gb/s") || !strings.Contains(s, "0.78 at 10 Gb/s, up to a density of 0.50 at 25 Gb/s") || !strings.Contains(s, "low confidence") {
		t.Error(s)
	}
	if s := spellRates(measuredRates[:1]); s != "bitmap 13.6/13" {
		t.Error(s)
	}
}

// A run is charged the rates that it is given; the dense ring has nothing to charge.
func TestRatesAreCharged(t *testing.T) {
	w := newStack(2, 0.1)
	time := func(way string, rates []cluster.CodecRate) float64 {
		l, err := w.run(t.Context(), leg{way: ways[wayIndex(way)], gbps: 10, nodes: 4, rates: rates})
		if err != nil {
			t.Fatal(err)
		}
		return l.Seconds
	}
	if a, b := time("dense", nil), time("dense", measuredRates); a != b {
		t.Errorf("dense: %g and %g", a, b)
	}
	if a, b := time("gradients", nil), time("gradients", measuredRates); b >= a {
		t.Errorf("gradients: %g s at the platform's rates, %g s at the measured", a, b)
	}
	if a, b := time("ringsparse", nil), time("ringsparse", referencePlatform().Codecs); a != b {
		t.Errorf("the platform's rates: %g and %g", a, b)
	}
}
