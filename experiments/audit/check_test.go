package audit_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/audit"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// uneven returns a platform of n workers, each half as slow again as the one before.
func uneven(n int) *cluster.Platform {
	h := cluster.Host{Name: "w", FLOPS: 8e12, Jitter: 0.05, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	p := cluster.Uniform(n, h, &h)
	for i := range p.Workers {
		p.Workers[i].FLOPS /= math.Pow(1.5, float64(i))
	}
	return p
}

// timing returns a run of six workers without arithmetic, some 2 ms an iteration of the fastest.
func timing(sync string, pushes int64) train.Config {
	return train.Config{Sync: sync, Model: "lenet5", Platform: uneven(6), Seed: 3, Batch: 4, MaxPushes: pushes, TimingOnly: true, Overhead: time.Millisecond}
}

// training returns a run with arithmetic, on the faster engine where the processor has it.
func training(sync string) train.Config {
	c := timing(sync, 60)
	c.TimingOnly, c.Data, c.EvalEvery, c.Batch = false, "synthetic", -1, 3
	if slices.Contains(tensor.Engines(), asm.Name) {
		c.Engine = asm.Name
	}
	return c
}

// recorded runs c and returns its trail as the file has it.
func recorded(t *testing.T, c train.Config) (*audit.Trail, *train.Outcome) {
	t.Helper()
	c.Record = filepath.Join(t.TempDir(), "run.jsonl")
	out := oktest.Must(train.Run(context.Background(), c))(t)
	return read(t, c.Record), out
}

func read(t *testing.T, path string) *audit.Trail {
	t.Helper()
	return oktest.Must(audit.Read(path))(t)
}

func check(t *testing.T, trail *audit.Trail) audit.Report {
	t.Helper()
	return oktest.Must(audit.Check(trail))(t)
}

// A trail of each method, a registered one among them, checks, in virtual time and on a real clock, and holds what
// the run did.
func TestEveryMethodChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, runtime := range []string{"virtual", "local"} {
		for _, sync := range rivals.Names() {
			c := timing(sync, 60)
			c.Runtime = runtime
			trail, out := recorded(t, c)
			r := check(t, trail)
			if r.Difference != nil {
				t.Errorf("%s on %s: %s", sync, runtime, r.Difference)
			}
			if r.Pushes != int64(len(out.Log.Pushes)) || trail.End.Updates != out.Updates || r.Answers < r.Pushes-6 || r.Batches != 0 {
				t.Errorf("%s on %s: checked %+v of %d pushes and %d updates", sync, runtime, r, len(out.Log.Pushes), out.Updates)
			}
			if (r.Drops > 0) != (sync == "backup") || (r.Decisions > 0) != (sync == "dasp") || r.Algorithms != (sync == "dasp") {
				t.Errorf("%s on %s: %d drops, %d decisions, a second time: %v", sync, runtime, r.Drops, r.Decisions, r.Algorithms)
			}
		}
	}
}

// The second writing of Algorithms 1 and 2 agrees with the policy in every reading of the paper, on runs that know all
// three states, ends of T_wait and groups.
func TestEveryReadingChecks(t *testing.T) {
	states, groups, timers := map[string]int{}, 0, int64(0)
	for _, wait := range dasp.WaitForms() {
		for bits := range 1 << 4 {
			on := func(bit int, off, on string) string {
				if bits>>bit&1 == 1 {
					return on
				}
				return off
			}
			o := rivals.Defaults(6)
			o.Smin, o.Smax, o.Alpha, o.Wait = 2, 5, 0.7, wait.String()
			o.Gap, o.FSS, o.Arrivals = on(0, "pre", "post"), on(1, "recheck", "literal"), on(2, "apart", "join")
			o.QISWeight, o.GroupWeight, o.Duration = on(3, "1/N", "1"), on(3, "1/K", "1/N"), on(3, "compute", "iteration")
			c := timing("dasp", 50)
			c.Options = &o
			trail, _ := recorded(t, c)
			r := check(t, trail)
			if r.Difference != nil {
				t.Fatalf("%+v: %s", o, r.Difference)
			}
			timers += r.Timers
			for _, e := range trail.Events {
				if e.Push != nil {
					states[e.State]++
				}
				for _, x := range e.Orders {
					if x.Version > 0 && len(x.Workers) > 1 {
						groups++
					}
				}
			}
		}
	}
	if min(states["QIS"], states["WSS"], states["FSS"], groups, int(timers)) < 50 {
		t.Errorf("too few to compare: states %v, %d groups, %d ends of T_wait", states, groups, timers)
	}
}

