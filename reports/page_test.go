package reports

import (
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/cited"
	"gradsync/reports/page"
)

// element is a start tag of a page.
type element struct {
	Name  string
	Attrs map[string]string
}

// ownScripts are the scripts of a page that stands alone.
var ownScripts = regexp.MustCompile(`(?s)<script>.*?</script>`)

// elements parses a page as XML, which is stricter than HTML: every tag is
// closed, every attribute quoted, every & escaped.
func elements(t *testing.T, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(ownScripts.ReplaceAllString(page, "<script></script>")))
	d.Entity = xml.HTMLEntity
	var out []element
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			at := d.InputOffset()
			t.Fatalf("not well-formed: %v near %q", err, page[max(0, at-120):min(int64(len(page)), at+40)])
		}
		if s, ok := tok.(xml.StartElement); ok {
			e := element{s.Name.Local, map[string]string{}}
			for _, a := range s.Attr {
				e.Attrs[a.Name.Local] = a.Value
			}
			out = append(out, e)
		}
	}
}

// pageNames returns the pages of the examples.
func pageNames() []string {
	names := []string{"index.html", "ring.html", "ringsparse.html", "dasp.html", "codedsgd.html", "compare.html"}
	for _, r := range examples() {
		names = append(names, r.ID+".html")
	}
	return names
}

func TestPagesAreWellFormedAndLinksHit(t *testing.T) {
	oktest.Slow(t)
	for _, pages := range []func() (map[string]string, error){rendered, renderedTwins, renderedAlone} {
		files := oktest.Must(pages())(t)
		for name := range files {
			if path.Ext(name) == ".html" {
				linksHit(t, files, name)
			}
		}
	}
}

// linksHit demands that every id of a page is there once, that every link and reference
// inside the page finds one, and that every link to another page finds it and its place.
func linksHit(t *testing.T, files map[string]string, name string) {
	t.Helper()
	ids := map[string]bool{}
	var targets []string
	for _, e := range elements(t, files[name]) {
		if id := e.Attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("%s: id %q twice", name, id)
			}
			ids[id] = true
		}
		switch href := e.Attrs["href"]; {
		case strings.HasPrefix(href, "#"):
			targets = append(targets, href[1:])
		case href != "" && !strings.Contains(href, ":"):
			file, at, _ := strings.Cut(href, "#")
			file = path.Join(path.Dir(name), file)
			if other, ok := files[file]; !ok || at != "" && !strings.Contains(other, ` id="`+at+`"`) {
				t.Errorf("%s: %s leads nowhere", name, href)
			}
		}
		for _, ref := range []string{"aria-labelledby", "data-copy", "headers", "for"} {
			if to := e.Attrs[ref]; to != "" {
				targets = append(targets, to)
			}
		}
	}
	if len(targets) == 0 {
		t.Errorf("%s: no link inside the page", name)
	}
	for _, to := range targets {
		if !ids[to] {
			t.Errorf("%s: nothing has the id %q", name, to)
		}
	}
}

// A page reaches no address: only a reader's click on a link may.
func TestPagesMakeNoRequest(t *testing.T) {
	files := oktest.Must(rendered())(t)
	for _, name := range pageNames() {
		policy := false
		for _, e := range elements(t, files[name]) {
			for key, v := range e.Attrs {
				if strings.Contains(v, "://") && key != "xmlns" && key != "xlink" && !(e.Name == "a" && key == "href") {
					t.Errorf("%s: <%s %s=%q>", name, e.Name, key, v)
				}
			}
			if src := e.Attrs["src"]; src != "" || e.Name == "link" && e.Attrs["rel"] == "stylesheet" {
				if file := path.Join(path.Dir(name), src+e.Attrs["href"]); files[file] == "" {
					t.Errorf("%s asks for %s, which was not written", name, file)
				}
			}
			policy = policy || strings.HasPrefix(e.Attrs["content"], "default-src 'none'; script-src 'self' file:;")
			for key := range e.Attrs {
				if strings.HasPrefix(key, "on") {
					t.Errorf("%s: <%s> carries a script in %s, which the policy refuses", name, e.Name, key)
				}
			}
		}
		if !policy {
			t.Errorf("%s: no policy that forbids requests", name)
		}
	}
	if css := files["assets/report.css"]; strings.Contains(strings.ReplaceAll(css, "xmlns='http://www.w3.org/2000/svg'", ""), "://") ||
		strings.Contains(css, "@import") {
		t.Error("the style sheet names an address")
	}
}

