package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

var (
	assignment = regexp.MustCompile(`(?m)^## ([0-9]+\..*)$`)
	block      = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	handedIn   = regexp.MustCompile("`(out/[^`]+\\.(?:html|ipynb))`")
)

// found are numbers of the text that commands print, by assignment: those that no arithmetic decides which another
// kind of CPU rounds otherwise.
var found = map[string][]string{"1": {"0.4186", "0.3314", "0.282"}, "3": {"140", "32145888", "125120240", "2678824"}}

// rounded are such as engine asm's roundings decide: another engine trains a little otherwise.
var rounded = map[string][]string{"2": {"-33.0", "[-39.5 -25.7]", "+56.2", "[+34.5 +81.3]", "-10.5"}, "4": {"480", "1.42", "2.94"}}

// TestCoursework: the commands of COURSEWORK.md run as they stand in a copy of the files that git has, each block to
// its end, print the numbers that the text reports, and make the pages that it says were handed in.
func TestCoursework(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("takes minutes: make test-long has it")
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the commands are a shell's, and there is no bash")
	}
	root := oktest.Must(repo.Root())(t)
	text := oktest.Must(os.ReadFile(filepath.Join(root, "COURSEWORK.md")))(t)
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
		title := string(text[at[2]:at[3]])
		t.Run(title, func(t *testing.T) {
			blocks, pages := block.FindAllStringSubmatch(body, -1), handedIn.FindAllStringSubmatch(body, -1)
			if len(blocks) == 0 || len(pages) == 0 {
				t.Fatalf("%d blocks of commands, %d pages handed in", len(blocks), len(pages))
			}
			said := ""
			for _, b := range blocks {
				said += run(t, clone, shell, "-e", "-c", b[1])
			}
			plain := strings.NewReplacer(",", "", "−", "-")
			numbers := found[title[:1]]
			if strings.Contains(said, "engine asm") {
				numbers = slices.Concat(numbers, rounded[title[:1]])
			}
			for _, number := range numbers {
				if !strings.Contains(plain.Replace(said), number) || !strings.Contains(plain.Replace(body), number) {
					t.Errorf("%s is not in the text or not in what the commands print:\n%s", number, said)
				}
			}
			for _, p := range pages {
				if _, err := os.Stat(filepath.Join(clone, p[1])); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// run runs a program, fails the test with what it said, or returns that.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
	}
	return string(said)
}
