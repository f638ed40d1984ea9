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
	"gradsync/experiments/own"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// TestStems: dasp/table5 is the notebook reports/text/dasp/table5.en.md, beside its
// Chinese, the committed result experiments/results/dasp/table5.json, the page
// reports/html/dasp/table5.html and the place dasp.html#table5 that leads there.
func TestStems(t *testing.T) {
	root := mustRoot(t)
	all := cli.Experiments()
	if len(all) == 0 {
		t.Fatal("the command line knows no experiment")
	}
	known := map[string]bool{}
	for _, e := range all {
		known[e.ID] = true
		t.Run(e.ID, func(t *testing.T) {
			for _, complaint := range judgeStem(root, e) {
				t.Error(complaint)
			}
		})
	}
	known[own.Document+"/compare"] = true // one notebook tells of all comparisons of a user's own
	books := oktest.Must(filepath.Glob(filepath.Join(root, "reports", "text", "*", "*.md")))(t)
	for _, file := range books {
		name := oktest.Must(filepath.Rel(filepath.Join(root, "reports", "text"), file))(t)
		id, lang, _ := strings.Cut(strings.TrimSuffix(filepath.ToSlash(name), ".md"), ".")
		if !known[id] || lang != "en" && lang != "zh" {
			t.Errorf("%s is a notebook of no experiment", name)
		}
	}
}

// judgeStem complains where the notebook, the committed result or the page of an
// experiment is missing.
func judgeStem(root string, e exp.Experiment) (complaints []string) {
	paper, _, ok := strings.Cut(e.ID, "/")
	if !ok {
		return []string{fmt.Sprintf("experiment %q: an id is paper/stem", e.ID)}
	}
	for _, lang := range []string{"en", "zh"} {
		book := path.Join("reports", "text", e.ID+"."+lang+".md")
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(book))); err != nil {
			complaints = append(complaints, fmt.Sprintf("experiment %s has no notebook %s", e.ID, book))
		}
	}
	if !slices.Contains(e.Profiles, "quick") {
		return complaints // committed results are those of the profiles quick and ci
	}
	file := result.Path(filepath.Join(root, "experiments", "results"), e.ID, "quick")
	r, err := result.Read(file)
	if err != nil {
		return append(complaints, fmt.Sprintf("no committed result of %s (make publish): %v", e.ID, err))
	}
	if r.ID != e.ID {
		complaints = append(complaints, fmt.Sprintf("%s: id %q, want %q", file, r.ID, e.ID))
	}
	for page, link := range map[string]string{e.ID + ".html": "../" + paper + ".html", paper + ".html": e.ID + ".html"} {
		text, err := os.ReadFile(filepath.Join(root, "reports", "html", filepath.FromSlash(page)))
		if err != nil {
			complaints = append(complaints, fmt.Sprintf("no page for %s (make reports): %v", e.ID, err))
			continue
		}
		if want := `href="` + link + `"`; !strings.Contains(string(text), want) {
			complaints = append(complaints, fmt.Sprintf("%s has no %s (make reports)", page, want))
		}
	}
	return complaints
}

// TestResultsHaveExperiments: no committed result outlives its experiment.
func TestResultsHaveExperiments(t *testing.T) {
	oktest.Slow(t)
	root := filepath.Join(mustRoot(t), "experiments", "results")
	known := map[string]bool{}
	for _, e := range cli.Experiments() {
		known[e.ID] = true
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".json") || strings.HasSuffix(file, ".run.json") {
			return err
		}
		r, err := result.Read(file)
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

// TestStemJudge: a missing notebook, result, page, anchor and link are seen.
func TestStemJudge(t *testing.T) {
	root := t.TempDir()
	e := exp.Experiment{ID: "dasp/table5", Profiles: []string{"ci", "quick"}}
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, complaints ...string) {
		t.Helper()
		got := judgeStem(root, e)
		slices.Sort(got)
		ok := len(got) == len(complaints)
		for i := range min(len(got), len(complaints)) {
			ok = ok && strings.Contains(got[i], complaints[i])
		}
		if !ok {
			t.Errorf("%s: %q, want %q", when, got, complaints)
		}
	}
	want("nothing", "no notebook reports/text/dasp/table5.en.md", "no notebook reports/text/dasp/table5.zh.md", "no committed result")
	put("reports/text/dasp/table5.en.md", "# Times\n")
	put("reports/text/dasp/table5.zh.md", "# 时间\n")
	want("with a notebook", "no committed result")
	r := &result.Result{ID: "dasp/table5", Profile: "quick", Kind: result.Stated, Status: result.Complete}
	oktest.Must(result.Write(filepath.Join(root, "experiments", "results"), r, nil))(t)
	want("with a result", "no page", "no page")
	put("reports/html/dasp.html", `<section id="table4"></section>`)
	put("reports/html/dasp/table5.html", `<a href="../dasp.html">DASP</a>`)
	want("with another's page", `dasp.html has no href="dasp/table5.html"`)
	put("reports/html/dasp.html", `<a href="dasp/table5.html">Table 5</a>`)
	want("with all")
}
