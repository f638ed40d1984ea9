package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gradsync/internal/repo"
)

var (
	assignment = regexp.MustCompile(`(?m)^## ([0-9]+\..*)$`)
	block      = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	handedIn   = regexp.MustCompile("`(out/[^`]+\\.(?:html|ipynb))`")
)

// TestCoursework: the commands of COURSEWORK.md run as they stand in a copy of the files that git has, each block to
// its end, and make the pages that the text says were handed in.
func TestCoursework(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("takes minutes: make test-long has it")
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the commands are a shell's, and there is no bash")
	}
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "COURSEWORK.md"))
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "gradsync")
	run(t, root, "git", "clone", "--quiet", "--no-hardlinks", root, clone)
	run(t, clone, "go", "build", "-o", "bin/gradsync", "./experiments/gradsync")
	heads := assignment.FindAllStringSubmatchIndex(string(text), -1)
	if len(heads) != 4 {
		t.Fatalf("%d assignments, want 4", len(heads))
	}
	for i, at := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		body := string(text[at[1]:end])
		t.Run(string(text[at[2]:at[3]]), func(t *testing.T) {
			blocks, pages := block.FindAllStringSubmatch(body, -1), handedIn.FindAllStringSubmatch(body, -1)
			if len(blocks) == 0 || len(pages) == 0 {
				t.Fatalf("%d blocks of commands, %d pages handed in", len(blocks), len(pages))
			}
			for _, b := range blocks {
				run(t, clone, shell, "-e", "-c", b[1])
			}
			for _, p := range pages {
				if _, err := os.Stat(filepath.Join(clone, p[1])); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// run runs a program and fails the test with what it said.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
	}
}
