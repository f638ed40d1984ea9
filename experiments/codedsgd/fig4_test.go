package codedsgd

import (
	"testing"

	"gradsync/experiments/train"
)

// A long curve keeps every k-th point and its last, a short one all.
func TestSparseCurves(t *testing.T) {
	for n, want := range map[int][]int64{ // first, second and last update, and how many
		60:   {1, 2, 60, 60},
		61:   {2, 4, 61, 31},
		120:  {2, 4, 120, 60},
		1200: {20, 40, 1200, 60},
	} {
		var curve []train.Point
		for i := range n {
			curve = append(curve, train.Point{Updates: int64(i + 1)})
		}
		s := sparse(curve)
		if len(s) != int(want[3]) || s[0].Updates != want[0] || s[1].Updates != want[1] || s[len(s)-1].Updates != want[2] {
			t.Errorf("%d points: %d, the first %d and %d, the last %d; want %v", n, len(s), s[0].Updates, s[1].Updates, s[len(s)-1].Updates, want)
		}
	}
}
