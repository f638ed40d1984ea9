package agree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/cli"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/reports"
)

// TestStems: dasp/table5 is experiments/dasp/table5.go, its committed result
// experiments/results/dasp/table5.json and its anchor dasp.html#table5.
func TestStems(t *testing.T) {
	root := mustRoot(t)
	all := cli.Experiments()
	if len(all) == 0 {
		t.Fatal("the command line knows no experiment")
	}
	for _, e := range all {
		t.Run(e.ID, func(t *testing.T) {
			source := path.Join("experiments", e.ID+".go")
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(source))); err != nil {
				t.Errorf("experiment %s has no file %s", e.ID, source)
			}
			for _, complaint := range judgeStem(root, e) {
				t.Error(complaint)
			}
		})
	}
}

// judgeStem complains where the committed result or the page of an experiment
// is missing. A paper without any committed result is complained about once.
func judgeStem(root string, e exp.Experiment) (complaints []string) {
	results := filepath.Join(root, "experiments", "results")
	paper, stem, ok := strings.Cut(e.ID, "/")
	if !ok {
		return []string{fmt.Sprintf("experiment %q: an id is paper/stem", e.ID)}
	}
	if !slices.Contains(e.Profiles, "quick") {
		return nil // committed results are those of the profiles quick and ci
	}
	file := result.Path(results, e.ID, "quick")
	r, err := reports.Outline(file)
	if err != nil {
		return []string{fmt.Sprintf("no committed result of %s (make publish): %v", e.ID, err)}
	}
	if r.ID != e.ID {
		complaints = append(complaints, fmt.Sprintf("%s: id %q, want %q", file, r.ID, e.ID))
	}
	page := filepath.Join(root, "reports", "html", paper+".html")
	text, err := os.ReadFile(page)
	if err != nil {
		return append(complaints, fmt.Sprintf("no page for %s (make reports): %v", e.ID, err))
	}
	if !strings.Contains(string(text), `id="`+stem+`"`) {
		complaints = append(complaints, fmt.Sprintf("%s has no anchor #%s (make reports)", page, stem))
	}
	return complaints
}

// TestResultsHaveExperiments: no committed result outlives its experiment.
func TestResultsHaveExperiments(t *testing.T) {
	root := filepath.Join(mustRoot(t), "experiments", "results")
	known := map[string]bool{}
	for _, e := range cli.Experiments() {
		known[e.ID] = true
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".json") || strings.HasSuffix(file, ".run.json") {
			return err
		}
		r, err := reports.Outline(file)
		if err != nil {
			return err
		}
		if !known[r.ID] {
			t.Errorf("%s: there is no experiment %q", file, r.ID)
		}
		if want := result.Path(root, r.ID, r.Profile); file != want {
			t.Errorf("%s: id and profile say %s", file, want)
		}
		if r.Status != "complete" {
			t.Errorf("%s: status %q is not to be committed", file, r.Status)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // TestStems says what is missing
		t.Fatal(err)
	}
}

// TestStemJudge: a missing result, a wrong id and a missing anchor are seen.
func TestStemJudge(t *testing.T) {
	root := t.TempDir()
	e := exp.Experiment{ID: "dasp/table5", Profiles: []string{"ci", "quick"}}
	if got := judgeStem(root, e); len(got) != 1 || !strings.Contains(got[0], "no committed result") {
		t.Errorf("without a result: %q", got)
	}
	r := &result.Result{ID: "dasp/table5", Profile: "quick", Kind: result.Stated, Status: "complete"}
	if _, err := result.Write(filepath.Join(root, "experiments", "results"), r, nil); err != nil {
		t.Fatal(err)
	}
	if got := judgeStem(root, e); len(got) != 1 || !strings.Contains(got[0], "no page") {
		t.Errorf("without a page: %q", got)
	}
	html := filepath.Join(root, "reports", "html")
	if err := os.MkdirAll(html, 0o755); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int{`<section id="table4">`: 1, `<section id="table5">`: 0} {
		if err := os.WriteFile(filepath.Join(html, "dasp.html"), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := judgeStem(root, e); len(got) != want {
			t.Errorf("page %s: %q, want %d complaints", body, got, want)
		}
	}
}
