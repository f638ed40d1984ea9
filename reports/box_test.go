package reports

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/ran"
)

// mine writes a result with its record, as a run does, and loads it.
func mine(t *testing.T, root string, r *result.Result, run *result.Run) loaded {
	t.Helper()
	return oktest.Must(loadFile(oktest.Must(result.Write(root, r, run))(t), paperOf(r.ID), r.Profile))(t)
}

// listOf writes results as published ones.
func listOf(t *testing.T, rs ...loaded) []byte {
	t.Helper()
	return oktest.Must(ran.List(files(rs)))(t)
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

const bbbb = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

// otherRecord returns a result of other bytes than the record beside it names: it was
// replaced after the run. It lies under root.
func otherRecord(t *testing.T, root string) (now, recorded loaded) {
	t.Helper()
	recorded = mine(t, root, exampleStated(), aRun())
	r := exampleStated()
	r.Frames[0].Rows[0][1] = 22.2
	return mine(t, root, r, nil), recorded
}

// boxOf renders the box of results below root beside the published list.
func boxOf(t *testing.T, root string, rs []loaded, list []byte) string {
	t.Helper()
	r := oktest.Must(newRenderer(Options{}))(t)
	box := oktest.Must(ran.Compare(root, files(rs), list))(t)
	var b bytes.Buffer
	oktest.Nil(t, r.pages.ExecuteTemplate(&b, "ran", box))
	return b.String()
}

// textOf returns a page's text without its marks.
func textOf(page string) string {
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(english(page), " ")), " ")
	return strings.NewReplacer(" ;", ";", " :", ":", " .", ".").Replace(text)
}

// boxCase is one result of a page: how its run was otherwise than the published one's.
type boxCase struct {
	id   string
	harm func(*result.Result, *result.Run)
}

// boxes are pages by their results, and what the box of each must say, and must not.
var boxes = map[string]struct {
	results   []boxCase
	want, not []string
}{
	"a mixed page": {[]boxCase{
		{"dasp/a", func(*result.Result, *result.Run) {}},
		{"dasp/b", func(r *result.Result, _ *result.Run) { r.Seeds = []uint64{0} }},
		{"dasp/c", func(r *result.Result, _ *result.Run) { r.Facts[1].Value = 2.22 }},
		{"dasp/d", func(r *result.Result, _ *result.Run) { r.Seeds, r.Facts[1].Value = []uint64{7}, 2.22 }},
		{"dasp/e", func(_ *result.Result, run *result.Run) { *run = *theRun(); run.Command = "theirs" }},
		{"dasp/f", func(r *result.Result, run *result.Run) {
			r.Profile, run.Dirty, run.Command, run.Started = "standard", true, "gradsync run dasp --profile standard", "2026-01-02T05:00:00+01:00"
		}},
	}, []string{
		"What I ran 2 of 3 results have the published bits. But for the list of seeds: 1; no seed is used there. Differing: 1. Not comparable: 1. The " +
			"published results themselves, not run anew: 1. Not published in this profile: 1.",
		"dasp/c: same settings, other bits, though other results of this commit have the published ones",
		"dasp/d: other seeds: 7 instead of 0, 1, 2; this could be compared: bin/gradsync run dasp/d --profile quick --seeds 0,1,2",
		"The program was built from a tree with changes that no commit holds.",
		"gradsync run dasp --seeds 0,1,2 gradsync run dasp --profile standard",
		"machine a CPU, GOMAXPROCS 2, linux/amd64", "commit " + bbbb, "uncommitted changes yes",
		"started 2026-01-02 03:04:05 UTC – 2026-01-02 04:00:00 UTC",
		"wall time, all results 5 min 05 s", "data invented images (synthetic, sha256 222222222222…)", "seeds 0, 1, 2 0 7 ",
		"dasp/a quick yes 2026-01-02 03:04:05 UTC", "dasp/e quick the published result itself: nothing was run anew 2026-01-01 00:00:00 UTC",
		"dasp/f standard not published 2026-01-02 04:00:00 UTC", "36 of 42 claims have a result here.",
	}, []string{"their CPU", "theirs "}},
	"the published results": {[]boxCase{
		{"dasp/a", func(_ *result.Result, run *result.Run) { *run = *theRun() }},
		{"dasp/b", func(_ *result.Result, run *result.Run) { *run = *theRun() }},
	}, []string{"What was run These are the published results themselves; nothing was run anew here. Commands, machine and times below are those of the " +
		"published runs.", "their CPU", "none recorded"},
		[]string{"I ran", "have the published bits", "not of this run", "claims have"}},
	"an unknown commit": {[]boxCase{{"dasp/a", func(_ *result.Result, run *result.Run) { run.Commit = "unknown" }}},
		[]string{"1 of 1 results have the published bits.", "uncommitted changes unknown"}, []string{"none recorded", "another commit", "not of this run"}},
	"other seeds alone": {[]boxCase{{"dasp/a", func(r *result.Result, _ *result.Run) { r.Seeds, r.Facts[1].Value = []uint64{}, 2.22 }}},
		[]string{"What I ran Not comparable: 1.", "not of this run"}, []string{"Differing", "published bits."}},
}

func TestTheBoxSaysWhatWasRun(t *testing.T) {
	for name, c := range boxes {
		root := t.TempDir()
		var rs, published []loaded
		for _, b := range c.results {
			r, run := exampleTimes(), aRun()
			r.ID, run.Commit = b.id, bbbb
			theirs := theRun()
			if b.id == "dasp/e" {
				theirs.Command = "theirs"
			}
			published = append(published, mine(t, t.TempDir(), r, theirs))
			b.harm(r, run)
			rs = append(rs, mine(t, root, r, run))
		}
		text := textOf(boxOf(t, root, rs, listOf(t, published...)))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the box lacks %q:\n%s", name, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: the box says %q:\n%s", name, not, text)
			}
		}
	}
}

