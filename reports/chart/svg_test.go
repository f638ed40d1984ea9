package chart

import (
	"math"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// An axis of shares stays within 0 to 100 whatever its bands do.
func TestShareAxisIgnoresWideBands(t *testing.T) {
	fig := func(unit string, y, lo, hi float64) notebook.Drawing {
		return notebook.Drawing{Y: notebook.Axis{Unit: unit}, Series: []notebook.Series{
			{X: []float64{0}, Y: []float64{y}, Lo: []float64{lo}, Hi: []float64{hi}}}}
	}
	for _, c := range []struct {
		f      notebook.Drawing
		lo, hi float64
		ok     bool
	}{
		{fig("%", 70, -300, 450), 0, 100, true}, {fig("%", 12, 5, 33), 0, 40, true}, {fig("%", 97, 93, 98.5), 90, 100, true},
		{fig("%", 110, 0, 120), 0, 0, false}, {fig("s", 70, 0, 100), 0, 0, false},
	} {
		if lo, hi, ok := percentRange(c.f); ok != c.ok || ok && (lo != c.lo || hi != c.hi) {
			t.Errorf("%v: from %v to %v, %v; want from %v to %v, %v", c.f.Series, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// A bar that is not there is in no row of the file and none of the drawing, and a whisker stands on
// a bar that is there.
func TestBarsThatAreNotThere(t *testing.T) {
	f := notebook.Drawing{ID: "f", Form: "bar", X: notebook.Axis{Categories: []string{"a", "b"}}, Series: []notebook.Series{
		{Name: "s", Group: "s", Y: []float64{1, math.NaN()}, Lo: []float64{0.5, math.NaN()}, Hi: []float64{2, math.NaN()}}}}
	if rows, err := CSV(f); err != nil || string(rows) != "series,group,seed,,,low,high\ns,s,,a,1,0.5,2\n" {
		t.Errorf("in the file: %s (%v)", rows, err)
	}
	raw := oktest.Must(option(f))(t)
	if !strings.Contains(string(raw), `"data":[{"value":1},{"value":"-"}]`) || !strings.Contains(string(raw), `"data":[{"value":[0,0.5,2,0,1]}]`) {
		t.Errorf("the option is %s", raw)
	}
	s := oktest.Must(page.NewScripts())(t)
	if svg, err := drawOption(s, "f", raw, 400); err != nil || strings.Contains(svg, "NaN") {
		t.Errorf("drawn: %v", err)
	}
	oktest.Nil(t, checkDrawing(f))
}

// A drawing that would mislead is refused.
func TestDrawingsThatCannotBe(t *testing.T) {
	line := func(x, y float64, log notebook.Axis) notebook.Drawing {
		return notebook.Drawing{Form: "line", X: log, Y: log, Series: []notebook.Series{{Name: "s", X: []float64{x}, Y: []float64{y}}}}
	}
	for want, f := range map[string]notebook.Drawing{
		"band 0: from 2 to 1":               {Form: "gantt", Bands: []notebook.Band{{From: 2, To: 1}}},
		"band 1: from 0 to +Inf":            {Form: "gantt", Bands: []notebook.Band{{To: 1}, {To: math.Inf(1)}}},
		"a value ≤ 0 on a logarithmic axis": line(1, 0, notebook.Axis{Log: true}),
		"a place ≤ 0 on a logarithmic axis": line(-1, 1, notebook.Axis{Log: true}),
	} {
		if err := checkDrawing(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	oktest.Nil(t, checkDrawing(line(-1, 0, notebook.Axis{})))
}

// Shortening the coordinates of a drawing leaves the words of its axes alone: a small value does not become 0.00.
func TestLogarithmicAxesNameSmallValues(t *testing.T) {
	s := oktest.Must(page.NewScripts())(t)
	f := notebook.Drawing{ID: "f", Form: "line", X: notebook.Axis{Title: "x"}, Y: notebook.Axis{Title: "y", Log: true},
		Series: []notebook.Series{{Name: "a", X: []float64{1, 2, 3}, Y: []float64{0.0003, 0.02, 30}}}}
	opt := oktest.Must(option(f))(t)
	svg := oktest.Must(drawOption(s, "f", opt, 400))(t)
	for _, want := range []string{">0.0001<", ">0.001<", ">0.01<", ">0.1<", ">1<", ">10<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the axis has no %s: %s", want, strings.Join(strings.Split(svg, "<text")[1:], "\n"))
		}
	}
	if strings.Contains(svg, ">0.00<") {
		t.Error("a value of the axis reads as zero")
	}
}
