package dynamic

import (
	"context"
	"math"
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
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
	r := oktest.Must(s.Run(t.Context(), env))(t)
	oktest.Nil(t, result.Check(r))
	return d, r
}

// timedBy makes cells of times per push, by "scenario method" and seed; 2 where none is given.
func timedBy(times map[string][]float64) func(point, int) measured {
	return func(p point, seed int) measured {
		if x := times[p.Scenario+" "+p.Method]; x != nil {
			return measuredAt(x[seed])
		}
		return measuredAt(2)
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

// The facts count how many cases gain, and fall on which side of SSP: here VGG-19-BN's case is LeNet-5's over again.
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

// Two workers are held from 2 to 5 and from 6 to 9, and from 7 to 8; neither the server's own time in QIS counts, nor an
// answer at once, nor a gradient without an answer.
func TestWaiting(t *testing.T) {
	push := func(worker int, received, replied time.Duration, state dasp.State) dasp.Push {
		return dasp.Push{Worker: worker, Received: received * time.Second, Replied: replied * time.Second, State: state}
	}
	l := &dasp.Log{Workers: 2, Pushes: []dasp.Push{push(0, 2, 5, 0), push(1, 3, 4, dasp.QIS), push(0, 6, 9, dasp.WSS), push(1, 7, 8, dasp.FSS),
		push(0, 10, 10, dasp.FSS), {Worker: 1, Received: 9 * time.Second, Replied: 20 * time.Second, Abandoned: true}}}
	for _, c := range []struct{ from, to, want float64 }{{0, 100, 7. / 100}, {3, 7.5, (2 + 1.5 + 0.5) / 4.5}, {5, 6, 0}} {
		if got := waiting(l, c.from, c.to); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("waiting in [%g, %g): %g workers, want %g", c.from, c.to, got, c.want)
		}
	}
}
