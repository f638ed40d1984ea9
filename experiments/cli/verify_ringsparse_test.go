package cli

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// A check of a form that is printed wrong holds if the corrected form does and
// the printed one fails somewhere.
func TestPrintedFormsMustFail(t *testing.T) {
	var fails, never, broken tally
	fails.add(true, "")
	fails.asPrinted(true, "case %d", 1)
	fails.asPrinted(false, "case %d", 2)
	fails.asPrinted(false, "case %d", 3)
	never.add(true, "")
	never.asPrinted(true, "")
	broken.add(false, "the corrected form")
	broken.asPrinted(false, "")
	for _, c := range []struct {
		tally
		want string
	}{{fails, claims.Equal}, {never, claims.Differs}, {broken, claims.Differs}} {
		if got := c.verdict(); got != c.want {
			t.Errorf("%+v is judged %q, want %q", c.tally, got, c.want)
		}
	}
	if p := *fails.printed; p != (printed{"as printed", 3, 2, "case 2"}) {
		t.Errorf("counted %+v", p)
	}
}

// Found by hand: the smallest block of all, of one byte that compresses to
// nothing for nothing, is sent as it is; a gradient of 1 goes the wrong way; with
// k = 0 the first of two W0 is missing.
func TestSmallestCounterExamples(t *testing.T) {
	got, err := verified()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"ringsparse.compress":   {"as printed", "a block of 1 B, compressed to 0 B in 0 s, at 1 B/s: Ta = 1 s, Tb = 0 s, and it takes the direct way"},
		"ringsparse.layer-size": {"as printed", "N = 2, blocks of 1 B, compressed to 0 B in 1.5 s, at 1 B/s: it compresses, 1/2 s dearer than direct"},
		"ringsparse.pw":         {"as printed", "k = 1, W0 = 0, η = 1, Pg′ = 1, Pg″ = 0: Pw = 1, the weights sum to -1"},
		"ringsparse.pg":         {"with the printed sign", "k = 1, W0 = 0, η = 1, Pw′ = -1, Pw″ = 0: Pg = -1, the gradients sum to 1"},
		"ringsparse.k":          {"counted from 0", "2 nodes, k = 0, W0 = 1, gradients that sum to 0: Pw = 1, the weights sum to 2"},
	}
	for _, c := range got {
		w, expected := want[c.ID]
		if !strings.HasPrefix(c.ID, "ringsparse.") {
			continue
		}
		if expected != (c.Printed != nil) || expected && (c.Printed.Form != w[0] || c.Printed.Smallest != w[1] || c.Printed.Wrong >= c.Printed.Cases) {
			t.Errorf("%s: %+v, want %q", c.ID, c.Printed, w)
		}
		delete(want, c.ID)
	}
	if len(want) > 0 {
		t.Errorf("no checks %v", want)
	}
	if _, text, _ := gradsync("verify", "ringsparse"); strings.Count(text, " it is wrong in ") != 5 {
		t.Errorf("the text says\n%s", text)
	}
}

func TestVerifyNamesItsGroups(t *testing.T) {
	if _, out, _ := gradsync("verify", "--help"); !strings.Contains(out, "verify [ring|ringsparse|dasp|codedsgd|claims]") {
		t.Errorf("the help of verify reads\n%s", out)
	}
	if rc, _, msg := gradsync("verify", "moon"); rc != exitUsage || !strings.Contains(msg, "ring, ringsparse, dasp, codedsgd, claims") {
		t.Errorf("verify moon: exit code %d, %s", rc, msg)
	}
}
