package reports

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/assets"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"
)

// exampleRoot is a folder that holds the examples, one of them with the record of its run.
var exampleRoot = sync.OnceValues(func() (string, error) { return written(examples()) })

// twinRoot holds the examples and their twins of another profile.
var twinRoot = sync.OnceValues(func() (string, error) { return written(slices.Concat(examples(), twins())) })

// written writes results to a folder that TestMain removes.
func written(rs []*result.Result) (string, error) {
	root, err := os.MkdirTemp(exampleFolders, "results")
	if err != nil {
		return "", err
	}
	for _, r := range rs {
		var run *result.Run
		if r.ID == "dasp/example5" && r.Profile == ran.DefaultProfile {
			run = &result.Run{Command: "gradsync run dasp/example5 --seeds 0,1,2", Commit: strings.Repeat("c", 40), Version: "v1.11", Go: "go1.11",
				Platform: "linux/amd64",
				CPU:      "an invented CPU", GOMAXPROCS: 2, Accelerator: "none used", Started: "2026-01-11T11:11:11Z", WallSeconds: 11.1, PeakRSSBytes: 111 << 20}
		}
		if _, err := result.Write(root, r, run); err != nil {
			return "", err
		}
	}
	return root, nil
}

// exampleFolders holds what tests share and write once.
var exampleFolders string

func TestMain(m *testing.M) {
	var err error
	if exampleFolders, err = os.MkdirTemp("", "reports"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(exampleFolders)
	os.Exit(code)
}

// rendered and renderedTwins are one render each that many tests read.
var (
	rendered      = sync.OnceValues(func() (map[string]string, error) { return renderShared(exampleRoot, false) })
	renderedTwins = sync.OnceValues(func() (map[string]string, error) { return renderShared(twinRoot, false) })
	renderedAlone = sync.OnceValues(func() (map[string]string, error) { return renderShared(exampleRoot, true) })
)

func renderShared(root func() (string, error), single bool) (map[string]string, error) {
	dir, err := root()
	if err != nil {
		return nil, err
	}
	return renderFrom(dir, single)
}

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
	return english(wholePage(t, rendered, name))
}

func pageOfTwins(t *testing.T, name string) string {
	t.Helper()
	oktest.Slow(t)
	return english(wholePage(t, renderedTwins, name))
}

// wholePage returns a page in both languages.
func wholePage(t *testing.T, pages func() (map[string]string, error), name string) string {
	t.Helper()
	files := oktest.Must(pages())(t)
	page, ok := files[name]
	if !ok {
		t.Fatalf("no %s was written", name)
	}
	return page
}

// cut returns the text between two marks, which must be there.
func cut(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	found, _, closed := strings.Cut(rest, to)
	if !ok || !closed {
		t.Fatalf("no %q followed by %q", from, to)
	}
	return found
}

// english cuts a page to what a reader of English sees: without the Chinese, and without what marks the English.
func english(page string) string {
	var b strings.Builder
	var open []string // the tags that are not closed yet
	from, hidden := 0, 0
	for _, m := range spans.FindAllStringIndex(page, -1) {
		tag := page[m[0]:m[1]]
		closed := strings.HasPrefix(tag, "</")
		if closed && len(open) > 0 {
			tag, open = open[len(open)-1], open[:len(open)-1]
		} else {
			open = append(open, tag)
		}
		zh := strings.HasSuffix(tag, ` class="zh" lang="zh">`)
		if !zh && !strings.HasSuffix(tag, ` class="en">`) {
			continue
		}
		if hidden == 0 {
			b.WriteString(page[from:m[0]])
		}
		from = m[1]
		switch {
		case zh && closed:
			hidden--
		case zh:
			hidden++
		}
	}
	return b.String() + page[from:]
}

var spans = regexp.MustCompile(`</?(?:span|div)\b[^>]*>`)

