package reports

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// Every place on the page that the paper package's map names is there: the map is in its
// doc comment, read as text. A table or figure of the paper is there if it has a notebook.
func TestEveryAnchorOfTheMapIsOnThePage(t *testing.T) {
	for paper, places := range map[string]int{"dasp": 8, "ringsparse": 8, "codedsgd": 0} {
		doc, err := os.ReadFile(filepath.FromSlash("../papers/" + paper + "/doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		anchors := map[string]bool{}
		for _, m := range regexp.MustCompile(`page +`+paper+`\.html#(\S+)`).FindAllStringSubmatch(string(doc), -1) {
			anchors[m[1]] = true
		}
		if paper == "codedsgd" { // every number that a Source: line can name
			for i := 1; i <= 30; i++ {
				anchors[fmt.Sprint("eq", i)] = true
			}
			for _, a := range []string{"alg1", "alg2", "alg3", "alg4", "s1", "s2", "s2.1", "s2.2", "s2.3", "s2.4", "s3.1", "s3.2", "s3.2.1", "s3.2.2", "s3.2.3", "s3.2.4", "s3.2.5", "s4"} {
				anchors[a] = true
			}
		}
		if len(anchors) < places {
			t.Errorf("the map of papers/%s names %d places, want at least %d", paper, len(anchors), places)
		}
		page := wholePage(t, rendered, paper+".html")
		for a := range anchors {
			if _, err := fs.Stat(wordFiles, "text/"+paper+"/"+a+".en.md"); err == nil {
				continue // the section of a result, there if the result is
			}
			if n := strings.Count(page, fmt.Sprintf(` id="%s"`, a)); n != 1 {
				t.Errorf("the map of papers/%s names #%s, the page has it %d times", paper, a, n)
			}
		}
	}
}

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
		lo, hi, ok := percentRange(c.f)
		if ok != c.ok || ok && (lo != c.lo || hi != c.hi) {
			t.Errorf("%v: from %v to %v, %v; want from %v to %v, %v", c.f.Series, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// A bar that is not there takes no room in the words beside a drawing and none in its
// option, and a whisker stands on a bar that is there.
func TestBarsThatAreNotThere(t *testing.T) {
	f := notebook.Drawing{ID: "f", Form: "bar", X: notebook.Axis{Categories: []string{"a", "b"}}, Series: []notebook.Series{
		{Name: "s", Group: "s", Y: []float64{1, math.NaN()}, Lo: []float64{0.5, math.NaN()}, Hi: []float64{2, math.NaN()}}}}
	if rows := pointsOf(f); len(rows) != 1 || rows[0][2] != "a" || rows[0][4] != "0.5" {
		t.Errorf("in words: %v", rows)
	}
	raw, err := option(f)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"data":[1,"-"]`) || !strings.Contains(string(raw), `"data":[[0,0.5,2,0,1]]`) {
		t.Errorf("the option is %s", raw)
	}
	s, err := page.NewScripts()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := drawOption(s, "f", raw, 400)
	if err != nil || strings.Contains(svg, "NaN") {
		t.Errorf("drawn: %v", err)
	}
	if err := checkDrawing(f); err != nil {
		t.Error(err)
	}
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
	if err := checkDrawing(line(-1, 0, notebook.Axis{})); err != nil {
		t.Error(err)
	}
}
