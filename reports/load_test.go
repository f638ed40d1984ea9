package reports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/ran"

	"github.com/google/go-cmp/cmp"
)

func TestProfilesAndTheirAnchors(t *testing.T) {
	root := t.TempDir()
	write := func(r *result.Result, profile string) {
		r.Profile = profile
		put(t, root, r)
	}
	write(exampleTimes(), "quick")
	write(exampleStated(), "quick")
	write(exampleLines(), "quick")
	write(exampleStated(), "paper")
	write(exampleStated(), "ci") // hidden: another profile of it is there
	write(exampleCurves(), "ci") // shown: there is nothing else
	all := oktest.Must(load(root))(t)
	var got []string
	for _, l := range all["dasp"] {
		got = append(got, l.Anchor())
	}
	want := []string{"example1", "example1-paper", "example5", "example-fig2", "example-fig4-ci"}
	if !slices.Equal(got, want) {
		t.Errorf("anchors %v, want %v", got, want)
	}
}

func TestUnknownPaperAndMissingFolder(t *testing.T) {
	root, r := t.TempDir(), exampleStated()
	r.ID = "nobody/table1"
	put(t, root, r)
	if _, err := load(root); err == nil || !strings.Contains(err.Error(), `unknown paper "nobody"`) {
		t.Errorf("error %v", err)
	}
	if _, err := load(filepath.Join(root, "absent")); err == nil || !strings.Contains(err.Error(), "no results to read") {
		t.Errorf("error %v", err)
	}
}

// Where a result has no record of its run, or a record of other bytes, or one of a
// changed tree, the page says so instead of showing facts that may be wrong.
func TestProvenanceWarns(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "dasp", "example1.json")
	put(t, root, exampleStated())
	warnings := func() string {
		l := oktest.Must(loadFile(file, "dasp", "quick"))(t)
		var ws []string
		for _, f := range ran.Provenance(l.File) {
			if f.Warn {
				ws = append(ws, f.Value.En())
			}
		}
		return strings.Join(ws, "\n")
	}
	if w := warnings(); !strings.Contains(w, "No record of the run") {
		t.Errorf("without a sidecar: %q", w)
	}
	l := oktest.Must(loadFile(file, "dasp", "quick"))(t)
	side := filepath.Join(root, "dasp", "example1.run.json")
	record := func(run result.Run) {
		raw, err := json.Marshal(run)
		if err == nil {
			err = os.WriteFile(side, raw, 0o600)
		}
		oktest.Nil(t, err)
	}
	record(result.Run{Command: "c", Commit: "abc", ResultSHA256: l.SHA256})
	if w := warnings(); w != "" {
		t.Errorf("with its own sidecar: %q", w)
	}
	record(result.Run{Command: "c", Commit: "abc", Dirty: true, ResultSHA256: strings.Repeat("0", 64)})
	if w := warnings(); !strings.Contains(w, "no commit holds") || !strings.Contains(w, "names another result") {
		t.Errorf("changed tree, other bytes: %q", w)
	}
	oktest.Nil(t, os.WriteFile(side, []byte("{"), 0o600))
	if _, err := loadFile(file, "dasp", "quick"); err == nil {
		t.Error("a broken sidecar was read")
	}
}

// published.json lists the committed results as they are. If this fails, run `make reports` and commit the file.
func TestPublishedIsWhatIsCommitted(t *testing.T) {
	oktest.Slow(t)
	want := oktest.Must(Published(filepath.Join("..", "experiments", "results")))(t)
	if diff := cmp.Diff(string(want), strings.ReplaceAll(string(publishedJSON), "\r\n", "\n")); diff != "" {
		t.Errorf("published.json is not current, run `make reports` (-want +got):\n%s", diff)
	}
	var pub struct {
		Results map[string]struct{ SHA256 string }
	}
	oktest.Nil(t, json.Unmarshal(want, &pub))
	// The hash is of the file as anyone hashes it.
	raw := oktest.Must(os.ReadFile(filepath.Join("..", "experiments", "results", "ring", "ci", "cost.json")))(t)
	if got := pub.Results["ring/cost ci"].SHA256; got != result.Sum(raw) {
		t.Errorf("ring/cost ci has sha256 %s, want %s", got, result.Sum(raw))
	}
}
