package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
)

// published.json lists the committed results as they are. If this fails, run `make reports`
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
	l, err := loadFile(path, paperOf(r.ID), r.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func aRun() *result.Run {
	return &result.Run{Command: "gradsync run dasp --seeds 0,1,2", Commit: strings.Repeat("a", 40), Version: "v", Go: "go1", Platform: "linux/amd64",
		CPU: "a CPU", GOMAXPROCS: 2, Accelerator: "none used", WallSeconds: 61, Started: "2026-01-02T03:04:05Z"}
}

// theRun returns the record of the published result.
func theRun() *result.Run {
	run := aRun()
	run.CPU, run.Started = "their CPU", "2026-01-01T00:00:00Z"
	return run
}

const (
	bbbb = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	aaaa = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

// whyOf returns a reason whose Chinese a test leaves open.
func whyOf(what, mine, published string) ranWhy {
	return ranWhy{What: said{what, ""}, Mine: said{mine, ""}, Published: said{published, ""}}
}

// inEnglish returns reasons without their Chinese, which each must have.
func inEnglish(t *testing.T, list []ranWhy) (out []ranWhy) {
	t.Helper()
	for _, w := range list {
		if w.What.Zh() == "" || w.What.Zh() == w.What.En() {
			t.Errorf("%q is not in Chinese", w.What.En())
		}
		out = append(out, whyOf(w.What.En(), w.Mine.En(), w.Published.En()))
	}
	return out
}

// otherwise are ways of running the published result again, and what each is then.
var otherwise = map[string]struct {
	harm func(*result.Result, *result.Run)
	want ranStanding
	why  []ranWhy
	run  string // the command that could be compared
}{
	"alike":                               {func(*result.Result, *result.Run) {}, ranSame, nil, ""},
	"by a changed tree of another commit": {func(_ *result.Result, run *result.Run) { run.Commit, run.Dirty = bbbb, true }, ranSame, nil, ""},
	"not at all":                          {func(_ *result.Result, run *result.Run) { *run = *theRun() }, ranItself, nil, ""},
	"not at all, by another name":         {func(_ *result.Result, run *result.Run) { *run = *theRun(); run.CPU = "a CPU" }, ranSame, nil, ""},
	"with seeds that decide nothing":      {func(r *result.Result, _ *result.Run) { r.Seeds = []uint64{0} }, ranSame, nil, ""},
	"with seeds that decide": {func(r *result.Result, _ *result.Run) { r.Seeds, r.Facts[1].Value = []uint64{0}, 2.22 }, ranApart,
		[]ranWhy{whyOf("other seeds", "0", "0, 1, 2")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2"},
	"with seeds that only the settings name": {func(r *result.Result, run *result.Run) {
		r.Config, run.Command = map[string]any{"invented": true, "seeds": 7}, "gradsync run dasp --seeds=7"
	}, ranApart, []ranWhy{whyOf("other seeds", "7", "0,1,2")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2"},
	"on other data": {func(r *result.Result, _ *result.Run) { r.Data[0].SHA256 = strings.Repeat("3", 64) }, ranApart,
		[]ranWhy{whyOf("other data", "invented images (333333333333…)", "invented images (222222222222…)")}, ""},
	"on another engine": {func(r *result.Result, _ *result.Run) { r.Engine = "fast" }, ranApart,
		[]ranWhy{whyOf("another engine", "fast", "portable")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2 --engine portable"},
	"not to its end": {func(r *result.Result, _ *result.Run) { r.Status = "incomplete" }, ranApart,
		[]ranWhy{whyOf("the run was interrupted", "", "")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2"},
	"by another program": {func(r *result.Result, run *result.Run) {
		r.Facts[1].Value = 2.22
		run.Commit, run.Dirty, run.Platform = bbbb, true, "linux/arm64"
	}, ranOther, []ranWhy{whyOf("another system", "linux/arm64", "linux/amd64"), whyOf("another commit", bbbb, aaaa),
		whyOf("changes that no commit holds", "", "")}, ""},
	"by an unknown program": {func(r *result.Result, run *result.Run) { r.Facts[1].Value, run.Commit = 2.22, "unknown" }, ranOther,
		[]ranWhy{whyOf("same settings, other bits, and which commit made them is unknown", "", "")}, ""},
	"alike, with other bits": {func(r *result.Result, _ *result.Run) { r.Facts[1].Value = 2.22 }, ranOther,
		[]ranWhy{whyOf("same settings, other bits: please report this", "", "")}, ""},
}

func TestWhatAResultIsBesideThePublishedOne(t *testing.T) {
	run := theRun()
	run.Command += " --engine portable"
	theirs := factsOf(mine(t, t.TempDir(), exampleTimes(), run))
	of := func(r *result.Result, run *result.Run) ranResult {
		root := t.TempDir()
		return ran(root, []loaded{mine(t, root, r, run)}, map[string]published{"dasp/example5 quick": theirs}).Results[0]
	}
	for name, c := range otherwise {
		r, run := exampleTimes(), aRun()
		c.harm(r, run)
		if c.want == ranItself {
			run.Command += " --engine portable"
		}
		x := of(r, run)
		if diff := cmp.Diff(c.why, inEnglish(t, x.Why)); diff != "" || x.Standing != c.want || x.Command != c.run {
			t.Errorf("run %s: %s, command %q, why (-want +got):\n%s", name, x.Standing, x.Command, diff)
		}
		if x.Seedless != strings.Contains(name, "decide nothing") {
			t.Errorf("run %s: no seed is used: %v", name, x.Seedless)
		}
	}
	if x := of(exampleTimes(), nil); x.Standing != ranUnrecorded {
		t.Errorf("the published bits without a record are %s", x.Standing)
	}
	r := exampleTimes()
	r.Config = map[string]any{"invented": false}
	if why := of(r, aRun()).Why; len(why) != 1 || !strings.HasPrefix(why[0].What.En(), "other settings") || why[0].Mine == why[0].Published {
		t.Errorf("another configuration: %v", why)
	}
}

// A commit whose other results have the published bits is no reason for other bits.
func TestACommitThatAgreesElsewhereIsNoReason(t *testing.T) {
	for name, agree := range map[string]bool{"same settings, other bits, though other results of this commit have the published ones": true,
		"another commit": false} {
		root, pub := t.TempDir(), map[string]published{}
		var rs []loaded
		for _, make := range []func() *result.Result{exampleTimes, exampleCurves} {
			pub[publishedKey(make())] = factsOf(mine(t, t.TempDir(), make(), theRun()))
			r, run := make(), aRun()
			if run.Commit = bbbb; !agree || len(rs) == 0 {
				r.Frames[0].Rows[0][2] = 2.22
			}
			rs = append(rs, mine(t, root, r, run))
		}
		if why := ran(root, rs, pub).Results[0].Why; len(why) != 1 || why[0].What.En() != name {
			t.Errorf("another result of the commit agrees: %v; why: %v", agree, why)
		}
	}
}

// All committed results keep their bytes when read and written again: else a list of
// seeds would not be all that differs.
func TestOnlySeedsDiffer(t *testing.T) {
	root := filepath.Join("..", "experiments", "results")
	rs, err := loadProfile(root, "ring", "ci")
	if err != nil || len(rs) == 0 {
		t.Fatalf("%d results: %v", len(rs), err)
	}
	for _, r := range rs {
		p := factsOf(r)
		r.Seeds = []uint64{99} // of the loaded one: the file is read again
		if !sameButSeeds(root, r, p) {
			t.Errorf("%s does not have its own bits", r.ID)
		}
		if p.SHA256 = "0"; sameButSeeds(root, r, p) {
			t.Errorf("%s has any bits", r.ID)
		}
	}
}

// otherRecord returns a result of other bytes than the record beside it names: it was
// replaced after the run. It lies under root.
func otherRecord(t *testing.T, root string) (now, recorded loaded) {
	t.Helper()
	recorded = mine(t, root, exampleStated(), aRun())
	r := exampleStated()
	r.Frames[0].Rows[0][1] = 22.2
	if now = mine(t, root, r, nil); now.Run == nil || now.Run.ResultSHA256 != recorded.SHA256 {
		t.Fatal("the record is not that of the bytes before")
	}
	return now, recorded
}

// A result whose record belongs to other bytes was changed, whatever its bytes are now.
func TestARecordOfOtherBytesProvesNothing(t *testing.T) {
	root := t.TempDir()
	now, recorded := otherRecord(t, root)
	key, reasons := publishedKey(now.Result), 1
	for _, p := range []map[string]published{nil, {key: factsOf(recorded)}, {key: factsOf(now)}} {
		v := ran(root, []loaded{now}, p)
		if p[key].SHA256 == now.SHA256 {
			reasons = 2
		}
		if x := v.Results[0]; x.Standing != ranChanged || len(x.Why) != reasons || v.Verdict().En() != "" && p != nil || v.Changes.En() != "unknown" {
			t.Errorf("%+v: %s, %q", x, v.Changes, v.Verdict())
		}
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
	for _, want := range []string{"the record of the run names another result, sha256 " + recorded.SHA256, "Changed after their run: 1.",
		"the file was changed after its run"} {
		if !strings.Contains(textOf(other), want) {
			t.Errorf("the page lacks %q", want)
		}
		if strings.Contains(textOf(own), want) {
			t.Errorf("the page of a result with its own record says %q", want)
		}
	}
}

// boxOf renders the box of results below root beside a published list.
func boxOf(t *testing.T, root string, rs []loaded, pub map[string]published) string {
	t.Helper()
	r, err := newRenderer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.pages.ExecuteTemplate(&b, "ran", ran(root, rs, pub)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// textOf returns a page's text without its marks.
func textOf(page string) string {
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(english(page), " ")), " ")
	return strings.NewReplacer(" ;", ";", " :", ":", " .", ".").Replace(text)
}