// claimOn returns what a result's page says of a claim: its row, and its reasons.
func claimOn(t *testing.T, page, id string) string {
	t.Helper()
	out := cut(t, page, `<tr id="`+id+`"`, "</tr>")
	for _, row := range regexp.MustCompile(`(?s)<table class="why">.*?</table>`).FindAllString(page, -1) {
		for _, line := range strings.Split(row, "<tr>") {
			if strings.Contains(line, "<span>"+id+"</span>") {
				out += line
			}
		}
	}
	return out
}

// The same results give the same bytes: again, from a copy in another folder, with
// another number of threads.
func TestRenderTwiceGivesTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	first, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	root, err := exampleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(root)); err != nil {
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

// Every page alone holds scripts, styles and font; beside it lie the other pages only.
func TestSingleFileStandsAlone(t *testing.T) {
	oktest.Slow(t)
	files := oktest.Must(renderedAlone())(t)
	// an index, five stories, the playground, coursework, the GPUs, four pages of each document, two of the comparison, and the
	// results
	if want := 9 + 4*4 + 2 + len(examples()); len(files) != want {
		t.Errorf("%d files, want %d pages and nothing beside them", len(files), want)
	}
	for name, scripts := range map[string][]string{"dasp.html": {"report.js"}, "dasp/example5.html": {"report.js"}} {
		page := files[name]
		frame, _, _ := strings.Cut(page, "<title>")
		for _, file := range scripts {
			js := oktest.Must(assets.ReadFile(file))(t)
			script := string(js)
			sum := sha256.Sum256(js)
			// The browser compares the hash with the bytes between the tags.
			if !strings.Contains(page, "<script>"+script+"</script>") {
				t.Errorf("%s: a script was changed on its way into the page, so its hash refuses it", name)
			}
			if !strings.Contains(html.UnescapeString(frame), "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: the policy does not allow the page's own script", name)
			}
		}
		for _, outside := range []string{`<script src="`, `href="assets`, `href="../assets`, "url(\"stix"} {
			if strings.Contains(page, outside) {
				t.Errorf("%s: the single file still refers to %s", name, outside)
			}
		}
	}
}

// Every claim of a result stands on its document's list and on its own page, in both languages: what is stated, what was found, the verdict
// and the remark, the criterion, the reasons and what differs. A rival's name stands for a whole statement.
func TestEveryClaimAppears(t *testing.T) {
	n := 0
	for _, r := range examples() {
		rows := oktest.Must(ClaimRows(r))(t)
		if len(rows) == 0 {
			continue
		}
		list, own := wholePage(t, rendered, paperOf(r.ID)+"/claims.html"), wholePage(t, rendered, r.ID+".html")
		for _, c := range rows {
			n++
			listed := cut(t, list, `<tr id="`+c.ID+`"`, "</tr>")
			row := cut(t, own, `<tr id="`+c.ID+`"`, "</tr>")
			v, _ := page.FindVerdict(c.Verdict)
			if !strings.Contains(row, `class="chip v-`+v.Key+`"`) {
				t.Errorf("claim %s: its verdict is not marked", c.ID)
			}
			for l := range 2 {
				for _, w := range []string{v.Word[l], c.Statement[l], c.Stated[l], c.Found[l], c.Interval[l]} {
					if !strings.Contains(listed, notebook.Indexed(html.EscapeString(typeset.Pretty(w)))) {
						t.Errorf("claim %s: the list lacks %q", c.ID, w)
					}
				}
			}
			in := []string{v.Word.En(), v.Word.Zh(), page.RemarkOn(c.Claim).Word.En(), page.RemarkOn(c.Claim).Word.Zh()}
			var why []string
			for l := range 2 {
				if !strings.HasPrefix(c.Stated[0], "qualitative") {
					in = append(in, c.Stated[l])
				}
				if c.Rival == "" {
					in = append(in, c.Statement[l])
				}
				if len(c.CI95) != 1 && c.Verdict != claims.NoCase {
					in = append(in, c.Found[l])
				}
				if c.Remark != claims.DerivedRemark {
					why = append(slices.Concat(why, c.Reasons[l], c.Differs[l]), c.Criterion[l], c.Note[l])
				}
			}
			for where, words := range map[string][]string{row: in, own: why} {
				for _, w := range words {
					if !strings.Contains(where, notebook.Indexed(html.EscapeString(typeset.Pretty(w)))) {
						t.Errorf("claim %s: its row or its page lacks %q", c.ID, w)
					}
				}
			}
		}
	}
	if n != 15 {
		t.Errorf("the examples have %d claims, this test was written for 15", n)
	}
}

