package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// plotOf draws a figure that is the same in both languages.
func plotOf(t *testing.T, d notebook.Drawing) *Plot {
	t.Helper()
	p, err := NewPlot(&notebook.Figure{ID: "f", Alt: notebook.Both{"what it shows", "内容"}, Drawn: [2]notebook.Drawing{d, d}}, "here")
	oktest.Nil(t, err)
	return p
}

// Lines go from corner to corner of the stretched drawing, their bands behind them and no seeds; a figure of more
// groups has no bands, and one that none hears has no drawing.
func TestPlotOfLines(t *testing.T) {
	seed := uint64(1)
	line := func(name string, by float64) []notebook.Series {
		x, y := []float64{0, 5, 10}, []float64{10 * by, 60 * by, 100 * by}
		return []notebook.Series{{Name: name, Group: name, X: x, Y: y, Lo: []float64{0, 50 * by, 90 * by}, Hi: []float64{20 * by, 70 * by, 100 * by}},
			{Name: name, Group: name, X: x, Y: y, Seed: &seed}}
	}
	d := notebook.Drawing{Form: "line", X: notebook.Axis{Title: "time", Unit: "s"}, Y: notebook.Axis{Title: "accuracy", Unit: "%"}}
	d.Series = append(line("bsp", 1), line("asp", 0.5)...)
	p := plotOf(t, d)
	body := string(p.Body)
	for _, want := range []string{`d="M0 900l500 -500l500 -400"`, `class="r"`, `<u class="x" style="--x:100">10</u>`, `<u class="y" style="--y:100">100</u>`} {
		if !strings.Contains(body, want) {
			t.Errorf("the drawing lacks %s: %s", want, body)
		}
	}
	if len(p.Key) != 2 || strings.Count(body, `class="r"`) != 2 || strings.Count(body, `class="d"`) != 2 || p.XTitle.En() != "time (s)" {
		t.Errorf("%d names, %s", len(p.Key), body)
	}
	if !strings.Contains(p.Drawn.En(), "means over the runs, bands") {
		t.Errorf("bands are not explained: %q", p.Drawn)
	}
	d.Series = append(append(d.Series, line("ssp", 0.7)...), line("dssp", 0.8)...)
	if body := string(plotOf(t, d).Body); strings.Contains(body, `class="r"`) {
		t.Error("four groups have bands")
	}
	if _, err := NewPlot(&notebook.Figure{ID: "f", Drawn: [2]notebook.Drawing{d, d}}, "here"); err == nil {
		t.Error("a figure without words for who cannot see it was drawn")
	}
}

// A bar reaches from zero to its number, which stands behind it; a bar that is not there takes no row.
func TestPlotOfBars(t *testing.T) {
	d := notebook.Drawing{Form: "bar", X: notebook.Axis{Categories: []string{"a", "b"}}, Y: notebook.Axis{Title: "time"}, Series: []notebook.Series{
		{Name: "one", Group: "one", Y: []float64{50, 100}, Lo: []float64{40, math.NaN()}, Hi: []float64{60, math.NaN()}},
		{Name: "two", Group: "two", Y: []float64{math.NaN(), 25}}}}
	body := string(plotOf(t, d).Body)
	for _, want := range []string{`--a:0;--e:50"><i></i><s style="--a:40;--e:60"></s><u>50</u>`, `--a:0;--e:100"><i></i><u>100</u>`,
		`--a:0;--e:25"><i></i><u>25</u>`} {
		if !strings.Contains(body, want) {
			t.Errorf("the bars lack %s: %s", want, body)
		}
	}
	if n := strings.Count(body, "<div style="); n != 3 {
		t.Errorf("%d bars, want 3", n)
	}
}

