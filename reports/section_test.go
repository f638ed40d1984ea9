package reports

import (
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// Sections of the paper's own tables and figures carry its numbers, in the
// contents and in their heads; sections of ours do not.
func TestSectionsCarryThePapersNumbers(t *testing.T) {
	for source, want := range map[string]string{
		"DASP, Table 4": "Table 4", "DASP, Fig. 12": "Fig. 12", "ours: the thresholds (DASP, Table 3) are lost": "",
		"Zhao et al., ICDCS 2019, Table I": "", "DASP, 3.2": "",
	} {
		if got := paperNumber(source); got != want {
			t.Errorf("%q is numbered %q, want %q", source, got, want)
		}
	}
	page := wholePage(t, rendered, "dasp.html")
	for _, want := range []string{`<li><a href="dasp/example1.html">Table 1 · Example: assumed devices</a></li>`,
		`<a href="dasp/example-fig2.html">Fig. 2 · Example: who`} {
		if !strings.Contains(english(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(page, `<span class="zh" lang="zh">表 1</span>`) ||
		!strings.Contains(wholePage(t, rendered, "dasp/example1.html"), `<span class="zh" lang="zh">表 1</span>`) {
		t.Error("the number of a table is not in Chinese")
	}
}

// The badge of a section names every kind that is in it.
func TestBadgeNamesEveryKind(t *testing.T) {
	r := &result.Result{Kind: result.Trained, Frames: []result.Frame{{Kind: result.Modelled}, {}, {Kind: result.TimingOnly}}}
	if got := typeset.InWords(page.KindsOf(r)); got != "timing-only, trained and modelled" {
		t.Errorf("kinds %q", got)
	}
	for k := range page.Kinds {
		if got := page.KindsOf(&result.Result{Kind: k}); !slices.Equal(got, []string{k}) {
			t.Errorf("a result of kind %s has the badge %q", k, got)
		}
	}
	root, a := t.TempDir(), exampleTimes()
	a.Frames[0].Kind = result.Trained
	put(t, root, a)
	files := oktest.Must(renderFrom(root, false))(t)
	meta := cut(t, english(files["dasp/example5.html"]), `<p class="meta">`, "</p>")
	if !strings.Contains(meta, `<span class="kind">timing-only</span> + <span class="kind">trained</span> each table and figure says which`) {
		t.Errorf("the line of the result reads %s", meta)
	}
	if box := cut(t, english(files["dasp/example5.html"]), `<div class="caption">`, "</div>"); !strings.HasPrefix(box, `<span class="kind">trained</span> `) {
		t.Errorf("the table does not say of which kind it is: %s", box)
	}
	if box := cut(t, pageOf(t, "dasp/example5.html"), `<figcaption>`, "</figcaption>"); strings.Contains(box, `class="kind"`) {
		t.Errorf("a figure repeats the kind of all: %s", box)
	}
	if meta := cut(t, pageOf(t, "dasp/example1.html"), `<p class="meta">`, "</p>"); !strings.Contains(meta, `<span class="kind">stated</span> assumptions`) {
		t.Errorf("a result of one kind does not explain it: %s", meta)
	}
}
