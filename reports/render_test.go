package reports

import (
	"bytes"
	"encoding/json"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	result "gradsync/experiments/result1"
)

const fixtures = "testdata/results"

// rendered is one render of the fixture that many tests read.
var rendered = sync.OnceValues(func() (map[string]string, error) { return renderInto(false) })

func renderInto(single bool) (map[string]string, error) { return renderFrom(fixtures, single) }

func renderFrom(root string, single bool) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "reports")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := Render(Options{Results: root, Out: dir, SingleFile: single, Command: "gradsync report"}); err != nil {
		return nil, err
	}
	return readTree(dir)
}

func readTree(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	return files, err
}

func pageOf(t *testing.T, name string) string {
	t.Helper()
	files, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	page, ok := files[name]
	if !ok {
		t.Fatalf("no %s was written", name)
	}
	return english(page)
}

// english is what a reader of English sees of a page: without the Chinese, and without
// the spans around the English.
func english(page string) string {
	var b strings.Builder
	var open []string // the tags that are not closed yet
	from, hidden := 0, 0
	for _, m := range spans.FindAllStringIndex(page, -1) {
		tag := page[m[0]:m[1]]
		closed := tag == "</span>"
		if closed && len(open) > 0 {
			tag, open = open[len(open)-1], open[:len(open)-1]
		} else {
			open = append(open, tag)
		}
		if tag != spanZH && tag != spanEN {
			continue
		}
		if hidden == 0 {
			b.WriteString(page[from:m[0]])
		}
		from = m[1]
		switch {
		case tag == spanZH && closed:
			hidden--
		case tag == spanZH:
			hidden++
		}
	}
	return b.String() + page[from:]
}

const spanEN, spanZH = `<span class="en">`, `<span class="zh" lang="zh">`

var spans = regexp.MustCompile(`</?span\b[^>]*>`)

// claimOn is what a page says of a claim: its row, and what its section says.
func claimOn(t *testing.T, page, id string) string {
	t.Helper()
	m := regexp.MustCompile(`id="why-([a-z0-9-]+-` + slug(id) + `)"`).FindStringSubmatchIndex(page)
	if m == nil {
		t.Fatalf("no section speaks of claim %s", id)
	}
	why := page[m[0]:]
	common := page[strings.LastIndex(page[:m[0]], `<div class="shows">`):m[0]]
	common = common[:strings.Index(common+` id="why-`, ` id="why-`)]
	return cut(t, page, `id="claim-`+page[m[2]:m[3]]+`"`, "</tbody>") + common + why[:strings.Index(why, "</li>")]
}

// The same results give the same bytes: again, from a copy in another folder, with
// another number of threads.
func TestRenderTwiceGivesTheSameBytes(t *testing.T) {
	first, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(fixtures)); err != nil {
		t.Fatal(err)
	}
	threads := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(threads)
	other := 1
	if threads == 1 {
		other = 2
	}
	runtime.GOMAXPROCS(other)
	again, err := renderFrom(copied, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != len(again) {
		t.Fatalf("%d files, then %d", len(first), len(again))
	}
	for name, text := range first {
		if again[name] != text {
			t.Errorf("GOMAXPROCS %d, then %d: %s differs between two renders", threads, other, name)
		}
	}
}

func TestSingleFileStandsAlone(t *testing.T) {
	files, err := renderInto(true)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 7 {
		t.Errorf("%d files, want an index, five pages, the playground and nothing beside them", len(files))
	}
	page := files["dasp.html"]
	frame, _, _ := strings.Cut(page, "<title>")
	for _, script := range []string{reportJS, echartsJS} {
		// The browser compares the hash with the bytes between the tags.
		if !strings.Contains(page, "<script>"+script+"</script>") {
			t.Error("a script was changed on its way into the page, so its hash refuses it")
		}
		if !strings.Contains(html.UnescapeString(frame), hash(script)) {
			t.Error("the policy does not allow the page's own script")
		}
	}
	for _, outside := range []string{`src="assets`, `href="assets`, `href="data/`, "url(\"stix"} {
		if strings.Contains(page, outside) {
			t.Errorf("the single file still refers to %s", outside)
		}
	}
}

