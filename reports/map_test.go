package reports

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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

// The words of all charts of a page stand on it once.
func TestPagesHoldTheWordsOfTheirCharts(t *testing.T) {
	example := wholePage(t, rendered, "dasp/example5.html")
	if n := strings.Count(example, `id="chart-bases"`); n != 1 || !strings.Contains(example, `"mean iteration time (s)":"平均迭代时间 (s)"`) {
		t.Errorf("a page with a chart has %d tables of words", n)
	}
	if strings.Contains(wholePage(t, rendered, "dasp/example1.html"), `id="chart-bases"`) {
		t.Error("a page without charts holds their words")
	}
}

// More names than a row holds stand in columns above a drawing that is as much taller.
func TestLegendsOfManyNames(t *testing.T) {
	svg := cut(t, pageOf(t, "compare/example-when.html"), `id="example-when-bars"`, "</svg>")
	for _, m := range compared {
		if !strings.Contains(svg, ">"+m+"<") {
			t.Errorf("the drawing does not name %s", m)
		}
	}
	if !strings.Contains(svg, `viewBox="0 0 900 428"`) {
		t.Errorf("the drawing is not a row taller: %.200s", svg)
	}
}
