package ring

import (
	"math"
	"strings"
	"testing"

	"gradsync/shared/cluster"
)

// The time line is that of TestIterationByHand: two layers on two ideal GPUs, 30 ms
// forward, 40 + 20 ms backward, 100 ms of exchange each.
func TestOverlapLineByHand(t *testing.T) {
	s := stack{Key: "two", Blocks: []block{{"first", 25_000_000, 1}, {"last", 25_000_000, 2}}}
	p := cluster.Uniform(2, cluster.Host{Name: "g", FLOPS: 1e18, Bandwidth: 1e9}, nil)
	var pair [2]line
	for i := range pair {
		it := iteration{Stack: s, Overlap: i == 0, Steps: 1, Trace: true}
		l, err := it.runFor(t.Context(), p, 2, 0.090)
		if err != nil {
			t.Fatal(err)
		}
		pair[i] = line{it, 2, l}
	}
	for i, want := range [2][2]stretch{{{"last", 0.07, 0.17}, {"first", 0.17, 0.27}}, {{"last", 0.09, 0.19}, {"first", 0.19, 0.29}}} {
		for k, x := range pair[i].exchanges() {
			if x.name != want[k].name || math.Abs(x.from-want[k].from) > 1e-5 || math.Abs(x.to-want[k].to) > 1e-5 {
				t.Errorf("lane %d: %+v, want %+v", i, x, want[k])
			}
		}
	}
	if first := pair[0].first(); math.Abs(first-0.07) > 1e-6 {
		t.Errorf("busy from %g s", first)
	}
	var states []string
	for _, b := range pair[0].stripes() {
		if b.Lane == "computes-overlap" {
			states = append(states, b.State+":"+b.Layer)
		}
	}
	if got := strings.Join(states, "|"); got != "forward:|backward:last|backward:first|update:" {
		t.Error(got)
	}
}

func TestHiddenShares(t *testing.T) {
	if h := hidden(470, 770); math.Abs(h-75) > 1e-9 {
		t.Errorf("hidden %g %%, want 300 of 400 ms", h)
	}
}

// Sizes that cut the same buckets tie; a tenth of a millisecond, or another
// network, does not.
func TestTiedBuckets(t *testing.T) {
	a, b := evenly(2), evenly(3)
	of := func(s stack, key string, ms float64) bucketed {
		return bucketed{Stack: s, Bucket: parcel{Key: key}, Overlap: ms}
	}
	rows := []bucketed{of(a, "layer", 548.8), of(a, "25MB", 548.6), of(a, "100MB", 548.6), of(a, "whole", 760), of(b, "25MB", 540)}
	for i, want := range []string{"between", "best", "tie", "worst", "best"} {
		if got := rows[i].standing(rows); got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
}
