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
	"gradsync/internal/oktest"
	render "gradsync/reports"
)

// A repository of one result passes when its files were made from it, and fails for
// each file that was changed, removed or added, by name.
func TestReportsCheckNamesEachDifference(t *testing.T) {
	oktest.Slow(t)
	root := t.TempDir()
	files := map[string]string{}
	for _, name := range []string{"README.md", "REPRODUCIBILITY.md", "COURSEWORK.md"} {
		raw := oktest.Must(os.ReadFile(filepath.Join("..", "..", "..", name)))(t)
		files[name] = string(raw)
	}
	files["reports/published.json"] = ""
	put(t, root, files)
	results := filepath.Join(root, filepath.FromSlash(committed))
	r, err := result.Read(result.Path(filepath.Join("..", "..", "..", filepath.FromSlash(committed)), "ring/steps", "quick"))
	if err != nil {
		t.Fatal(err)
	}
	oktest.Must(result.Write(results, r, &result.Run{}))(t)
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
	oktest.Nil(t, os.MkdirAll(html, 0o755))
	check("nothing made", "lacking: reports/html/ring.html", "lacking: reports/html/ring/steps.html", "lacking: reports/html/assets/report.css",
		"differs: README.md", "differs: reports/published.json")
	if _, err := render.Render(render.Options{Results: results, Out: html, Command: "gradsync " + rendering, Sources: gosource.All}); err != nil {
		t.Fatal(err)
	}
	oktest.Must(readme.Update(root))(t)
	check("all made")
	oktest.Nil(t, os.Remove(filepath.Join(html, "ring", "steps.html")))
	put(t, html, map[string]string{"ring.html": "changed", "assets/report.css": "changed", "old.html": "of a result that is gone"})
	put(t, root, map[string]string{"reports/published.json": "{}"})
	check("changed", "differs: reports/html/ring.html", "differs: reports/html/assets/report.css", "extra, no result makes it: reports/html/old.html",
		"lacking: reports/html/ring/steps.html", "differs: reports/published.json")
}
