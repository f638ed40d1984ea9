package reports

import (
	"maps"
	"strings"
	"testing"

	"gradsync/experiments/result"
)

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
		root, pub := t.TempDir(), map[string]published{}
		var rs []loaded
		for _, b := range c.results {
			r, run := exampleTimes(), aRun()
			r.ID, run.Commit = b.id, bbbb
			pub[r.ID+" quick"] = factsOf(mine(t, t.TempDir(), r, func() *result.Run {
				run := theRun()
				if b.id == "dasp/e" {
					run.Command = "theirs"
				}
				return run
			}()))
			b.harm(r, run)
			rs = append(rs, mine(t, root, r, run))
		}
		text := textOf(boxOf(t, root, rs, pub))
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
	root := t.TempDir()
	long := aRun()
	long.WallSeconds = 3700
	now, recorded := otherRecord(t, root)
	box := boxOf(t, root, []loaded{now, mine(t, root, exampleTimes(), long)}, nil)
	pages, err := renderFrom(root, true)
	if err != nil {
		t.Fatal(err)
	}
	for text, wants := range map[string][]string{
		box:                {`<span class="zh" lang="zh">未使用</span>`, `<span class="zh" lang="zh">合成</span>`, "2 分"},
		pages["dasp.html"]: {"运行记录对应另一个结果，sha256</span> <code>" + recorded.SHA256 + "</code>"},
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
		pub  map[string]published
		want []string
	}{
		{root, []loaded{bare}, nil, []string{"None of these results is published in this profile", "Results without a record of their run: 1.",
			"uncommitted changes unknown"}},
		{root, []loaded{bare, stale}, map[string]published{publishedKey(bare.Result): factsOf(bare)},
			[]string{"With the published bits, but without a record that they were run: 1.", "yes, but no record says that it was run –",
				"Changed after their run: 1.", "quick changed: the file was changed"}},
		{elsewhere, []loaded{seedless}, map[string]published{publishedKey(bare.Result): factsOf(bare)},
			[]string{"What I ran With the published bits, but without a record that they were run: 1. Results without"}},
	} {
		text := textOf(boxOf(t, c.root, c.rs, c.pub))
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
	pub := map[string]published{}
	for _, r := range append(both[:2:2], mine(t, root, check, aRun())) {
		p := factsOf(r)
		p.Run = ""
		pub[publishedKey(r.Result)] = p
	}
	more := maps.Clone(pub)
	delete(more, publishedKey(both[1].Result))
	for name, c := range map[string]struct {
		rs      []loaded
		pub     map[string]published
		partial bool
		judged  string
	}{
		"all but a check": {both, pub, false, "7 of 8 claims have a result here."}, // D17 was not run
		"one of two":      {here, pub, true, "6 of 8 claims have a result here."},
		"one too many":    {both, more, true, "7 of 8 claims have a result here."},
	} {
		v := ran(root, c.rs, c.pub)
		chapters := []chapterText{{HTML: "<h2>In short</h2>\n<p>words</p>\n"}}
		v.mark(chapters)
		text := textOf(string(chapters[0].HTML))
		if v.Partial != c.partial || v.Judged().En() != c.judged || strings.Contains(text, ofPublished.En()) != c.partial || !strings.HasPrefix(text, "In short") {
			t.Errorf("%s: partial %v, %q, %q", name, v.Partial, v.Judged().En(), text)
		}
	}
	var none *ranView
	none.mark(nil) // pages that share a folder
}

// A page of few results says beside its verdicts how many claims they are of, and in its
// provenance that a program of no known commit may have been changed.
func TestAPageOfFewResultsSaysSo(t *testing.T) {
	for commit, changes := range map[string]string{"unknown": "changes unknown", bbbb: "changes none: the working tree was clean"} {
		root, run := t.TempDir(), aRun()
		run.Commit = commit
		mine(t, root, exampleTimes(), run)
		for _, single := range []bool{true, false} {
			pages, err := renderFrom(root, single)
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(pages["dasp.html"])
			_, claims, _ := strings.Cut(text, "What the paper claims, and what we found")
			claims, _, _ = strings.Cut(claims, "D13")
			if got := strings.Contains(claims, " claims have a result here."); got != single || strings.Contains(text, ofPublished.En()) != single {
				t.Errorf("single %v: the claims are counted: %v", single, got)
			}
			if !strings.Contains(text, changes) {
				t.Errorf("single %v: the page lacks %q", single, changes)
			}
		}
	}
}
