package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/reports/ran"
)

// A story draws any frame of a result that is there, in the words of both languages.
func TestAStoryDrawsFrames(t *testing.T) {
	raw, err := result.Read(result.Path("../experiments/results", "dasp/table7", "standard"))
	if err != nil {
		t.Fatal(err)
	}
	book, err := openBook()
	if err != nil {
		t.Fatal(err)
	}
	page, err := book.Page(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRenderer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.all = map[string][]loaded{"dasp": {{File: ran.File{Result: raw, Stem: "table7"}, Page: page}}}
	words := []string{"dasp/table7", "standard", "sooner", "bar", "convergence", "x=model", "y=over_bsp", "by=method", "platform=heterogeneous6"}
	html, err := r.component("plot", words, teller{})
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{`id="plot-sooner"`: 1, `<div style="--c:`: 15, `data-zh-aria-label="BSP = 1：LeNet-5 BSP 1；`: 1, "<figcaption>": 0, `<p class="yt">BSP = 1</p>`: 1} {
		if got := strings.Count(string(html), what); got != n {
			t.Errorf("%d of %s, want %d:\n%s", got, what, n, html)
		}
	}
	words[1] = "quick"
	if html, err := r.component("plot", words, teller{}); html != "" || err != nil {
		t.Errorf("of a profile that is not there: %q, %v", html, err)
	}
	words[1], words[5] = "standard", "x=nothing"
	if _, err := r.component("plot", words, teller{}); err == nil {
		t.Error("a column that is not there is drawn")
	}
}
