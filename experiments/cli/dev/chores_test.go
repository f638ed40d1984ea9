package dev

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gradsync/internal/oktest"
)

// clone makes the test's folder the root of a module.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	oktest.Nil(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module gradsync\n"), 0o644))
	t.Chdir(dir)
	return dir
}

// call runs a chore below a root that has the flag --json, as the command line does.
func call(c *cobra.Command, args ...string) (out, errOut string, err error) {
	var o, e bytes.Buffer
	root := &cobra.Command{Use: "gradsync", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().Bool("json", false, "")
	root.AddCommand(c)
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetArgs(append([]string{c.Name()}, args...))
	err = root.Execute()
	return o.String(), e.String(), err
}

func TestStepsRunInOrderAndStopAtTheFirstFailure(t *testing.T) {
	clone(t)
	failed := errors.New("third step failed")
	say := func(s string, err error) step {
		return step{Command: s, own: func(_ string, out io.Writer) error { _, _ = io.WriteString(out, s+" ran\n"); return err }}
	}
	chore := func() *cobra.Command {
		return command("x", "", func() []step {
			return []step{say("a", nil), {Command: "nothing to do"}, say("b", failed), say("c", nil)}
		})
	}
	out, _, err := call(chore())
	if want := "step 1 of 4: a\na ran\nstep 2 of 4: nothing to do\nstep 3 of 4: b\nb ran\n"; out != want || !errors.Is(err, failed) {
		t.Errorf("printed %q with error %v, want %q and %v", out, err, want, failed)
	}
}

func TestJSONIsOneObject(t *testing.T) {
	clone(t)
	out, errOut, err := call(command("x", "", func() []step { return []step{program("go", "version")} }), "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Command string
		Steps   []struct{ Command string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Command != "x" || len(got.Steps) != 1 || got.Steps[0].Command != "go version" {
		t.Errorf("--json printed %q (%v)", out, err)
	}
	if !strings.Contains(errOut, "go version go1") {
		t.Errorf("the step's own output is not on standard error: %q", errOut)
	}
}

func TestProgramFailureIsTheChoresFailure(t *testing.T) {
	clone(t)
	if _, _, err := call(command("x", "", func() []step { return []step{program("go", "no-such-command")} })); err == nil {
		t.Error("a failing program gave no error")
	}
}

func TestRaceIsSkippedInOneLineWithoutACompiler(t *testing.T) {
	t.Setenv("CC", "no-such-compiler")
	steps := race()
	if len(steps) != 1 || steps[0].argv != nil || !strings.Contains(steps[0].Command, "skipped") || strings.Contains(steps[0].Command, "\n") {
		t.Errorf("without a compiler: %+v, want one line that says so", steps)
	}
	t.Setenv("CC", "go") // something that is there
	if steps := race(); len(steps) != 1 || !strings.HasPrefix(steps[0].Command, "CGO_ENABLED=1 go test -race ") {
		t.Errorf("with a compiler: %+v, want go test -race", steps)
	}
	if steps := long(); len(steps) != 2 || !slices.Contains(steps[1].env, "CGO_ENABLED=1") || !slices.Contains(steps[1].env, "GRADSYNC_LONG=1") ||
		!slices.Contains(steps[1].argv, "./shared/gpu/...") || slices.Contains(steps[1].argv, "-short") {
		t.Errorf("test-long: %+v, want all tests of a GPU under the race detector too", steps)
	}
}

func TestFormattedNamesTheFile(t *testing.T) {
	dir := clone(t)
	oktest.Nil(t, os.WriteFile(filepath.Join(dir, "ugly.go"), []byte("package  x\n"), 0o644))
	var out bytes.Buffer
	if err := formatted(dir, &out); err == nil || out.String() != "ugly.go\n" {
		t.Errorf("formatted printed %q with error %v", out.String(), err)
	}
}

func TestCleanRemovesWhatWasMade(t *testing.T) {
	dir := clone(t)
	for _, name := range []string{"bin", "out", "papers"} {
		oktest.Nil(t, os.MkdirAll(filepath.Join(dir, name, "deep"), 0o755))
	}
	if _, _, err := call(command("clean", "", clean)); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[1]) != "papers" {
		t.Errorf("left %v (%v), want go.mod and papers", left, err)
	}
}
