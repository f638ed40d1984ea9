package dynamic

import (
	"context"
	"math"
	"slices"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// The lengths of the changes, in basePace.Unit: iterations of the cluster's median worker under ASP,
// undisturbed and without jitter.
const (
	dealFrom, dealTo   = 15, 25             // from one deal of the time factors to the next
	calmFrom, calmTo   = 25, 75             // a worker is undisturbed: on average one in six is slowed
	burstFrom, burstTo = 5, 15              // a worker is slowed
	firstCalm          = 60                 // the longest that the first calm of a worker may last
	burstFactor        = 5.                 // how much longer a slowed worker computes
	horizonFactor      = 8                  // a schedule reaches this multiple of the undisturbed run
	paceGradients      = setup.Workers * 40 // of the run that the unit is measured in
)

// basePace says how fast a cluster is when nothing disturbs it.
type basePace struct {
	Unit    float64   // seconds: median over workers of the mean iteration under ASP
	Compute []float64 // seconds: each worker's forward and backward pass
}

// speedPlan holds the speeds of a run.
type speedPlan struct {
	Phases  [][]cluster.Phase // by worker
	Horizon float64           // seconds; a longer run would see speeds that stand still
}

// scenario is a cluster whose speeds may change. Against names the scenario of the same speeds that
// never change hands.
type scenario struct {
	Key, Base, Against string
	plan               func(p basePace, seed uint64, horizon float64) speedPlan
}

var scenarios = []scenario{
	{"static", setup.Heterogeneous, "", planStatic},
	{"steps", setup.Heterogeneous, "static", planSteps},
	{"undisturbed", setup.Homogeneous, "", planStatic},
	{"straggler", setup.Homogeneous, "", planStraggler},
	{"bursts", setup.Homogeneous, "straggler", planBursts},
}

func scenarioOf(key string) scenario {
	return kit.Find(scenarios, func(s scenario) bool { return s.Key == key })
}

// planStatic leaves all speeds as they are.
func planStatic(p basePace, _ uint64, horizon float64) speedPlan {
	return speedPlan{Phases: make([][]cluster.Phase, len(p.Compute)), Horizon: horizon}
}

// planStraggler slows the last worker for the whole run.
func planStraggler(p basePace, seed uint64, horizon float64) speedPlan {
	s := planStatic(p, seed, horizon)
	s.Phases[len(s.Phases)-1] = []cluster.Phase{{Factor: burstFactor}}
	return s
}

// planSteps deals the workers' computation times anew among them, again and again: worker i, in the
// place of j, computes Compute[j]/Compute[i] times as long as by itself. The set of speeds is the
// same at every instant.
func planSteps(p basePace, seed uint64, horizon float64) speedPlan {
	s := planStatic(p, seed, horizon)
	r := cluster.Stream(seed, -1, "", "dasp/dynamic/steps")
	for at := 0.0; ; {
		at += float64(p.Unit * between(r.Float64(), dealFrom, dealTo))
		if at >= horizon {
			return s
		}
		for i, j := range r.Perm(len(p.Compute)) {
			s.Phases[i] = append(s.Phases[i], cluster.Phase{At: instant(at), Factor: p.Compute[j] / p.Compute[i]})
		}
	}
}

// planBursts slows each worker at its own times, whatever the others do.
func planBursts(p basePace, seed uint64, horizon float64) speedPlan {
	s := planStatic(p, seed, horizon)
	for w := range s.Phases {
		r := cluster.Stream(seed, w, "", "dasp/dynamic/bursts")
		at := float64(p.Unit * between(r.Float64(), 0, firstCalm))
		for at < horizon {
			end := at + float64(p.Unit*between(r.Float64(), burstFrom, burstTo))
			s.Phases[w] = append(s.Phases[w], cluster.Phase{At: instant(at), Factor: burstFactor}, cluster.Phase{At: instant(end), Factor: 1})
			at = end + float64(p.Unit*between(r.Float64(), calmFrom, calmTo))
		}
	}
	return s
}

// between maps u in [0, 1) to [from, to).
func between(u, from, to float64) float64 { return from + float64(u*(to-from)) }

// instant returns seconds of a run as a duration, rounded to nanoseconds.
func instant(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

// on returns p with the speeds of s, under another name if they change.
func (s speedPlan) on(p *cluster.Platform) *cluster.Platform {
	p = p.Clone()
	changes := false
	for w := range p.Workers {
		p.Workers[w].Slow = slices.Clone(s.Phases[w])
		changes = changes || len(s.Phases[w]) > 0
	}
	if changes {
		p.Name += ", speeds change"
	}
	return p
}

// basePaceOf times ASP without jitter on cfg's platform, at its model and batch.
func basePaceOf(ctx context.Context, env exp.Env, cfg train.Config) (basePace, error) {
	cfg.Platform = cfg.Platform.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
	cfg.Sync, cfg.Seed, cfg.MaxPushes, cfg.Warmup, cfg.TimingOnly, cfg.EvalEvery = "asp", 0, paceGradients, setup.Warmup, true, -1
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (basePace, error) {
		p := basePace{Compute: make([]float64, setup.Workers)}
		for _, push := range o.Log.Pushes {
			p.Compute[push.Worker] = push.Compute.Seconds()
		}
		sorted := slices.Sorted(slices.Values(o.Iteration.ByWorker))
		p.Unit = (sorted[(setup.Workers-1)/2] + sorted[setup.Workers/2]) / 2
		return p, nil
	})
}
