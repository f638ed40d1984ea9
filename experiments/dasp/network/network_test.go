package network

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// Three workers under DASP with Smin = 1, Smax = 3, α = ½, worked out on paper;
// worker 2's computation takes 10 ms, the others' 2 ms.
func TestCountWaitsByHand(t *testing.T) {
	ms := time.Millisecond
	l := &dasp.Log{Workers: 3}
	push := func(w int, pulled int64, sent, received, compute int, s dasp.State) {
		l.Pushes = append(l.Pushes, dasp.Push{Worker: w, Pulled: pulled, Sent: time.Duration(sent) * ms, Received: time.Duration(received) * ms,
			Compute: time.Duration(compute) * ms, State: s})
	}
	push(0, 0, 0, 4, 2, dasp.QIS)
	push(1, 0, 0, 5, 2, dasp.QIS)
	push(1, 2, 5, 10, 2, dasp.WSS)   // v 1 2 0; f of worker 2 unknown: T_wait 0
	push(2, 0, 0, 12, 10, dasp.QIS)  //
	push(1, 3, 10, 15, 2, dasp.WSS)  // v 1 3 4; worker 0 is as fast: T_wait 0, but 5 − 1 > Smax holds it
	push(0, 1, 4, 16, 2, dasp.QIS)   // releases it: versions 5 and 6
	push(1, 6, 16, 20, 2, dasp.WSS)  // v 5 6 4; T_wait = ½·(10 − 2) = 4 ms, then 8 − 4 > Smax holds it
	push(0, 5, 16, 22, 2, dasp.QIS)  // version 7
	push(2, 4, 12, 30, 10, dasp.QIS) // version 8 releases it: 9
	push(1, 9, 30, 33, 2, dasp.WSS)  // v 7 9 8; T_wait = ½·(2.4 − 2) ms, short beside worker 0's 6 ms
	l.Pushes[7].Compute = 2400 * time.Microsecond
	for v := int64(1); v <= 10; v++ {
		u := dasp.Update{Version: v, Workers: []int{0}, Weight: 1. / 3}
		if v == 3 || v == 6 || v == 9 {
			u.Weight = 1
		}
		if v == 10 { // as if another waited too
			u.Workers, u.Weight = []int{0, 1}, 0.5
		}
		l.Updates = append(l.Updates, u)
	}
	o := rivals.Defaults(3)
	o.Smin, o.Smax, o.Alpha = 1, 3, 0.5
	w, err := countWaits(l, o, 0)
	// The oldest's whole last iterations: none yet, 4, 12 and 6 ms.
	if err != nil || w.WSS != 4 || w.Zero != 2 || w.Short != 3 || math.Abs(w.Wait-0.0042) > 1e-12 || math.Abs(w.Oldest-0.022) > 1e-12 {
		t.Errorf("%+v (%v), want 4 in WSS, 2 without a wait, 3 with next to none, 4.2 ms beside 22 ms", w, err)
	}
	if w.Groups != 4 || w.Members != 5 || w.Solo != 3 {
		t.Errorf("%+v: want 4 groups of 5 gradients, 3 of them alone", w)
	}
	if w, err = countWaits(l, o, 2); err != nil || w.WSS != 3 || w.Zero != 1 {
		t.Errorf("%+v (%v): without each worker's first two pushes 3 and 1 are left", w, err)
	}
	l.Pushes[9].Pulled = 8
	if _, err = countWaits(l, o, 0); err == nil {
		t.Error("a log that is not DASP's passes")
	}
}

