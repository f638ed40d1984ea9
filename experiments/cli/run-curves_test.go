package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"
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

// An experiment without time lines has no trace and says none.
func TestRunWithoutTimeLines(t *testing.T) {
	dir := t.TempDir()
	if r := ranWith(t, "dasp/table1", dir); r.Trace != "" || dirText(t, filepath.Join(dir, "traces")) != "" {
		t.Errorf("a trace of nothing: %q", r.Trace)
	}
}