// Every claim of the files stands in the page with its words and its verdict.
func TestEveryClaimAppears(t *testing.T) {
	n := 0
	for _, r := range fixture() {
		page := pageOf(t, pageName(r))
		for _, c := range r.Claims {
			n++
			row := claimOn(t, page, c.ID)
			v, _ := findVerdict(c.Verdict)
			paper, ours := claimValues(c)
			claim, _ := splitAsides(c.Statement)
			words := []string{pretty(claim), c.Source, v.Word, `class="chip v-` + c.Verdict + `"`, paper, ours}
			for _, w := range slices.Concat(words, strings.Split(c.Why, "; "), c.Differs) {
				if !strings.Contains(row, w) && !strings.Contains(row, html.EscapeString(w)) && !strings.Contains(row, pretty(w)) {
					t.Errorf("claim %s: its row lacks %q", c.ID, w)
				}
			}
		}
	}
	if n != 14 {
		t.Errorf("the fixture has %d claims, this test was written for 14", n)
	}
}

// pageName is the page of a result.
func pageName(r *result.Result) string {
	paper, _, _ := strings.Cut(r.ID, "/")
	return paper + ".html"
}

func TestEveryNoteTableAndFigureAppears(t *testing.T) {
	for _, r := range fixture() {
		page := pageOf(t, pageName(r))
		paper, stem, _ := strings.Cut(r.ID, "/")
		words := append([]string{">bin/gradsync run " + r.ID + " --profile quick", `id="` + stem + `"`, `id="prov-` + stem + `"`, r.ConfigSHA256}, r.Notes...)
		for _, tb := range r.Tables {
			words = append(words, tb.Title, tb.Caption, "data/"+paper+"/"+stem+"-"+tb.ID+".csv")
		}
		for _, f := range r.Figures {
			words = append(words, html.EscapeString(f.Title), f.Caption, html.EscapeString(f.Alt), "data/"+paper+"/"+stem+"-"+f.ID+".csv")
		}
		unlinked := regexp.MustCompile(`</?a\b[^>]*>`).ReplaceAllString(page, "")
		for _, w := range words {
			if !strings.Contains(page, tie(w)) && !strings.Contains(unlinked, tie(w)) {
				t.Errorf("%s: the page lacks %q", r.ID, w)
			}
		}
	}
	if !strings.Contains(pageOf(t, "dasp.html"), "is incomplete") {
		t.Error("nothing says that one result is incomplete")
	}
}

func TestUnbuiltPapersSaySo(t *testing.T) {
	root := t.TempDir()
	for _, r := range fixture() {
		if paper, _, _ := strings.Cut(r.ID, "/"); paper != "codedsgd" && paper != "compare" {
			put(t, filepath.Join(root, filepath.FromSlash(r.ID)+".json"), r)
		}
	}
	files, err := renderFrom(root, false)
	if err != nil {
		t.Fatal(err)
	}
	page := files["index.html"]
	if n := strings.Count(page, "No result of this document is here"); n != 1 {
		t.Errorf("%d documents are called not built yet, want 1", n)
	}
	for _, built := range []string{"ring", "ringsparse", "dasp"} {
		if !strings.Contains(page, `href="`+built+`.html"`) {
			t.Errorf("the index has no link to %s.html", built)
		}
	}
	for _, missing := range []string{"codedsgd", "compare"} {
		for name, text := range files {
			if strings.Contains(text, `href="`+missing+`.html`) {
				t.Errorf("%s links to %s.html, which does not exist", name, missing)
			}
		}
	}
	if strings.Contains(pageOf(t, "index.html"), "No result of this document is here") {
		t.Error("a document is called not built though all are")
	}
}

