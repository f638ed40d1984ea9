package chart

import (
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// curve returns a group of one mean with a band and one seed, by hand.
func curve(name string, ys ...float64) []notebook.Series {
	seed, xs := uint64(7), make([]float64, len(ys))
	for i := range xs {
		xs[i] = float64(i)
	}
	return []notebook.Series{
		{Name: name, Group: strings.ToLower(name), X: xs, Y: ys, Lo: ys, Hi: ys},
		{Name: name, Group: strings.ToLower(name), Seed: &seed, X: xs, Y: ys},
	}
}

// Groups that coincide in mean, band and seeds are one curve, which says so in both
// languages. One digit of one seed keeps two groups apart.
func TestCoincidingCurvesAreDrawnOnce(t *testing.T) {
	oktest.Slow(t)
	var f notebook.Drawing
	f.ID, f.Form, f.Y = "a", "line", notebook.Axis{Title: "test accuracy", Unit: "%"}
	for _, m := range []string{"BSP", "ASP", "SSP", "DASP"} {
		ys := []float64{10, 20}
		if m == "BSP" {
			ys = []float64{10, 30}
		}
		f.Series = append(f.Series, curve(m, ys...)...)
	}
	f.Series[5].Y = []float64{10, 20.0000001} // SSP's seed
	got, names := merge(f, andWords[0])
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
	s := oktest.Must(page.NewScripts())(t)
	figure := &notebook.Figure{ID: "a", Alt: notebook.Both{"alt", "图"}, Drawn: [2]notebook.Drawing{f, f}}
	if said := HowDrawn(figure); !strings.Contains(said.En(), "the same numbers in every point: ASP = DASP.") ||
		!strings.Contains(said.Zh(), "ASP = DASP：每个点的数值都相同") {
		t.Errorf("the caption says %q", said)
	}
	if svg, err := SVG(figure, 0, "x-a", s); err != nil || !strings.Contains(svg, "ASP = DASP") {
		t.Errorf("the legend lacks the names: %v", err)
	}
	if p, err := NewPlot(figure, "x-a"); err != nil || len(p.Key) != 3 || p.Key[1].Name.En() != "ASP = DASP" {
		t.Errorf("the key is %+v (%v)", p, err)
	}
	f.Form = "bar"
	if got, names := merge(f, andWords[0]); len(names) > 0 || len(got.Series) != 8 {
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
		{"test accuracy", 92.4, "The axis starts at 90 %; lines that begin below it are cut there."},
		{"test accuracy", 97, "The axis starts at 95 %; lines that begin below it are cut there."},
		{"test accuracy", 84, "The axis starts at 80 %; lines that begin below it are cut there."}, {"test accuracy", 80, ""}, {"share of pushes", 92.4, ""},
	} {
		f := notebook.Drawing{Form: "line", Y: notebook.Axis{Title: c.title, Unit: "%"}, Series: curve("ASP", 11, 50, c.third, 98, 98, 98, 98, 98, 98, 99)}
		if got := strings.ReplaceAll(howDrawn(f, [2][]string{}).En(), typeset.NBSP, " "); got != c.words {
			t.Errorf("%s, %v %%: %q, want %q", c.title, c.third, got, c.words)
		}
	}
}

// Two lines of one group that have names of their own are both in the legend; a mean and its seeds are one.
func TestLinesOfOneGroupAreNamed(t *testing.T) {
	seed := uint64(1)
	line := func(name, group string, seed *uint64) notebook.Series {
		return notebook.Series{Name: name, Group: group, Seed: seed, X: []float64{1, 2}, Y: []float64{1, float64(len(name))}}
	}
	f := apartInGroups(notebook.Drawing{Form: "line",
		Series: []notebook.Series{line("11.1", "target", nil), line("222.2", "target", nil), line("DASP", "dasp", nil), line("DASP, seed 1", "dasp", &seed)}})
	if _, names := legendOf(f.Series); !slices.Equal(names, []string{"11.1", "222.2", "DASP"}) {
		t.Errorf("the legend names %q", names)
	}
}

// Names that are formulas are not joined by a sign of equality.
func TestFormulasAreJoinedByAWord(t *testing.T) {
	series := []notebook.Series{{Name: "n = 4", X: []float64{1}, Y: []float64{1}}, {Name: "∝ n−1", X: []float64{1}, Y: []float64{1}}}
	if _, together := merge(notebook.Drawing{Form: "line", Series: series}, andWords[1]); !slices.Equal(together, []string{"n = 4 和 ∝ n−1"}) {
		t.Errorf("drawn together: %q", together)
	}
}
