package rivals

import (
	"testing"
	"time"
)

// TestIterations: r* by hand. Worker 0 pushed last at 100 ms, worker 1 at 90; the columns are their intervals. Its r-th
// next push is at 100 + r·own, the slow one's k-th next at 90 + k·its, k ≥ 1: a push of the past is none to meet.
func TestIterations(t *testing.T) {
	for _, c := range []struct {
		own, its time.Duration
		want     int64
	}{
		{10, 30, 2},  // 120 meets 120
		{10, 42, 3},  // 130 nearest to 132
		{10, 10, 0},  // 100 meets 100
		{7, 100, 12}, // 184 is the last that the range allows
		{30, 40, 1},  // 130 meets 130
		{40, 25, 1},  // 140 meets 140
	} {
		p, err := NewDSSP(Options{Workers: 2, Lower: 3, Upper: 15})
		if err != nil {
			t.Fatal(err)
		}
		d := p.(*dssp)
		const ms = time.Millisecond
		d.pushed = [][2]time.Duration{{100 * ms, (100 - c.own) * ms}, {90 * ms, (90 - c.its) * ms}}
		d.seen = []int{2, 2}
		if got := d.iterations(0, 1); got != c.want {
			t.Errorf("intervals %d and %d ms: r* = %d, want %d", c.own, c.its, got, c.want)
		}
		// Both have just pushed: 100 + 4·30 meets 100 + 3·40, the push that is over meets nothing.
		d.pushed = [][2]time.Duration{{100 * ms, 70 * ms}, {100 * ms, 60 * ms}}
		if got := d.iterations(0, 1); got != 4 {
			t.Errorf("both at 100 ms: r* = %d, want 4", got)
		}
		if d.seen[1] = 1; d.iterations(0, 1) != 0 {
			t.Error("a grant from one push, without an interval")
		}
	}
}