// One worker alone never queues, however its link is; six equal ones before one
// link as wide as theirs do, and the server's link is then nearly full.
func TestQueues(t *testing.T) {
	for _, v := range clusters("quick") {
		cfg := setup.Timing(v.Platform, "asp", "resnet18", 0)
		cfg.Workers = 1
		o := timed(t, cfg)
		if q := linkQueues(o.Log, v.Platform)[0]; q > 1e-6 {
			t.Errorf("%s: a worker alone queues %g s", v.Name, q)
		}
		p := o.Log.Pushes[20]
		both := 2 * transferAlone(v.Platform.Server, &v.Platform.Workers[0], 4*float64(o.Log.Params))
		if got := (p.Received - p.Sent - p.Compute).Seconds(); math.Abs(got-both) > 1e-6 {
			t.Errorf("%s: transfers last %g s", v.Name, got)
		}
	}
	full := timed(t, setup.Timing(setup.Load(setup.Homogeneous), "asp", "vgg19_bn", 0))
	for w, q := range linkQueues(full.Log, setup.Load(setup.Homogeneous)) {
		if q < 0.05 { // two transfers of 80 MB by six at 10 Gb/s: 64 ms each, one's own apart
			t.Errorf("worker %d queues %g s, want most of five others' transfers", w, q)
		}
	}
	if b := linkBusy(full.Log, setup.Load(setup.Homogeneous).Server); b < 0.85 || b > 1 {
		t.Errorf("the full link is busy %g of the time", b)
	}
}

// made returns a made-up run: iteration time, shares of QIS and FSS.
func made(seconds, qis, fss float64) measured {
	return measured{Summary: setup.Summary{Iteration: train.IterationTime{PerWorker: seconds, ByWorker: []float64{1, 1, 1, 1, 1, seconds}},
		Share: map[string]float64{"QIS": qis, "FSS": fss}}}
}

func TestHypotheses(t *testing.T) {
	type cells = map[string][]measured
	one := func(c measured) []measured { return []measured{c} }
	asked := func(wss, short int) []measured {
		return []measured{{Waits: wssWaits{WSS: wss, Short: short}}, {Waits: wssWaits{WSS: wss, Short: short}}}
	}
	compute, iteration, untimed := computeForm.key, iterationForm.key, untimedForm.key
	for name, c := range map[string]struct {
		test       func(string, map[string][]measured) finding
		model      string
		cells      cells
		ok, isCase bool
		value      float64
	}{
		"blind":           {blindToLinks, "", cells{compute: asked(100, 95)}, true, true, 95},
		"not blind":       {blindToLinks, "", cells{compute: asked(100, 94)}, false, true, 94},
		"never asked":     {blindToLinks, "", cells{compute: asked(0, 0)}, false, false, 0},
		"bound alone":     {boundAlone, "", cells{compute: one(made(1.009, 0.5, 0)), untimed: one(made(1, 0.5, 0))}, true, true, 1.009},
		"more than bound": {boundAlone, "", cells{compute: one(made(1.011, 0.5, 0)), untimed: one(made(1, 0.5, 0))}, false, true, 1.011},
		"less than bound": {boundAlone, "", cells{compute: one(made(0.98, 0.5, 0)), untimed: one(made(1, 0.5, 0))}, false, true, 0.98},
		"nobody waits":    {boundAlone, "", cells{compute: one(made(2, 1, 0)), untimed: one(made(1, 1, 0))}, false, false, 0},
		"fewer FSS":       {fewerFSS, "", cells{compute: one(made(1, 0, 0.4)), iteration: one(made(1, 0, 0.3))}, true, true, 30},
		"as many FSS":     {fewerFSS, "", cells{compute: one(made(1, 0, 0.4)), iteration: one(made(1, 0, 0.4))}, false, true, 40},
		"no FSS":          {fewerFSS, "", cells{compute: one(made(1, 0, 0)), iteration: one(made(1, 0, 0))}, false, false, 0},
		"longer":          {longerIteration, "", cells{compute: {made(1, 0, 0), made(1, 0, 0)}, iteration: {made(1.1, 0, 0), made(1.11, 0, 0)}}, true, true, 1.105},
		"longer by chance": {longerIteration, "", cells{compute: {made(1, 0, 0), made(1, 0, 0)}, iteration: {made(1.3, 0, 0), made(0.9, 0, 0)}},
			false, true, 1.0817},
		"longer, one seed": {longerIteration, "", cells{compute: one(made(1, 0, 0)), iteration: one(made(1.1, 0, 0))}, true, true, 1.1},
		"shorter":          {longerIteration, "", cells{compute: one(made(1, 0, 0)), iteration: one(made(0.9, 0, 0))}, false, true, 0.9},
		"neither waits":    {longerIteration, "", cells{compute: one(made(1, 1, 0)), iteration: one(made(1, 1, 0))}, false, false, 0},
		"keeps half":       {keepsSaving, "", cells{"bsp": one(made(1, 0, 0)), "asp": one(made(0.2, 0, 0)), compute: one(made(0.59, 0, 0))}, true, true, 51.25},
		"keeps less":       {keepsSaving, "", cells{"bsp": one(made(1, 0, 0)), "asp": one(made(0.2, 0, 0)), compute: one(made(0.7, 0, 0))}, false, true, 37.5},
		"nothing to keep":  {keepsSaving, "", cells{"bsp": one(made(1, 0, 0)), "asp": one(made(1, 0, 0)), compute: one(made(1, 0, 0))}, false, false, 0},
		"even":             {evensOut, "", cells{"asp": one(made(1.5, 0, 0))}, true, true, 1.5},
		"uneven":           {evensOut, "", cells{"asp": one(made(1.6, 0, 0))}, false, true, 1.6},
		"no iteration":     {evensOut, "", cells{"asp": one(made(0, 0, 0))}, false, false, 0},
		"remote straggler": {latencyStraggler, "lenet5", cells{compute: one(made(1, 0.89, 0))}, true, true, 89},
		"no straggler":     {latencyStraggler, "lenet5", cells{compute: one(made(1, 0.9, 0))}, false, true, 90},
		"large unharmed":   {latencyStraggler, "vgg19_bn", cells{compute: one(made(1, 0.995, 0))}, true, true, 99.5},
		"large harmed":     {latencyStraggler, "vgg19_bn", cells{compute: one(made(1, 0.99, 0))}, false, true, 99},
	} {
		f := c.test(c.model, c.cells)
		if f.N > 0 != c.isCase || f.holds != c.ok || math.Abs(f.Value-c.value) > 1e-4 {
			t.Errorf("%s: %+v; want %t, a case %t, %g", name, f, c.ok, c.isCase, c.value)
		}
	}
}

