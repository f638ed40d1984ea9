package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPapersStandAlone: each paper builds, and its tests compile, in a copy of
// the tree that holds nothing but that paper and what is shared. With
// GRADSYNC_LONG its tests run there, too.
func TestPapersStandAlone(t *testing.T) {
	root := mustRoot(t)
	files, err := Files(root)
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
			dir := t.TempDir()
			for _, f := range files {
				if f == "go.mod" || f == "go.sum" || strings.HasPrefix(f, "shared/") || strings.HasPrefix(f, "papers/"+p.Name()+"/") || strings.HasPrefix(f,
					"papers/internal/") {
					copyFile(t, root, dir, f)
				}
			}
			command := []string{"vet", "-trimpath", "./papers/..."} // the build cache knows the copies by their content, not by their folder
			if os.Getenv("GRADSYNC_LONG") != "" {
				command = []string{"test", "./papers/..."}
			}
			cmd := exec.Command("go", command...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("go %s with papers/%s alone: %v\n%s", strings.Join(command, " "), p.Name(), err, out)
			}
		})
	}
	if tried == 0 {
		t.Error("papers/ holds no paper")
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