// Bands lie in their lanes, a path for each state; cells of a map carry their number.
func TestPlotOfLanesAndCells(t *testing.T) {
	bands := []notebook.Band{{Lane: 0, From: 0, To: 5, Key: "compute", State: "computes", Label: "01"}, {Lane: 1, From: 5, To: 10, Key: "wait", State: "waits"}}
	p := plotOf(t, notebook.Drawing{Form: "gantt", Lanes: []string{"worker 1", "worker 2"}, Bands: bands, X: notebook.Axis{Title: "time"}})
	if body := string(p.Body); strings.Count(body, `class="f"`) != 2 || !strings.Contains(body, "M0 60h500v380h-500z") || !strings.Contains(body,
		">worker 2</u>") || !strings.Contains(body, ">01</u>") {
		t.Error(body)
	}
	cells := []notebook.Band{{Lane: 0, From: 0, To: 1.25, Key: "ring", State: "ring"}, {Lane: 0, From: 1, To: 3, Key: "ringsparse", State: "RingSparse"}}
	p = plotOf(t, notebook.Drawing{Form: "map", Lanes: []string{"row"}, Bands: cells, X: notebook.Axis{Categories: []string{"x", "y"}}})
	if body := string(p.Body); !strings.Contains(body, ">1.25</td>") || !strings.Contains(body, `class="c1"`) || len(p.Key) != 2 {
		t.Error(body)
	}
}

// A line is cut where the frame cuts it, and what lies outside is neither drawn nor held at its edge.
func TestLinesAreCutAtTheFrame(t *testing.T) {
	var p path
	p.segment(point{0, 1500}, point{500, 500})
	p.segment(point{500, 500}, point{1000, 500})
	p.segment(point{1000, 500}, point{1000, 2500})
	p.segment(point{0, 1200}, point{900, 1200})
	if got := p.String(); got != "M250 1000l250 -500l500 0l0 500" {
		t.Error(got)
	}
	area := inside([]point{{0, 500}, {1000, 500}, {1000, 1500}, {0, 1500}})
	if len(area) != 4 || slices.ContainsFunc(area, point.outside) {
		t.Error(area)
	}
}

// Curves that cannot be told apart are named, though their numbers differ; one that reaches much farther than the others is cut.
func TestPlotNamesWhatCannotBeSeen(t *testing.T) {
	line := func(name string, end, up float64) notebook.Series {
		return notebook.Series{Name: name, Group: name, X: []float64{1, end / 2, end}, Y: []float64{1 + up, 5 + up, 10 + up}}
	}
	d := notebook.Drawing{Form: "line", X: notebook.Axis{Title: "time", Unit: "s"}, Y: notebook.Axis{Title: "time"},
		Series: []notebook.Series{line("a", 10, 0), line("b", 10, 0.01), line("c", 100, 0)}}
	p := plotOf(t, d)
	for _, want := range []string{"Within a line's width of each other: a and b.", "c goes on to 100\u00a0s, beyond the frame."} {
		if !strings.Contains(p.Drawn.En(), want) {
			t.Errorf("%q lacks %q", p.Drawn.En(), want)
		}
	}
}

// An interval that goes on beyond the scale has an arrow; numbers beside bars have as many decimals as their neighbours; numbers
// alone are named; a moment is a line.
func TestPlotOfBarsSaysWhatItCuts(t *testing.T) {
	d := notebook.Drawing{Form: "bar", X: notebook.Axis{Title: "layers", Categories: []string{"1", "2"}}, Y: notebook.Axis{Title: "time"},
		Series: []notebook.Series{{Name: "one", Group: "one", Y: []float64{0.7, 0.395}, Lo: []float64{0.5, 0.39}, Hi: []float64{9, 0.4}}}}
	p := plotOf(t, d)
	for _, want := range []string{`<s class="on"`, "<u>0.700</u>", "<u>0.395</u>", "layers: 1"} {
		if !strings.Contains(string(p.Body), want) {
			t.Errorf("the bars lack %s: %s", want, p.Body)
		}
	}
	if !strings.Contains(p.Drawn.En(), "arrow") {
		t.Errorf("the arrow is not explained: %q", p.Drawn)
	}
	p = plotOf(t, notebook.Drawing{Form: "gantt", Lanes: []string{"1"}, X: notebook.Axis{Title: "time"}, Y: notebook.Axis{Title: "worker"}, Bands: []notebook.Band{
		{From: 0, To: 10, Key: "compute", State: "computes"}, {From: 5, To: 5, Key: "qis", State: "QIS"}}})
	if !strings.Contains(string(p.Body), `<path stroke="`+green+`" d="M500 `) || p.YTitle.En() != "worker" {
		t.Error(p.YTitle, p.Body)
	}
}
