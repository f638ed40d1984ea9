package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// Figures come without pages: the command lists what it wrote, and progress stays off the standard output.
func TestReportFigures(t *testing.T) {
	oktest.Slow(t)
	results := t.TempDir()
	const from = "../results/ring/steps"
	oktest.Nil(t, os.Mkdir(filepath.Join(results, "ring"), 0o755))
	for _, kind := range []string{".json", ".run.json"} {
		b := oktest.Must(os.ReadFile(from + kind))(t)
		oktest.Nil(t, os.WriteFile(filepath.Join(results, "ring", "steps"+kind), b, 0o600))
	}
	dir := filepath.Join(t.TempDir(), "figures")
	rc, out, msg := gradsync("report", "--results", results, "--figures", dir, "--json")
	if rc != 0 {
		t.Fatalf("exit %d: %s", rc, msg)
	}
	var said struct{ Files []string }
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(said.Files) != 4 || said.Files[0] != filepath.Join(dir, "README.txt") {
		t.Errorf("wrote %q, want README.txt and one figure", said.Files)
	}
	for _, f := range said.Files {
		if s, err := os.Stat(f); err != nil || s.Size() < 500 {
			t.Errorf("%s: %v", f, err)
		}
	}
	if pages, _ := filepath.Glob(filepath.Join(dir, "*.html")); len(pages) > 0 {
		t.Errorf("pages among the figures: %q", pages)
	}
}

// A folder without results, and one that is some level too deep, are one line and exit
// code 1, for pages and figures alike, and nothing is written.
func TestReportWithoutResults(t *testing.T) {
	empty := t.TempDir()
	const deep = "../results/ring/ci"
	for _, c := range []struct{ results, want string }{
		{empty, "no results in " + empty + ": name the folder that holds ring and the like with --results, " +
			"as --results experiments/results in a clone, or make some with `gradsync run dasp`"},
		{deep, "no results in " + deep + ": name the folder"},
		{"../results/ring", `results of an unknown paper "ci"`},
		{filepath.Join(empty, "absent"), "no results in"},
	} {
		for _, kind := range []string{"--out", "--figures"} {
			dir := filepath.Join(t.TempDir(), "new")
			rc, out, msg := gradsync("report", "--results", c.results, kind, dir)
			if rc != exitFailed || out != "" || !strings.Contains(msg, c.want) || strings.Count(msg, "\n") != 1 {
				t.Errorf("report %s of %s: exit %d, %q, %q, want %q", kind, c.results, rc, out, msg, c.want)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("report %s of %s left files", kind, c.results)
			}
		}
	}
}

