package proof

import (
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
)

// Enumerated before this code, by another program: n, r, packets, needed.
func TestOvercountIsTheOneFoundBefore(t *testing.T) {
	for _, c := range []struct {
		n, r            int
		packets, needed int64
	}{{5, 3, 80, 20}, {6, 3, 600, 60}, {6, 4, 1170, 30}, {7, 3, 2660, 140}, {8, 3, 8680, 280}, {4, 2, 12, 12}, {5, 4, 5, 5}, {4, 1, 4, 12}, {4, 4, 0, 0}} {
		l := countLoop(c.n, c.r)
		if !l.Counted || l.Packets != c.packets || int64(l.Needed) != c.needed {
			t.Errorf("n = %d, r = %d: %+v, want %d and %d", c.n, c.r, l, c.packets, c.needed)
		}
		if c.n == 8 {
			kittest.FoundAs(t, judgeLoop(l), claims.Equal, result.Because("C27", "nodes", 8, "combinations", 1330),
				result.Because("C27-needed", "needed", 280, "useful", 280))
			l.Packets++
			kittest.FoundAs(t, judgeLoop(l), claims.Differs)
		}
	}
	l := countLoop(9, 5)
	if l.Counted || l.Needed != 504 {
		t.Errorf("n = 9, r = 5: %+v", l)
	}
	if row := loopFrame([]loop{l}).Rows[0]; row[2] != int64(12103014) || row[3] != nil || row[10] != "not-enumerated" {
		t.Errorf("its row is %v", row)
	}
	if got := loopFrame([]loop{countLoop(12, 9)}).Rows[0][2]; got != int64(200_063_149_171_380) { // C(165,9), below 2⁵³ like all of n ≤ 12
		t.Errorf("combinations %v", got)
	}
}

// The rule of where the loop is right is said of loops that are so, alone.
func TestLoopFacts(t *testing.T) {
	var loops []loop
	for n := 2; n <= 6; n++ {
		for r := 1; r <= n; r++ {
			loops = append(loops, countLoop(n, r))
		}
	}
	facts := func() *result.Result { return &result.Result{Facts: loopFacts(planOvercount("ci"), loops)} }
	r := facts()
	// r < n: 15; equal at (2,1), r = 2 of n ≥ 3 and r = n−1 of n ≥ 4; r = 1 of n ≥ 3 fewer.
	for key, want := range map[string]any{"counted": 15, "same": 8, "more": 3, "fewer": 4, "rule": true, "repeats.all": true, "skips": false} {
		kittest.WantFact(t, r, key, want)
	}
	r.Frames = []result.Frame{loopExtremes(loops)}
	kittest.WantCells(t, r, "extremes", "which", "smallest", "largest", "peak", "peak", "peak", "first", "last")
	kittest.WantCells(t, r, "extremes", "packets", 80, 1170, 12, 80, 1170, 4, 600)
	kittest.WantCells(t, r, "extremes", "times", 4, 39, 1, 4, 39, 1, 10)
	loops[3].Packets++ // (3, 2)
	kittest.WantFact(t, facts(), "rule", false)
	loops[3].Counted = false
	kittest.WantFact(t, facts(), "skipped", 1)
}

func TestOvercountRuns(t *testing.T) {
	r := kittest.Ran(t, overcount(), "ci")
	kittest.FoundAs(t, r.Claims[0], claims.Equal)
	drawn := 0
	for _, is := range kittest.Cells(t, r, "loop", "drawn") {
		if is == true {
			drawn++
		}
	}
	if drawn != 4+5+6 {
		t.Errorf("%d sizes are drawn, want those of n = 4, 5 and 6", drawn)
	}
}
