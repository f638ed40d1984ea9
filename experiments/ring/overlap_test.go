package ring

import (
	"fmt"
	"math"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
)

// The time line is that of TestIterationByHand: two layers on two ideal GPUs, 30 ms
// forward, 40 + 20 ms backward, 100 ms of exchange each.
func TestOverlapLineByHand(t *testing.T) {
	s := stack{Key: "two", Layers: []layerCost{{"first", 25_000_000, 1}, {"last", 25_000_000, 2}}}
	p := cluster.Uniform(2, cluster.Host{Name: "g", FLOPS: 1e18, Bandwidth: 1e9}, nil)
	passes := "forward  0–30 backward last 30–70 backward first 70–90 update  "
	for i, want := range []string{passes + "270–270 all-reduce last 70–170 all-reduce first 170–270 from 70",
		passes + "290–290 all-reduce last 90–190 all-reduce first 190–290 from 90"} {
		it := iteration{Stack: s, Overlap: i == 0, Steps: 1, Trace: true}
		l := oktest.Must(it.runFor(t.Context(), p, 2, 0.090))(t)
		x, got := timeLine{it, 2, l}, ""
		for _, b := range x.bands() {
			got += fmt.Sprintf("%s %s %.0f–%.0f ", b.State, b.Layer, b.From, b.To)
		}
		if got += fmt.Sprintf("from %.0f", x.first()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestHiddenShares(t *testing.T) {
	if h := hidden(470, 770); math.Abs(h-75) > 1e-9 {
		t.Errorf("hidden %g %%, want 300 of 400 ms", h)
	}
}

// Sizes that cut the same buckets tie; a tenth of a millisecond, or another network, does not.
func TestTiedBuckets(t *testing.T) {
	a, b := evenly(2), evenly(3)
	of := func(s stack, key string, ms float64) bucketed {
		return bucketed{Stack: s, Bucket: bucketSize{Key: key}, Overlap: ms}
	}
	rows := []bucketed{of(a, "layer", 548.8), of(a, "25MB", 548.6), of(a, "100MB", 548.6), of(a, "whole", 760), of(b, "25MB", 540)}
	for i, want := range []string{"between", "best", "tie", "worst", "best"} {
		if got := rows[i].standing(rows); got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
}
