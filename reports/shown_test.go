package reports

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/cited"
)

// Without scripts the widget takes no room, and its numbers are on the page or a command's; the diagram of a
// document stands on its page too.
func TestWidgetsLeaveTheTable(t *testing.T) {
	oktest.Slow(t)
	root := t.TempDir()
	of := map[string]string{"codedsgd/accounting": "accounting-loads", "codedsgd/fig2": "fig2-packets-3-2", "dasp/walk": "walk-events",
		"ring/steps": "steps-transfers", "ringsparse/decisions": "decisions-hops"}
	for id := range of {
		put(t, root, oktest.Must(result.Read(result.Path("../experiments/results", id, "quick")))(t))
	}
	files := oktest.Must(renderFrom(root, false))(t)
	for id, anchor := range of {
		page := files[id+".html"]
		if !strings.Contains(page, `hidden="hidden"><script type="application/json">`) {
			t.Errorf("%s has no hidden widget", id)
		}
		if box := cut(t, page, `<div class="tablebox" id="`+anchor+`"`, "</div>"); !strings.Contains(box, `<table class="data"`) && !strings.Contains(box,
			"bin/gradsync export "+id) {
			t.Errorf("%s has no table beside its widget, and no command: %.600s", id, box)
		}
		if n := strings.Count(page, `src="../assets/widgets.js"`); n != 1 {
			t.Errorf("%s loads the widgets %d times", id, n)
		}
	}
	for _, p := range cited.Documents {
		page := files[p.Key+".html"]
		if n := strings.Count(page, `<div class="widget `); p.Diagram != "" && n != 1 || n != strings.Count(page, `src="assets/widgets.js"`) {
			t.Errorf("the page of %s has %d pictures", p.Key, n)
		}
		if id, _, _ := strings.Cut(p.Diagram, "#"); p.Diagram != "" && !strings.Contains(cut(t, page, `<div class="still">`, "</div></div>"),
			`<a href="`+id+`.html">`) {
			t.Errorf("the picture of %s does not lead to its numbers", p.Key)
		}
	}
	if strings.Contains(files["index.html"], "widgets.js") || strings.Contains(pageOf(t, "dasp/example5.html"), "widgets.js") {
		t.Error("a page without widgets loads them")
	}
}

// Every place on the page that the paper package's map names is there: the map is in its
// doc comment, read as text. A table or figure of the paper is there if it has a notebook.
func TestEveryAnchorOfTheMapIsOnThePage(t *testing.T) {
	for paper, places := range map[string]int{"dasp": 8, "ringsparse": 8, "codedsgd": 0} {
		doc := oktest.Must(os.ReadFile(filepath.FromSlash("../papers/" + paper + "/doc.go")))(t)
		anchors := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^//\t\S.* \(`+paper+`(\S+)\)$`).FindAllStringSubmatch(string(doc), -1) {
			anchors[m[1]] = true
		}
		if paper == "codedsgd" { // every number that a Source: line can name
			for i := 1; i <= 30; i++ {
				anchors[fmt.Sprint("/code.html#eq", i)] = true
			}
			for i := 1; i <= 4; i++ {
				anchors[fmt.Sprint("/code.html#alg", i)] = true
			}
			for _, s := range []string{"1", "2", "2.1", "2.2", "2.3", "2.4", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.2.4", "3.2.5", "4"} {
				anchors[".html#s"+s] = true
			}
		}
		if len(anchors) < places {
			t.Errorf("the map of papers/%s names %d places, want at least %d", paper, len(anchors), places)
		}
		for a := range anchors {
			page, id, within := strings.Cut(a, "#")
			if !within { // a result's page, there if the result is
				if _, err := fs.Stat(wordFiles, "text/"+paper+strings.TrimSuffix(page, ".html")+".en.md"); err != nil {
					t.Errorf("the map of papers/%s: %v", paper, err)
				}
				continue
			}
			if n := strings.Count(wholePage(t, rendered, paper+page), fmt.Sprintf(` id="%s"`, id)); n != 1 {
				t.Errorf("the map of papers/%s names %s, the page has it %d times", paper, a, n)
			}
		}
	}
}

// A figure names what it draws in both languages, as text, and no script draws it again.
func TestFiguresAreText(t *testing.T) {
	page := wholePage(t, rendered, "compare/example-when.html")
	figure := cut(t, page, `<figure class="plot of-bar" id="example-when-bars"`, "</figure>")
	for _, m := range compared {
		if !strings.Contains(figure, ">"+m+"<") {
			t.Errorf("the figure does not name %s", m)
		}
	}
	if strings.Contains(page, "echarts") || strings.Contains(page, `id="chart-bases"`) {
		t.Error("a script draws the figure again")
	}
	if example := wholePage(t, rendered, "dasp/example5.html"); !strings.Contains(example, `<span class="zh" lang="zh">平均迭代时间 (s)</span>`) {
		t.Error("an axis has no Chinese title")
	}
}
