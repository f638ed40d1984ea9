package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"gradsync/internal/oktest"
)

// renewEnv makes a test renew the file that it compares with.
const renewEnv = "GRADSYNC_RENEW"

// golden compares a text with a file of testdata, byte by byte. Of the lines that differ it shows the first, and the
// line before it that begins with mark.
func golden(t *testing.T, file, mark, got string) {
	t.Helper()
	if os.Getenv(renewEnv) != "" {
		oktest.Nil(t, os.WriteFile(file, []byte(got), 0o644))
	}
	raw := oktest.Must(os.ReadFile(file))(t)
	want := strings.ReplaceAll(string(raw), "\r\n", "\n")
	if got == want {
		return
	}
	is, was, at := strings.Split(got, "\n"), strings.Split(want, "\n"), ""
	for i := range min(len(is), len(was)) {
		if is[i] == was[i] {
			if strings.HasPrefix(is[i], mark) {
				at = is[i]
			}
			continue
		}
		t.Fatalf("line %d, in %q, is\n%s\n%s has\n%s\n%s=1 go test ./experiments/cli -run %s writes it anew",
			i+1, at, is[i], filepath.Base(file), was[i], renewEnv, t.Name())
	}
	t.Fatalf("%d lines, %s has %d: %s=1 go test ./experiments/cli -run %s writes it anew",
		len(is), filepath.Base(file), len(was), renewEnv, t.Name())
}

// allCommands lists every command, hidden ones too, as it is typed after the program's name.
func allCommands() (all []string) {
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		all = append(all, strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "gradsync"), " "))
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	return all
}

// TestHelpIsGolden: --help of every command, hidden ones too, is what testdata/help.txtar has, wherever and by whomever
// it is asked for.
func TestHelpIsGolden(t *testing.T) {
	file := oktest.Must(filepath.Abs("testdata/help.txtar"))(t)
	t.Chdir(t.TempDir())
	commands := allCommands()
	if len(commands) < 100 {
		t.Errorf("%d commands, want at least 100: the formulas alone are 52", len(commands))
	}
	var b strings.Builder
	for _, c := range commands {
		rc, out, msg := gradsync(append(strings.Fields(c), "--help")...)
		if rc != exitOK || msg != "" || out == "" {
			t.Errorf("%s --help: exit code %d, %d bytes, %q", c, rc, len(out), msg)
		}
		fmt.Fprintf(&b, "-- %s --help --\n%s", strings.TrimSpace("gradsync "+c), out)
	}
	golden(t, file, "-- ", b.String())
}

// wrongFiles lie in the folder in which the calls of testdata/wrong.txt are made: the root of a module, so that
// nothing above it is found.
var wrongFiles = map[string]string{
	"go.mod":      "module gradsync\n",
	"empty.json":  "",
	"broken.json": "{\"id\": \"dasp/table5\",\n",
	"bad.json": "{\"name\": \"bad\",\n \"workers\": [\n" +
		"  {\"name\": \"a\", \"flops\": \"5 TFLOP\", \"bandwidth\": \"1 Gb/s\"},\n  {\"nam\": \"b\"}]}",
	"list.json": "[]\n",
	"notes.txt": "no record\n",
	"experiments/results/dasp/ci/table4.json": "{}\n",
	"experiments/results/ring/ci/steps.json":  "{}\n",
}

// below lists the files in this folder and below.
func below(t *testing.T) (all []string) {
	t.Helper()
	oktest.Nil(t, fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// TestWrongCallsAreGolden: exit code and first line of each call of testdata/wrong.txt are those below it. What a call
// is refused for is one line, and nothing comes of it, on standard output or in the folder. Every command but the
// formulas has such a call, and there are 400.
func TestWrongCallsAreGolden(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows words what its files lack in its own way")
	}
	file := oktest.Must(filepath.Abs("testdata/wrong.txt"))(t)
	raw := oktest.Must(os.ReadFile(file))(t)
	t.Chdir(t.TempDir())
	for name, text := range wrongFiles {
		oktest.Nil(t, os.MkdirAll(filepath.Dir(name), 0o755))
		oktest.Nil(t, os.WriteFile(name, []byte(text), 0o644))
	}
	t.Setenv(workerEnv, "1") // a call that is not refused may start this binary, as the program then
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	var b strings.Builder
	var calls []string
	files := below(t)
	for _, line := range strings.Split(string(raw), "\n") {
		call, found := strings.CutPrefix(line, "$ gradsync ")
		if !found {
			continue
		}
		var out, msg bytes.Buffer
		rc := run(ctx, words(call), &out, &msg)
		from, text := "stderr", msg.String()
		if text == "" {
			from, text = "stdout", out.String()
		}
		first, more, _ := strings.Cut(strings.ReplaceAll(text, os.Getenv("XDG_CACHE_HOME"), "$XDG_CACHE_HOME"), "\n")
		left := below(t)
		if rc == exitUsage && (out.Len() > 0 || more != "") || rc != exitOK && !slices.Equal(left, files) {
			t.Errorf("%s: exit code %d, %s%s, leaves %q", call, rc, msg.String(), out.String(), left)
		}
		files = left
		fmt.Fprintf(&b, "$ gradsync %s\n%d, %s: %s\n", call, rc, from, first)
		calls = append(calls, call+" ")
	}
	golden(t, file, "$ ", b.String())
	for _, c := range allCommands() {
		of := func(call string) bool { return strings.HasPrefix(call, c+" ") }
		if c != "" && !strings.HasPrefix(c, "eval ") && !slices.ContainsFunc(calls, of) {
			t.Errorf("%s has no wrong call in testdata/wrong.txt: add a line $ gradsync %s …", c, c)
		}
	}
	slices.Sort(calls)
	if n := len(slices.Compact(calls)); n < 400 {
		t.Errorf("%d different calls, want at least 400", n)
	}
}
