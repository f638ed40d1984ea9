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
	var pair [2]lineOf
	for i := range pair {
		it := iteration{Stack: s, Overlap: i == 0, Steps: 1, Trace: true}
		l, err := it.runFor(t.Context(), p, 2, 0.090)
		if err != nil {
			t.Fatal(err)
		}
		pair[i] = lineOf{it, 2, l}
	}
	for i, want := range [2][2]stretch{{{"last", 0.07, 0.17}, {"first", 0.17, 0.27}}, {{"last", 0.09, 0.19}, {"first", 0.19, 0.29}}} {
		for k, x := range exchanges(pair[i]) {
			if x.name != want[k].name || math.Abs(x.from-want[k].from) > 1e-5 || math.Abs(x.to-want[k].to) > 1e-5 {
				t.Errorf("lane %d: %+v, want %+v", i, x, want[k])
			}
		}
	}
	if first, sum := busy(pair[0]); math.Abs(first-0.07) > 1e-6 || math.Abs(sum-0.2) > 1e-5 {
		t.Errorf("busy from %g s, %g s in all", first, sum)
	}
	var states []string
	for _, b := range overlapLine(pair).Bands {
		if b.Lane == 0 {
			states = append(states, b.State+":"+b.Label)
		}
	}
	if got := strings.Join(states, "|"); got != "forward:forward pass|backward:backward pass of last|backward:backward pass of first|update:update" {
		t.Error(got)
	}
}

func TestHiddenShares(t *testing.T) {
	b := bucketed{Stack: evenly(2), Overlap: blogSingle + 0.1, Plain: blogSingle + 0.4}
	if h := b.hidden(); math.Abs(h-0.75) > 1e-12 {
		t.Errorf("hidden %g, want 300 of 400 ms", h)
	}
	if bucketName(0) != "each layer" || bucketName(25e6) != "≥ 25 MB" || bucketName(blogBytes) != "all at once" {
		t.Error(bucketName(0), bucketName(25e6))
	}
}

// Sizes that cut the same buckets tie; a tenth of a millisecond, or another
// network, does not.
func TestTiedBuckets(t *testing.T) {
	a, b := evenly(2), evenly(3)
	rows := []bucketed{{Stack: a, Bucket: 0, Overlap: 0.5488}, {Stack: a, Bucket: 25e6, Overlap: 0.5486}, {Stack: a, Bucket: 100e6, Overlap: 0.5486}, {Stack: b, Bucket: 400e6, Overlap: 0.5486}}
	if got := tied(rows, rows[1]); got != "; it ties with ≥ 100 MB" {
		t.Error(got)
	}
	if got := tied(rows, rows[0]); got != "" {
		t.Error(got)
	}
}
