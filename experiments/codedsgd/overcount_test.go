package codedsgd

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// Enumerated before this code, by another program: n, r, packets, needed.
func TestOvercountIsTheOneFoundBefore(t *testing.T) {
	for _, c := range []struct {
		n, r            int
		packets, needed int64
	}{{5, 3, 80, 20}, {6, 3, 600, 60}, {6, 4, 1170, 30}, {7, 3, 2660, 140}, {8, 3, 8680, 280}, {4, 2, 12, 12}, {5, 4, 5, 5}, {4, 1, 4, 12}, {4, 4, 0, 0}} {
		l, err := countLoop(t.Context(), c.n, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if !l.Counted || l.Packets != c.packets || int64(l.Needed) != c.needed {
			t.Errorf("n = %d, r = %d: %+v, want %d and %d", c.n, c.r, l, c.packets, c.needed)
		}
		if c.n == 8 {
			verdictIs(t, judgeLoop(&l), claims.Equal, "1330 combinations each; 280 packets are needed, and 280 of those")
			l.Packets++
			verdictIs(t, judgeLoop(&l), claims.Differs)
		}
	}
	l, err := countLoop(t.Context(), 9, 5)
	if err != nil || l.Counted || l.Needed != 504 {
		t.Errorf("n = 9, r = 5: %+v, %v", l, err)
	}
	if row := loopTable(planOvercount("quick"), []loop{l}).Rows[0]; row[2] != int64(12103014) || row[3] != nil || row[9] != "not enumerated" {
		t.Errorf("its row is %v", row)
	}
	l, err = countLoop(t.Context(), 12, 9)
	if got := loopTable(planOvercount("quick"), []loop{l}).Rows[0][2]; err != nil || got != int64(200_063_149_171_380) { // C(165,9), below 2⁵³ like all of n ≤ 12
		t.Errorf("combinations %v, %v", got, err)
	}
}

// The sentence about where the loop is right is said of loops that are so, alone.
func TestLoopNotes(t *testing.T) {
	var loops []loop
	for n := 2; n <= 6; n++ {
		for r := 1; r <= n; r++ {
			l, err := countLoop(t.Context(), n, r)
			if err != nil {
				t.Fatal(err)
			}
			loops = append(loops, l)
		}
	}
	plan := planOvercount("ci")
	notes := loopNotes(plan, loops)
	// r < n: 15; equal at (2,1), r = 2 of n ≥ 3 and r = n−1 of n ≥ 4; r = 1 of n ≥ 3 fewer.
	if !strings.Contains(notes[0], "Of 15 sizes that were counted, the printed loop makes the packets that are needed at 8, more at 3 and fewer at 4. They are the same exactly") ||
		!strings.Contains(notes[1], "n = 5, r = 3: 80 packets for 20. The largest counted is n = 6, r = 4: 1\u202f170 for 30, 39 times as many") {
		t.Errorf("%q", notes)
	}
	loops[3].Packets++ // (3, 2)
	if n := loopNotes(plan, loops)[0]; !strings.Contains(n, "do not follow") {
		t.Errorf("%q", n)
	}
	loops[3].Counted = false
	if n := loopNotes(plan, loops); len(n) != 5 || !strings.HasPrefix(n[4], "1 sizes") {
		t.Errorf("%q", n)
	}
}

func TestGrouped(t *testing.T) {
	for x, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u202f000", 12345678: "12\u202f345\u202f678"} {
		if got := grouped(x); got != want {
			t.Errorf("%d is written %q", x, got)
		}
	}
}

func TestOvercountRuns(t *testing.T) {
	r := runProfile(t, overcount(), "ci")
	if len(r.Claims) != 1 || r.Claims[0].Verdict != claims.Equal || len(r.Figures[0].Series) != 3 || len(r.Figures[1].Series[0].X) != 3 {
		t.Errorf("%+v", r.Figures)
	}
}
