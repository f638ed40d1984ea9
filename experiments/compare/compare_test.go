package compare

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	descriptor "gradsync/experiments/method"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

func paperOf() kittest.Paper {
	return kittest.Paper{List: Experiments, Engine: kittest.Engine(), Results: "../results"}
}

// All experiments in profile ci: they are whole, and their frames are filled.
func TestExperimentsRun(t *testing.T) {
	oktest.Slow(t)
	for _, r := range paperOf().Run(t) {
		if r.Status != result.Complete || len(r.Facts) == 0 || len(r.Frames) == 0 {
			t.Errorf("%s is %s with %d facts and %d frames", r.ID, r.Status, len(r.Facts), len(r.Frames))
		}
		for _, f := range r.Frames {
			if len(f.Rows) == 0 {
				t.Errorf("%s: frame %s is empty", r.ID, f.ID)
			}
		}
		if r.ID != "compare/facts" && (len(r.Data) != 1 || r.Engine == "" || len(r.Figures) < 2) {
			t.Errorf("%s: data %v, engine %q, %d figures", r.ID, r.Data, r.Engine, len(r.Figures))
		}
		oktest.Must(result.Encode(r))(t)
	}
}

func TestInterruptedExperiments(t *testing.T) { paperOf().Interrupted(t) }
func TestSecondsAreEstimated(t *testing.T)    { paperOf().Planned(t) }

// Parts that others need too are no more than the whole.
func TestShares(t *testing.T) {
	for _, e := range Experiments()[1:] {
		for _, p := range e.Profiles {
			shared := 0.0
			for _, s := range e.Shares(p, 3) {
				shared += s
			}
			if total := e.Seconds(p, 3); math.Abs(shared-total) > 1e-9*total {
				t.Errorf("%s, %s: %g s, of which %g in parts", e.ID, p, total, shared)
			}
		}
	}
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
		{curve(0.3, 0.4), 0.35}, {curve(0.5), 0}, {curve(0, 0, 0, 0), 0},
	} {
		if got := targetOf(c.curve); got != c.want {
			t.Errorf("%v: %g, want %g", c.curve, got, c.want)
		}
	}
}

// Counted load equals the formulas: the message bodies of real exchanges.
func TestFacts(t *testing.T) {
	rows := 0
	for _, m := range methods() {
		if m.Key == "ring-layers" || m.Aware {
			continue
		}
		rows++
		c, limit := oktest.Must(countOf(t.Context(), exp.Env{}, m))(t), 1e-4
		if m.Async {
			limit = 0.02 // gradients under way at the end
		}
		if math.Abs(c.off()) > limit {
			t.Errorf("%s: count is %g off its formula", m.Key, c.off())
		}
		if _, d := m.load(workers); d > 0 && math.Abs(c.Delivered/d-1) > limit {
			t.Errorf("%s: delivered %g, formula %g", m.Key, c.Delivered, d)
		}
	}
	if rows != 13 {
		t.Errorf("%d methods", rows)
	}
}

