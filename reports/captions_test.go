package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// A caption that repeats the one before shows what is new in it; the whole is there to
// be opened. The first, and short ones, stand as they are.
func TestCaptionsAreNotReadTwice(t *testing.T) {
	long := "The batch of n·160 samples (Fig. 4) is cut as §3.2 says. Each of the invented numbers here is a mean of three seeds, every one of them a multiple of 1.11, for which there is no other reason than that it be invented."
	r := exampleTimes()
	base := r.Figures[0]
	r.Figures = nil
	for i, special := range []string{"A switch carries them.", "A bus carries them.", ""} {
		f := base
		f.ID, f.Caption = fmt.Sprint("f", i), strings.TrimSpace(special+" "+long)
		r.Figures = append(r.Figures, f)
	}
	r.Figures[2].Caption += " Bars are means."
	r.Tables[0].Caption = "A bus carries them."
	s, err := newScripts()
	if err != nil {
		t.Fatal(err)
	}
	sec, _, err := buildSection("dasp", []loaded{{Result: r, Stem: "example5"}}, places{tr: talker(nil)}, s, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range sec.Figures {
		got = append(got, fmt.Sprint(it.Figures[0].Again, " ", it.Figures[0].Fresh))
	}
	got = append(got, fmt.Sprint(sec.Tables[0].Tables[0].Again))
	if want := []string{"false ", "true A bus carries them.", "true Bars are means.", "false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := sentences("Of Fig. 4 and 0.2 s. (In brackets.) Next? Yes"); !slices.Equal(got, []string{"Of Fig. 4 and 0.2 s. (In brackets.)", "Next?", "Yes"}) {
		t.Errorf("sentences %q", got)
	}
}

// Tables of many rows are closed by a script alone.
func TestLongTablesStandOpenWithoutScripts(t *testing.T) {
	for n, want := range map[int]bool{manyRows: false, manyRows + 1: true} {
		r := exampleStated()
		for len(r.Tables[0].Rows) < n {
			r.Tables[0].Rows = append(r.Tables[0].Rows, []any{"link", "1.11 Gb/s", "invented", "low"})
		}
		root := t.TempDir()
		if _, err := result.Write(root, r, nil); err != nil {
			t.Fatal(err)
		}
		files, err := renderFrom(root, false)
		if err != nil {
			t.Fatal(err)
		}
		open := strings.Contains(english(files["dasp.html"]), fmt.Sprintf(`<details class="rows" open="open"><summary>Assumed devices: %d rows</summary>`, n))
		if open != want || strings.Count(files["dasp.html"], "1.11"+nbsp+"Gb/s") < n-2 {
			t.Errorf("%d rows: in a closable box %v", n, open)
		}
	}
}