// A letter that the fonts of the images lack costs its figure the PNG and nothing else, and the command says so.
func TestReportFiguresWithALetterThatNoFontHas(t *testing.T) {
	oktest.Slow(t)
	r := oktest.Must(result.Read("../results/ring/steps.json"))(t)
	lanes := r.Frame("bands")
	for _, row := range lanes.Rows {
		if at := lanes.At("lane"); row[at] == "GPU-0" {
			row[at] = "环"
		}
	}
	results, dir := t.TempDir(), filepath.Join(t.TempDir(), "figures")
	oktest.Must(result.Write(results, r, nil))(t)
	rc, out, msg := gradsync("report", "--results", results, "--figures", dir)
	if rc != 0 {
		t.Fatalf("exit %d: %s", rc, msg)
	}
	for _, want := range []string{"ring/steps-ring-of-five: no PNG: the fonts of the images have no letter \"环\" (U+73AF)",
		"1 figures, 1 of them without a PNG\n"} {
		if !strings.Contains(msg, want) {
			t.Errorf("not said: %q in %q", want, msg)
		}
	}
	if strings.Contains(out, ".png") || strings.Count(out, "\n") != 1+2 {
		t.Errorf("listed:\n%s", out)
	}
	for _, kind := range []string{".svg", ".csv"} {
		if s, err := os.Stat(filepath.Join(dir, "ring", "steps-ring-of-five"+kind)); err != nil || s.Size() == 0 {
			t.Errorf("the figure's %s: %v", kind, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ring", "steps-ring-of-five.png")); err == nil {
		t.Error("an image that lacks a letter was written")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "README.txt")); err != nil ||
		strings.Count(string(text), "image: none: the fonts of the images have no letter '环' (U+73AF)") != 1 {
		t.Errorf("README.txt does not say that there is no image (%v)", err)
	}
	rc, out, msg = gradsync("report", "--results", results, "--figures", dir, "--json", "--quiet")
	var said struct {
		Figures int
		NoImage []struct{ Figure, Letter string } `json:"no_image"`
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || rc != 0 || said.Figures != 1 || len(said.NoImage) != 1 ||
		said.NoImage[0].Figure != "ring/steps-ring-of-five" || said.NoImage[0].Letter != "环" {
		t.Errorf("--json: exit %d, %v: %s %s", rc, err, out, msg)
	}
}

// One experiment's page stands alone, and its notebook for Jupyter lies below --out.
func TestReportOfOneExperiment(t *testing.T) {
	oktest.Slow(t)
	const own = "../own/testdata/sample"
	dir := t.TempDir()
	rc, out, msg := gradsync("report", "--results", own, "--experiment", "own/sample", "--single-file", "--out", dir)
	if want := filepath.Join(dir, "own", "sample.html"); rc != 0 || out != want+"\n" {
		t.Errorf("exit %d, %q, %s, want %s alone", rc, out, msg, want)
	}
	rc, out, msg = gradsync("report", "--results", own, "--experiment", "own/sample", "--ipynb", "--lang", "zh", "--json", "--out", dir)
	var said struct{ Notebook string }
	if err := json.Unmarshal([]byte(out), &said); err != nil || rc != 0 || said.Notebook != filepath.Join(dir, "own", "sample.zh.ipynb") {
		t.Errorf("exit %d, %v, %q, %s", rc, err, out, msg)
	}
	raw, err := os.ReadFile(said.Notebook)
	if err != nil || !strings.Contains(string(raw), `"nbformat": 4`) || !strings.Contains(string(raw), "自己运行") {
		t.Errorf("no notebook in Chinese: %v", err)
	}
	for id, make := range map[string]string{"own/mine": "compare", "dasp/table7": "run dasp/table7"} {
		rc, out, msg := gradsync("report", "--results", own, "--out", dir, "--experiment", id)
		want := "no result of " + id + " in " + own + ": make it with `gradsync " + make + "`"
		if rc != exitFailed || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q", id, rc, out, msg)
		}
	}
}

// A comparison is found without --results where run, or compare --out out/NAME, has put it.
func TestReportFindsAComparison(t *testing.T) {
	text := oktest.Must(os.ReadFile("../own/testdata/sample/own/sample.json"))(t)
	t.Chdir(t.TempDir())
	for _, root := range []string{filepath.Join("out", "sample"), defaultOut} {
		oktest.Nil(t, os.MkdirAll(filepath.Join(root, "own"), 0o755))
		oktest.Nil(t, os.WriteFile(filepath.Join(root, "own", "sample.json"), text, 0o600))
		if got := ownFolder("own/sample"); got != root {
			t.Errorf("found in %s, want %s", got, root)
		}
	}
	if rc, out, msg := gradsync("report", "--experiment", "own/sample"); rc != 0 || out != filepath.Join("out", "html", "own", "sample.html")+"\n" {
		t.Errorf("exit %d, %q, %s", rc, out, msg)
	}
	oktest.Nil(t, os.RemoveAll(defaultOut))
	if rc, out, msg := gradsync("export", "own/sample"); rc != 0 || !strings.Contains(out, filepath.Join("out", "csv", "own", "sample", "methods.csv")) {
		t.Errorf("export: exit %d, %q, %s", rc, out, msg)
	}
}
