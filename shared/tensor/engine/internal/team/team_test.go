package team

import (
	"slices"
	"testing"
)

// seen counts how often each part was done.
type seen struct{ parts []int }

func (t *seen) Part(_ *struct{}, lo, hi int) {
	for i := lo; i < hi; i++ {
		t.parts[i]++
	}
}

// TestEveryPartOnce: for all small numbers of threads and parts, every part is
// done exactly once, and after the first run nothing is allocated.
func TestEveryPartOnce(t *testing.T) {
	var team Team[struct{}]
	for n := range 12 {
		for threads := -1; threads < 8; threads++ {
			s := &seen{make([]int, n)}
			team.Run(threads, s, n)
			if slices.ContainsFunc(s.parts, func(k int) bool { return k != 1 }) {
				t.Fatalf("%d parts on %d threads: done %v times", n, threads, s.parts)
			}
			if a := testing.AllocsPerRun(3, func() { team.Run(threads, s, n) }); a != 0 {
				t.Errorf("%d parts on %d threads: %v allocations", n, threads, a)
			}
		}
	}
}
