package dynamic

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
)

var testPace = basePace{Unit: 0.01, Compute: []float64{0.01, 0.012, 0.014, 0.016, 0.019, 0.036}}

// factorAt is a worker's factor at a second of the run.
func factorAt(phases []cluster.Phase, at float64) float64 {
	f := 1.0
	for _, p := range phases {
		if p.At.Seconds() <= at {
			f = p.Factor
		}
	}
	return f
}

// At every instant the six times are the heterogeneous cluster's six: only who
// has which changes, about every 20 iterations.
func TestStepsDealTheSameSpeeds(t *testing.T) {
	s := planSteps(testPace, 3, 20)
	deals := s.Phases[0]
	if n := len(deals); n < 80 || n > 134 { // 2,000 iterations, a deal every 15 to 25
		t.Fatalf("%d deals in 2,000 iterations", n)
	}
	before, moved := 0.0, 0
	for _, deal := range deals {
		at := deal.At.Seconds()
		if gap := (at - before) / testPace.Unit; gap < dealFrom-1e-6 || gap > dealTo+1e-6 {
			t.Errorf("%g iterations between deals", gap)
		}
		times := make([]float64, setup.Workers)
		for w, c := range testPace.Compute {
			times[w] = c * factorAt(s.Phases[w], at+1e-6)
		}
		if slices.Index(times, slices.Max(times)) != setup.Workers-1 {
			moved++
		}
		slices.Sort(times)
		for i, c := range testPace.Compute {
			if math.Abs(times[i]-c) > 1e-12 {
				t.Fatalf("at %g the times are %v, want %v in some order", at, times, testPace.Compute)
			}
		}
		before = at
	}
	if moved < len(deals)/2 {
		t.Errorf("the slowest place moved in %d of %d deals", moved, len(deals))
	}
}

// One worker of six is slowed in the mean; bursts and calms have their lengths.
func TestBurstsSlowOneInSix(t *testing.T) {
	slowed := 0.0
	const horizon, seeds = 40.0, 40
	for seed := range uint64(seeds) {
		s := planBursts(testPace, seed, horizon)
		for w, phases := range s.Phases {
			for i := 0; i+1 < len(phases); i += 2 {
				burst := (phases[i+1].At - phases[i].At).Seconds() / testPace.Unit
				if phases[i].Factor != burstFactor || phases[i+1].Factor != 1 || burst < burstFrom-1e-6 || burst > burstTo+1e-6 {
					t.Fatalf("worker %d: a burst of %g iterations at %v", w, burst, phases[i:i+2])
				}
				if i > 0 {
					if calm := (phases[i].At - phases[i-1].At).Seconds() / testPace.Unit; calm < calmFrom-1e-6 || calm > calmTo+1e-6 {
						t.Fatalf("worker %d: a calm of %g iterations", w, calm)
					}
				}
				slowed += min(phases[i+1].At.Seconds(), horizon) - phases[i].At.Seconds()
			}
		}
	}
	if share := slowed / (horizon * seeds * setup.Workers); math.Abs(share-1./6) > 0.005 {
		t.Errorf("a worker is slowed for %.3f of the time, want 1/6", share)
	}
}

// A seed's speeds are the same in a short and in a long run and for every
// method; another seed's are others; every schedule is a valid platform.
func TestSchedulesAreTheSeeds(t *testing.T) {
	for _, s := range scenarios {
		long, short, other := s.plan(testPace, 1, 20), s.plan(testPace, 1, 5), s.plan(testPace, 2, 20)
		changes := false
		for w := range long.Phases {
			n := len(short.Phases[w])
			if !slices.Equal(long.Phases[w][:n], short.Phases[w]) {
				t.Errorf("%s: worker %d's first phases depend on the run's length", s.Key, w)
			}
			changes = changes || n > 0
		}
		if drawn := s.Against != ""; reflect.DeepEqual(long.Phases, other.Phases) == drawn {
			t.Errorf("%s: seeds 1 and 2 have the same speeds: %t", s.Key, drawn)
		}
		base := setup.Load(s.Base)
		p := long.on(base)
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", s.Key, err)
		}
		if changes != (p.Name != base.Name) || len(base.Workers[5].Slow) > 0 {
			t.Errorf("%s: named %q, changes %t, the base got phases %v", s.Key, p.Name, changes, base.Workers[5].Slow)
		}
	}
	if got := planStraggler(testPace, 1, 5).Phases; got[5][0] != (cluster.Phase{Factor: burstFactor}) || len(got[0]) > 0 {
		t.Errorf("one worker always slowed: %v", got)
	}
}

