package dasp

import (
	"context"
	"math"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// How the speeds change. All lengths are iterations of the cluster's median
// worker under ASP, undisturbed and without jitter: dynPace.Unit.
const (
	dynDealFrom, dynDealTo   = 15, 25       // from one deal of the time factors to the next
	dynCalmFrom, dynCalmTo   = 25, 75       // a worker undisturbed, so that one in six is slowed in the mean
	dynBurstFrom, dynBurstTo = 5, 15        // a worker slowed
	dynFirstCalm             = 60           // the first calm of each worker is from 0 to this
	dynBurstFactor           = 5.           // how much longer a slowed worker computes
	dynForget                = 20           // after a burst, how long its worker's release is looked for
	dynHorizon               = 8            // a schedule reaches this multiple of the undisturbed run
	dynPaceGradients         = workers * 40 // of the run that the unit is measured in
)

// dynPace says how fast a cluster is when nothing disturbs it.
type dynPace struct {
	Unit    float64   // seconds: median over workers of the mean iteration under ASP
	Compute []float64 // seconds: each worker's forward and backward pass
}

// dynEvent is an instant at which speeds change: Worker's past is to be
// forgotten from At on, and is looked for until Until (seconds of the run). No
// worker: −1.
type dynEvent struct {
	At, Until float64
	Worker    int
}

// dynSchedule is a run's speeds. Onsets are what figures are drawn around;
// Endings are the instants at which the slowest, or a slowed, worker becomes
// faster.
type dynSchedule struct {
	Phases  [][]cluster.Phase // by worker
	Onsets  []dynEvent
	Endings []dynEvent
	Horizon float64 // seconds; a longer run would see speeds that stand still
}

// dynScenario is a cluster whose speeds may change. Against names the scenario
// of the same speeds that never change hands.
type dynScenario struct {
	Key, Base, Against string
	plan               func(p dynPace, seed uint64, horizon float64) dynSchedule
}

var dynScenarios = []dynScenario{
	{"static", heterogeneous, "", dynStatic},
	{"steps", heterogeneous, "static", dynSteps},
	{"undisturbed", homogeneous, "", dynStatic},
	{"straggler", homogeneous, "", dynStraggler},
	{"bursts", homogeneous, "straggler", dynBursts},
}

func dynScenarioOf(key string) dynScenario {
	return dynScenarios[slices.IndexFunc(dynScenarios, func(s dynScenario) bool { return s.Key == key })]
}

func dynStatic(p dynPace, _ uint64, horizon float64) dynSchedule {
	return dynSchedule{Phases: make([][]cluster.Phase, len(p.Compute)), Horizon: horizon}
}

func dynStraggler(p dynPace, seed uint64, horizon float64) dynSchedule {
	s := dynStatic(p, seed, horizon)
	s.Phases[len(s.Phases)-1] = []cluster.Phase{{Factor: dynBurstFactor}}
	return s
}

// dynSteps deals the workers' computation times anew among them: worker i, in
// the place of j, computes Compute[j]/Compute[i] times as long as by itself. The
// set of speeds is the same at every instant.
func dynSteps(p dynPace, seed uint64, horizon float64) dynSchedule {
	s := dynStatic(p, seed, horizon)
	r := cluster.Stream(seed, -1, "", "dasp/dynamic/steps")
	place := make([]int, len(p.Compute))
	for i := range place {
		place[i] = i
	}
	slowest := slices.Index(p.Compute, slices.Max(p.Compute))
	for at := 0.0; ; {
		at += float64(p.Unit * dynBetween(r.Float64(), dynDealFrom, dynDealTo))
		if at >= horizon {
			return s
		}
		was := slices.Index(place, slowest)
		place = r.Perm(len(place))
		for i, j := range place {
			s.Phases[i] = append(s.Phases[i], cluster.Phase{At: dynInstant(at), Factor: p.Compute[j] / p.Compute[i]})
		}
		if n := len(s.Onsets); n > 0 {
			s.Onsets[n-1].Until, s.Endings[n-1].Until = at, at
		}
		s.Onsets = append(s.Onsets, dynEvent{at, horizon, slices.Index(place, slowest)})
		if was == slices.Index(place, slowest) {
			was = -1 // the slowest stays the slowest: nothing to forget
		}
		s.Endings = append(s.Endings, dynEvent{at, horizon, was})
	}
}

// dynBursts slows each worker at its own times, whatever the others do.
func dynBursts(p dynPace, seed uint64, horizon float64) dynSchedule {
	s := dynStatic(p, seed, horizon)
	for w := range s.Phases {
		r := cluster.Stream(seed, w, "", "dasp/dynamic/bursts")
		at := float64(p.Unit * dynBetween(r.Float64(), 0, dynFirstCalm))
		for at < horizon {
			end := at + float64(p.Unit*dynBetween(r.Float64(), dynBurstFrom, dynBurstTo))
			s.Phases[w] = append(s.Phases[w], cluster.Phase{At: dynInstant(at), Factor: dynBurstFactor}, cluster.Phase{At: dynInstant(end), Factor: 1})
			s.Onsets = append(s.Onsets, dynEvent{at, end, w})
			s.Endings = append(s.Endings, dynEvent{end, end + float64(dynForget*p.Unit), w})
			at = end + float64(p.Unit*dynBetween(r.Float64(), dynCalmFrom, dynCalmTo))
		}
	}
	return s
}

// dynBetween maps u in [0, 1) to [from, to).
func dynBetween(u, from, to float64) float64 { return from + float64(u*(to-from)) }

func dynInstant(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

// on returns p with the schedule's speeds, and with another name if they change.
func (s dynSchedule) on(p *cluster.Platform) *cluster.Platform {
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

// dynPaceOf times ASP without jitter on cfg's platform, at its model and batch.
func dynPaceOf(ctx context.Context, env exp.Env, cfg train.Config) (dynPace, error) {
	cfg.Platform = cfg.Platform.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
	cfg.Sync, cfg.Seed, cfg.MaxPushes, cfg.Warmup, cfg.TimingOnly, cfg.EvalEvery = "asp", 0, dynPaceGradients, warmup, true, -1
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (dynPace, error) {
		p := dynPace{Compute: make([]float64, workers)}
		for _, push := range o.Log.Pushes {
			p.Compute[push.Worker] = push.Compute.Seconds()
		}
		sorted := slices.Sorted(slices.Values(o.Iteration.ByWorker))
		p.Unit = (sorted[(workers-1)/2] + sorted[workers/2]) / 2
		return p, nil
	})
}
