package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// TestExportedNames: what a package exports somebody else uses, or its own tests from outside (.ci/exported/main.go).
// In a module made for it the tool lists what nobody does, and nothing that is needed for a reason that it knows.
func TestExportedNames(t *testing.T) {
	oktest.Slow(t)
	root, made := mustRoot(t), t.TempDir()
	tool := buildTool(t, root, ".ci/exported/main.go")
	list := func(dir string) string {
		t.Helper()
		cmd := exec.Command(tool, "./...")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		return string(oktest.Must(cmd.Output())(t))
	}
	if found := list(root); found != "" {
		t.Errorf("nobody outside of their package uses\n%smake them unexported, or delete them", found)
	}
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": `package a

type Named struct{ Has Within } // Within: a field of what others use has it
type Within int
type Lone struct{ base } // 5
type base struct{}

func (Named) String() string  { return "" } // fmt.Stringer
func (Named) Mine()           {}            // 9
func (*base) Unwrap() error   { return nil }
func (Named) Shown() (x Part) { return }    // a template has it
func (Named) Scanned()        {}            // a file without types has it

type Part struct{}

const Own, Yours = 1, 2 // 16: Own

func Outside() {}
func Twice[T any](x T) T { return x }
func Inside()            {} // 20
`,
		"a/in_test.go":  "package a\n\nfunc init() { Inside() }\n",
		"a/out_test.go": "package a_test\n\nimport \"m/a\"\n\nfunc init() { a.Outside() }\n",
		"b/b.go": "package b\n\nimport (\n\t\"fmt\"\n\n\t\"m/a\"\n)\n\n" +
			"var _ fmt.Stringer = a.Named{}\nvar _ = a.Twice(a.Yours)\nvar _ = `{{.Shown}}`\n",
		"b/b_cu.go": "//go:build cu\n\npackage b\n\nimport \"m/a\"\n\nfunc init() { a.Named{}.Scanned() }\n",
	} {
		path := filepath.Join(made, filepath.FromSlash(name))
		oktest.Nil(t, os.MkdirAll(filepath.Dir(path), 0o755))
		oktest.Nil(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want := "a/a.go:16: Own\na/a.go:20: Inside\na/a.go:5: Lone\na/a.go:9: Named.Mine\n"
	if found := strings.ReplaceAll(list(made), "\r", ""); found != want {
		t.Errorf("of the module made:\n%swant\n%s", found, want)
	}
}