// A training's trail has its mini-batches, on sockets too, where f is what the server was told.
func TestTrainingsCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, c := range []struct{ sync, runtime string }{{"dasp", "local"}, {"dasp", "tcp"}, {"dssp", "tcp"}, {"backup", "tcp"}} {
		cfg := training(c.sync)
		cfg.Runtime = c.runtime
		trail, out := recorded(t, cfg)
		r := check(t, trail)
		if r.Difference != nil || r.Batches != r.Pushes || trail.End.Params != out.ParamsSHA256 || trail.Header.Data.SHA256 != out.Data.SHA256 {
			t.Errorf("%s on %s: %v; %d mini-batches of %d pushes, parameters %.12s of %.12s", c.sync, c.runtime, r.Difference, r.Batches, r.Pushes,
				trail.End.Params, out.ParamsSHA256)
		}
	}
}

// find returns the first event from number first on for which ok holds.
func find(t *testing.T, trail *audit.Trail, first int, ok func(audit.Event) bool) int {
	t.Helper()
	for i := first; i < len(trail.Events); i++ {
		if ok(trail.Events[i]) {
			return i
		}
	}
	t.Fatal("the trail has no such event")
	return 0
}

// order returns the place of the first order of a kind with at least k workers, −1 if there is none.
func order(e audit.Event, kind string, k int) int {
	return slices.IndexFunc(e.Orders, func(o audit.Order) bool { return o.Order == kind && len(o.Workers) >= k })
}

func isPush(e audit.Event) bool { return e.Push != nil }

// planted are changes of a trail: each returns the push and the worker that the check must name.
var planted = []struct {
	what   string // as the check calls it
	change func(t *testing.T, x *audit.Trail) (push int64, worker int)
}{
	{"the state", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 20, func(e audit.Event) bool { return isPush(e) && e.State == "WSS" })]
		e.State = "FSS"
		return e.Number, e.Worker
	}},
	{"the gap", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 30, isPush)]
		e.Push.Gap++
		return e.Number, e.Worker
	}},
	{"the oldest worker", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 30, isPush)]
		e.Oldest = (e.Oldest + 1) % 6
		return e.Number, e.Worker
	}},
	{"T_wait", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 10, func(e audit.Event) bool { return isPush(e) && e.Wait > 0 })]
		e.Wait++
		return e.Number, e.Worker
	}},
	{"the end of T_wait", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 10, func(e audit.Event) bool { return isPush(e) && e.Wait > 0 })]
		e.Orders[order(e, "timer", 1)].Until--
		return e.Number, e.Worker
	}},
	{"the weight", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 25, func(e audit.Event) bool { return isPush(e) && order(e, "update", 1) == 0 })]
		e.Orders[0].Weight = math.Nextafter(e.Orders[0].Weight, 1)
		return e.Number, e.Worker
	}},
	{"the group", func(t *testing.T, x *audit.Trail) (int64, int) { // a member more
		i := find(t, x, 0, func(e audit.Event) bool { return order(e, "update", 2) >= 0 })
		e := x.Events[i]
		o := &e.Orders[order(e, "update", 2)]
		o.Workers, o.Pushes = o.Workers[:1], o.Pushes[:1]
		return latest(x, i), e.Worker
	}},
	{"the group", func(t *testing.T, x *audit.Trail) (int64, int) { // another order of summation
		i := find(t, x, 0, func(e audit.Event) bool { return order(e, "update", 2) >= 0 })
		e := x.Events[i]
		o := e.Orders[order(e, "update", 2)]
		slices.Reverse(o.Workers)
		slices.Reverse(o.Pushes)
		return latest(x, i), e.Worker
	}},
	{"the version held", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 40, isPush)]
		e.Held--
		return e.Number, e.Worker
	}},
	{"the version given", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 25, func(e audit.Event) bool { return isPush(e) && e.State == "QIS" })]
		e.Orders[order(e, "answer", 1)].Version++
		return e.Number, e.Worker
	}},
	{"the instant", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := &x.Events[find(t, x, 33, isPush)]
		e.At = x.Events[30].At
		e.Sent, e.F = min(e.Sent, e.At), e.Compute
		return e.Number, e.Worker
	}},
	{"the push's number", func(t *testing.T, x *audit.Trail) (int64, int) { // one is missing
		i := find(t, x, 35, isPush)
		x.Events = slices.Delete(x.Events, i, i+1)
		next := x.Events[find(t, x, i, isPush)]
		return next.Number, next.Worker
	}},
	{"the worker's step", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 35, isPush)]
		e.Step++
		return e.Number, e.Worker
	}},
	{"the end of a wait", func(t *testing.T, x *audit.Trail) (int64, int) { // it is missing
		i := find(t, x, 0, func(e audit.Event) bool { return e.Event == audit.EventTimer })
		push, worker := latest(x, i), x.Events[i].Worker
		x.Events = slices.Delete(x.Events, i, i+1)
		return push, worker
	}},
	{"f", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 22, isPush)]
		e.F--
		return e.Number, e.Worker
	}},
	{"the mini-batch", func(t *testing.T, x *audit.Trail) (int64, int) { // an image of the epoch's first batch again
		first := find(t, x, 0, isPush)
		i := find(t, x, first+1, func(e audit.Event) bool { return isPush(e) && e.Worker == x.Events[first].Worker })
		x.Events[i].Batch[1] = x.Events[first].Batch[0]
		return x.Events[i].Number, x.Events[i].Worker
	}},
	{"the mini-batch", func(t *testing.T, x *audit.Trail) (int64, int) { // in another order
		e := x.Events[find(t, x, 12, isPush)]
		slices.Reverse(e.Batch)
		return e.Number, e.Worker
	}},
	{"an order", func(t *testing.T, x *audit.Trail) (int64, int) { // an answer is missing
		i := find(t, x, 25, func(e audit.Event) bool { return isPush(e) && len(e.Orders) == 2 })
		e := &x.Events[i]
		e.Orders = e.Orders[:1]
		return e.Number, e.Worker
	}},
	{"the instant at which its weights left", func(t *testing.T, x *audit.Trail) (int64, int) {
		e := x.Events[find(t, x, 25, isPush)]
		e.Sent++
		return e.Number, e.Worker
	}},
	{"the end", func(t *testing.T, x *audit.Trail) (int64, int) { // all from the 21st push on is missing, and the end says so
		cut(t, x, 21)
		return 20, -1
	}},
	{"a push", func(t *testing.T, x *audit.Trail) (int64, int) { // the run goes on after its bound
		x.Header.MaxPushes = 20
		used, over := 0, int64(0)
		for _, e := range x.Events {
			if e.Push != nil && over > 0 && e.At > over {
				return e.Number, e.Worker
			}
			for _, o := range e.Orders {
				if used += len(o.Workers); o.Order != "update" {
					used -= len(o.Workers)
				}
				if used >= 20 && over == 0 {
					over = o.Done
				}
			}
		}
		t.Fatal("the run ends with 20 gradients used")
		return 0, 0
	}},
	{"the number of updates at the end", func(_ *testing.T, x *audit.Trail) (int64, int) {
		x.End.Updates++
		return x.End.Pushes, -1
	}},
}