// What a notebook says, shows and draws stands on the page of its result.
func TestEverythingOfANotebookAppears(t *testing.T) {
	for _, r := range examples() {
		page := wholePage(t, rendered, r.ID+".html")
		book := oktest.Must(Presented(asRead(t, r)))(t)
		_, stem, _ := strings.Cut(r.ID, "/")
		words := []string{">bin/gradsync run " + r.ID + " --profile quick\n", `id="` + stem + `"`, string(book.Title.HTML())}
		for _, p := range book.Parts {
			switch {
			case p.Prose != nil:
				for _, piece := range regexp.MustCompile(`(?s)<h[234].*?</h[234]>|<p>.*?</p>`).FindAllString(typeset.UnitsHTML(string(p.Prose[1])), -1) {
					words = append(words, regexp.MustCompile(`</?h[234][^>]*>`).ReplaceAllString(piece, ""))
				}
			case p.Table != nil:
				words = append(words, `id="`+stem+"-"+p.Table.Frame+`"`, string(typeset.BothHTML(p.Table.Caption)))
				if documentRoom.long(len(p.Table.Rows), len(p.Table.Head)) {
					continue // TestLongTablesAreExported
				}
				for _, row := range p.Table.Rows {
					for _, c := range row {
						words = append(words, string(c.Text.HTML()))
					}
				}
			case p.Figure != nil:
				words = append(words, string(typeset.BothHTML(p.Figure.Caption)), html.EscapeString(p.Figure.Alt[0]), html.EscapeString(p.Figure.Alt[1]))
			case p.Fold != nil:
				words = append(words, "<summary>"+string(p.Fold.HTML()))
			}
		}
		unlinked := regexp.MustCompile(`</?a\b[^>]*>`).ReplaceAllString(page, "")
		for _, w := range words {
			if !strings.Contains(page, w) && !strings.Contains(unlinked, w) {
				t.Errorf("%s: the page lacks %q", r.ID, w)
			}
		}
		if got := strings.Contains(page, "The run was interrupted"); got != (r.Status == result.Incomplete) {
			t.Errorf("%s: said to be interrupted: %v", r.ID, got)
		}
	}
	if !strings.Contains(pageOf(t, "dasp.html"), "is incomplete") {
		t.Error("nothing says that one result is incomplete")
	}
}

