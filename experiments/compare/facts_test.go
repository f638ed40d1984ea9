package compare

import (
	"context"
	"errors"
	"math"
	"testing"

	"gradsync/experiments/exp"
)

// Counted load equals the formulas: the message bodies of real exchanges.
func TestFacts(t *testing.T) {
	r := runCI(t, facts())
	for _, row := range r.Tables[0].Rows {
		m := ""
		for _, x := range methods() {
			if x.Title == row[0] {
				m = x.Key
			}
		}
		limit := 0.01 // per cent
		if methodOf(m).Async {
			limit = 2 // gradients under way at the end
		}
		if off := row[5].(float64); math.Abs(off) > limit {
			t.Errorf("%s: count is %g %% off its formula", row[0], off)
		}
		if d, ok := row[6].(float64); ok && math.Abs(row[7].(float64)/d-1) > limit/100 {
			t.Errorf("%s: delivered %g, formula %g", row[0], row[7], d)
		}
	}
	if len(r.Tables[0].Rows) != len(methods())-2 { // ring layer by layer and samples by speed move what their siblings do
		t.Errorf("%d rows for %d methods", len(r.Tables[0].Rows), len(methods()))
	}
}

// Six nodes by hand: r = 2 has C(6,2) = 15 blocks.
func TestLoad(t *testing.T) {
	for key, want := range map[string][2]float64{"bsp": {12, 12}, "asp": {12, 12}, "naive": {10, 10}, "ring": {10, 10}, "ssgd-unicast": {30, 30}, "ssgd-multicast": {6, 30}, "cssgd": {30, 60}, "compressed": {5, 9}} {
		if s, d := methodOf(key).load(6); s != want[0] || d != want[1] {
			t.Errorf("%s: %g and %g, want %v", key, s, d, want)
		}
	}
	if choose(6, 2) != 15 || choose(5, 0) != 1 || choose(3, 4) != 0 || choose(8, 3) != 56 {
		t.Error("binomials")
	}
}

// What the methods' sharing of trainings rests on: the same bits, trained for real.
func TestSharedTrainings(t *testing.T) {
	t.Setenv("GRADSYNC_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := sizeOf("ci")
	s.Gradients, s.EvalEvery = 24, -1
	g := groundsOf(unequalSet)[1]
	r := &runs{ctx: t.Context(), env: exp.Env{Engine: fastEngine()}}
	hash := map[string]string{}
	for _, k := range []string{"bsp", "naive", "ring", "ssgd-unicast", "ssgd-multicast", "cssgd"} {
		p, err := r.get(k, s.config(methodOf(k), g, 3))
		if err != nil {
			t.Fatal(err)
		}
		hash[k] = p.SHA
	}
	if hash["bsp"] != hash["naive"] || hash["ssgd-unicast"] != hash["ssgd-multicast"] {
		t.Errorf("trainings that share differ: %v", hash)
	}
	if hash["bsp"] == hash["ssgd-multicast"] || hash["bsp"] == hash["ring"] {
		t.Errorf("trainings of other samples or another order of sums are the same: %v", hash)
	}
	other, err := r.trajectory("bsp", s, 3)
	if err != nil || other.SHA != hash["bsp"] {
		t.Errorf("BSP's parameters depend on the cluster: %v, %v", other.SHA, err)
	}
}

// The device of a worker with redundancy 2 computes twice as long, and one with samples
// by speed as long as any other.
func TestComputing(t *testing.T) {
	s, g := sizeOf("ci"), groundsOf(unequalSet)[0]
	r := &runs{ctx: t.Context(), env: exp.Env{}}
	times := map[string][]float64{}
	for _, k := range []string{"ring", "cssgd", "ssgd-aware"} {
		var err error
		if times[k], err = r.computing(methodOf(k), g, s); err != nil {
			t.Fatal(err)
		}
	}
	for w := range workers {
		if q := times["cssgd"][w] / times["ring"][w]; math.Abs(q-2) > 0.01 {
			t.Errorf("worker %d computes %g times as long with r = 2", w, q)
		}
	}
	spreadOf := func(x []float64) float64 {
		lo, hi := x[0], x[0]
		for _, v := range x {
			lo, hi = min(lo, v), max(hi, v)
		}
		return hi / lo
	}
	if a, b := spreadOf(times["ring"]), spreadOf(times["ssgd-aware"]); a < 3.5 || b > 1.15 {
		t.Errorf("slowest over fastest: %g with equal samples, %g by speed", a, b)
	}
	total := 0
	for _, n := range bySpeed(g.Platform, 96) {
		total += n
	}
	if total != 96 {
		t.Errorf("%d samples by speed", total)
	}
}

// An interrupted experiment says so and claims no seed.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range Experiments() {
		r, err := e.Old(ctx, exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: "portable"})
		if !errors.Is(err, context.Canceled) || r == nil || r.Status == complete || len(r.Seeds) != 0 || len(r.Notes) != 1 {
			t.Errorf("%s: %v, %+v", e.ID, err, r)
		}
	}
}

// Every experiment estimates its time, and parts that others need too are no more than
// the whole.
func TestEstimates(t *testing.T) {
	for _, e := range Experiments() {
		for _, p := range e.Profiles {
			total, shared := e.Seconds(p, 3), 0.0
			if e.Shares != nil {
				for _, s := range e.Shares(p, 3) {
					shared += s
				}
			}
			if total <= 0 || shared > total*(1+1e-9) {
				t.Errorf("%s, %s: %g s, of which %g shared", e.ID, p, total, shared)
			}
		}
	}
}
