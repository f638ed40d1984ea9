package dasp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// TestStories replays testdata/*.txt: one command per event at the server, then what the policy ordered and the node
// state. After a deliberate change: go test ./papers/dasp -run TestStories -rewrite, then read the diff.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt") // rapid keeps its own files in a folder there
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := &story{}
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "server" {
					return s.server(t, d)
				}
				return s.event(t, d)
			})
		})
	}
}

// story is the server's books for one file.
type story struct {
	policy        dasp.Policy
	version       int64
	v             []int64
	waiting, gone []bool
}

// server begins a run: `server dasp workers=3 smin=1 smax=2 alpha=0.5`.
func (s *story) server(t *testing.T, d *datadriven.TestData) string {
	n := 3
	d.MaybeScanArgs(t, "workers", &n)
	o := rivals.Defaults(n)
	d.MaybeScanArgs(t, "smin", &o.Smin)
	d.MaybeScanArgs(t, "smax", &o.Smax)
	d.MaybeScanArgs(t, "s", &o.Staleness)
	d.MaybeScanArgs(t, "lower", &o.Lower)
	d.MaybeScanArgs(t, "upper", &o.Upper)
	d.MaybeScanArgs(t, "m", &o.Backup)
	d.MaybeScanArgs(t, "grants", &o.Grants)
	d.MaybeScanArgs(t, "asp-weight", &o.ASPWeight)
	var alpha string
	if d.MaybeScanArgs(t, "alpha", &alpha); alpha != "" {
		if _, err := fmt.Sscan(alpha, &o.Alpha); err != nil {
			t.Fatal(err)
		}
	}
	d.MaybeScanArgs(t, "fss", &o.FSS)
	d.MaybeScanArgs(t, "gap", &o.Gap)
	d.MaybeScanArgs(t, "arrivals", &o.Arrivals)
	d.MaybeScanArgs(t, "wait", &o.Wait)
	p, err := rivals.New(d.CmdArgs[0].Key, o)
	if err != nil {
		return err.Error()
	}
	*s = story{policy: p, v: make([]int64, n), waiting: make([]bool, n), gone: make([]bool, n)}
	return s.state()
}

// event is `push w=0 at=10 f=10`, `timer w=0 at=15`, `leave w=1 at=20` or `join w=1 at=30`; times are in milliseconds.
func (s *story) event(t *testing.T, d *datadriven.TestData) string {
	kind := map[string]dasp.EventKind{"push": dasp.EventPush, "timer": dasp.EventTimer,
		"join": dasp.EventJoin, "leave": dasp.EventLeave}[d.Cmd]
	if kind == 0 {
		t.Fatalf("%s: no command %q", d.Pos, d.Cmd)
	}
	var w, at, f int
	d.ScanArgs(t, "w", &w)
	d.ScanArgs(t, "at", &at)
	d.MaybeScanArgs(t, "f", &f)
	const ms = time.Millisecond
	switch kind {
	case dasp.EventPush:
		if s.waiting[w] {
			return fmt.Sprintf("worker %d waits, so it has nothing to push\n", w)
		}
		s.waiting[w] = true
	case dasp.EventLeave:
		s.gone[w], s.waiting[w] = true, false
	case dasp.EventJoin:
		s.gone[w] = false
	}
	var b strings.Builder
	for _, a := range s.policy.Step(dasp.Event{Kind: kind, Worker: w, At: time.Duration(at) * ms, Compute: time.Duration(f) * ms}) {
		b.WriteString(s.render(a))
	}
	return b.String() + s.state()
}

// render prints one action and keeps the books.
func (s *story) render(a dasp.Action) string {
	switch a.Kind {
	case dasp.Apply:
		s.version++
		return fmt.Sprintf("version %d ← gradients of %v, each × %.4g\n", s.version, a.Workers, a.Weight)
	case dasp.Drop:
		return fmt.Sprintf("drop gradients of %v\n", a.Workers)
	case dasp.SetTimer:
		return fmt.Sprintf("worker %d waits until %v\n", a.Workers[0], a.At)
	}
	out := ""
	for _, w := range a.Workers {
		s.v[w], s.waiting[w] = s.version, false
		out += fmt.Sprintf("worker %d goes on with version %d (%v, gap %d)\n", w, s.version, a.State, a.Gap)
	}
	return out
}

// state is the last line of every answer.
func (s *story) state() string {
	out := "v = ⟨"
	for w, v := range s.v {
		mark := ""
		if s.waiting[w] {
			mark = "·"
		}
		if s.gone[w] {
			mark = "†"
		}
		out += fmt.Sprintf(" %d%s", v, mark)
	}
	return out + " ⟩\n"
}
