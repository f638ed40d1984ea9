package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A trace has a named process per time line, a named row per lane and every band
// in microseconds; lanes along samples are no time line.
func TestRunTraces(t *testing.T) {
	dir := t.TempDir()
	path, err := writeTraces(dir, drawn(t, "quick"))
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "dasp", "drawn.trace.json"); path != want {
		t.Fatalf("the trace is said to be %s, want %s", path, want)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	var want []any
	for pid, f := range []struct {
		name string
		unit float64 // microseconds
	}{{"lanes", 1e3}, {"later", 1e6}} {
		named := func(what string, tid int, name string) map[string]any {
			return map[string]any{"name": what, "ph": "M", "pid": float64(pid), "tid": float64(tid), "args": map[string]any{"name": name}}
		}
		band := func(tid int, from, to float64, state string, args map[string]any) map[string]any {
			return map[string]any{"name": state, "cat": "timing-only", "ph": "X", "ts": from * f.unit, "dur": (to - from) * f.unit,
				"pid": float64(pid), "tid": float64(tid), "args": args}
		}
		want = append(want, named("process_name", 0, "dasp/drawn "+f.name+": A title"),
			named("thread_name", 0, "worker 0"), named("thread_name", 1, "worker 1"),
			band(0, 0, 1.5, "compute", map[string]any{"kind": "timing-only", "label": "a"}),
			band(1, 0.25, 1e3, "WSS", map[string]any{"kind": "timing-only"}))
	}
	if diff := cmp.Diff(map[string]any{"displayTimeUnit": "ms", "traceEvents": want}, got); diff != "" {
		t.Errorf("the trace is not what was drawn:\n%s", diff)
	}
}

// An experiment without time lines has no trace and says none.
func TestRunWithoutTimeLines(t *testing.T) {
	dir := t.TempDir()
	if r := ranWith(t, "dasp/table1", dir); r.Trace != "" || dirText(t, filepath.Join(dir, "traces")) != "" {
		t.Errorf("a trace of nothing: %q", r.Trace)
	}
}
