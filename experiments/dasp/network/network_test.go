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
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// Three workers under DASP with Smin = 1, Smax = 3, α = ½, worked out on paper;
// worker 2's computation takes 10 ms, the others' 2 ms.
func TestCountWaitsByHand(t *testing.T) {
	ms, l := time.Millisecond, &dasp.Log{Workers: 3}
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

// made returns a made-up run: iteration time, shares of QIS and FSS.
func made(seconds, qis, fss float64) measured {
	return measured{Summary: setup.Summary{Iteration: train.IterationTime{PerWorker: seconds, ByWorker: []float64{1, 1, 1, 1, 1, seconds}},
		Share: map[string]float64{"QIS": qis, "FSS": fss}}}
}

// DASP is ASP with a bound where it takes as long as with every T_wait zero: within a hundredth, wherever anybody
// waits.
func TestBound(t *testing.T) {
	for name, c := range map[string]struct {
		seconds float64 // of DASP beside 1 with every T_wait zero, for LeNet-5; the others take 1.01
		qis     float64 // of all
		want    string
	}{
		"longer": {1.011, 0.5, "partly"}, "shorter": {0.98, 0.5, "partly"}, "as long": {1.009, 0.5, "yes"}, "nobody waits": {2, 1, "never"},
	} {
		s := study()
		s.Measure = func(_ context.Context, _ exp.Env, l point, _ uint64) (measured, error) {
			switch {
			case l.Form != computeForm.key:
				return made(1, c.qis, 0), nil
			case l.Model == "lenet5":
				return made(c.seconds, c.qis, 0), nil
			}
			return made(1.009, c.qis, 0), nil
		}
		r := oktest.Must(s.Run(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{0}}))(t)
		if got := r.Fact("bound").Value; got != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
		f := r.Frame("tested")
		for _, row := range f.Rows {
			waits, lenet := c.qis < 1, row[f.At("model")] == "lenet5"
			if row[f.At("case")] != waits || row[f.At("holds")] != (waits && (!lenet || c.want == "yes")) {
				t.Errorf("%s: %v", name, row)
			}
		}
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
			return c, nil
		}
		r := oktest.Must(s.Run(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{0}}))(t)
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

// The clusters that texts speak of are among those that run, and each has a name of its own.
func TestNetworksAreThere(t *testing.T) {
	for profile, n := range map[string]int{"ci": 3, "quick": 6, "paper": 6} {
		sites := map[linkSpeeds]bool{}
		for _, v := range clusters(profile) {
			sites[linkSpeedsOf(v)] = true
		}
		if len(sites) != n {
			t.Errorf("%s runs %d clusters, want %d", profile, len(sites), n)
		}
		for _, c := range boundSites {
			if !sites[c] {
				t.Errorf("%s does not run %v", profile, c)
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
		raw := oktest.Must(json.Marshal(f))(t)
		seen[string(raw)] = true
	}
	if want := len(methodForms()); len(seen) != want {
		t.Errorf("%d forms differ by their record, want %d", len(seen), want)
	}
}

// Retracing any method repeats its run; of DASP it repeats every decision.
func TestRetraceRepeatsEveryMethod(t *testing.T) {
	for _, v := range clusters("quick") {
		for _, f := range methodForms() {
			cfg := setup.Timing(v.Platform, f.sync, "lenet5", 2)
			f.set(cfg.Options)
			l := timed(t, cfg).Log
			d, _ := cfg.Options.F()
			c, err := cfg.Options.Config()
			oktest.Nil(t, err)
			err = retrace.Log(l, retrace.PolicyOf(f.sync, *cfg.Options), d, func(s retrace.Sight) {
				p := l.Pushes[s.Index]
				if f.sync != "dasp" || p.Abandoned {
					return
				}
				if x := c.Decide(s.View, p.Worker); x.State != p.State || x.Gap != p.Gap || p.Replied-p.Received < x.Wait {
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
	return oktest.Must(train.Run(t.Context(), cfg))(t)
}
