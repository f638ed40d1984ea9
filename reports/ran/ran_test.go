package ran

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

func TestReadPublishedRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, raw := range []string{"", `{"schema": "v0", "results": {}}`, `{"schema": "` + schema + `", "results": {"a": 1}}`} {
		if _, err := read([]byte(raw)); err == nil || !strings.HasPrefix(err.Error(), "reports: published.json: ") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// invented returns a result of plainly invented numbers; other tests change it.
func invented(id string) *result.Result {
	return &result.Result{
		Schema: result.Schema, ID: id, Source: "Example, Table 5", Profile: "quick", Kind: result.TimingOnly, Status: result.Complete,
		Seeds: []uint64{0, 1, 2}, Engine: "portable", Config: map[string]any{"invented": true}, Frames: []result.Frame{},
		Data:  []result.Data{{Name: "invented images", Origin: "synthetic", Train: 11111, Test: 1111, SHA256: strings.Repeat("2", 64)}},
		Facts: []result.Fact{{Key: "workers", Value: 6}, {Key: "waited", Unit: "ms", Value: 1.11}},
	}
}

// mine writes a result with its record, as a run does, and reads it.
func mine(t *testing.T, root string, r *result.Result, run *result.Run) File {
	t.Helper()
	return oktest.Must(Read(oktest.Must(result.Write(root, r, run))(t)))(t)
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
func whyOf(what, mine, published string) reason {
	return reason{What: said{what, ""}, Mine: said{mine, ""}, Published: said{published, ""}}
}

// inEnglish returns reasons without their Chinese, which each must have.
func inEnglish(t *testing.T, list []reason) (out []reason) {
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
	want standing
	why  []reason
	run  string // the command that could be compared
}{
	"alike":                               {func(*result.Result, *result.Run) {}, same, nil, ""},
	"by a changed tree of another commit": {func(_ *result.Result, run *result.Run) { run.Commit, run.Dirty = bbbb, true }, same, nil, ""},
	"not at all":                          {func(_ *result.Result, run *result.Run) { *run = *theRun() }, itself, nil, ""},
	"not at all, by another name":         {func(_ *result.Result, run *result.Run) { *run = *theRun(); run.CPU = "a CPU" }, same, nil, ""},
	"with seeds that decide nothing":      {func(r *result.Result, _ *result.Run) { r.Seeds = []uint64{0} }, same, nil, ""},
	"with seeds that decide": {func(r *result.Result, _ *result.Run) { r.Seeds, r.Facts[1].Value = []uint64{0}, 2.22 }, apart,
		[]reason{whyOf("other seeds", "0", "0, 1, 2")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2"},
	"with seeds that only the settings name": {func(r *result.Result, run *result.Run) {
		r.Config, run.Command = map[string]any{"invented": true, "seeds": 7}, "gradsync run dasp --seeds=7"
	}, apart, []reason{whyOf("other seeds", "7", "0,1,2")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2"},
	"on other data": {func(r *result.Result, _ *result.Run) { r.Data[0].SHA256 = strings.Repeat("3", 64) }, apart,
		[]reason{whyOf("other data", "invented images (333333333333…)", "invented images (222222222222…)")}, ""},
	"on another engine": {func(r *result.Result, _ *result.Run) { r.Engine = "fast" }, apart,
		[]reason{whyOf("another engine", "fast", "portable")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2 --engine portable"},
	"not to its end": {func(r *result.Result, _ *result.Run) { r.Status = "incomplete" }, apart,
		[]reason{whyOf("the run was interrupted", "", "")}, "bin/gradsync run dasp/example5 --profile quick --seeds 0,1,2"},
	"by another program": {func(r *result.Result, run *result.Run) {
		r.Facts[1].Value = 2.22
		run.Commit, run.Dirty, run.Platform = bbbb, true, "linux/arm64"
	}, other, []reason{whyOf("another system", "linux/arm64", "linux/amd64"), whyOf("another commit", bbbb, aaaa),
		whyOf("changes that no commit holds", "", "")}, ""},
	"by an unknown program": {func(r *result.Result, run *result.Run) { r.Facts[1].Value, run.Commit = 2.22, "unknown" }, other,
		[]reason{whyOf("same settings, other bits, and which commit made them is unknown", "", "")}, ""},
	"alike, with other bits": {func(r *result.Result, _ *result.Run) { r.Facts[1].Value = 2.22 }, other,
		[]reason{whyOf("same settings, other bits: please report this", "", "")}, ""},
}

func TestWhatAResultIsBesideThePublishedOne(t *testing.T) {
	run := theRun()
	run.Command += " --engine portable"
	theirs := factsOf(mine(t, t.TempDir(), invented("dasp/example5"), run))
	of := func(r *result.Result, run *result.Run) row {
		root := t.TempDir()
		return compare(root, []File{mine(t, root, r, run)}, map[string]published{"dasp/example5 quick": theirs}).Results[0]
	}
	for name, c := range otherwise {
		r, run := invented("dasp/example5"), aRun()
		c.harm(r, run)
		if c.want == itself {
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
	if x := of(invented("dasp/example5"), nil); x.Standing != unrecorded {
		t.Errorf("the published bits without a record are %s", x.Standing)
	}
	r := invented("dasp/example5")
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
		var rs []File
		for _, id := range []string{"dasp/a", "dasp/b"} {
			pub[keyOf(invented(id))] = factsOf(mine(t, t.TempDir(), invented(id), theRun()))
			r, run := invented(id), aRun()
			if run.Commit = bbbb; !agree || len(rs) == 0 {
				r.Facts[1].Value = 2.22
			}
			rs = append(rs, mine(t, root, r, run))
		}
		if why := compare(root, rs, pub).Results[0].Why; len(why) != 1 || why[0].What.En() != name {
			t.Errorf("another result of the commit agrees: %v; why: %v", agree, why)
		}
	}
}

// All committed results keep their bytes when read and written again: else a list of
// seeds would not be all that differs.
func TestOnlySeedsDiffer(t *testing.T) {
	root := filepath.Join("..", "..", "experiments", "results")
	paths, err := filepath.Glob(filepath.Join(root, "ring", "ci", "*[a-z].json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d results: %v", len(paths), err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".run.json") {
			continue
		}
		r := oktest.Must(Read(path))(t)
		p := factsOf(r)
		r.Seeds = []uint64{99} // of the File one: the file is read again
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
func otherRecord(t *testing.T, root string) (now, recorded File) {
	t.Helper()
	recorded = mine(t, root, invented("dasp/example1"), aRun())
	r := invented("dasp/example1")
	r.Facts[1].Value = 2.22
	if now = mine(t, root, r, nil); now.Run == nil || now.Run.ResultSHA256 != recorded.SHA256 {
		t.Fatal("the record is not that of the bytes before")
	}
	return now, recorded
}

// A result whose record belongs to other bytes was changed, whatever its bytes are now.
func TestARecordOfOtherBytesProvesNothing(t *testing.T) {
	root := t.TempDir()
	now, recorded := otherRecord(t, root)
	key, reasons := keyOf(now.Result), 1
	for _, p := range []map[string]published{nil, {key: factsOf(recorded)}, {key: factsOf(now)}} {
		v := compare(root, []File{now}, p)
		if p[key].SHA256 == now.SHA256 {
			reasons = 2
		}
		if x := v.Results[0]; x.Standing != changed || len(x.Why) != reasons || v.Verdict().En() != "" && p != nil || v.Changes.En() != "unknown" {
			t.Errorf("%+v: %s, %q", x, v.Changes, v.Verdict())
		}
	}
}
