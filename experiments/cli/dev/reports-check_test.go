package dev

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/cli/dev/readme"
	"gradsync/experiments/result"
	"gradsync/internal/gosource"
	render "gradsync/reports"
)

// A repository of one result passes when its files were made from it, and fails for
// each file that was changed, removed or added, by name.
func TestReportsCheckNamesEachDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	root := t.TempDir()
	files := map[string]string{}
	for _, name := range []string{"README.md", "REPRODUCIBILITY.md", "COURSEWORK.md"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(raw)
	}
	files["reports/published.json"] = ""
	put(t, root, files)
	results := filepath.Join(root, filepath.FromSlash(committed))
	r, err := result.Read(result.Path(filepath.Join("..", "..", "..", filepath.FromSlash(committed)), "ring/steps", "quick"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := result.Write(results, r, &result.Run{}); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want ...string) {
		t.Helper()
		var out bytes.Buffer
		err := checkReports(root, &out)
		if (err == nil) != (len(want) == 0) || err != nil && !strings.Contains(err.Error(), "run `make reports`") {
			t.Errorf("%s: %v\n%s", when, err, out.String())
		}
		for _, line := range want {
			if !strings.Contains(out.String(), line+"\n") {
				t.Errorf("%s: no line %q in\n%s", when, line, out.String())
			}
		}
		if n := strings.Count(out.String(), "\n"); when != "nothing made" && n != max(1, len(want)) {
			t.Errorf("%s: %d lines\n%s", when, n, out.String())
		}
	}
	html := filepath.Join(root, filepath.FromSlash(pages))
	if err := os.MkdirAll(html, 0o755); err != nil {
		t.Fatal(err)
	}
	check("nothing made", "lacking: reports/html/ring.html", "lacking: reports/html/ring/steps.html", "lacking: reports/html/assets/report.css",
		"differs: README.md", "differs: reports/published.json")
	if _, err := render.Render(render.Options{Results: results, Out: html, Command: "gradsync " + rendering, Sources: gosource.All}); err != nil {
		t.Fatal(err)
	}
	if _, err := readme.Update(root); err != nil {
		t.Fatal(err)
	}
	check("all made")
	if err := os.Remove(filepath.Join(html, "ring", "steps.html")); err != nil {
		t.Fatal(err)
	}
	put(t, html, map[string]string{"ring.html": "changed", "assets/report.css": "changed", "old.html": "of a result that is gone"})
	put(t, root, map[string]string{"reports/published.json": "{}"})
	check("changed", "differs: reports/html/ring.html", "differs: reports/html/assets/report.css", "extra, no result makes it: reports/html/old.html",
		"lacking: reports/html/ring/steps.html", "differs: reports/published.json")
}
