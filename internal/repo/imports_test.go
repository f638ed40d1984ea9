package repo

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/internal/oktest"
)

// TestImportRules: each rule of .ci/depguard.yaml reports exactly the forbidden
// imports of testdata/imports, so a rule that matches no file cannot pass.
func TestImportRules(t *testing.T) {
	oktest.Slow(t)
	root := mustRoot(t)
	fixture := filepath.Join(root, "internal", "repo", "testdata", "imports")
	tool := buildDepguard(t, root)

	cmd := exec.Command(tool, "./...")
	cmd.Dir = fixture
	cmd.Env = append(os.Environ(), "GRADSYNC_DEPGUARD="+filepath.Join(root, ".ci", "depguard.yaml"), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("depguard found nothing in %s", fixture)
	}
	want := wanted(t, fixture)
	if diff := cmp.Diff(want, reported(fixture, string(out))); diff != "" {
		t.Errorf("reported imports differ from the want comments (-want +got):\n%s\noutput:\n%s", diff, out)
	}
	for _, rule := range rules(t, root) {
		if !slices.ContainsFunc(want, func(w string) bool { return strings.HasSuffix(w, " "+rule) }) {
			t.Errorf("rule %q of .ci/depguard.yaml has no forbidden import in testdata/imports", rule)
		}
	}
}

// TestEveryPaperHasARule: a new folder under papers/ cannot slip past depguard.
func TestEveryPaperHasARule(t *testing.T) {
	root := mustRoot(t)
	dirs := oktest.Must(os.ReadDir(filepath.Join(root, "papers")))(t)
	have := rules(t, root)
	for _, d := range dirs {
		if d.IsDir() && !slices.Contains(have, "paper-"+d.Name()) {
			t.Errorf("papers/%s has no list paper-%[1]s in .ci/depguard.yaml", d.Name())
		}
	}
}

func mustRoot(t *testing.T) string {
	t.Helper()
	return oktest.Must(Root())(t)
}

func buildDepguard(t *testing.T, root string) string {
	t.Helper()
	return buildTool(t, root, ".ci/depguard/main.go")
}

// buildTool builds a tool of .ci from its own module file.
func buildTool(t *testing.T, root, file string) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "tool.exe") // Windows needs the suffix, others do not mind
	cmd := exec.Command("go", "build", "-modfile=.ci/tools.mod", "-o", tool, file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", file, err, out)
	}
	return tool
}

var (
	wantComment = regexp.MustCompile(`// want ([a-z -]+)$`)
	finding     = regexp.MustCompile(`(?m)^(.+\.go):(\d+):\d+: import '[^']+' is not allowed from list '([^']+)'`)
	ruleName    = regexp.MustCompile(`(?m)^([a-z][a-z-]*):$`)
)

// wanted lists the want comments below dir as "file:line rule", sorted.
func wanted(t *testing.T, dir string) []string {
	t.Helper()
	var want []string
	oktest.Nil(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			m := wantComment.FindStringSubmatch(strings.TrimRight(line, "\r"))
			if m == nil {
				continue
			}
			for _, rule := range strings.Fields(m[1]) {
				want = append(want, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), i+1, rule))
			}
		}
		return nil
	}))
	slices.Sort(want)
	return want
}

// reported lists depguard's findings in the form of wanted. A package is loaded
// a second time with its tests; each finding counts once.
func reported(dir, out string) []string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	var got []string
	for _, m := range finding.FindAllStringSubmatch(out, -1) {
		file := m[1]
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) {
			file = rel
		}
		got = append(got, fmt.Sprintf("%s:%s %s", filepath.ToSlash(file), m[2], m[3]))
	}
	slices.Sort(got)
	return slices.Compact(got)
}

// rules lists the names in .ci/depguard.yaml.
func rules(t *testing.T, root string) []string {
	t.Helper()
	text := oktest.Must(os.ReadFile(filepath.Join(root, ".ci", "depguard.yaml")))(t)
	var names []string
	for _, m := range ruleName.FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}