// What the box and the provenance say in words they say in Chinese, names and hashes aside.
func TestTheBoxIsInChinese(t *testing.T) {
	root, long := t.TempDir(), aRun()
	long.WallSeconds = 3700
	now, recorded := otherRecord(t, root)
	box := boxOf(t, root, []loaded{now, mine(t, root, exampleTimes(), long)}, listOf(t))
	pages := oktest.Must(renderFrom(root, true))(t)
	for text, wants := range map[string][]string{
		box:                           {`<span class="zh" lang="zh">未使用</span>`, `<span class="zh" lang="zh">合成</span>`, "2 分"},
		pages["dasp/provenance.html"]: {"运行记录对应另一个结果，sha256</span> <code>" + recorded.SHA256 + "</code>"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %q", want)
			}
		}
	}
}

// Without a record, with another's, and with nothing to compare, the box says so.
func TestTheBoxWithoutRecords(t *testing.T) {
	root := t.TempDir()
	bare := mine(t, root, exampleTimes(), nil)
	stale, _ := otherRecord(t, root)
	r, elsewhere := exampleTimes(), t.TempDir()
	r.Seeds = []uint64{0}
	seedless := mine(t, elsewhere, r, nil)
	for _, c := range []struct {
		root string
		rs   []loaded
		list []byte
		want []string
	}{
		{root, []loaded{bare}, listOf(t), []string{"None of these results is published in this profile", "Results without a record of their run: 1.",
			"uncommitted changes unknown"}},
		{root, []loaded{bare, stale}, listOf(t, bare),
			[]string{"With the published bits, but without a record that they were run: 1.", "yes, but no record says that it was run –",
				"Changed after their run: 1.", "quick changed: the file was changed"}},
		{elsewhere, []loaded{seedless}, listOf(t, bare),
			[]string{"What I ran With the published bits, but without a record that they were run: 1. Results without"}},
	} {
		text := textOf(boxOf(t, c.root, c.rs, c.list))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("the box lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "published bits;") || strings.Contains(text, "please report") {
			t.Errorf("what was compared with nothing has other bits:\n%s", text)
		}
	}
}

// A page is of the published results if it has all of them, but for checks, and no other;
// else the chapters that tell of them say that they are not of this run.
func TestTextsOfThePublishedResultsSayWhoseTheyAre(t *testing.T) {
	root := t.TempDir()
	here := []loaded{mine(t, root, exampleTimes(), aRun())}
	both := append(here[:1:1], mine(t, root, exampleCurves(), aRun()))
	check := exampleStated()
	check.Profile = "ci"
	elsewhere := t.TempDir()
	theirs := []loaded{mine(t, elsewhere, check, theRun()), mine(t, elsewhere, exampleTimes(), theRun()), mine(t, elsewhere, exampleCurves(), theRun())}
	for name, c := range map[string]struct {
		rs      []loaded
		list    []byte
		partial bool
		judged  string
	}{
		"all but a check": {both, listOf(t, theirs...), false, "7 of 8 claims have a result here."}, // D17 was not run
		"one of two":      {here, listOf(t, theirs...), true, "6 of 8 claims have a result here."},
		"one too many":    {both, listOf(t, theirs[:2]...), true, "7 of 8 claims have a result here."},
	} {
		v := oktest.Must(ran.Compare(root, files(c.rs), c.list))(t)
		chapters := []chapterText{{ID: "short", Level: 2, Title: "In short", Body: "<p>words</p>\n"}}
		mark(v, chapters)
		text := textOf(string(chapters[0].HTML()))
		if v.Partial != c.partial || v.Judged().En() != c.judged || strings.Contains(text, ofPublished.En()) != c.partial || !strings.HasPrefix(text, "In short") {
			t.Errorf("%s: partial %v, %q, %q", name, v.Partial, v.Judged().En(), text)
		}
	}
	mark(nil, nil) // pages that share a folder
}

// A page of few results says beside its verdicts how many claims they are of, and in its
// provenance that a program of no known commit may have been changed.
func TestAPageOfFewResultsSaysSo(t *testing.T) {
	oktest.Slow(t)
	for commit, changes := range map[string]string{"unknown": "changes unknown", bbbb: "changes none: the working tree was clean"} {
		root, run := t.TempDir(), aRun()
		run.Commit = commit
		mine(t, root, exampleTimes(), run)
		for _, single := range []bool{true, false} {
			pages := oktest.Must(renderFrom(root, single))(t)
			text := textOf(pages["dasp.html"])
			if got := strings.Contains(text, " claims have a result here."); got != single || strings.Contains(text, ofPublished.En()) != single {
				t.Errorf("single %v: the claims are counted: %v", single, got)
			}
			text = textOf(pages["dasp/provenance.html"])
			if !strings.Contains(text, changes) {
				t.Errorf("single %v: the page lacks %q", single, changes)
			}
		}
	}
}

// The page to hand in says so too, beside the result and in the box, and a page whose
// records belong to its results does not.
func TestThePageWarnsOfARecordOfOtherBytes(t *testing.T) {
	oktest.Slow(t)
	root := t.TempDir()
	page := func() string {
		pages := oktest.Must(renderFrom(root, true))(t)
		return pages["dasp.html"] + pages["dasp/provenance.html"]
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
