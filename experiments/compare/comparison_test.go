package compare

import (
	"math"
	"slices"
	"testing"

	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// handComparison returns a comparison of hand-made runs: each method its own round and one curve.
func handComparison(rounds map[string]float64) *comparison {
	st := &comparison{Set: equalSet, Size: trainingSizeOf("ci"), Target: 0.5, Seeds: []uint64{0, 1}, Runs: map[linkMethod][]methodRun{}}
	for _, x := range linkMethods(func(method) bool { return true }) {
		for s := range st.Seeds {
			at := rounds[x.Method]
			if at == 0 {
				at = 1
			}
			at *= 1 + 0.01*float64(s)
			st.Runs[x] = append(st.Runs[x], methodRun{Round: at, Own: []train.Point{{Pushes: 60, Accuracy: 0.5}}, Sent: 1e6, Delivered: 1e6,
				Curve: []train.Point{{Pushes: 60, Updates: 10, Seconds: 10 * at, Accuracy: 0.5}}})
		}
	}
	return st
}

// row returns the row of a frame in which a column has a value.
func row(t *testing.T, f result.Frame, key string, value any) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, r := range f.Rows {
		if r[f.At(key)] == value {
			for i, c := range f.Columns {
				out[c.Key] = r[i]
			}
			return out
		}
	}
	t.Fatalf("frame %s has no row with %s = %v", f.ID, key, value)
	return nil
}

func fact(t *testing.T, facts []result.Fact, key string) any {
	t.Helper()
	i := slices.IndexFunc(facts, func(f result.Fact) bool { return f.Key == key })
	if i < 0 {
		t.Fatalf("no fact %s", key)
	}
	return facts[i].Value
}

func near(a any, b float64) bool { x, ok := a.(float64); return ok && math.Abs(x-b) < 1e-9*math.Abs(b) }

// Who leads, by hand: the ring in half of the time of all others but BSP, which takes twice.
func TestLeads(t *testing.T) {
	st := handComparison(map[string]float64{"ring": 0.5, "bsp": 2})
	r := row(t, st.leads(), "link", 10.)
	if r["first"] != "ring" || !near(r["time"], 5.025) || !near(r["ratio"], 0.25) || r["decided"] != "clear" || r["near"] != nil || !near(r["round"], 502.5) {
		t.Errorf("%v", r)
	}
	if name, _ := r["shortest"].([]any); len(name) != 1 || name[0] != "ring" || !near(r["longer"], 100) {
		t.Errorf("%v", r)
	}
	st.Runs[linkMethod{10, "asp"}][0].Curve[0].Seconds = 1 // one seed is fast, the other is not
	if r := row(t, st.leads(), "link", 10.); r["decided"] != "near" && r["first"] != "asp" {
		t.Errorf("%v", r)
	}
	st.Seeds = st.Seeds[:1]
	if r := row(t, st.leads(), "link", 10.); r["decided"] != "alone" {
		t.Errorf("%v", r)
	}
	for _, x := range linkMethods(func(method) bool { return true }) {
		st.Runs[x][1].Curve = nil
	}
	if r := row(t, st.leads(), "link", 10.); r["decided"] != "none" || r["first"] != nil || r["time"] != nil {
		t.Errorf("%v", r)
	}
	if r := row(t, st.methods(), "method", "bsp"); r["time"] != nil || r["ratio"] != nil || r["missed"] != 1 {
		t.Errorf("%v", r)
	}
	if fact(t, st.facts(), "staleness") != "unknown" {
		t.Error("a cost of samples without a time")
	}
}

// What staleness costs in samples, by hand: DASP needs twice BSP's in both seeds, SSP half and four times.
func TestStalenessCosts(t *testing.T) {
	st := handComparison(nil)
	if fact(t, st.facts(), "staleness") != "none" {
		t.Error("no cost is none")
	}
	for _, g := range links {
		for s := range st.Seeds {
			st.Runs[linkMethod{g, "dasp"}][s].Curve[0].Pushes = 120
			st.Runs[linkMethod{g, "ssp"}][s].Curve[0].Pushes = int64(30 + 210*s)
		}
	}
	if r := row(t, st.samples(), "method", "dasp"); !near(r["ratio"], 2) || r["against"] != "above" {
		t.Errorf("%v", r)
	}
	if r := row(t, st.samples(), "method", "ssp"); r["against"] != "undecided" {
		t.Errorf("%v", r)
	}
	f := st.facts()
	if fact(t, f, "staleness") != "some" || fact(t, f, "intervals") != 8 || fact(t, f, "intervals_above") != 2 {
		t.Errorf("%v %v", fact(t, f, "intervals"), fact(t, f, "intervals_above"))
	}
}

// The links of a seed are averaged before the seeds are compared: two seeds that are
// twice and half of BSP on one link, the same on the other.
func TestOverLinks(t *testing.T) {
	st := handComparison(nil)
	for s, gradients := range []int64{240, 15} { // BSP: 60
		st.Runs[linkMethod{10, "asp"}][s].Curve[0].Pushes = gradients
	}
	ours, base := st.overLinks("asp")
	if len(ours) != 2 || math.Abs(ours[0]-120) > 1e-9 || math.Abs(ours[1]-30) > 1e-9 || math.Abs(base[1]-60) > 1e-9 {
		t.Errorf("%v, %v", ours, base)
	}
	st.Runs[linkMethod{1, "asp"}][1].Curve = nil
	if ours, _ := st.overLinks("asp"); ours != nil {
		t.Error("a seed misses the target")
	}
}

// Every figure begins with the same methods in the same order, so that looks dealt out in
// order stay with their methods.
func TestFiguresBeginAlike(t *testing.T) {
	st := handComparison(nil)
	for _, f := range []result.Frame{st.methods(), st.curves()} {
		var met []string
		for _, r := range f.Rows {
			if k := r[f.At("method")].(string); !slices.Contains(met, k) {
				met = append(met, k)
			}
		}
		if !slices.Equal(met[:len(drawn)], drawn) {
			t.Errorf("%s begins with %v", f.ID, met)
		}
	}
}

// A synchronous run has BSP's updates at its own pace, an asynchronous one its own curve.
func TestMethodRuns(t *testing.T) {
	curve := []train.Point{{Updates: 4, Seconds: 9, Accuracy: 0.5}}
	runs := map[string]runSummary{"bsp": {Curve: curve, Updates: 8}, "ring": {Curve: curve[:0], Updates: 8, Accuracy: 0.7}}
	c := methodRunOf(methodOf("ring"), runTimes{Timed: runSummary{Iteration: 0.5, Sent: 30, Updates: 3}, Compute: []float64{0.1, 0.3}}, runs)
	if c.Curve[0].Seconds != 2 || c.Accuracy != 0.7 || c.Round != 0.5 || c.Sent != 10 || math.Abs(c.Compute-0.4) > 1e-12 || c.Shared != "" {
		t.Errorf("%+v", c)
	}
	if c := methodRunOf(methodOf("naive"), runTimes{Timed: runSummary{Iteration: 0.5, Updates: 3}}, runs); c.Shared != "bsp" {
		t.Errorf("%+v", c)
	}
	a := methodRunOf(methodOf("asp"), runTimes{Timed: runSummary{Curve: curve, Pushes: 12, Seconds: 6, Sent: 24, By: make([]int64, workers)}, Shared: "ssp"}, nil)
	if a.Round != 3 || a.Sent != 12 || a.Curve[0].Seconds != 9 || a.Shared != "ssp" {
		t.Errorf("%+v", a)
	}
}
