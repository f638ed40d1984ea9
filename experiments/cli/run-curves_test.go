package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// ranWith runs one experiment with both flags into folders of dir.
func ranWith(t *testing.T, id, dir string) ran {
	t.Helper()
	rc, out, msg := gradsync("run", id, "--quiet", "--json", "--profile", "ci", "--seeds", "0", "--out", filepath.Join(dir, "out"),
		"--tensorboard", filepath.Join(dir, "tb"), "--traces", filepath.Join(dir, "traces"))
	var o struct{ Results []ran }
	if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitOK || len(o.Results) != 1 {
		t.Fatalf("run: exit code %d, %v, %s%s", rc, err, out, msg)
	}
	return o.Results[0]
}

// The command writes both, says where, and the same result has the same files.
func TestRunWritesEventsAndTraces(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	r := ranWith(t, "ring/steps", one)
	ranWith(t, "ring/steps", two)
	if want := filepath.Join(one, "tb", "ring", "ci", "steps"); r.TensorBoard != want {
		t.Errorf("the events are said to be in %s, want %s", r.TensorBoard, want)
	}
	if want := filepath.Join(one, "traces", "ring", "ci", "steps.trace.json"); r.Trace != want {
		t.Errorf("the trace is said to be %s, want %s", r.Trace, want)
	}
	for _, sub := range []string{"tb", "traces"} {
		if a, b := dirText(t, filepath.Join(one, sub)), dirText(t, filepath.Join(two, sub)); a == "" || a != b {
			t.Errorf("%s: %d bytes of one run, %d of another, not the same", sub, len(a), len(b))
		}
	}
}

// Folders that cannot be are said before anything runs.
func TestRunRefusesFolders(t *testing.T) {
	var ran []string
	with(t, fake("dasp/table5", 1, &ran, never))
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	oktest.Nil(t, os.WriteFile(file, nil, 0o644))
	for _, flag := range []string{"--tensorboard", "--traces"} {
		rc, out, msg := gradsync("run", "dasp", "--out", filepath.Join(dir, "out"), flag, filepath.Join(file, "x"))
		if rc != exitFailed || out != "" || len(ran) != 0 || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, flag) || !strings.Contains(msg, file) {
			t.Errorf("%s in a file: exit code %d, %q, %q, ran %v; want 1 and one line", flag, rc, out, msg, ran)
		}
	}
}

// An experiment without time lines has no trace and says none.
func TestRunWithoutTimeLines(t *testing.T) {
	dir := t.TempDir()
	if r := ranWith(t, "dasp/table1", dir); r.Trace != "" || dirText(t, filepath.Join(dir, "traces")) != "" {
		t.Errorf("a trace of nothing: %q", r.Trace)
	}
}
