package repo

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// TestPapersStandAlone: each paper builds with shared, and so do its tests, in a copy of the
// tree that holds nothing else: no other paper, no experiment, data set or page. With
// GRADSYNC_LONG the tests run there too.
func TestPapersStandAlone(t *testing.T) {
	oktest.Slow(t)
	root := mustRoot(t)
	files := oktest.Must(listFiles(root))(t)
	papers := oktest.Must(os.ReadDir(filepath.Join(root, "papers")))(t)
	tried := 0
	for _, p := range papers {
		if !p.IsDir() || p.Name() == "internal" {
			continue
		}
		tried++
		t.Run(p.Name(), func(t *testing.T) {
			paper, gone := "papers/"+p.Name()+"/", map[string][]byte{}
			for _, f := range files {
				if f != "go.mod" && f != "go.sum" && !strings.HasPrefix(f, "shared/") && !strings.HasPrefix(f, paper) {
					gone[f] = nil
				}
			}
			overlay := writeOverlay(t, root, gone)
			paper = "./" + paper + "..."
			run(t, root, "go", "build", "-overlay", overlay, paper, "./shared/...")
			if os.Getenv("GRADSYNC_LONG") != "" {
				run(t, root, "go", "test", "-overlay", overlay, paper)
			} else {
				run(t, root, "go", "vet", "-overlay", overlay, paper)
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

// writeOverlay writes the file for the flag -overlay with which go takes the tree as if these files had these texts, by
// paths in the tree; nil: as if one were not there. It needs no copy, of which everything would be compiled anew.
func writeOverlay(t *testing.T, root string, files map[string][]byte) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range files {
		path := ""
		if text != nil {
			path = filepath.Join(dir, strconv.Itoa(len(replace))+filepath.Base(name))
			oktest.Nil(t, os.WriteFile(path, text, 0o600))
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = path
	}
	list := oktest.Must(json.Marshal(map[string]any{"Replace": replace}))(t)
	path := filepath.Join(dir, "overlay.json")
	oktest.Nil(t, os.WriteFile(path, list, 0o600))
	return path
}