// A result that a page would show wrongly stops the render with one line that
// names the file, and the pages of before stay.
func TestBadResultsAreRefused(t *testing.T) {
	cases := map[string]struct {
		harm func(*result.Result)
		want string
	}{
		"verdict":  {func(r *result.Result) { r.Claims[0].Verdict = "passed" }, `claim X01: unknown verdict "passed"`},
		"schema":   {func(r *result.Result) { r.Schema = "v0" }, `schema is "v0"`},
		"kind":     {func(r *result.Result) { r.Kind = "guessed" }, `unknown kind "guessed"`},
		"status":   {func(r *result.Result) { r.Status = "" }, "status"},
		"cells":    {func(r *result.Result) { r.Tables[0].Rows[0] = r.Tables[0].Rows[0][:2] }, "row 0 has 2 cells"},
		"twice":    {func(r *result.Result) { r.Claims[1].ID = "X01" }, "repeated id"},
		"interval": {func(r *result.Result) { r.Claims[1].CI95 = &[2]float64{2, 1} }, "interval from 2 to 1"},
		"form":     {func(r *result.Result) { r.Figures[0].Form = "pie" }, `unknown form "pie"`},
		"places":   {func(r *result.Result) { r.Figures[0].Series[0].Y = nil }, "0 values for 3 places"},
		"words":    {func(r *result.Result) { r.Figures[0].Alt, r.Figures[0].Caption = "", "" }, "no text alternative"},
		"id":       {func(r *result.Result) { r.ID = "dasp/other" }, "the file's place says"},
		"profile":  {func(r *result.Result) { r.Profile = "paper" }, "the file's place says"},
		"script":   {func(r *result.Result) { r.Figures[0].Series[0].Name = "__f__alert(1)__f__" }, "register the function by name"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := exampleTimes()
			c.harm(r)
			root, out := t.TempDir(), t.TempDir()
			put(t, filepath.Join(root, "dasp", "example5.json"), r)
			before := filepath.Join(out, "dasp.html")
			if err := os.WriteFile(before, []byte("the page of before"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Render(Options{Results: root, Out: out})
			if err == nil {
				t.Fatal("rendered")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "reports: ") {
				t.Errorf("error %q, want one line with %q", err, c.want)
			}
			if b, _ := os.ReadFile(before); string(b) != "the page of before" {
				t.Error("the failed render touched the page")
			}
		})
	}
}

// A table and a figure of one name keep their anchors and their data apart.
func TestATableAndAFigureOfOneName(t *testing.T) {
	r := exampleTimes()
	r.Figures[0].ID = r.Tables[0].ID
	root, out := t.TempDir(), t.TempDir()
	put(t, filepath.Join(root, "dasp", "example5.json"), r)
	if _, err := Render(Options{Results: root, Out: out}); err != nil {
		t.Fatal(err)
	}
	files, err := readTree(out)
	if err != nil {
		t.Fatal(err)
	}
	linksHit(t, "dasp.html", files["dasp.html"])
	if files["data/dasp/example5-times.csv"] == "" || files["data/dasp/example5-times-figure.csv"] == "" {
		t.Error("one of the two data files is missing")
	}
}

func put(t *testing.T, file string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUnchangedFilesAreNotWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	out := outputs{"a/b.txt": []byte("one")}
	if err := out.write(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a", "b.txt")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := out.write(dir); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(file); st.Mode().Perm() != 0o444 {
		t.Error("the same bytes were written again")
	}
	out["a/b.txt"] = []byte("two")
	if err := out.write(dir); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(file)
	if left, _ := filepath.Glob(filepath.Join(dir, "a", ".writing-*")); !bytes.Equal(b, []byte("two")) || len(left) > 0 {
		t.Errorf("file holds %q, temporary files left: %v", b, left)
	}
}
