package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
	"gradsync/reports/ran"
)

// A story draws any frame of a result that is there, in the words of both languages.
func TestAStoryDrawsFrames(t *testing.T) {
	raw := oktest.Must(result.Read(result.Path("../experiments/results", "dasp/table7", "standard")))(t)
	book := oktest.Must(openBook())(t)
	page := oktest.Must(book.Page(raw, nil))(t)
	r := oktest.Must(newRenderer(Options{}))(t)
	own := loaded{File: ran.File{Result: raw, Stem: "table7"}, Page: page}
	r.all = map[string][]loaded{"dasp": {own}}
	words := []string{"dasp/table7", "standard", "sooner", "bar", "convergence", "x=model", "y=over_bsp", "by=method", "platform=heterogeneous6"}
	html := oktest.Must(r.component("plot", words, teller{}))(t)
	for what, n := range map[string]int{`id="plot-sooner"`: 1, `<div style="--c:`: 15, `data-zh-aria-label="BSP = 1：LeNet-5 BSP 1；`: 1,
		"<figcaption>": 0, "<p class=\"yt\">BSP\u00a0=\u00a01</p>": 1} {
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

// Rows of any frame stand on one axis: what was found with its interval, what is stated beside it, what other
// readings give behind it, and a line at no effect. Of a page's own result it is the page's profile.
func TestRowsOfAFrameOnAStrip(t *testing.T) {
	book, err := openBook()
	oktest.Nil(t, err)
	raw := &result.Result{ID: "dasp/table7", Profile: "standard", Status: result.Complete, Frames: []result.Frame{{ID: "convergence",
		Columns: []result.Column{{Key: "model", Enum: "model"}, {Key: "method", Enum: "method"}, {Key: "dasp_over"}, {Key: "low", Bound: result.Low},
			{Key: "high", Bound: result.High}, {Key: "stated"}, {Key: "least"}, {Key: "most"}},
		Rows: [][]any{{"lenet5", "bsp", 0.55, 0.31, 0.98, 0.6, 0.2, 1.2}, {"lenet5", "asp", 1.4, 1.1, 1.7, nil, nil, nil}, {"resnet18", "bsp", nil, nil,
			nil, nil, nil, nil},
			{"resnet18", "asp", 1.3, nil, nil, 0.7, nil, nil}, {"vgg19_bn", "asp", 9.0, nil, nil, nil, nil, nil}}}}}
	own := loaded{File: ran.File{Result: raw, Stem: "table7"}, Page: pageOn(t, book, raw)}
	r := oktest.Must(newRenderer(Options{}))(t)
	words := []string{"dasp/table7", "convergence", "name=method", "found=dasp_over", "group=model", "null=1", "model=lenet5,resnet18"}
	draw := func(words ...string) (string, error) {
		html, err := r.component("strip", words, teller{key: "dasp", own: &own})
		return string(html), err
	}
	html := oktest.Must(draw(append(words, "stated=stated", "band=least,most")...))(t)
	for what, n := range map[string]int{`<div class="strip"`: 3, `class="ci"`: 2, `<i class="stated" style`: 2, `<i class="band" style`: 1,
		`class="axis"`: 1, `class="of"`: 2,
		"(0.31 to 0.98)": 1, ">0.6</td>": 1, "--z:": 3, ">9<": 0, "other readings": 1, `class="chip`: 0} {
		if got := strings.Count(html, what); got != n {
			t.Errorf("%d of %s, want %d:\n%s", got, what, n, html)
		}
	}
	if html, err = draw(words...); err != nil || strings.Contains(html, "the paper") || strings.Contains(html, ">paper<") {
		t.Errorf("nothing is stated, %v:\n%s", err, html)
	}
	for _, wrong := range [][]string{{"name=method"}, {"name=method", "found=nothing"}, {"name=method", "found=dasp_over", "null=one"}, {"name",
		"found=dasp_over"},
		{"name=method", "found=dasp_over", "nothing=1"}} {
		if _, err := draw(append([]string{"dasp/table7", "convergence"}, wrong...)...); err == nil {
			t.Errorf("%q draws", wrong)
		}
	}
	own.ID = "dasp/table6"
	if html, err = draw(words...); html != "" || err != nil {
		t.Errorf("of a result that is not there: %q, %v", html, err)
	}
}

// pageOn returns the words of a result that was interrupted before its notebook had anything to say.
func pageOn(t *testing.T, b *notebook.Book, r *result.Result) *notebook.Page {
	t.Helper()
	return oktest.Must(b.Begun(r))(t)
}