// A sentence holds only if it does wherever there is a case, and so does the answer to
// whether DASP is ASP with a bound.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		holds       []int // 1 yes, -1 no, 0 no case
		want, bound string
	}{{[]int{1, 1}, holdsTrue, "yes"}, {[]int{1, -1}, holdsFalse, "partly"}, {[]int{-1, 0}, holdsFalse, "no"}, {[]int{0, 1}, holdsTrue, "yes"},
		{[]int{0, 0}, noCase, "never"}, {nil, noCase, "never"}} {
		rows := testRows{{hypothesis: "other", finding: plainly(false, 1, 1)}}
		for _, x := range c.holds {
			row := testRow{hypothesis: "bound", finding: plainly(x > 0, 1, 1)}
			if x == 0 {
				row.finding = noFinding
			}
			rows = append(rows, row)
		}
		if got, bound := rows.answer("bound"), rows.bound().Value; got != c.want || bound != c.bound {
			t.Errorf("%v: %s and %s, want %s and %s", c.holds, got, bound, c.want, c.bound)
		}
	}
}

// A worker without an iteration after the warm-up has no ratio.
func TestUnevenness(t *testing.T) {
	if x := unevenness([]measured{made(2, 0, 0)}); x != 2 {
		t.Errorf("%g, want 2", x)
	}
	if x := unevenness([]measured{made(0, 0, 0)}); !math.IsNaN(x) {
		t.Errorf("%g, want none", x)
	}
}

