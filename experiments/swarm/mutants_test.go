package swarm_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/swarm"
	"gradsync/internal/repo"
)

// mutant is a mistake planted into a file of the algorithms, the method that has it, and what the swarm says of it
// (nothing: more than one thing, by the seed).
type mutant struct {
	name, method, file, old, new, says string
}

var mutants = []mutant{
	{"who has left stays present", "bsp", "papers/dasp/rivals/roster.go",
		"r.present[w], r.waiting[w] = false, false",
		"r.waiting[w] = false", "end a round"},
	{"the slowest clock counts the dead", "ssp", "papers/dasp/rivals/roster.go",
		"i != skip && r.present[i] && (id",
		"i != skip && (id", "slowest of the living; up to"},
	{"the log's clock counts the dead", "asp", "papers/dasp/server.go",
		"if i != skip && n.present && (clock",
		"if i != skip && (clock", "of the slowest of the living"},
	{"min(v) counts the dead", "dasp", "papers/dasp/node.go",
		"{ v.Present[n] = false }",
		"{}", "neither ends nor names why"},
	{"a gradient is applied twice", "bsp", "papers/dasp/update.go",
		"range gradients[1:]",
		"range gradients", "used once each"},
	{"a version is skipped", "asp", "papers/dasp/carry.go",
		"\ts.version++\n",
		"\tif s.version++; s.version == 7 {\n\t\ts.version++\n\t}\n", "version"},
	{"the bound s is off by one", "ssp", "papers/dasp/rivals/ssp.go",
		"r.clock[w]-slow > s",
		"r.clock[w]-slow > s+1", "clocks ahead of the slowest of the living, want at most"},
	{"a worker waits at the bound s", "ssp", "papers/dasp/rivals/ssp.go",
		"r.clock[w]-slow > s",
		"r.clock[w]-slow >= max(s, 1)", "it goes on"},
	{"the bound s_U is off by one", "dssp", "papers/dasp/rivals/dssp.go",
		"p.upper-gap)",
		"p.upper-gap+1)", "clocks ahead of the slowest of the living, want at most"},
	{"the bound Smax is off by one", "dasp", "papers/dasp/group.go",
		"v-held > p.cfg.Smax",
		"v-held > p.cfg.Smax+1", "ahead of the oldest of the living"},
	{"a lease ends early", "asp", "papers/dasp/carry.go",
		"n.lease = s.p.Now() + s.job.Lease",
		"n.lease = s.p.Now() + s.job.Lease/4", "neither crashed nor paused"},
	{"a lease never ends", "gssp", "papers/dasp/carry.go",
		"if s.job.Lease > 0 {",
		"if s.job.Lease > 0 && s.used < 50 {", "neither ends nor names why"},
	{"older weights are handed out", "dasp", "papers/dasp/bodies.go",
		"x.version == version",
		"x.version > version-3", "has the loss"},
	{"a joiner's old gradient is kept for it", "backup", "papers/dasp/rivals/backup.go",
		"b.late[w] = false\n\t\tb.join(w)",
		"b.join(w)", "on the newest version"},
	{"f is of the wall clock", "dasp", "papers/dasp/worker.go",
		"return w.p.Now() - began, nil",
		"return w.p.Now() - began + time.Duration(time.Now().Nanosecond()%7)*time.Millisecond, nil", "other bytes"},
	{"a message is taken out of its order", "compressed", "papers/codedsgd/courier.go",
		"if c.oldest++; c.oldest == len(c.posted) {",
		"if c.oldest++; c.oldest+1 >= len(c.posted) {", ""},
	{"a packet's sum is taken twice", "ssgd-multicast", "papers/codedsgd/coded.go",
		"\tc.add(f, t) // Alg. 1, line 6: its part of Δw(t)",
		"\tfor range 1 + c.x.step/5 {\n\t\tc.add(f, t)\n\t}", "parameter"},
	{"a piece is sent before it has come", "ring", "shared/cluster/collective/line.go",
		"	if _, err := p.WaitAny(0, l.received[slot:slot+1]...); err != nil {",
		"	if _, err := p.WaitAny(p.Now()+20e6, l.received[slot:slot+1]...); err != nil && p.Now() < 20e6 {", "vec: decode"},
	{"who is lost sends on", "cssgd", "papers/codedsgd/survival.go",
		"return living[block%len(living)], nil",
		"return holders[block%len(holders)], nil", "at rank"},
	{"a step that some have made is not made up for", "cssgd", "papers/codedsgd/survival.go",
		"if made < s.x.step {",
		"if made < s.x.step-1 {", "do all ranks have the same options"},
	{"an exchange that was given up is taken for another", "cssgd", "papers/codedsgd/survival.go",
		"2*s.epoch + i)",
		"i)", "do all ranks have the same options"},
	{"the gradients of the wrong step are sent", "cssgd", "papers/codedsgd/survival.go",
		"s.stores[step%2].micro",
		"s.stores[s.x.step%2].micro", "at rank"},
	{"who begins after a loss tells nobody", "cssgd", "papers/codedsgd/survival.go",
		"s.late = s.epoch > 0",
		"s.late = false", "neither ends"},
	{"the loss of one worker is not heard", "ssp", "papers/dasp/server.go",
		"if n.lost || slices.Contains(alive, w+1) {",
		"if n.lost || slices.Contains(alive, w+1) || w == 0 {", "neither ends"},
}

// TestMutants: the swarm finds every mistake within mutantSeeds seeds, and says what it is.
func TestMutants(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("builds a program per mistake, half a minute: GRADSYNC_LONG=1 runs it")
	}
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			r := m.run(t, root)
			if r.Failure == nil || !strings.Contains(r.Failure.Broken, m.says) {
				t.Fatalf("the swarm says %+v, want %q", r.Failure, m.says)
			}
			t.Logf("found by seed %d of %s: %s", r.Failure.Seed, m.method, r.Failure.Broken)
		})
	}
}

// run plants the mistake and returns what a swarm of the method finds.
func (m mutant) run(t *testing.T, root string) (r swarm.Report) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("the place stands %d times in %s, want once", n, m.file)
	}
	patched, overlay, found := filepath.Join(dir, "patched.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "found.json")
	write := func(path string, text []byte) {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(patched, []byte(strings.Replace(string(text), m.old, m.new, 1)))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, m.file): patched}})
	if err != nil {
		t.Fatal(err)
	}
	write(overlay, list)
	child := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-run", "^TestChild$", "./experiments/swarm")
	child.Dir = root
	child.Env = append(os.Environ(), "GRADSYNC_SWARM_METHOD="+m.method, "GRADSYNC_SWARM_FOUND="+found)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	raw, err := os.ReadFile(found)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestChild runs a swarm for TestMutants, in a program with a mistake.
func TestChild(t *testing.T) {
	name := os.Getenv("GRADSYNC_SWARM_METHOD")
	if name == "" {
		t.Skip("runs as a child of TestMutants")
	}
	r, err := swarm.Run(t.Context(), swarm.Config{Methods: []string{name}, Seeds: mutantSeeds})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("GRADSYNC_SWARM_FOUND"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

// mutantSeeds is how many seeds may be needed to find a mistake.
const mutantSeeds = 2000
