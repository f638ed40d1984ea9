package reports

import (
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
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
	page := pageOf(t, "dasp.html")
	for _, want := range []string{`<li><a href="#example1">Table 1 · Example: assumed devices</a></li>`, `<a class="anchor" href="#example-fig2">Fig. 2 · Example: who`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The badge of a section names every kind that is in it.
func TestBadgeNamesEveryKind(t *testing.T) {
	r := &result.Result{Kind: result.Trained, Tables: []result.Table{{Kind: result.Modelled}, {}}, Figures: []result.Figure{{Kind: result.TimingOnly}}}
	if got := inWords(kindsOf(r)); got != "timing-only, trained and modelled" {
		t.Errorf("kinds %q", got)
	}
	for k := range kinds {
		if got := kindsOf(&result.Result{Kind: k}); !slices.Equal(got, []string{k}) {
			t.Errorf("a result of kind %s has the badge %q", k, got)
		}
	}
	a := exampleTimes() // its table and figure are timing-only
	a.Kind = result.Trained
	root := t.TempDir()
	if _, err := result.Write(root, a, nil); err != nil {
		t.Fatal(err)
	}
	files, err := renderFrom(root, false)
	if err != nil {
		t.Fatal(err)
	}
	meta := cut(t, cut(t, english(files["dasp.html"]), `<section class="result"`, "</section>"), `<p class="meta">`, "</p>")
	if !strings.Contains(meta, `<span class="kind">timing-only</span> + <span class="kind">trained</span> each table and figure says which`) {
		t.Errorf("the line of the section reads %s", meta)
	}
	if meta := cut(t, cut(t, pageOf(t, "dasp.html"), `id="example1"`, "</section>"), `<p class="meta">`, "</p>"); !strings.Contains(meta, `<span class="kind">stated</span> assumptions`) {
		t.Errorf("a section of one kind does not explain it: %s", meta)
	}
}