// Facts pool what eq. (1) asked for, and are none where it was never asked.
func TestNetworkFacts(t *testing.T) {
	for _, asked := range []bool{true, false} {
		s := study()
		s.Measure = func(_ context.Context, _ exp.Env, l point, _ uint64) (measured, error) {
			c := made(1, 0.5, 0.1)
			if asked && l.Model == "lenet5" && l.linkSpeeds == unequalWide && l.Form == computeForm.key {
				c.Waits = wssWaits{WSS: 200, Zero: 150, Short: 180, Wait: 0.4, Oldest: 8}
			}
			if l.Model == "vgg19_bn" && l.Form == iterationForm.key {
				c = made(1.5, 0.5, 0.1)
			}
			c.Queue = make([]float64, setup.Workers)
			return c, nil
		}
		r, err := s.Run(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{0}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"asked": 200, "asked.zero": 75., "asked.short": 90., "asked.wait": 2., "asked.oldest": 40., "readings.same": 6, "readings": 9}
		if !asked {
			want = map[string]any{"asked": 0, "asked.zero": nil, "asked.short": nil, "asked.wait": nil, "asked.oldest": nil}
		}
		for key, x := range want {
			if got := r.Fact(key).Value; got != x {
				t.Errorf("%s is %v, want %v", key, got, x)
			}
		}
	}
}

func TestTransferAlone(t *testing.T) {
	a := &cluster.Host{Bandwidth: 1e9, Latency: 3 * time.Millisecond, Overhead: time.Millisecond}
	b := &cluster.Host{Bandwidth: 1e8, Latency: 20 * time.Millisecond, Overhead: 2 * time.Millisecond}
	if got := transferAlone(a, b, 1e6); math.Abs(got-(0.026+0.010)) > 1e-12 {
		t.Errorf("%g s, want 23 ms of latency, 3 ms of overhead and 10 ms over the slower link", got)
	}
}

// The clusters that hypotheses and texts speak of are among those that run, and each has
// a name of its own.
func TestNetworksAreThere(t *testing.T) {
	for profile, n := range map[string]int{"ci": 3, "quick": 6, "paper": 6} {
		sites := map[linkSpeeds]bool{}
		for _, v := range clusters(profile) {
			sites[linkSpeedsOf(v)] = true
		}
		if len(sites) != n {
			t.Errorf("%s runs %d clusters, want %d", profile, len(sites), n)
		}
		for _, h := range hypotheses {
			for _, c := range h.sites {
				if !sites[c] {
					t.Errorf("%s does not run %v", profile, c)
				}
			}
		}
	}
	if len(platforms.UnequalLinks) != setup.Workers {
		t.Errorf("%d links for %d workers", len(platforms.UnequalLinks), setup.Workers)
	}
}

// Every form is recorded with its own parameters.
func TestFormsAreRecorded(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range formConfigs() {
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		seen[string(raw)] = true
	}
	if want := len(methodForms()) + len(printedForms); len(seen) != want {
		t.Errorf("%d forms differ by their record, want %d", len(seen), want)
	}
}

// Retracing any method repeats its run; of DASP it repeats every decision.
func TestRetraceRepeatsEveryMethod(t *testing.T) {
	for _, v := range clusters("quick") {
		for _, f := range append(methodForms(), printedForms...) {
			cfg := setup.Timing(v.Platform, f.sync, "lenet5", 2)
			f.set(cfg.Options)
			l := timed(t, cfg).Log
			d, _ := cfg.Options.F()
			c, err := cfg.Options.Config()
			if err != nil {
				t.Fatal(err)
			}
			err = retrace.Log(l, retrace.PolicyOf(f.sync, *cfg.Options), d, func(s retrace.Sight) {
				p := l.Pushes[s.Index]
				if f.sync != "dasp" || p.Abandoned {
					return
				}
				x := c.Decide(s.View, p.Worker)
				if x.State != p.State || x.Gap != p.Gap || p.Replied-p.Received < x.Wait {
					t.Errorf("%s, %s: decided %+v, the server %v at gap %d after %v", v.Name, f.key, x, p.State, p.Gap, p.Replied-p.Received)
				}
			}, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", v.Name, f.key, err)
			}
		}
	}
}

// timed makes a short timing-only run with its log.
func timed(t *testing.T, cfg train.Config) *train.Outcome {
	t.Helper()
	cfg.Engine, cfg.MaxPushes, cfg.Warmup = "portable", 300, 0
	o, err := train.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
