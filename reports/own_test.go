package reports

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// ownSamples are comparisons as gradsync compare writes them: trained, and along an axis.
var ownSamples = []string{"sample", "links"}

func ownRoot(name string) string { return filepath.Join("..", "experiments", "own", "testdata", name) }

// A comparison of somebody's own is one page in both languages: the answer, the table, a figure, time lines,
// what was run and whom to cite, and no claim. In a single file it loads nothing, and it links no other page.
func TestOwnPage(t *testing.T) {
	for _, name := range ownSamples {
		dir := t.TempDir()
		pages, err := Render(Options{Results: ownRoot(name), Out: dir, Experiment: "own/" + name, SingleFile: true})
		oktest.Nil(t, err)
		if len(pages) != 1 || pages[0] != filepath.Join(dir, "own", name+".html") {
			t.Fatalf("%s: pages %q, want the one to hand in", name, pages)
		}
		if all, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(all) != 1 {
			t.Errorf("%s: files %q beside the page", name, all)
		}
		raw := oktest.Must(os.ReadFile(pages[0]))(t)
		ownHas(t, name, string(raw))
		standsAlone(t, name, raw)
	}
}

// ownHas checks what a page of somebody's own comparison says, and what it does not.
func ownHas(t *testing.T, name, page string) {
	t.Helper()
	for _, want := range []string{`class="plot of-gantt"`, `class="plot of-line"`, `<table class="data"`, `<section id="cite">`, `@software{gradsync,`,
		"<h2>" + string(said{"What I ran", "我运行了什么"}.HTML()), "gradsync compare --sync dasp,",
		string(said{"Seed by seed", "逐个种子"}.HTML()), string(said{"reference", "参照"}.HTML())} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: the page has no %s", name, want)
		}
	}
	for _, never := range []string{`<table class="compare`, `class="chip`, `provenance.html`, "Why each verdict", ">quick", "quick:", "\x02"} {
		if body := page[strings.Index(page, "<main"):]; strings.Contains(body, never) {
			t.Errorf("%s: the page has %q", name, never)
		}
	}
}

// loading are the attributes by which a page loads or links something.
var loading = []string{"src", "href", "srcset", "action", "data", "poster"}

// remote is an address that a style would load.
var remote = regexp.MustCompile(`url\(['"]?(?:https?:)?//|@import`)

// scripts matches the scripts that a page holds.
var scripts = regexp.MustCompile(`(?s)<script>.*?</script>`)

// standsAlone checks that a page loads nothing and links nothing but parts of itself.
func standsAlone(t *testing.T, name string, page []byte) {
	t.Helper()
	if remote.Match(page) {
		t.Errorf("%s: a style loads from the network", name)
	}
	d := xml.NewDecoder(bytes.NewReader(scripts.ReplaceAll(page, nil)))
	d.Strict, d.Entity = false, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if slices.Contains(loading, a.Name.Local) && !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "data:") {
				t.Errorf("%s: <%s %s=%q>", name, e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

// Among the other pages an own comparison is linked from the index, and links no page that is not made.
func TestOwnAmongPages(t *testing.T) {
	out := oktest.Must(Files(Options{Results: ownRoot("sample")}))(t)
	page, index := string(out["own/sample.html"]), string(out["index.html"])
	if !strings.Contains(index, `<a href="own/sample.html">`) {
		t.Error("the index does not link it")
	}
	if strings.Contains(page, "own.html") || strings.Contains(page, "own/provenance") || !strings.Contains(page, `href="../index.html"`) {
		t.Error("it links a page that is not there, or not the index")
	}
	ownHas(t, "sample", page)
}

// The notebook of an own comparison for Jupyter is well formed in both languages; its first command is the one that
// made the result.
func TestOwnJupyter(t *testing.T) {
	oktest.Slow(t)
	dir, root := t.TempDir(), ownRoot("sample")
	all := oktest.Must(load(root))(t)
	e := all[notebook.Own]
	for l, raw := range jupytersOf(t, root, e) {
		lang := notebook.Languages[l]
		n := wellFormed(t, lang, raw)
		text, code := n.said("markdown"), n.said("code")
		if a, b := n.shows("text/html"), n.shows("image/png")+n.shows("image/svg+xml"); a != 4 || b != 1+len(e[0].Frame("lines").Rows) {
			t.Errorf("%s: %d tables and %d figures", lang, a, b)
		}
		if !strings.HasPrefix(code, "!gradsync compare --sync dasp,") || !strings.Contains(code, "export own/sample --results "+filepath.ToSlash(root)) ||
			!strings.Contains(text, "@software{gradsync,") || strings.Contains(code, "claims") {
			t.Errorf("%s: another command, no citation, or claims:\n%s", lang, code)
		}
		oktest.Nil(t, os.WriteFile(filepath.Join(dir, lang+".ipynb"), raw, 0o600))
	}
	validate(t, dir)
}

// What may become of a comparison is told in a sentence each: every finding, one seed, a name that no label has.
func TestOwnFindings(t *testing.T) {
	for finding, want := range map[string]said{
		"sooner": {"Sooner than DASP: ASP (0.414 of its time", "比 DASP 快：ASP"}, "later": {"Later than DASP: ASP", "比 DASP 慢：ASP"},
		"cannot": {"Cannot tell from DASP: ASP", "与 DASP 相比无法判断：ASP"}, "no-case": {"No case, the same as DASP", "逐位相同：ASP"},
		"never": {"Neither DASP nor these ever have the accuracy: ASP", "从未达到该准确率：ASP"}, "diverged": {"Diverged, a loss or parameter", "发散，出现无穷大"},
		"failed": {"Could not be run: ASP", "无法运行：ASP"}, "unpaired": {"Not compared, because DASP", "而未作比较：ASP"}, "alone": {"From one seed", "只有一个种子"},
	} {
		r := oktest.Must(result.Read(filepath.Join(ownRoot("sample"), "own", "sample.json")))(t)
		f := r.Frame("methods")
		f.Rows = f.Rows[:2]
		f.Rows[1][f.At("finding")] = finding
		if finding == "alone" {
			r.Seeds = r.Seeds[:1]
		}
		p, err := Presented(r)
		if err != nil {
			t.Errorf("%s: %v", finding, err)
			continue
		}
		for l := range want {
			if text := p.Text(l); !strings.Contains(text, want[l]) {
				t.Errorf("%s: no %q in\n%.600s", finding, want[l], text)
			}
		}
	}
}

// A policy and a cluster of the student's have no label: their names are printed.
func TestOwnNames(t *testing.T) {
	r := oktest.Must(result.Read(filepath.Join(ownRoot("sample"), "own", "sample.json")))(t)
	for i := range r.Frames {
		f := &r.Frames[i]
		for k, c := range f.Columns {
			for _, row := range f.Rows {
				if c.Enum == "method" && row[k] == "asp" {
					row[k] = "weighty"
				}
			}
		}
	}
	for i := range r.Figures {
		if f := &r.Figures[i]; f.ID == "timeline-asp" {
			f.ID, f.Where = "timeline-weighty", map[string]any{"method": "weighty"}
		}
	}
	p := oktest.Must(Presented(r))(t)
	for l := range p.Title {
		if !strings.Contains(p.Title[l], "weighty") {
			t.Errorf("title %q", p.Title[l])
		}
	}
}
