package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	_ "gradsync/shared/tensor/engine/portable"
)

// memo keeps parts as JSON, as the command line's does.
type memo map[string][]byte

func (m memo) Load(key string, v any) bool {
	raw, ok := m[key]
	return ok && json.Unmarshal(raw, v) == nil
}

func (m memo) Save(key string, v any) (err error) {
	m[key], err = json.Marshal(v)
	return err
}

func (m memo) State(string) string { return "" }

// runCI runs an experiment's profile ci on the embedded images with one seed.
func runCI(t *testing.T, e exp.Experiment) *result.Result {
	t.Helper()
	return runWith(t, e, "portable", nil)
}

func runWith(t *testing.T, e exp.Experiment, engine string, m exp.Memo) *result.Result {
	t.Helper()
	t.Setenv("GRADSYNC_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r, err := e.Old(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: engine, Memo: m})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != complete || len(r.Notes) == 0 {
		t.Fatalf("%s: %s with %d notes", e.ID, r.Status, len(r.Notes))
	}
	for _, tab := range r.Tables {
		if len(tab.Rows) == 0 {
			t.Errorf("table %s is empty", tab.ID)
		}
		for _, row := range tab.Rows {
			if len(row) != len(tab.Columns) {
				t.Errorf("table %s: row of %d for %d columns", tab.ID, len(row), len(tab.Columns))
			}
		}
	}
	for _, n := range r.Notes {
		if words := len(strings.Fields(n)); e.ID == "compare/when" && words > 85 { // what is longer is a table
			t.Errorf("%d words: %s", words, n)
		}
		if strings.Contains(n, "NaN") || strings.Contains(n, "Inf") || strings.Contains(n, "%!") {
			t.Errorf("note: %s", n)
		}
	}
	return r
}

// The target is half-way through the pilot's curve, rounded down to a per cent: by hand.
func TestTarget(t *testing.T) {
	curve := func(a ...float64) (c []train.Point) {
		for _, x := range a {
			c = append(c, train.Point{Accuracy: x})
		}
		return c
	}
	for _, c := range []struct {
		curve []train.Point
		want  float64
	}{
		{curve(0.1, 0.5, 0.6, 0.9), 0.55},         // evaluations 2 and 3 of 4
		{curve(0.1, 0.5, 0.689, 0.69, 0.9), 0.68}, // 3 and 4 of 5: 0.6895
		{curve(0.3, 0.4), 0.35},
	} {
		if got, err := targetOf(c.curve); err != nil || got != c.want {
			t.Errorf("%v: %g, %v, want %g", c.curve, got, err, c.want)
		}
	}
	for _, bad := range [][]train.Point{curve(0.5), curve(0, 0, 0, 0)} {
		if got, err := targetOf(bad); err == nil {
			t.Errorf("%v: target %g, want an error", bad, got)
		}
	}
}

// Crossing of a target by hand: 0.5 lies a quarter of the way from 0.4 to 0.8.
func TestToTarget(t *testing.T) {
	curve := []train.Point{{Pushes: 12, Updates: 2, Seconds: 1, Accuracy: 0.4}, {Pushes: 24, Updates: 4, Seconds: 3, Accuracy: 0.8}, {Pushes: 36, Updates: 6, Seconds: 4, Accuracy: 0.3}}
	if s, p, u, ok := toTarget(curve, 0.5); !ok || s != 1.5 || p != 15 || u != 2.5 {
		t.Errorf("%g s, %g gradients, %g updates, %v", s, p, u, ok)
	}
	if s, p, _, ok := toTarget(curve, 0.3); !ok || s != 1 || p != 12 {
		t.Errorf("the first evaluation: %g s, %g gradients, %v", s, p, ok)
	}
	if _, _, _, ok := toTarget(curve, 0.81); ok {
		t.Error("0.81 is never reached")
	}
	cells := []cell{{Curve: curve}, {Curve: curve[:1]}}
	if _, _, _, ok := reached(cells, 0.5); ok {
		t.Error("one of two seeds does not reach 0.5")
	}
	if _, g, _, ok := reached(cells[:1], 0.5); !ok || len(g) != 1 || g[0] != 15 {
		t.Errorf("%v, %v", g, ok)
	}
	if !math.IsNaN(own(curve, 0.9)) || own(curve, 0.5) != 15 {
		t.Errorf("own: %g and %g", own(curve, 0.9), own(curve, 0.5))
	}
}

// The ratio is paired: equal factors have a point for an interval, whatever the seeds.
func TestRatio(t *testing.T) {
	r, ci := ratio([]float64{2, 20, 6}, []float64{1, 10, 3})
	if math.Abs(r-2) > 1e-12 || ci == nil || ci[1]-ci[0] > 1e-9 {
		t.Errorf("%g %v", r, ci)
	}
	if r, ci := ratio([]float64{3}, []float64{2}); r != math.Exp(math.Log(1.5)) || ci != nil {
		t.Errorf("%g %v", r, ci)
	}
}
