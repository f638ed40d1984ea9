package reports

import (
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// curve is a group of one mean with a band and one seed, by hand.
func curve(name string, ys ...float64) []result.Series {
	seed := uint64(7)
	xs := make([]float64, len(ys))
	for i := range xs {
		xs[i] = float64(i)
	}
	return []result.Series{
		{Name: name, Group: strings.ToLower(name), X: xs, Y: ys, Lo: ys, Hi: ys},
		{Name: name, Group: strings.ToLower(name), Seed: &seed, X: xs, Y: ys},
	}
}

// Groups that coincide in mean, band and seeds are one curve; the CSV file has
// them all. One digit of one seed keeps two groups apart.
func TestCoincidingCurvesAreDrawnOnce(t *testing.T) {
	var f result.Figure
	f.ID, f.Form, f.Alt, f.Y = "a", "line", "alt", result.Axis{Title: "test accuracy", Unit: "%"}
	for _, m := range []string{"BSP", "ASP", "SSP", "DASP"} {
		ys := []float64{10, 20}
		if m == "BSP" {
			ys = []float64{10, 30}
		}
		f.Series = append(f.Series, curve(m, ys...)...)
	}
	f.Series[5].Y = []float64{10, 20.0000001} // SSP's seed
	got, names := merge(f)
	if len(names) != 1 || names[0] != "ASP = DASP" {
		t.Fatalf("merged %q, want ASP = DASP", names)
	}
	words := ""
	for _, s := range got.Series {
		words += s.Name + "/" + s.Group + " "
	}
	if want := "BSP/bsp BSP/bsp ASP = DASP/dasp ASP = DASP/dasp SSP/ssp SSP/ssp "; words != want {
		t.Errorf("series %q, want %q", words, want)
	}
	s, err := newScripts()
	if err != nil {
		t.Fatal(err)
	}
	sec, files, err := buildSection("dasp", []loaded{{Result: &result.Result{ID: "dasp/x", Figures: []result.Figure{f}}, Stem: "x"}}, places{tr: talker(nil)}, s, false)
	if err != nil {
		t.Fatal(err)
	}
	v := sec.Figures[0].Figures[0]
	if !strings.Contains(v.Drawn, "ASP = DASP: the same numbers") || !strings.Contains(string(v.SVG), "ASP = DASP") || len(v.Data.Rows) != 12 {
		t.Errorf("words %q, %d points; or the legend lacks the names", v.Drawn, len(v.Data.Rows))
	}
	if n := strings.Count(files[0].Text, "\n"); n != 17 || strings.Contains(files[0].Text, "=") {
		t.Errorf("the CSV file has %d lines, want a head and 16 points under their own names", n)
	}
	f.Form = "bar"
	if got, names := merge(f); len(names) > 0 || len(got.Series) != 8 {
		t.Error("bars, which stand beside one another, were merged")
	}
}

// By hand: the first fifth of ten points is two.
func TestAccuraciesThatSettleLoseTheirStart(t *testing.T) {
	for _, c := range []struct {
		title string
		third float64
		words string
	}{
		{"test accuracy", 92.4, "The axis starts at 90 %."}, {"test accuracy", 97, "The axis starts at 95 %."},
		{"test accuracy", 84, "The axis starts at 80 %."}, {"test accuracy", 80, ""}, {"share of pushes", 92.4, ""},
	} {
		f := result.Figure{Form: "line", Y: result.Axis{Title: c.title, Unit: "%"}, Series: curve("ASP", 11, 50, c.third, 98, 98, 98, 98, 98, 98, 99)}
		if got := strings.ReplaceAll(howDrawn(f, nil), nbsp, " "); got != c.words {
			t.Errorf("%s, %v %%: %q, want %q", c.title, c.third, got, c.words)
		}
	}
}

// Two lines of one group that have names of their own are both in the legend; a mean
// and its seeds are one.
func TestLinesOfOneGroupAreNamed(t *testing.T) {
	seed := uint64(1)
	line := func(name, group string, seed *uint64) result.Series {
		return result.Series{Name: name, Group: group, Seed: seed, X: []float64{1, 2}, Y: []float64{1, float64(len(name))}}
	}
	f := apartInGroups(result.Figure{Form: "line", Series: []result.Series{line("11.1", "target", nil), line("222.2", "target", nil), line("DASP", "dasp", nil), line("DASP, seed 1", "dasp", &seed)}})
	if _, names := legendOf(f.Series); !slices.Equal(names, []string{"11.1", "222.2", "DASP"}) {
		t.Errorf("the legend names %q", names)
	}
}

// Names that are formulas are not joined by a sign of equality.
func TestFormulasAreJoinedByAWord(t *testing.T) {
	series := []result.Series{{Name: "n = 4", X: []float64{1}, Y: []float64{1}}, {Name: "∝ n−1", X: []float64{1}, Y: []float64{1}}}
	if _, together := merge(result.Figure{Form: "line", Series: series}); !slices.Equal(together, []string{"n = 4 and ∝ n−1"}) {
		t.Errorf("drawn together: %q", together)
	}
}
