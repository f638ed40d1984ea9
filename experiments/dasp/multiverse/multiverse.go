package multiverse

import (
	"context"
	"fmt"
	"sync"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// effortOf returns the effort of a profile.
func effortOf(profile string) effort {
	if e, ok := efforts[profile]; ok {
		return e
	}
	return efforts["standard"]
}

// Experiment returns dasp/multiverse.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "dasp/multiverse", Source: "DASP, §3.2", Kind: result.TimingOnly, Profiles: exp.Profiles, Seedless: true,
		Seconds: func(profile string, _ int) float64 {
			e := effortOf(profile)
			each := 0.085 / 150
			if e.StatesFirst {
				each = 0.017 / 150
			}
			return float64(e.Readings+e.Platforms) * float64(e.Seeds) * float64(e.PerWorker) * each
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"axes": axes, "design_seed": designSeed, "block": blockSize, "effort": effortOf(profile), "rule": claims.OverReadings,
				"central": central, "least_sized": leastSized, "permutations": permutations, "by_chance": byChance, "tie": setup.SameTime, "base": base()}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			e := effortOf(env.Profile)
			bar := &exp.Bar{Env: env, Total: float64(e.Readings + e.Platforms)}
			laboratory, err := run(ctx, env, bar, design(platformAxes, true, e.Platforms), e)
			if err != nil {
				return err
			}
			all, err := run(ctx, env, bar, design(allAxes, false, e.Readings), e)
			if err != nil {
				return err
			}
			show(r, e, all, laboratory)
			return nil
		}}.Experiment()
}

// base returns all that a reading's numbers rest on beside its levels and the effort.
func base() map[string]any {
	platforms := map[string]any{}
	for _, name := range []string{setup.Homogeneous, setup.Heterogeneous, "mixed6", setup.Straggler} {
		platforms[name] = kit.Platform(setup.Load(name))
	}
	return map[string]any{"options": setup.Options(), "launch": train.DefaultLaunch, "platforms": platforms,
		"bursts": map[string]any{"calm": []int{calmFrom, calmTo}, "burst": []int{burstFrom, burstTo}, "first_calm": firstCalm,
			"factor": burstFactor, "horizon": burstHorizon}}
}

// part returns the key of a reading's part: the levels by name, the part of the effort that it
// takes, and base.
func (r reading) part(e effort) []any {
	keys := make([]string, len(axes))
	for a := range axes {
		keys[a] = r.key(a)
	}
	return []any{"dasp/multiverse", keys, e.Seeds, e.PerWorker, e.Warmup, base()}
}

// answer is a reading with what it found.
type answer struct {
	reading
	measured
	passes admissible
	timed  bool // else DASP's own runs failed F3, and that is all that is known
}

// run measures readings on all cores, each once: what an interrupted command measured is kept.
func run(ctx context.Context, env exp.Env, bar *exp.Bar, readings []reading, e effort) ([]answer, error) {
	out := make([]answer, len(readings))
	var steps sync.Mutex
	err := kit.AtOnce(len(readings), func(i int) error {
		r := readings[i]
		timed, m, err := true, measured{}, error(nil)
		if e.StatesFirst {
			timed, err = kit.Keep(ctx, env, append(r.part(e), "f3"), func(string) (bool, error) { return hasStates(ctx, r, e) })
		}
		if timed && err == nil {
			m, err = kit.Keep(ctx, env, r.part(e), func(string) (measured, error) { return measure(ctx, r, e) })
		}
		out[i] = answer{r, m, m.filter(), timed}
		steps.Lock()
		defer steps.Unlock()
		bar.Step(fmt.Sprintf("reading %d", i+1))
		return err
	})
	return out, err
}
