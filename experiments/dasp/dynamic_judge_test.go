package dasp

import (
	"context"
	"math"
	"slices"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// dynOf makes a cell of a time per push; workers wait if it is above 1.
func dynOf(seconds float64) dynCell {
	c := dynCell{cell: cell{Iteration: train.IterationTime{PerWorker: seconds, PerPush: seconds}}}
	if seconds > 1 {
		c.Waiting = 1
	}
	return c
}

// dynFake runs the experiment on made-up cells: of says what a point is, by seed.
func dynFake(t *testing.T, seeds int, of func(p dynPoint, seed int) dynCell) (dynRuns, *result.Result) {
	t.Helper()
	var d dynRuns
	s := dynamic()
	s.Measure = func(_ context.Context, _ exp.Env, p dynPoint, seed uint64) (dynCell, error) {
		c := of(p, int(seed))
		if p.Learn && p.Method == "bsp" {
			c.Data = &result.Data{Name: "mnist"}
		}
		return c, nil
	}
	s.Show = func(v *kit.View[dynPoint, dynCell]) { d = dynRuns{v}; dynShow(v) }
	env := exp.Env{Profile: "ci"}
	for i := range seeds {
		env.Seeds = append(env.Seeds, uint64(i))
	}
	r, err := s.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Check(r); err != nil {
		t.Error(err)
	}
	return d, r
}

// dynTimed makes cells of times per push, by "scenario method" and seed; 2 where none is given.
func dynTimed(times map[string][]float64) func(dynPoint, int) dynCell {
	return func(p dynPoint, seed int) dynCell {
		if x := times[p.Scenario+" "+p.Method]; x != nil && p.Setting == "" {
			return dynOf(x[seed])
		}
		return dynOf(2)
	}
}

var dynSteps0 = dynPoint{Case: dynLeNet, Scenario: "steps"}

func wantDyn(t *testing.T, name string, v dynVerdict, answer string, of ...float64) {
	t.Helper()
	if v.Answer != answer {
		t.Errorf("%s: %s, want %s", name, v.Answer, answer)
	}
	for i, want := range of {
		if !math.IsNaN(want) && math.Abs(v.Of[i].Value-want) > 5e-4 {
			t.Errorf("%s: number %d is %.4f, want %.3f", name, i, v.Of[i].Value, want)
		}
	}
}

func TestH1(t *testing.T) {
	for _, c := range []struct {
		name      string
		ssp, dssp []float64
		want      string
		of        []float64
	}{
		{"worse", []float64{4, 4}, []float64{3, 3.08}, dynHeld, []float64{0.5025, 0.760, 1.512}},
		{"better", []float64{4, 4}, []float64{1.5, 1.5}, dynNotHeld, []float64{0.5025, 0.375, 0.746}},
		{"wide", []float64{4, 4}, []float64{2, 4}, dynNotHeld, []float64{0.5025, 0.75, 1.407}},
		{"the same", []float64{8, 8}, []float64{4, 4.04}, dynNotHeld, []float64{0.5025, 0.5025, 1}},
	} {
		d, _ := dynFake(t, 2, dynTimed(map[string][]float64{"static ssp": {4, 4}, "static dssp": {2, 2.02}, "steps ssp": c.ssp, "steps dssp": c.dssp}))
		wantDyn(t, c.name, d.h1(dynSteps0), c.want, c.of...)
	}
	d, _ := dynFake(t, 1, dynTimed(map[string][]float64{"static ssp": {4}, "static dssp": {2}, "steps ssp": {4}, "steps dssp": {3}}))
	if v := d.h1(dynSteps0); v.Answer != dynHeld || v.Of[2].CI != nil {
		t.Errorf("one seed: %+v", v)
	}
	d, _ = dynFake(t, 1, func(dynPoint, int) dynCell { return dynOf(1) })
	wantDyn(t, "nobody waits", d.h1(dynSteps0), dynNoCase)
}

func TestH2(t *testing.T) {
	for _, c := range []struct {
		name            string
		ssp, dssp, dasp []float64
		want            string
		of              []float64
	}{
		{"DASP moves least", []float64{6, 6.1}, []float64{2, 2.01}, []float64{2.1, 2.1}, dynHeld, []float64{1.050, 1.512, 0.668}},
		{"SSP moves as far the other way", []float64{3.8, 3.8}, []float64{2, 2}, []float64{2.2, 2.2}, dynNotHeld, []float64{1.1, 0.950, math.NaN()}},
		{"DSSP moves less", []float64{6, 6}, []float64{3.01, 3.01}, []float64{2.2, 2.2}, dynNotHeld, []float64{1.1, 1.5, 1.003}},
		{"not told apart", []float64{4, 8}, []float64{2, 2}, []float64{2.1, 2.1}, dynNotHeld, []float64{1.05, 1.414, math.NaN()}},
	} {
		d, _ := dynFake(t, 2, dynTimed(map[string][]float64{"static ssp": {4, 4}, "static dssp": {3, 3}, "static dasp": {2, 2},
			"steps ssp": c.ssp, "steps dssp": c.dssp, "steps dasp": c.dasp}))
		wantDyn(t, c.name, d.h2(dynSteps0), c.want, c.of...)
	}
	d, _ := dynFake(t, 1, dynTimed(map[string][]float64{"static ssp": {4}, "static dssp": {3}, "steps ssp": {6}}))
	wantDyn(t, "one seed", d.h2(dynSteps0), dynHeld, 1, 1.5, 2./3)
	d, _ = dynFake(t, 1, func(dynPoint, int) dynCell { return dynOf(1) })
	wantDyn(t, "nobody waits", d.h2(dynSteps0), dynNoCase)
}

func TestH3(t *testing.T) {
	type release struct {
		versions int
		pushes   []int // per seed; 0: none was seen
	}
	for _, c := range []struct {
		name      string
		dasp, ssp release
		want      string
		of        []float64 // versions, own gradients of DASP and of SSP, their ratio
	}{
		{"within N and sooner", release{workers, []int{1, 1}}, release{20, []int{4, 5}}, dynHeld, []float64{6, 1, 4.5}},
		{"sooner, beyond N", release{workers + 1, []int{1, 1}}, release{20, []int{4, 5}}, dynNotHeld, []float64{7}},
		{"no sooner", release{2, []int{1, 1}}, release{2, []int{1, 1}}, dynNotHeld, []float64{2, 1, 1, 1}},
		{"not told apart", release{2, []int{1, 1}}, release{2, []int{1, 6}}, dynNotHeld, []float64{2, 1, 3.5, 0.408}},
		{"one seed has none", release{2, []int{1, 0}}, release{9, []int{4, 4}}, dynHeld, []float64{2, 1, 4, 0.25}},
		{"none", release{2, []int{0, 1}}, release{9, []int{4, 0}}, dynNoCase, nil},
	} {
		d, _ := dynFake(t, 2, func(p dynPoint, seed int) dynCell {
			x, r := dynOf(2), map[string]release{"dasp": c.dasp, "ssp": c.ssp}[p.Method]
			if r.pushes != nil && r.pushes[seed] > 0 {
				x.Releases = []dynRelease{{Pushes: r.pushes[seed], Versions: r.versions, Seen: true}}
			}
			return x
		})
		wantDyn(t, c.name, d.h3(dynSteps0), c.want, c.of...)
	}
	f := dynMeanRelease([]dynRelease{{Pushes: 1, Versions: 2, Units: 3, Waited: 4, Seen: true}, {Pushes: 3, Versions: 4, Units: 5, Waited: 6}})
	if want := (dynForgotten{2, 1, 2, 3, 4, 5}); f != want {
		t.Errorf("mean of two releases %+v, want %+v", f, want)
	}
}

// SSP's fastest setting that is no staler is found seed by seed; H4 has both outcomes, and no
// case where every SSP is staler.
func TestH4(t *testing.T) {
	type made struct {
		p99   int64
		times []float64
	}
	all := map[string]made{"s=0": {9, []float64{1, 1}}, "s=1": {5, []float64{3, 3}}, "s=3": {8, []float64{2, 4}},
		"Smin=3,Smax=6": {8, []float64{1.1, 1.5}}, "Smin=6,Smax=12": {8, []float64{4, 6}}}
	run := func() (dynRuns, *result.Result) {
		return dynFake(t, 2, func(p dynPoint, seed int) dynCell {
			x := dynOf(2)
			if m, ok := all[p.Setting]; ok {
				x = dynOf(m.times[seed])
				x.Staleness.P99, x.Staleness.Mean = m.p99, float64(10-m.p99)
			}
			return x
		})
	}
	ours := dynPoint{Case: dynLeNet, Scenario: "steps", Method: "dasp", Setting: "Smin=3,Smax=6"}
	d, r := run()
	if least, taken := d.noStaler(ours, dynTail); !slices.Equal(least, []float64{2, 3}) || !slices.Equal(taken, []string{"s=3", "s=1"}) {
		t.Errorf("%v %v, want 2 by s=3 and 3 by s=1", least, taken)
	}
	slower := ours
	slower.Setting = "Smin=6,Smax=12"
	for p, want := range map[dynPoint]string{ours: dynHeld, slower: dynNotHeld,
		dynPoint{Case: dynLeNet, Scenario: "steps", Method: "ssp", Setting: "s=0"}: ""} {
		if got := d.h4(p); got.Answer != want {
			t.Errorf("%s: %q, want %q", p.Setting, got.Answer, want)
		}
	}
	if x := d.h4(ours); x.Taken != "s=3;s=1" || math.Abs(x.Tail.Value-math.Sqrt(0.55*0.5)) > 1e-9 {
		t.Errorf("%+v", x)
	}
	if row := r.Frame("h4").Rows[1]; !slices.Equal(row, []any{"steps", 1, 2, 0}) {
		t.Errorf("H4 in steps: %v, want 1 of 2, by the mean 0", row)
	}
	all["Smin=3,Smax=6"] = made{4, []float64{1.1, 1.5}} // every SSP is staler
	if d, _ = run(); d.h4(ours).Answer != dynNoCase {
		t.Errorf("fresher than every SSP: %+v", d.h4(ours))
	}
	all["Smin=3,Smax=6"] = made{8, []float64{1, 1}} // nobody waits: DASP is ASP
	if d, _ = run(); d.h4(ours).Answer != dynNoCase || d.h4(ours).Mean.N != 0 {
		t.Errorf("DASP is ASP: %+v", d.h4(ours))
	}
}

// dynFact returns a fact's value.
func dynFact(t *testing.T, r *result.Result, key string) any {
	t.Helper()
	if f := r.Fact(key); f != nil {
		return f.Value
	}
	t.Fatalf("no fact %s", key)
	return nil
}

// The facts count how many cases gain, and fall on which side of SSP: here VGG-19-BN's case is
// LeNet-5's over again.
func TestDynamicFactsFollowTheNumbers(t *testing.T) {
	_, r := dynFake(t, 2, func(p dynPoint, seed int) dynCell {
		x := dynOf(2 * (1 + 0.001*float64(seed)))
		switch {
		case p.Method == "ssp" && (p.Scenario == "steps" || p.Scenario == "bursts"):
			x = dynOf(1.5 * (1 + 0.001*float64(seed)))
			x.Waiting = 0.2 + 0.1*float64(seed)
		case p.Method == "dasp" && p.Scenario == "bursts":
			x = dynOf(2.5 * (1 + 0.001*float64(seed)))
		}
		return x
	})
	for key, want := range map[string]any{"cases": 4, "faster.ssp": 4, "faster.dssp": 0, "faster.dasp": 0, "below": 0, "above": 4,
		"clocks_gain_more": true} {
		if got := dynFact(t, r, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if x := dynFact(t, r, "above.waiting.ssp").(float64); math.Abs(x-0.25) > 1e-9 {
		t.Errorf("%g workers wait under SSP, want 0.25", x)
	}
	if x := dynFact(t, r, "above.waiting.dasp").(float64); x != 1 {
		t.Errorf("%g workers wait under DASP, want 1", x)
	}
	_, r = dynFake(t, 2, dynTimed(map[string][]float64{"steps ssp": {3, 3}, "bursts ssp": {3, 3}}))
	if got := dynFact(t, r, "below"); got != 4 || dynFact(t, r, "clocks_gain_more") != false || dynFact(t, r, "above.waiting.ssp") != nil {
		t.Errorf("below SSP in %v of 4 cases", got)
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{1.1, "above"}, {0.9, "below"}, {1.01, "undecided"}} {
		if got := dynSide(kit.Sample{c.x}.Mean()); got != c.want {
			t.Errorf("one seed, %g: %s, want %s", c.x, got, c.want)
		}
	}
	if got := dynSide(kit.Sample{0.9, 1.3}.Mean()); got != "undecided" {
		t.Errorf("an interval that holds 1: %s", got)
	}
}

// Means and factors stand in the columns of their scenarios.
func TestDynamicColumns(t *testing.T) {
	_, r := dynFake(t, 2, func(p dynPoint, seed int) dynCell {
		x := map[string]float64{"static": 2, "steps": 3, "bursts": 5, "straggler": 4, "undisturbed": 1}[p.Scenario]
		return dynOf(x * (1 + 0.001*float64(seed)))
	})
	cell := func(frame, column string) float64 {
		f := r.Frame(frame)
		return f.Rows[2][f.At(column)].(float64)
	}
	for column, want := range map[string]float64{"static": 2001, "steps": 3001.5, "bursts": 5002.5} {
		if got := cell("times", column); math.Abs(got-want) > 1e-6 {
			t.Errorf("times, %s: %g ms, want %g", column, got, want)
		}
	}
	for column, want := range map[string]float64{"steps": 1.5, "bursts": 1.25, "cost": 5, "steps_worker": 1.5, "bursts_worker": 1.25} {
		if got := cell("changes", column); math.Abs(got-want) > 1e-9 {
			t.Errorf("changes, %s: %g, want %g", column, got, want)
		}
	}
}

// LeNet-5's time to the target stands beside BSP's and beside its own without changes; a method
// that a seed leaves short of the target has no time and no ratio.
func TestDynamicLearning(t *testing.T) {
	at := map[string]float64{"static bsp": 4, "static asp": 2, "static ssp": 3, "static dssp": 3, "static dasp": 2, "steps bsp": 8, "steps asp": 2,
		"steps ssp": 3, "steps dasp": 4}
	_, r := dynFake(t, 2, func(p dynPoint, seed int) dynCell {
		x := dynOf(2)
		if x.Curve = []train.Point{{Accuracy: 0.1}}; at[p.Scenario+" "+p.Method] > 0 {
			s := at[p.Scenario+" "+p.Method] * (1 + 0.001*float64(seed))
			x.Curve = append(x.Curve, train.Point{Pushes: int64(1000 * s), Seconds: s, Accuracy: 0.2})
		}
		return x
	})
	f := r.Frame("learning")
	for i, want := range map[int][3]any{4: {2.001, 0.5, nil}, 8: {nil, nil, nil}, 9: {4.002, 0.5, 2.}} {
		for j, column := range []string{"seconds", "over_bsp", "unchanged"} {
			got := f.Rows[i][f.At(column)]
			x, number := got.(float64)
			if y, ok := want[j].(float64); number != ok || number && math.Abs(x-y) > 1e-9 {
				t.Errorf("row %d (%v), %s: %v, want %v", i, f.Rows[i][:2], column, got, want[j])
			}
		}
	}
	g := r.Frame("learned")
	if told := g.At("told"); g.Rows[0][told] != "below" || g.Rows[1][told] != "above" || g.Rows[3][told] != "none" {
		t.Errorf("beside BSP, ASP and DSSP: %v", g.Rows)
	}
}

// The waiting figure weighs each seed by its events.
func TestWaitFigureWeighsEvents(t *testing.T) {
	_, r := dynFake(t, 2, func(p dynPoint, seed int) dynCell {
		x := dynOf(2)
		x.Around, x.Onsets = slices.Repeat([]float64{float64(1 + 3*seed)}, dynBefore+dynAfter), 1+seed
		return x
	})
	f := r.Frame("waiting")
	if row := f.Rows[0]; row[f.At("workers")] != 3. || row[f.At("since")] != -dynBefore+0.5 {
		t.Errorf("%v, want the mean over three events, 3", row)
	}
	if n := dynFact(t, r, "events.steps"); n != 3 {
		t.Errorf("%v events, want 3", n)
	}
}
