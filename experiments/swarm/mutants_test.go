package swarm_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/swarm"
	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

// mutant is a mistake planted into the one place of a folder where a text stands, the method that has it, and what the swarm says of it
// (nothing: more than one thing, by the seed).
type mutant struct{ name, method, folder, old, new, says string }

var mutants = []mutant{
	{"who has left stays present", "bsp", "papers/dasp/rivals", "r.present[w], r.waiting[w] = false, false",
		"r.waiting[w] = false", "living workers, want"},
	{"the slowest clock counts the dead", "ssp", "papers/dasp/rivals", "i != skip && r.present[i] && (id",
		"i != skip && (id", "slowest of the living; up to"},
	{"the log's clock counts the dead", "asp", "papers/dasp", "case !n.present:\n", "case false:\n",
		"of the slowest of the living"},
	{"min(v) counts the dead", "dasp", "papers/dasp", "{ v.Present[n] = false }", "{}", "neither ends nor names why"},
	{"a gradient is applied twice", "bsp", "papers/dasp", "range gradients[1:]", "range gradients", "used once each"},
	{"a version is skipped", "asp", "papers/dasp", "\ts.version++\n",
		"\tif s.version++; s.version == 7 {\n\t\ts.version++\n\t}\n", "version"},
	{"the bound s is off by one", "ssp", "papers/dasp/rivals", "r.clock[w]-slow > s", "r.clock[w]-slow > s+1",
		"clocks ahead of the slowest of the living, want at most"},
	{"a worker waits at the bound s", "ssp", "papers/dasp/rivals", "r.clock[w]-slow > s", "r.clock[w]-slow >= max(s, 1)",
		"it goes on"},
	{"the bound s_U is off by one", "dssp", "papers/dasp/rivals", "p.upper-gap)", "p.upper-gap+1)",
		"clocks ahead of the slowest of the living, want at most"},
	{"the bound Smax is off by one", "dasp", "papers/dasp", "v-held > p.cfg.Smax", "v-held > p.cfg.Smax+1",
		"ahead of the oldest of the living"},
	{"a lease ends early", "asp", "papers/dasp", "n.lease, s.timed = s.p.Now()+s.job.Lease, true",
		"n.lease, s.timed = s.p.Now()+s.job.Lease/4, true", "neither crashed nor paused"},
	{"a lease never ends", "gssp", "papers/dasp", "if s.job.Lease > 0 {", "if s.job.Lease > 0 && s.used < 50 {",
		"neither ends nor names why"},
	{"older weights are handed out", "dasp", "papers/dasp", "x.version == version", "x.version > version-3",
		"has the loss"},
	{"a joiner's old gradient is kept for it", "backup", "papers/dasp/rivals", "b.late[w] = false\n\t\tb.join(w)",
		"b.join(w)", "on the newest version"},
	{"f is of the wall clock", "dasp", "papers/dasp", "return w.p.Now() - began, nil",
		"return w.p.Now() - began + time.Duration(time.Now().Nanosecond()%7)*time.Millisecond, nil", "other bytes"},
	{"a message is taken out of its order", "compressed", "papers/codedsgd",
		"if c.oldest++; c.oldest == len(c.posted) {", "if c.oldest++; c.oldest+1 >= len(c.posted) {", ""},
	{"a packet's sum is taken twice", "ssgd-multicast", "papers/codedsgd",
		"\tc.add(f, t) // Alg. 1, line 6: its part of Δw(t)",
		"\tfor range 1 + c.x.step/5 {\n\t\tc.add(f, t)\n\t}", "parameter"},
	{"a piece is sent before it has come", "ring", "shared/cluster/collective",
		"	if _, err := p.WaitAny(0, l.received[slot:slot+1]...); err != nil {",
		"	if _, err := p.WaitAny(p.Now()+20e6, l.received[slot:slot+1]...); err != nil && p.Now() < 20e6 {", "vec: decode"},
	{"who is lost sends on", "cssgd", "papers/codedsgd", "k := living[q%len(living)]", "k := holders[q%len(holders)]",
		"at rank"},
	{"a step that some have made is not made up for", "cssgd", "shared/cluster/collective", "if made < most {",
		"if made < most-1 {", "at rank"},
	{"an exchange that was given up is taken for another", "cssgd", "shared/cluster/collective",
		"return cluster.Tag(c.epoch) * c.span", "return 0", ""},
	{"a step that was given is made once more", "cssgd", "papers/codedsgd", "err != nil || given {",
		"err != nil || given && x.step < 0 {", "at rank"},
	{"who begins after a loss tells nobody", "cssgd", "shared/cluster/collective", "c.late = c.epoch > 0",
		"c.late = false", "neither ends"},
	{"who is behind takes half of what the step led to", "ringsparse", "shared/cluster/collective",
		"vec.FromBytes(s, m.Body[:vec.Bytes(len(s))])",
		"vec.FromBytes(s[:len(s)/2], m.Body[:vec.Bytes(len(s)/2)])", "by no course"},
	{"a receive that was given up stays", "ring", "shared/cluster/collective", "if o.receive {",
		"if o.receive && c.epoch > 1 {", "neither ends"},
	{"who has made all steps hears of its neighbour alone", "ring", "shared/cluster/collective",
		"err = c.wait(c.over[k])", "err = c.wait(c.over[c.others()[0]])", "neither ends"},
	{"who has gone is asked for its steps", "naive", "shared/cluster/collective", "if c.over != nil {",
		"if c.over != nil && len(wait) > 1 {", "neither ends"},
	{"a step that is repeated forgets what was held back before it", "ringsparse", "papers/ringsparse",
		"copy(y.own.residual, x.own.before)", "_ = y", "by no course"},
	{"who is given a step forgets what it held back in it", "ringsparse", "papers/ringsparse",
		"if y.own.residual = x.own.residual; !given {", "if y.own.residual = x.own.residual; y != nil {", "by no course"},
	{"T_wait is doubled", "dasp", "papers/dasp", "h.timer, h.due = ev.At+d.Wait, d.Wait <= 0",
		"h.timer, h.due = ev.At+2*d.Wait, d.Wait <= 0", "by equation (1) until"},
	{"the end of T_wait is seen late", "dasp", "papers/dasp", "s.timed = a.At, true", "s.timed = a.At+a.At/64, true",
		"wait is over, by equation (1) at"},
	{"who is stopped goes at once", "ringsparse", "papers/ringsparse",
		"if stop, err = job.OnStep(x.step - 1); err != nil {",
		"if stop, err = job.OnStep(x.step - 1); err != nil || stop {", "neither ends"},
	{"the loss of one worker is not heard", "ssp", "papers/dasp", "if n.lost || slices.Contains(alive, w+1) {",
		"if n.lost || slices.Contains(alive, w+1) || w == 0 {", ""},
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
	files := oktest.Must(filepath.Glob(filepath.Join(root, m.folder, "*.go")))(t)
	var file, text string
	for _, f := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		raw := oktest.Must(os.ReadFile(f))(t)
		if n := strings.Count(string(raw), m.old); n > 1 || n == 1 && file != "" {
			t.Fatalf("the place stands more than once in %s: %s", m.folder, m.old)
		} else if n == 1 {
			file, text = f, string(raw)
		}
	}
	if file == "" {
		t.Fatalf("no place in %s: %s", m.folder, m.old)
	}
	patched, overlay, found := filepath.Join(dir, "patched.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "found.json")
	write := func(path string, text []byte) { oktest.Nil(t, os.WriteFile(path, text, 0o644)) }
	write(patched, []byte(strings.Replace(text, m.old, m.new, 1)))
	write(overlay, oktest.Must(json.Marshal(map[string]any{"Replace": map[string]string{file: patched}}))(t))
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
	oktest.Nil(t, err)
	return r
}

// TestChild runs a swarm for TestMutants, in a program with a mistake.
func TestChild(t *testing.T) {
	name := os.Getenv("GRADSYNC_SWARM_METHOD")
	if name == "" {
		t.Skip("runs as a child of TestMutants")
	}
	r := oktest.Must(swarm.Run(t.Context(), swarm.Config{Methods: []string{name}, Seeds: mutantSeeds}))(t)
	raw := oktest.Must(json.Marshal(r))(t)
	oktest.Nil(t, os.WriteFile(os.Getenv("GRADSYNC_SWARM_FOUND"), raw, 0o644))
}

// mutantSeeds is how many seeds may be needed to find a mistake.
const mutantSeeds = 10_000
