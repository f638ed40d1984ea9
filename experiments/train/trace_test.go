package train

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

// Every method on every runtime leaves a file of the Trace Event Format: all processes and rows have names, times are
// not negative, and what stands on one row is nested or apart, which Perfetto needs to draw it. Messages have times of
// their own on virtual alone; on a real clock they are the waits.
func TestTraceOfEveryMethod(t *testing.T) {
	for _, sync := range Methods() {
		for _, runtime := range Runtimes {
			t.Run(sync+" "+runtime, func(t *testing.T) {
				t.Parallel()
				c := quick(sync)
				c.Runtime, c.MaxPushes, c.EvalEvery = runtime, 6, -1
				c.Trace = filepath.Join(t.TempDir(), "run.trace.json")
				if sync == "hierarchical" {
					c.PerNode = 3
				}
				if slices.Contains(codedsgd.Methods(), sync) {
					c.BatchSize = 12
				}
				mustRun(t, c)
				ranks := 3
				if !c.serverless() {
					ranks = 4
				}
				checkTrace(t, c.Trace, ranks, runtime == "virtual")
				if left, _ := os.ReadDir(filepath.Dir(c.Trace)); len(left) != 1 {
					t.Errorf("%v beside the trace", left)
				}
			})
		}
	}
}

type row struct{ pid, tid int }

type stretch struct {
	row
	name     string
	from, to float64
}

func checkTrace(t *testing.T, path string, ranks int, messages bool) {
	t.Helper()
	raw := oktest.Must(os.ReadFile(path))(t)
	var file struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Ts, Dur       *float64
			Pid, Tid      *int
			Args          struct{ Name string }
		}
	}
	oktest.Nil(t, json.Unmarshal(raw, &file))
	processes, rows, spans, seen := map[int]string{}, map[row]string{}, []stretch{}, map[string]bool{}
	for _, e := range file.TraceEvents {
		if e.Pid == nil || e.Tid == nil || e.Name == "" {
			t.Fatalf("an event without process, row or name: %+v", e)
		}
		at := row{*e.Pid, *e.Tid}
		switch {
		case e.Ph == "M" && e.Name == "process_name":
			processes[*e.Pid] = e.Args.Name
			continue
		case e.Ph == "M" && e.Name == "thread_name":
			rows[at] = e.Args.Name
			continue
		case e.Ts == nil || *e.Ts < 0 || (e.Ph == "X") != (e.Dur != nil) || e.Ph != "X" && e.Ph != "i":
			t.Fatalf("event %+v: want ph X with ts and dur from 0, or i with ts", e)
		}
		if processes[*e.Pid] == "" || !strings.Contains(rows[at], e.Cat) {
			t.Fatalf("event %+v in process %q, row %q", e, processes[*e.Pid], rows[at])
		}
		seen[e.Cat] = true
		if e.Ph == "X" {
			spans = append(spans, stretch{at, e.Name, *e.Ts, *e.Ts + *e.Dur})
		}
	}
	if len(processes) != ranks || !seen["compute"] || !seen["wait"] || seen["send"] != messages || seen["recv"] != messages {
		t.Errorf("%d processes, want %d; spans of %v", len(processes), ranks, seen)
	}
	const ns = 1e-3 // of a microsecond: what rounding may shift
	slices.SortStableFunc(spans, compareStretch)
	open := map[row][]stretch{}
	for _, s := range spans {
		if s.to < s.from {
			t.Fatalf("%+v ends before it begins", s)
		}
		stack := open[s.row]
		for len(stack) > 0 && stack[len(stack)-1].to <= s.from+ns/2 {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 && stack[len(stack)-1].to < s.to-ns/2 {
			t.Fatalf("row %q of %s: %+v and %+v overlap", rows[s.row], processes[s.pid], stack[len(stack)-1], s)
		}
		open[s.row] = append(stack, s)
	}
}

// compareStretch puts what begins first, and of those what ends last, first.
func compareStretch(a, b stretch) int {
	switch {
	case a.from < b.from || a.from == b.from && a.to > b.to:
		return -1
	case a == b:
		return 0
	}
	return 1
}
