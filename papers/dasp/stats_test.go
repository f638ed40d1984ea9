package dasp

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestStatsByHand: two workers, one three times faster, numbers by hand.
func TestStatsByHand(t *testing.T) {
	const ms = time.Millisecond
	push := func(w int, sent, recv, rep time.Duration, pulled, applied int64, s State) Push {
		return Push{Worker: w, Sent: sent * ms, Received: recv * ms, Replied: rep * ms,
			Pulled: pulled, Applied: applied, State: s, Gap: pulled, Clock: applied}
	}
	l := &Log{Workers: 2, Bytes: 77, Pushes: []Push{
		push(0, 0, 10, 10, 0, 1, QIS), // warm-up of worker 0
		push(0, 10, 20, 20, 1, 2, QIS),
		push(1, 0, 25, 25, 0, 3, QIS), // warm-up of worker 1: ends at 25 ms
		push(0, 20, 30, 36, 2, 4, WSS),
		push(1, 25, 60, 69, 3, 5, FSS),
		{Worker: 0, Received: 70 * ms, Abandoned: true},             // dropped
		{Worker: 1, Received: 80 * ms, Applied: 6, Abandoned: true}, // used, never answered
	}}
	for i, at := range []time.Duration{10, 20, 25, 36, 69, 80} {
		l.Updates = append(l.Updates, Update{Version: int64(i + 1), At: at * ms})
	}
	got := l.Stats(1)
	want := Stats{
		Pushes: 3, Dropped: 1, Updates: 4, Bytes: 77,
		Iteration: IterationTime{
			PerWorker: (0.013 + 0.044) / 2,         // (10+16)/2 = 13 ms and 44 ms
			PerPush:   (0.010 + 0.016 + 0.044) / 3, // all three iterations
			PerUpdate: (0.080 - 0.025) / 3,         // versions 3 … 6
			ByWorker:  []float64{0.013, 0.044},
		},
		States: []StateStats{
			{State: QIS, Pushes: 1, Share: 1. / 3, Seconds: 0}, {State: WSS, Pushes: 1, Share: 1. / 3, Seconds: 0.006},
			{State: FSS, Pushes: 1, Share: 1. / 3, Seconds: 0.009}, {State: 0},
		},
		Staleness: Histogram{1: 2, 0: 1}, // 2−1−1, 4−1−2, 5−1−3
		Gap:       Histogram{0, 1, 1, 1},
		Clock:     Histogram{0, 0, 1, 0, 1, 1},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

// TestSpreadByHand: worker 0 computes on versions 0, 1, 2 and 5, worker 1 on 0, 3 and 4. At version 1 worker 1 holds 0,
// at 2 too, at 3 worker 0 holds 2, at 4 too, though worker 1's 4 is its last; at 5 only worker 0 is known.
func TestSpreadByHand(t *testing.T) {
	l := &Log{Workers: 2, Updates: make([]Update, 6)}
	for _, p := range [][2]int64{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {1, 3}, {1, 4}, {0, 5}} {
		l.Pushes = append(l.Pushes, Push{Worker: int(p[0]), Pulled: p[1]})
	}
	if diff := cmp.Diff(Histogram{0: 1, 1: 2, 2: 2}, l.Spread()); diff != "" { // 1 2 1 2 0
		t.Error(diff)
	}
}

// TestQuantile: of 1, 1, 4 the median is 1 and the upper end 4.
func TestQuantile(t *testing.T) {
	var h Histogram
	for _, x := range []int64{1, 4, 1} {
		h.add(x)
	}
	for _, c := range []struct {
		q    float64
		want int64
	}{{0, 1}, {0.5, 1}, {0.67, 4}, {1, 4}} {
		if got := h.Quantile(c.q); got != c.want {
			t.Errorf("quantile %g = %d, want %d", c.q, got, c.want)
		}
	}
	if h.Mean() != 2 || h.Max() != 4 || h.total() != 3 {
		t.Errorf("mean %g max %d total %d, want 2 4 3", h.Mean(), h.Max(), h.total())
	}
}