// Words of labels and notebooks can end no script and start none.
func TestWordsCannotBreakOut(t *testing.T) {
	page := wholePage(t, rendered, "dasp/example5.html")
	for _, raw := range []string{"<script>alert", "<b>tags", "<b>标签", "<i>in</i>"} {
		if strings.Contains(page, raw) {
			t.Errorf("%s went through unescaped", raw)
		}
	}
	if !strings.Contains(page, "VGG &lt;b&gt;tags&lt;/b&gt; &amp; &lt;/script&gt;") {
		t.Error("a label lost its words")
	}
	scripts := 0
	for _, e := range elements(t, page) {
		if e.Name == "script" {
			scripts++
		}
	}
	if want := 1; scripts != want { // report.js
		t.Errorf("%d script elements, want %d", scripts, want)
	}
}

func TestFormulasAreWellFormedMathML(t *testing.T) {
	s := oktest.Must(page.NewScripts())(t)
	var all []cited.Formula
	for _, p := range cited.Documents {
		all = append(all, p.Formulas...)
	}
	if len(all) < 20 {
		t.Fatalf("%d formulas", len(all))
	}
	for _, f := range all {
		m, err := s.MathML(f.TeX)
		if err != nil {
			t.Errorf("%s: %v", f.ID, err)
			continue
		}
		if es := elements(t, m); es[0].Name != "math" || es[0].Attrs["display"] != "block" {
			t.Errorf("%s: begins with <%s>", f.ID, es[0].Name)
		}
		if !strings.Contains(m, `encoding="application/x-tex"`) {
			t.Errorf("%s: carries no TeX", f.ID)
		}
	}
	if _, err := s.MathML(`\nosuchcommand x`); err == nil {
		t.Error("an unknown TeX command passed in silence")
	}
}

// A figure is drawn once, and its drawing is hidden from whoever hears the page, who hears its name.
func TestDrawings(t *testing.T) {
	all := ""
	for fig, form := range map[string]string{"example5-bars": "bar", "example-fig4-accuracy": "line", "example-fig2-lanes": "gantt"} {
		page := pageOf(t, "dasp/"+fig[:strings.LastIndex(fig, "-")]+".html")
		figure := cut(t, page, `<figure class="plot of-`+form+`" id="`+fig+`"`, "</figure>")
		if !strings.Contains(figure, `<div role="img" aria-label="`) {
			t.Errorf("%s has no name", fig)
		}
		if regexp.MustCompile(`NaN|undefined|Inf`).MatchString(figure) {
			t.Errorf("%s: a coordinate is no number", fig)
		}
		all += figure
	}
	for what, want := range map[string]string{
		"a method's dash": `stroke-dasharray="8 4"`, "an interval of a bar": `<s style="--a:`,
		"bands of a lane": `<path class="f" fill="#`, "the slow worker's name": "worker 6 (slow)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the drawings lack %s (%s)", what, want)
		}
	}
}

// The first screen of a document has its answer, what was lost and what was counted, before any chapter; every
// page of it leads to all others.
func TestTheAnswerStandsFirst(t *testing.T) {
	for _, name := range pageNames()[1:5] { // the documents'
		page, at := pageOf(t, name), 0
		for _, part := range []string{`<h1>`, `class="lede"`, `class="answer" id="answer"`, `class="tallied"`, `id="lost"`, `<section aria-labelledby="idea">`,
			`<section aria-labelledby="scoreboard">`, `<section aria-labelledby="why">`, `<section aria-labelledby="trust">`, `<section aria-labelledby="cite">`} {
			to := strings.Index(page, part)
			if to < at {
				t.Errorf("%s: %s stands at %d, after what stands at %d", name, part, to, at)
			}
			at = to
		}
		key := strings.TrimSuffix(name, ".html")
		for _, other := range []string{key + "/claims.html", key + "/code.html", key + "/assumptions.html", key + "/provenance.html"} {
			if !strings.Contains(cut(t, page, `<ul class="pages">`, "</ul>"), `href="`+other+`"`) || !strings.Contains(pageOf(t, other), `href="../`+name+`"`) {
				t.Errorf("%s does not lead to %s and back", name, other)
			}
		}
	}
}
