package reports

import (
	"bytes"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
)

// published.json is what the committed results are. If this fails, run `make reports`
// and commit the file.
func TestPublishedIsWhatIsCommitted(t *testing.T) {
	want, err := Published(filepath.Join("..", "experiments", "results"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.ReplaceAll(string(publishedJSON), "\r\n", "\n")); diff != "" {
		t.Errorf("published.json is not current, run `make reports` (-want +got):\n%s", diff)
	}
	pub, err := readPublished(want)
	if err != nil {
		t.Fatal(err)
	}
	// The hash is of the file as anyone hashes it.
	raw, err := os.ReadFile(filepath.Join("..", "experiments", "results", "ring", "ci", "cost.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got := pub["ring/cost ci"].SHA256; got != result.Sum(raw) {
		t.Errorf("ring/cost ci has sha256 %s, want %s", got, result.Sum(raw))
	}
}

func TestReadPublishedRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, raw := range []string{"", `{"schema": "v0", "results": {}}`, `{"schema": "` + publishedSchema + `", "results": {"a": 1}}`} {
		if _, err := readPublished([]byte(raw)); err == nil || !strings.HasPrefix(err.Error(), "reports: published.json: ") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// mine writes a result with its record, as a run does, and loads it.
func mine(t *testing.T, root string, r *result.Result, run *result.Run) loaded {
	t.Helper()
	path, err := result.Write(root, r, run)
	if err != nil {
		t.Fatal(err)
	}
	paper, _, _ := strings.Cut(r.ID, "/")
	l, err := loadFile(path, paper, r.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func aRun() *result.Run {
	return &result.Run{Command: "gradsync run dasp --seeds 0,1,2", Commit: strings.Repeat("a", 40), Version: "v", Go: "go1", Platform: "linux/amd64",
		CPU: "a CPU", GOMAXPROCS: 2, Accelerator: "none used", WallSeconds: 61}
}

// otherwise is one way of not having the published bits.
var otherwise = map[string]struct {
	harm func(*result.Result, *result.Run)
	want []ranWhy
}{
	"seeds": {func(r *result.Result, _ *result.Run) { r.Seeds = []uint64{0} }, []ranWhy{{"other seeds", "0", "0, 1, 2"}}},
	"data": {func(r *result.Result, _ *result.Run) { r.Data.SHA256 = strings.Repeat("3", 64) },
		[]ranWhy{{"other data", "invented images (333333333333…)", "invented images (222222222222…)"}}},
	"engine":      {func(r *result.Result, _ *result.Run) { r.Engine = "fast" }, []ranWhy{{"another engine", "fast", "portable"}}},
	"interrupted": {func(r *result.Result, _ *result.Run) { r.Status = "incomplete" }, []ranWhy{{What: "the run was interrupted"}}},
	"seeds and engine": {func(r *result.Result, _ *result.Run) { r.Seeds, r.Engine = []uint64{0}, "fast" },
		[]ranWhy{{"other seeds", "0", "0, 1, 2"}, {"another engine", "fast", "portable"}}},
	"another program": {func(r *result.Result, run *result.Run) {
		r.Notes = []string{"another"}
		run.Commit, run.Dirty, run.Platform = strings.Repeat("b", 40), true, "linux/arm64"
	}, []ranWhy{{"another system", "linux/arm64", "linux/amd64"}, {"another commit", strings.Repeat("b", 40), strings.Repeat("a", 40)}, {What: "changes that no commit holds"}}},
	"nothing known": {func(r *result.Result, _ *result.Run) { r.Notes = []string{"another"} }, []ranWhy{{What: "same settings, other bits: please report this"}}},
}

func TestWhyTheBitsAreOthers(t *testing.T) {
	theirs := factsOf(mine(t, t.TempDir(), exampleTimes(), aRun()))
	for name, c := range otherwise {
		r, run := exampleTimes(), aRun()
		c.harm(r, run)
		v := ran([]loaded{mine(t, t.TempDir(), r, run)}, map[string]published{"dasp/example5 quick": theirs})
		if diff := cmp.Diff(c.want, v.Results[0].Why); diff != "" || v.Same != 0 || v.Other != 1 || v.Results[0].Same {
			t.Errorf("%s: same %d, other %d, why (-want +got):\n%s", name, v.Same, v.Other, diff)
		}
	}
	r := exampleTimes()
	r.Config = map[string]any{"invented": false}
	why := ran([]loaded{mine(t, t.TempDir(), r, aRun())}, map[string]published{"dasp/example5 quick": theirs}).Results[0].Why
	if len(why) != 1 || !strings.HasPrefix(why[0].What, "other settings") || why[0].Mine == why[0].Published {
		t.Errorf("another configuration: %v", why)
	}
	// The same bits are the same whoever made them, and need no reason.
	run := aRun()
	run.Commit, run.Dirty = strings.Repeat("c", 40), true
	v := ran([]loaded{mine(t, t.TempDir(), exampleTimes(), run)}, map[string]published{"dasp/example5 quick": theirs})
	if v.Same != 1 || v.Other != 0 || len(v.Results[0].Why) != 0 || !v.Dirty {
		t.Errorf("the same bits of a changed tree: %+v", v)
	}
}

// otherRecord is a result of other bytes than the record beside it names: it was
// replaced after the run. It lies under root.
func otherRecord(t *testing.T, root string) (now, recorded loaded) {
	t.Helper()
	recorded = mine(t, root, exampleStated(), aRun())
	r := exampleStated()
	r.Notes = []string{"replaced after the run"}
	if now = mine(t, root, r, nil); now.Run == nil || now.Run.ResultSHA256 != recorded.SHA256 {
		t.Fatal("the record is not that of the bytes before")
	}
	return now, recorded
}

// A result whose record belongs to other bytes is compared by its own bytes: what the
// record names makes it neither the published one nor another.
func TestARecordOfOtherBytesProvesNothing(t *testing.T) {
	now, recorded := otherRecord(t, t.TempDir())
	key := publishedKey(now.Result)
	for name, c := range map[string]struct {
		published loaded
		same      int
	}{"the record's bytes are published": {recorded, 0}, "the result's bytes are published": {now, 1}} {
		v := ran([]loaded{now}, map[string]published{key: factsOf(c.published)})
		if v.Same != c.same || v.Other != 1-c.same || v.Results[0].Same != (c.same == 1) || v.Stale != 1 || v.NoRecord != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := ran([]loaded{recorded}, nil); v.Stale != 0 {
		t.Errorf("a result with its own record: %d records are said to be of other bytes", v.Stale)
	}
}

// The page to hand in says so too, beside the result and in the box, and a page whose
// records belong to its results does not.
func TestThePageWarnsOfARecordOfOtherBytes(t *testing.T) {
	root := t.TempDir()
	page := func() string {
		pages, err := renderFrom(root, true)
		if err != nil {
			t.Fatal(err)
		}
		return pages["dasp.html"]
	}
	mine(t, root, exampleStated(), aRun())
	own := page()
	_, recorded := otherRecord(t, root)
	other := page()
	for _, want := range []string{"The record of the run names another result, sha256 " + recorded.SHA256, "Results whose record belongs to other bytes: 1."} {
		if !strings.Contains(textOf(other), want) {
			t.Errorf("the page lacks %q", want)
		}
		if strings.Contains(textOf(own), want) {
			t.Errorf("the page of a result with its own record says %q", want)
		}
	}
}

// boxOf renders the box of results beside a published list.
func boxOf(t *testing.T, rs []loaded, pub map[string]published) string {
	t.Helper()
	tr, err := newTranslator()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.New("").Funcs(tr.funcs()).ParseFS(templates, "templates/ran.html")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tmpl.ExecuteTemplate(&b, "ran", ran(rs, pub)); err != nil {
		t.Fatal(err)
	}
	for page, texts := range tr.missing {
		t.Errorf("the box has no Chinese for %v (%s)", slices.Sorted(maps.Keys(texts)), page)
	}
	return b.String()
}

// textOf is a page's text without its marks.
func textOf(page string) string {
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(english(page), " ")), " ")
	return strings.NewReplacer(" ;", ";", " :", ":", " .", ".").Replace(text)
}

// The box of four results: one has the published bits, one has other seeds, one other
// bytes, one was never published and was made from a changed tree.
func TestTheBoxSaysWhatWasRun(t *testing.T) {
	pub := map[string]published{}
	var rs []loaded
	for i, harm := range []func(*result.Result, *result.Run){
		func(*result.Result, *result.Run) {},
		func(r *result.Result, _ *result.Run) { r.Seeds = []uint64{0} },
		func(r *result.Result, _ *result.Run) { r.Notes = []string{"changed"} },
		func(r *result.Result, run *result.Run) {
			r.Profile, run.Dirty, run.Command = "standard", true, "gradsync run dasp --profile standard"
		},
	} {
		r := exampleTimes()
		r.ID = "dasp/example" + string(rune('1'+i))
		pub[r.ID+" quick"] = factsOf(mine(t, t.TempDir(), r, aRun()))
		run := aRun()
		harm(r, run)
		rs = append(rs, mine(t, t.TempDir(), r, run))
	}
	box := boxOf(t, rs, pub)
	text := textOf(box)
	for _, want := range []string{
		"1 of 3 results have the published bits. Differing: 2. Not published in this profile: 1.",
		"dasp/example2: other seeds: 0 instead of 0, 1, 2",
		"dasp/example3: same settings, other bits: please report this",
		"The program was built from a tree with changes that no commit holds.",
		"gradsync run dasp --seeds 0,1,2 gradsync run dasp --profile standard",
		"machine a CPU, GOMAXPROCS 2, linux/amd64", "commit " + strings.Repeat("a", 40), "uncommitted changes yes",
		"wall time, all results 4 min 04 s", "data invented images (synthetic, sha256 222222222222…)", "seeds 0, 1, 2 0 ",
		"dasp/example1 quick yes " + rs[0].SHA256, "dasp/example4 standard not published " + rs[3].SHA256,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the box lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "quick no: "); n != 2 {
		t.Errorf("%d results are called others in the table, want 2", n)
	}
}

// Without a record, with another's, and with nothing to compare, the box says so.
func TestTheBoxWithoutRecords(t *testing.T) {
	bare := mine(t, t.TempDir(), exampleTimes(), nil)
	stale, _ := otherRecord(t, t.TempDir())
	text := textOf(boxOf(t, []loaded{bare, stale}, nil))
	for _, want := range []string{
		"None of these results is published in this profile", "Results without a record of their run: 1.", "Results whose record belongs to other bytes: 1.",
		"uncommitted changes none recorded",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the box lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "published bits;") || strings.Contains(text, "please report") {
		t.Errorf("what was compared with nothing has other bits:\n%s", text)
	}
}