func TestUnbuiltPapersSaySo(t *testing.T) {
	oktest.Slow(t)
	root := t.TempDir()
	for _, r := range examples() {
		if paper := paperOf(r.ID); paper != "codedsgd" && paper != "compare" {
			put(t, root, r)
		}
	}
	files := oktest.Must(renderFrom(root, false))(t)
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

// A result that a page would show wrongly stops the render with one line that names it, and the pages of before stay.
func TestBadResultsAreRefused(t *testing.T) {
	cases := map[string]struct {
		harm func(*result.Result)
		want string
	}{
		"verdict":  {func(r *result.Result) { r.Claims[0].Verdict = "passed" }, `claim D13: unknown verdict "passed"`},
		"schema":   {func(r *result.Result) { r.Schema = "v0" }, `schema is "v0"`},
		"kind":     {func(r *result.Result) { r.Kind = "guessed" }, `unknown kind "guessed"`},
		"part":     {func(r *result.Result) { r.Frames[0].Kind = "guessed" }, `frame times: unknown kind "guessed"`},
		"status":   {func(r *result.Result) { r.Status = "" }, "status"},
		"twice":    {func(r *result.Result) { r.Claims[1].ID = "D13" }, "stands twice"},
		"no claim": {func(r *result.Result) { r.Claims[1].ID = "X99" }, "claims.csv has no such row"},
		"interval": {func(r *result.Result) { r.Claims[1].CI95 = bounded(2, 1) }, "interval from 2 to 1"},
		"form":     {func(r *result.Result) { r.Figures[0].Form = "pie" }, `unknown form "pie"`},
		"column":   {func(r *result.Result) { r.Figures[0].Y = []string{"minutes"} }, `no column "minutes"`},
		"label":    {func(r *result.Result) { r.Frames[0].Rows[0][1] = "mine" }, "no method.mine"},
		"reason":   {func(r *result.Result) { r.Claims[2].Reasons[0].Code = "mine" }, `no words for the reason "mine"`},
		"fact":     {func(r *result.Result) { r.Facts = r.Facts[1:] }, `no fact "workers"`},
		"sentence": {func(r *result.Result) { r.Facts[0].Value = "six invented workers" }, "fact workers"},
		"id":       {func(r *result.Result) { r.ID = "dasp/other" }, "the file's place says"},
		"profile":  {func(r *result.Result) { r.Profile = "paper" }, "the file's place says"},
		"notebook": {func(r *result.Result) { r.ID = "dasp/nobody" }, "dasp/nobody.en.md"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := exampleTimes()
			c.harm(r)
			root, out := t.TempDir(), t.TempDir()
			raw, err := json.Marshal(r)
			oktest.Nil(t, err)
			stem := "example5"
			if name == "notebook" {
				stem = "nobody"
			}
			oktest.Nil(t, page.WriteFile(filepath.Join(root, "dasp", stem+".json"), raw))
			before := filepath.Join(out, "dasp.html")
			oktest.Nil(t, os.WriteFile(before, []byte("the page of before"), 0o600))
			_, err = Render(Options{Results: root, Out: out})
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

// A frame and a figure of one name keep their anchors apart.
func TestATableAndAFigureOfOneName(t *testing.T) {
	page := pageOf(t, "compare/example-when.html")
	for _, id := range []string{"example-when-times", "example-when-bars"} {
		if strings.Count(page, ` id="`+id+`"`) != 1 {
			t.Errorf("no anchor %s", id)
		}
	}
	l := loaded{File: ran.File{Result: exampleCompare(), Stem: "example-when"}}
	if got := figureID(l, "times"); got != "times-figure" {
		t.Errorf("a figure that is called as its frame has the anchor %s", got)
	}
}

// asRead returns a result as its file has it.
func asRead(t *testing.T, r *result.Result) *result.Result {
	t.Helper()
	raw := oktest.Must(result.Encode(r))(t)
	r = oktest.Must(result.Decode(r.ID, raw))(t)
	return r
}

// put writes a result without a record.
func put(t *testing.T, root string, r *result.Result) {
	t.Helper()
	oktest.Must(result.Write(root, r, nil))(t)
}

func TestUnchangedFilesAreNotWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	out := page.Outputs{"a/b.txt": []byte("one")}
	if err := out.Write(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a", "b.txt")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := out.Write(dir); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(file); st.Mode().Perm() != 0o444 {
		t.Error("the same bytes were written again")
	}
	out["a/b.txt"] = []byte("two")
	if err := out.Write(dir); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(file)
	if left, _ := filepath.Glob(filepath.Join(dir, "a", ".writing-*")); !bytes.Equal(b, []byte("two")) || len(left) > 0 {
		t.Errorf("file holds %q, temporary files left: %v", b, left)
	}
}
