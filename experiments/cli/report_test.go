package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Figures come without pages: the command lists what it wrote, progress stays off
// the standard output, and options of pages are refused.
func TestReportFigures(t *testing.T) {
	results := t.TempDir()
	const from = "../results/ring/steps"
	if err := os.Mkdir(filepath.Join(results, "ring"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{".json", ".run.json"} {
		b, err := os.ReadFile(from + kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(results, "ring", "steps"+kind), b, 0o600); err != nil {
			t.Fatal(err)
		}
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
	for _, more := range [][]string{{"--out", t.TempDir()}, {"--single-file"}} {
		rc, _, msg := gradsync(append([]string{"report", "--results", results, "--figures", dir}, more...)...)
		if rc != exitUsage || strings.Count(strings.TrimSpace(msg), "\n") > 1 || !strings.Contains(msg, "--figures") {
			t.Errorf("%v: exit %d, %q", more, rc, msg)
		}
	}
	if rc, _, msg := gradsync("report", "--results", filepath.Join(results, "none"), "--figures", dir); rc != 1 || !strings.Contains(msg, "none") {
		t.Errorf("no results: exit %d, %q", rc, msg)
	}
}
