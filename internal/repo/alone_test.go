package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPapersStandAlone: each paper builds with shared, and so do its tests, in a copy of the
// tree that holds nothing else: no other paper, no experiment, data set or page. With
// GRADSYNC_LONG the tests run there too.
func TestPapersStandAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	root := mustRoot(t)
	files, err := listFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	papers, err := os.ReadDir(filepath.Join(root, "papers"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, p := range papers {
		if !p.IsDir() || p.Name() == "internal" {
			continue
		}
		tried++
		t.Run(p.Name(), func(t *testing.T) {
			dir, paper := t.TempDir(), "papers/"+p.Name()+"/"
			for _, f := range files {
				if f == "go.mod" || f == "go.sum" || strings.HasPrefix(f, "shared/") || strings.HasPrefix(f, paper) {
					copyFile(t, root, dir, f)
				}
			}
			paper = "./" + paper + "..."
			// The build cache knows the copies by their content, not by their folder.
			run(t, dir, "go", "build", "-trimpath", paper, "./shared/...")
			if os.Getenv("GRADSYNC_LONG") != "" {
				run(t, dir, "go", "test", paper)
			} else {
				run(t, dir, "go", "vet", "-trimpath", paper)
			}
		})
	}
	if tried < 3 {
		t.Errorf("papers/ holds %d papers, want at least 3", tried)
	}
}

// run runs a command in dir, which must succeed.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func copyFile(t *testing.T, from, to, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		return // a temporary file that is gone by now
	}
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