// cut takes away all from a push on, and what was done after it, and makes the end agree.
func cut(t *testing.T, x *audit.Trail, push int64) {
	t.Helper()
	i := find(t, x, 0, func(e audit.Event) bool { return isPush(e) && e.Number == push })
	x.End.At, x.End.Pushes, x.End.Updates = x.Events[i].At, push-1, 0
	x.Events = x.Events[:i]
	for _, e := range x.Events {
		if e.Push != nil && e.Answered > x.End.At {
			e.Answered = 0
		}
		for k := range e.Orders {
			o := &e.Orders[k]
			if o.Done > x.End.At {
				o.Done = 0
			}
			if o.Order == "update" && o.Done > 0 {
				x.End.Updates++
			}
		}
	}
}

// latest returns the number of the latest push of the worker of event i, up to it.
func latest(x *audit.Trail, i int) int64 {
	w := x.Events[i].Worker
	for ; i >= 0; i-- {
		if e := x.Events[i]; e.Push != nil && e.Worker == w {
			return e.Number
		}
	}
	return 0
}

// Whatever is changed in a trail is named, at its push and as what it is.
func TestPlantedChangesAreNamed(t *testing.T) {
	c := training("dasp")
	c.Record = filepath.Join(t.TempDir(), "run.jsonl")
	oktest.Must(train.Run(context.Background(), c))(t)
	if d := check(t, read(t, c.Record)).Difference; d != nil {
		t.Fatalf("unchanged: %s", d)
	}
	for _, p := range planted {
		trail := read(t, c.Record)
		push, worker := p.change(t, trail)
		path := filepath.Join(t.TempDir(), "changed.jsonl")
		oktest.Nil(t, trail.Write(path))
		d := check(t, read(t, path)).Difference
		if d == nil {
			t.Errorf("%s: not found", p.what)
			continue
		}
		t.Log(d)
		if d.What != p.what || d.Push != push || d.Worker != worker || d.Recorded == d.Rule {
			t.Errorf("%s at push %d of worker %d: named as %s", p.what, push, worker, d)
		}
	}
}

