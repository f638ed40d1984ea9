package codedsgd

import (
	"strings"
	"testing"
)

// The note says whose gain it is: the code's only as far as the same redundancy without
// it takes longer.
func TestWhoseGainItIs(t *testing.T) {
	for _, c := range []struct {
		coded, plain []float64
		want         string
	}{
		{[]float64{1.2, 1.1, 0.9, 0.5}, []float64{1.2, 1, 0.8, 0.4}, "here by 25 % (900 against 1200 ms at r = 3, with overlap), is not for its code: the same blocks at the same redundancy, multicast whole, take 800 ms"},
		{[]float64{1.2, 0.9, 1.1, 0.5}, []float64{1.2, 1, 0.8, 0.4}, "at r = 2, with overlap), is in part for its code: the same blocks at the same redundancy, multicast whole, take 1000 ms"},
		{[]float64{1.3, 1.3, 1.25, 0.5}, []float64{1.2, 1, 0.8, 0.4}, "CSSGD takes 1250 ms at r = 3 and SSGD that multicasts 1200 ms: no gain"},
	} {
		s := flat(1, 1, 1, 1)
		s.Variants[onSwitchOverlap].Mean = c.coded
		for _, p := range plains {
			s.Plain = append(s.Plain, timedPlain{p, c.plain})
		}
		if n := uncodedNote(s); !strings.Contains(n, c.want) {
			t.Errorf("%q lacks %q", n, c.want)
		}
	}
	if v, p := variants[onSwitchOverlap], plains[multicastOverlap]; v.Whole || v.Shared || !v.Overlap || p.Variant != onSwitchOverlap || p.Method != rivalsOf()[1].Exchange.Method {
		t.Errorf("%+v and %+v are not micro-blocks on a switch with overlap", v, p)
	}
}

// Only quick was cut, and its captions say so; the table of settings has every variant.
func TestStudySaysWhatWasCut(t *testing.T) {
	s := flat(5, 4, 3, 4, 5, 6, 7, 8)
	if c := sweepTable(s).Caption + timesTable(s).Caption; strings.Contains(c, "Cut for") {
		t.Error(c)
	}
	s.Profile = "quick"
	if c := sweepTable(s).Caption; !strings.HasSuffix(c, " (Cut for its time after one quick run: 12 of 23 ratios; criteria unchanged.)") {
		t.Error(c)
	}
	if c := timesTable(s).Caption; !strings.HasPrefix(c, "(Cut for its time after one quick run: 2 iterations per seed in place of 4; criteria unchanged.) ") {
		t.Error(c)
	}
	if rows := settingsTable(s).Rows; len(rows) != len(variants) || rows[0][1] != 3 || rows[0][2] != 3000.0 || rows[0][3] != 5000.0 || rows[1][1] != 1 {
		t.Error(rows)
	}
}
