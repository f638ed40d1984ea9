package dynamic

import (
	"context"
	"math"
	"slices"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// measuredAt makes up a run of a time per push; workers wait if it is above 1.
func measuredAt(seconds float64) measured {
	c := measured{Summary: setup.Summary{Iteration: train.IterationTime{PerWorker: seconds, PerPush: seconds}}}
	if seconds > 1 {
		c.Waiting = 1
	}
	return c
}

// fakeRun runs the experiment on made-up cells: of says what a point is, by seed.
func fakeRun(t *testing.T, seeds int, of func(p point, seed int) measured) (view, *result.Result) {
	t.Helper()
	var d view
	s := study()
	s.Measure = func(_ context.Context, _ exp.Env, p point, seed uint64) (measured, error) {
		c := of(p, int(seed))
		if p.Learn && p.Method == "bsp" {
			c.Data = &result.Data{Name: "mnist"}
		}
		return c, nil
	}
	s.Show = func(v *kit.View[point, measured]) { d = view{v}; show(v) }
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

// timedBy makes cells of times per push, by "scenario method" and seed; 2 where none is given.
func timedBy(times map[string][]float64) func(point, int) measured {
	return func(p point, seed int) measured {
		if x := times[p.Scenario+" "+p.Method]; x != nil && p.Setting == "" {
			return measuredAt(x[seed])
		}
		return measuredAt(2)
	}
}

var stepsOf = point{Case: leNet, Scenario: "steps"}

func wantAnswer(t *testing.T, name string, v judgement, answer string, of ...float64) {
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
		{"worse", []float64{4, 4}, []float64{3, 3.08}, answerHeld, []float64{0.5025, 0.760, 1.512}},
		{"better", []float64{4, 4}, []float64{1.5, 1.5}, answerNotHeld, []float64{0.5025, 0.375, 0.746}},
		{"wide", []float64{4, 4}, []float64{2, 4}, answerNotHeld, []float64{0.5025, 0.75, 1.407}},
		{"the same", []float64{8, 8}, []float64{4, 4.04}, answerNotHeld, []float64{0.5025, 0.5025, 1}},
	} {
		d, _ := fakeRun(t, 2, timedBy(map[string][]float64{"static ssp": {4, 4}, "static dssp": {2, 2.02}, "steps ssp": c.ssp, "steps dssp": c.dssp}))
		wantAnswer(t, c.name, d.h1(stepsOf), c.want, c.of...)
	}
	d, _ := fakeRun(t, 1, timedBy(map[string][]float64{"static ssp": {4}, "static dssp": {2}, "steps ssp": {4}, "steps dssp": {3}}))
	if v := d.h1(stepsOf); v.Answer != answerHeld || v.Of[2].CI != nil {
		t.Errorf("one seed: %+v", v)
	}
	d, _ = fakeRun(t, 1, func(point, int) measured { return measuredAt(1) })
	wantAnswer(t, "nobody waits", d.h1(stepsOf), answerNoCase)
}

func TestH2(t *testing.T) {
	for _, c := range []struct {
		name            string
		ssp, dssp, dasp []float64
		want            string
		of              []float64
	}{
		{"DASP moves least", []float64{6, 6.1}, []float64{2, 2.01}, []float64{2.1, 2.1}, answerHeld, []float64{1.050, 1.512, 0.668}},
		{"SSP moves as far the other way", []float64{3.8, 3.8}, []float64{2, 2}, []float64{2.2, 2.2}, answerNotHeld, []float64{1.1, 0.950, math.NaN()}},
		{"DSSP moves less", []float64{6, 6}, []float64{3.01, 3.01}, []float64{2.2, 2.2}, answerNotHeld, []float64{1.1, 1.5, 1.003}},
		{"not told apart", []float64{4, 8}, []float64{2, 2}, []float64{2.1, 2.1}, answerNotHeld, []float64{1.05, 1.414, math.NaN()}},
	} {
		d, _ := fakeRun(t, 2, timedBy(map[string][]float64{"static ssp": {4, 4}, "static dssp": {3, 3}, "static dasp": {2, 2},
			"steps ssp": c.ssp, "steps dssp": c.dssp, "steps dasp": c.dasp}))
		wantAnswer(t, c.name, d.h2(stepsOf), c.want, c.of...)
	}
	d, _ := fakeRun(t, 1, timedBy(map[string][]float64{"static ssp": {4}, "static dssp": {3}, "steps ssp": {6}}))
	wantAnswer(t, "one seed", d.h2(stepsOf), answerHeld, 1, 1.5, 2./3)
	d, _ = fakeRun(t, 1, func(point, int) measured { return measuredAt(1) })
	wantAnswer(t, "nobody waits", d.h2(stepsOf), answerNoCase)
}

func TestH3(t *testing.T) {
	type had struct {
		versions int
		pushes   []int // per seed; 0: none was seen
	}
	for _, c := range []struct {
		name      string
		dasp, ssp had
		want      string
		of        []float64 // versions, own gradients of DASP and of SSP, their ratio
	}{
		{"within N and sooner", had{setup.Workers, []int{1, 1}}, had{20, []int{4, 5}}, answerHeld, []float64{6, 1, 4.5}},
		{"sooner, beyond N", had{setup.Workers + 1, []int{1, 1}}, had{20, []int{4, 5}}, answerNotHeld, []float64{7}},
		{"no sooner", had{2, []int{1, 1}}, had{2, []int{1, 1}}, answerNotHeld, []float64{2, 1, 1, 1}},
		{"not told apart", had{2, []int{1, 1}}, had{2, []int{1, 6}}, answerNotHeld, []float64{2, 1, 3.5, 0.408}},
		{"one seed has none", had{2, []int{1, 0}}, had{9, []int{4, 4}}, answerHeld, []float64{2, 1, 4, 0.25}},
		{"none", had{2, []int{0, 1}}, had{9, []int{4, 0}}, answerNoCase, nil},
	} {
		d, _ := fakeRun(t, 2, func(p point, seed int) measured {
			x, r := measuredAt(2), map[string]had{"dasp": c.dasp, "ssp": c.ssp}[p.Method]
			if r.pushes != nil && r.pushes[seed] > 0 {
				x.Releases = []release{{Pushes: r.pushes[seed], Versions: r.versions, Seen: true}}
			}
			return x
		})
		wantAnswer(t, c.name, d.h3(stepsOf), c.want, c.of...)
	}
	f := forgivenOf([]release{{Pushes: 1, Versions: 2, Units: 3, Waited: 4, Seen: true}, {Pushes: 3, Versions: 4, Units: 5, Waited: 6}})
	if want := (forgiven{2, 1, 2, 3, 4, 5}); f != want {
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
	run := func() (view, *result.Result) {
		return fakeRun(t, 2, func(p point, seed int) measured {
			x := measuredAt(2)
			if m, ok := all[p.Setting]; ok {
				x = measuredAt(m.times[seed])
				x.Staleness.P99, x.Staleness.Mean = m.p99, float64(10-m.p99)
			}
			return x
		})
	}
	ours := point{Case: leNet, Scenario: "steps", Method: "dasp", Setting: "Smin=3,Smax=6"}
	d, r := run()
	if least, taken := d.noStaler(ours, p99Staleness); !slices.Equal(least, []float64{2, 3}) || !slices.Equal(taken, []string{"s=3", "s=1"}) {
		t.Errorf("%v %v, want 2 by s=3 and 3 by s=1", least, taken)
	}
	slower := ours
	slower.Setting = "Smin=6,Smax=12"
	for p, want := range map[point]string{ours: answerHeld, slower: answerNotHeld,
		point{Case: leNet, Scenario: "steps", Method: "ssp", Setting: "s=0"}: ""} {
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
	if d, _ = run(); d.h4(ours).Answer != answerNoCase {
		t.Errorf("fresher than every SSP: %+v", d.h4(ours))
	}
	all["Smin=3,Smax=6"] = made{8, []float64{1, 1}} // nobody waits: DASP is ASP
	if d, _ = run(); d.h4(ours).Answer != answerNoCase || d.h4(ours).Mean.N != 0 {
		t.Errorf("DASP is ASP: %+v", d.h4(ours))
	}
}

// factOf returns a fact's value.
func factOf(t *testing.T, r *result.Result, key string) any {
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
	_, r := fakeRun(t, 2, func(p point, seed int) measured {
		x := measuredAt(2 * (1 + 0.001*float64(seed)))
		switch {
		case p.Method == "ssp" && (p.Scenario == "steps" || p.Scenario == "bursts"):
			x = measuredAt(1.5 * (1 + 0.001*float64(seed)))
			x.Waiting = 0.2 + 0.1*float64(seed)
		case p.Method == "dasp" && p.Scenario == "bursts":
			x = measuredAt(2.5 * (1 + 0.001*float64(seed)))
		}
		return x
	})
	for key, want := range map[string]any{"cases": 4, "faster.ssp": 4, "faster.dssp": 0, "faster.dasp": 0, "below": 0, "above": 4,
		"clocks_gain_more": true} {
		if got := factOf(t, r, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if x := factOf(t, r, "above.waiting.ssp").(float64); math.Abs(x-0.25) > 1e-9 {
		t.Errorf("%g workers wait under SSP, want 0.25", x)
	}
	if x := factOf(t, r, "above.waiting.dasp").(float64); x != 1 {
		t.Errorf("%g workers wait under DASP, want 1", x)
	}
	_, r = fakeRun(t, 2, timedBy(map[string][]float64{"steps ssp": {3, 3}, "bursts ssp": {3, 3}}))
	if got := factOf(t, r, "below"); got != 4 || factOf(t, r, "clocks_gain_more") != false || factOf(t, r, "above.waiting.ssp") != nil {
		t.Errorf("below SSP in %v of 4 cases", got)
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{1.1, "above"}, {0.9, "below"}, {1.01, "undecided"}} {
		if got := sideOf(kit.Sample{c.x}.Mean()); got != c.want {
			t.Errorf("one seed, %g: %s, want %s", c.x, got, c.want)
		}
	}
	if got := sideOf(kit.Sample{0.9, 1.3}.Mean()); got != "undecided" {
		t.Errorf("an interval that holds 1: %s", got)
	}
}

// Means and factors stand in the columns of their scenarios.
func TestDynamicColumns(t *testing.T) {
	_, r := fakeRun(t, 2, func(p point, seed int) measured {
		x := map[string]float64{"static": 2, "steps": 3, "bursts": 5, "straggler": 4, "undisturbed": 1}[p.Scenario]
		return measuredAt(x * (1 + 0.001*float64(seed)))
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
	_, r := fakeRun(t, 2, func(p point, seed int) measured {
		x := measuredAt(2)
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
	_, r := fakeRun(t, 2, func(p point, seed int) measured {
		x := measuredAt(2)
		x.Around, x.Onsets = slices.Repeat([]float64{float64(1 + 3*seed)}, windowsBefore+windowsAfter), 1+seed
		return x
	})
	f := r.Frame("waiting")
	if row := f.Rows[0]; row[f.At("workers")] != 3. || row[f.At("since")] != -windowsBefore+0.5 {
		t.Errorf("%v, want the mean over three events, 3", row)
	}
	if n := factOf(t, r, "events.steps"); n != 3 {
		t.Errorf("%v events, want 3", n)
	}
}