// A run that may end at an accuracy may end before its bounds, and its trail says that it may; none goes on after them.
func TestBoundsEndARun(t *testing.T) {
	trail, _ := recorded(t, timing("dasp", 60))
	cut(t, trail, 21)
	if d := check(t, trail).Difference; d == nil || d.What != "the end" {
		t.Errorf("cut: %v", d)
	}
	trail.Header.TargetAccuracy = 0.5
	if d := check(t, trail).Difference; d != nil {
		t.Errorf("with a target: %s", d)
	}
	local := timing("ssp", 60)
	local.Runtime = "local"
	longer, _ := recorded(t, local)
	longer.Header.MaxPushes = 20
	if d := check(t, longer).Difference; d == nil || d.What != "an update" {
		t.Errorf("a run on a real clock that goes on after its bound: %v", d)
	}
	c := training("dasp")
	c.EvalEvery, c.TargetAccuracy, c.MaxPushes = 6, 0.01, 600
	whole, out := recorded(t, c)
	if d := check(t, whole).Difference; d != nil || whole.Header.TargetAccuracy != 0.01 || out.Pushes >= 600 {
		t.Errorf("a run that reaches its target after %d gradients: %v", out.Pushes, d)
	}
}

// The other methods' changes are named by their policies.
func TestPlantedChangesOfRivals(t *testing.T) {
	for _, sync := range rivals.Names() {
		if sync == "dasp" {
			continue
		}
		trail, _ := recorded(t, timing(sync, 60))
		i := find(t, trail, 20, func(e audit.Event) bool { return order(e, "update", 1) == 0 })
		trail.Events[i].Orders[0].Weight /= 2
		if d := check(t, trail).Difference; d == nil || d.Push != trail.Events[i].Number || d.What != "the weight" || d.By != "the method's policy" {
			t.Errorf("%s: half a weight at push %d: %v", sync, trail.Events[i].Number, d)
		}
		trail.Events[i].Orders[0].Weight *= 2
		trail.Events[i].Push.Decision = &audit.Decision{State: "QIS"}
		if d := check(t, trail).Difference; d == nil || d.What != "the decision" {
			t.Errorf("%s: a state: %v", sync, d)
		}
	}
	trail, _ := recorded(t, timing("ssp", 60))
	trail.Header.Options.Staleness++
	if d := check(t, trail).Difference; d == nil || !strings.Contains(d.String(), "push ") {
		t.Errorf("a threshold that is one too high: %v", d)
	}
	trail.Header.Method = "nobody's"
	if _, err := audit.Check(trail); err == nil || !strings.Contains(err.Error(), "nobody's") {
		t.Errorf("a method that nobody has: %v", err)
	}
}

// field matches the name of the field in which a text ends.
var field = regexp.MustCompile(`"(\w+)":[^"]*$`)

// No digit of a trail's events can be changed unseen, but in instants, which a clock gives and no rule does.
func TestEveryDigitCounts(t *testing.T) {
	trail, _ := recorded(t, timing("dasp", 24))
	path := filepath.Join(t.TempDir(), "run.jsonl")
	oktest.Nil(t, trail.Write(path))
	raw, free, changed := oktest.Must(os.ReadFile(path))(t), []string{"at", "answered", "done"}, map[string]int{}
	for i := bytes.IndexByte(raw, '\n'); i < len(raw); i++ {
		if raw[i] < '0' || raw[i] > '9' || i%3 > 0 {
			continue
		}
		name := field.FindSubmatch(raw[max(0, i-80):i])
		if name == nil || slices.Contains(free, string(name[1])) {
			continue
		}
		if string(name[1]) == "weight" && raw[i+1] == ',' {
			continue // 0.16666666666666666 and 0.16666666666666667 are one float64
		}
		was := raw[i]
		raw[i] = '0' + (was-'0'+1)%10
		oktest.Nil(t, os.WriteFile(path, raw, 0o644))
		if x, err := audit.Read(path); err == nil && check(t, x).Difference == nil {
			t.Errorf("digit %d, %q of %s, is %q and nobody notices", i, was, name[1], raw[i])
		}
		raw[i] = was
		changed[string(name[1])]++
	}
	for _, name := range strings.Fields("worker push step held sent compute f gap oldest wait workers pushes weight version until") {
		if changed[name] == 0 {
			t.Errorf("no digit of %s was changed: %v", name, changed)
		}
	}
}