// In the place of another worker a worker computes as long as that one does, in
// a run; the unit is an iteration of the median worker.
func TestPlacesAreOtherWorkersTimes(t *testing.T) {
	cfg := timingConfig(linkedModel{Model: "resnet18"}, setup.Heterogeneous, "ci")
	pace := oktest.Must(basePaceOf(t.Context(), exp.Env{}, cfg))(t)
	cfg.Platform = cfg.Platform.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
	for i, want := range []float64{1, 1.2, 1.4, 1.6, 1.9, 3.6} {
		if got := pace.Compute[i] / pace.Compute[0]; math.Abs(got/want-1) > 0.05 {
			t.Errorf("worker %d computes %.3f times as long as the first, its note says %g", i, got, want)
		}
	}
	if pace.Unit < pace.Compute[2] {
		t.Errorf("an iteration of %g s, of which %g computation", pace.Unit, pace.Compute[2])
	}
	plan := planSteps(pace, 0, 1e4*pace.Unit)
	cfg.Platform, cfg.Sync = plan.on(cfg.Platform), "asp"
	out, whole := oktest.Must(train.Run(t.Context(), cfg))(t), 0
	for _, p := range out.Log.Pushes {
		from, to := (p.Received-p.Compute).Seconds()-pace.Unit, p.Received.Seconds()
		f := factorAt(plan.Phases[p.Worker], from)
		if factorAt(plan.Phases[p.Worker], to) != f {
			continue // it may span a deal
		}
		whole++
		took := p.Compute.Seconds()
		if !slices.ContainsFunc(pace.Compute, func(c float64) bool { return math.Abs(took-c) < 1e-6 }) {
			t.Fatalf("worker %d computes %.9g s at a factor of %g, no worker's own time %v", p.Worker, took, f, pace.Compute)
		}
		if math.Abs(took-pace.Compute[p.Worker]*f) > 1e-6 {
			t.Fatalf("worker %d computes %.9g s, want %.9g × %g", p.Worker, took, pace.Compute[p.Worker], f)
		}
	}
	if whole < 200 {
		t.Errorf("only %d iterations lay between two deals", whole)
	}
}

// ASP never waits: the same speeds give it the same time per push, whoever has
// them. So the other methods' factors are their own.
func TestASPIsTheControl(t *testing.T) {
	for _, s := range []string{"steps", "bursts"} {
		var per [2]float64
		p := point{Case: leNet, Scenario: s, Method: "asp"}
		for i, p := range []point{p, p.before()} {
			c := oktest.Must(measure(t.Context(), exp.Env{Profile: "quick"}, p, 1))(t)
			if c.Waiting != 0 || c.Share["QIS"] != 1 {
				t.Errorf("%s: %g ASP workers wait", p.Scenario, c.Waiting)
			}
			per[i] = c.Iteration.PerPush
		}
		if x := per[0] / per[1]; math.Abs(x-1) > 0.05 {
			t.Errorf("%s: ASP takes %.3f of its time in %s", s, x, p.before().Scenario)
		}
	}
}

// A run beyond its schedule would see speeds that stand still.
func TestARunBeyondItsScheduleIsAnError(t *testing.T) {
	cfg := timingConfig(leNet, setup.Homogeneous, "ci")
	out := oktest.Must(train.Run(t.Context(), cfg))(t)
	if _, err := measuredOf(out, planStatic(testPace, 0, 0.1), 0.01); err == nil || !strings.Contains(err.Error(), "its schedule reaches 0.1 s") {
		t.Errorf("%v", err)
	}
	oktest.Must(measuredOf(out, planStatic(testPace, 0, 1e6), 0.01))(t)
}

// The record holds what decides a number: links, bounds, lengths.
func TestDynamicSetupIsComplete(t *testing.T) {
	raw := oktest.Must(json.Marshal(config("quick")))(t)
	for _, want := range []string{`"link":12500000000`, `"horizon":8`, `"launch":25000`, `"straggler"`, `"Smax":6`, `"visible":0.02`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in the configuration", want)
		}
	}
}