// Six nodes by hand: r = 2 has C(6,2) = 15 blocks.
func TestLoad(t *testing.T) {
	for key, want := range map[string][2]float64{"bsp": {12, 12}, "asp": {12, 12}, "naive": {10, 10}, "ring": {10, 10},
		"ssgd-unicast": {30, 30}, "ssgd-multicast": {6, 30}, "cssgd": {30, 60}, "compressed": {5, 9}} {
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
	oktest.Slow(t)
	t.Setenv("GRADSYNC_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := trainingSizeOf("ci")
	s.Gradients, s.EvalEvery = 24, -1
	env := exp.Env{Profile: "ci", Engine: kittest.Engine()}
	train := func(k string, g testbed) string {
		p := oktest.Must(get(t.Context(), env, s.config(methodOf(k), g, 3)))(t)
		return p.SHA
	}
	hash := map[string]string{}
	for _, k := range []string{"bsp", "naive", "ring", "ssgd-unicast", "ssgd-multicast", "cssgd"} {
		hash[k] = train(k, testbedOf(unequalSet, links[1]))
	}
	if hash["bsp"] != hash["naive"] || hash["ssgd-unicast"] != hash["ssgd-multicast"] {
		t.Errorf("trainings that share differ: %v", hash)
	}
	if hash["bsp"] == hash["ssgd-multicast"] || hash["bsp"] == hash["ring"] {
		t.Errorf("trainings of other samples or another order of sums are the same: %v", hash)
	}
	if train("bsp", testbedOf(equalSet, links[0])) != hash["bsp"] {
		t.Error("BSP's parameters depend on the cluster")
	}
}

// The device of a worker with redundancy 2 computes twice as long, and one with samples by speed as long as any other.
func TestComputing(t *testing.T) {
	s, g, times := trainingSizeOf("ci"), testbedOf(unequalSet, links[0]), map[string][]float64{}
	for _, k := range []string{"ring", "cssgd", "ssgd-aware"} {
		times[k] = oktest.Must(computing(t.Context(), exp.Env{}, methodOf(k), g, s))(t)
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

// SSGD sends no combinations, coded SGD does, and sums of redundant blocks where that is
// less: with three or four nodes, not with six or more. Only who codes is charged.
func TestWhoIsChargedForCoding(t *testing.T) {
	for _, c := range []struct {
		key  string
		n    int
		want bool
	}{{"ssgd-unicast", 6, false}, {"ssgd-aware", 6, false}, {"ssgd-multicast", 4, false}, {"cssgd", 6, true}, {"cssgd", 4, true},
		{"compressed", 4, true}, {"compressed", 6, false}, {"compressed", 8, false}} {
		m := methodOf(c.key)
		cfg := train.Config{Workers: c.n, Batch: 2}
		m.configure(&cfg)
		if m.codes(c.n) != c.want || (cfg.Coded.Rate == 0) != c.want {
			t.Errorf("%s, N = %d: codes %v, rate %g", c.key, c.n, m.codes(c.n), cfg.Coded.Rate)
		}
		if m.Coded.Rate != 0 {
			t.Errorf("%s: its own options were written", c.key)
		}
	}
	s, p, at := planSweep("ci"), sweepPoint{"mlp", equalWorkers, 100, 4}, map[string]float64{}
	for _, k := range []string{"cssgd", uncoded("cssgd"), "ssgd-unicast"} {
		l := sweepRun{Point: p, Method: k, Density: 1}
		oktest.Nil(t, s.run(t.Context(), &l))
		at[k] = l.Rounds.Mean().Value
	}
	if !(at[uncoded("cssgd")] < 0.5*at["cssgd"]) || !(at["ssgd-unicast"] < at[uncoded("cssgd")]) {
		t.Errorf("%v: coding at 2 GB/s is most of CSSGD's round at 100 Gb/s", at)
	}
}

// One straggler and a spread, by hand from the GTX 1060 of the reference; the server's link is twice
// a worker's, and was a worker's on the former machines, which were steady.
func TestSweepPlatforms(t *testing.T) {
	plan := planSweep("ci")
	of := func(set string) *cluster.Platform { return plan.platform(sweepPoint{"mlp", set, 10, 4}) }
	equal, slow, wide := of(equalWorkers).Workers, of(straggler).Workers, of(spread).Workers
	if q := equal[3].FLOPS / slow[3].FLOPS; q < 5.999 || q > 6.001 || slow[2].FLOPS != equal[2].FLOPS {
		t.Errorf("the straggler is %g times slower", q)
	}
	if q := equal[3].FLOPS / wide[3].FLOPS; q < 3.599 || q > 3.601 || wide[0].FLOPS != equal[0].FLOPS {
		t.Errorf("the slowest of a spread is %g times slower", q)
	}
	if s := of(equalWorkers).Server; equal[0].Bandwidth != 1.25e9 || equal[0].Jitter != 0.2 || equal[0].FLOPS != 2.2e12 || s.Bandwidth != 2.5e9 {
		t.Errorf("%+v, server %+v", equal[0], s)
	}
	plan = plan.former()
	if w, s := of(equalWorkers).Workers[0], of(equalWorkers).Server; w.Bandwidth != 1.25e9 || w.Jitter != 0 || w.FLOPS != 4.9e12 || s.Bandwidth != 1.25e9 {
		t.Errorf("%+v, server %+v", w, s)
	}
}

// The trained comparisons' nodes: rates by hand, everything else the file's; the server keeps its
// ratio to a worker's link.
func TestTestbeds(t *testing.T) {
	for _, c := range []struct {
		set                              string
		fastest, slowest, jitter, server float64
	}{{equalSet, 5e9, 5e9, 0.2, 2}, {unequalSet, 8e9, 8e9 / 3.6, 0.2, 2}, {formerSet(equalSet), 5e9, 5e9, 0.05, 1},
		{formerSet(unequalSet), 8e9, 8e9 / 3.6, 0.05, 1}} {
		for _, g := range links {
			p := testbedOf(c.set, g).Platform
			first, last := p.Workers[0], p.Workers[workers-1]
			if math.Abs(first.FLOPS/c.fastest-1) > 1e-3 || math.Abs(last.FLOPS/c.slowest-1) > 1e-3 || first.Memory != 0 {
				t.Errorf("%s: %g to %g FLOP/s", c.set, first.FLOPS, last.FLOPS)
			}
			if first.Jitter != c.jitter || first.Bandwidth != g*gigabit || p.Server.Bandwidth != c.server*g*gigabit || first.Latency != 25*time.Microsecond {
				t.Errorf("%s at %g Gb/s: %+v, server %+v", c.set, g, first, p.Server)
			}
		}
	}
}

// One worker alone does the arithmetic of all: N times a round's, and no messages.
func TestAlone(t *testing.T) {
	s := planSweep("ci")
	at := func(n int, gbps float64) float64 {
		l := sweepRun{Point: sweepPoint{"mlp", equalWorkers, gbps, n}, Method: alone}
		oktest.Nil(t, s.run(t.Context(), &l))
		return l.Rounds.Mean().Value
	}
	if at(4, 1) != at(4, 100) {
		t.Error("one worker alone feels the link")
	}
	if a, b := at(4, 1), at(8, 1); b <= a {
		t.Errorf("more samples take no longer: %g and %g", a, b)
	}
}

// A registered method is compared by its own training, whether it waits or not.
func TestRegisteredMethodsAreCompared(t *testing.T) {
	t.Cleanup(descriptor.Scratch())
	for _, async := range []bool{false, true} {
		name := fmt.Sprintf("mine-%t", async)
		descriptor.Register(descriptor.Method{Name: name, Family: descriptor.Server, Document: "own", Async: async, Compare: true})
		m := methodOf(name)
		if !m.Server || m.Sync != name || m.Document != "own" {
			t.Errorf("%+v", m)
		}
		run := methodRunOf(m, runTimes{Timed: runSummary{Pushes: 12, Seconds: 2, Accuracy: 0.5, Curve: []train.Point{{Accuracy: 0.5}}}}, nil)
		if run.Accuracy != 0.5 || len(run.Curve) != 1 || run.Round != 1 {
			t.Errorf("%s: %+v, want its own accuracy, curve and a second per round of %d gradients", name, run, workers)
		}
	}
	descriptor.Register(descriptor.Method{Name: "not-asked", Family: descriptor.Server})
	if slices.ContainsFunc(methods(), func(m method) bool { return m.Key == "not-asked" }) {
		t.Error("a method that did not ask is compared")
	}
}
