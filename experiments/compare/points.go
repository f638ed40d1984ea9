package compare

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
)

// point says what is run, for which workers and link.
type point struct {
	Part string // pilot, synchronous, methods, home, paper, sweep or former-sweep
	Set  string
	Gbps float64
}

func (j point) String() string {
	if j.Set == "" {
		return j.Part
	}
	return fmt.Sprintf("%s, %s, %g Gb/s", j.Part, j.Set, j.Gbps)
}

// pointResult holds what one seed of a point gave.
type pointResult struct {
	Runs  map[string]runSummary // of the pilot and of synchronous trainings, by method
	Times map[string]runTimes   // by method
	Home  []homeRow
	Paper []paperRow
	Sweep []sweepRun
}

// points returns those of the trained comparisons on the given sets of workers, and of the former
// machines what a time to the target needs.
func points(sets ...string) []point {
	out := []point{{Part: "pilot"}, {Part: "synchronous"}}
	for _, set := range sets {
		for _, g := range links {
			out = append(out, point{"methods", set, g}, point{"methods", formerSet(set), g}, point{"home", set, g}, point{"paper", set, g})
		}
	}
	return out
}

// once reports which points take the first seed alone.
func once(j point) bool { return j.Part != "synchronous" && j.Part != "methods" }

// cost estimates a point on two cores of 2023 with engine asm. Synchronous trainings serve
// both clusters.
func cost(profile string, j point) (string, float64) {
	s := trainingSizeOf(profile)
	run := float64(s.Gradients)*float64(s.Batch)*14e-6 + float64(s.Gradients/s.EvalEvery+10)*float64(s.Images)*5e-6
	switch j.Part {
	case "pilot":
		return "synchronous", run
	case "synchronous":
		return "synchronous", 6 * run
	case "methods":
		return j.Set, (8*run + float64(s.Timed)*0.02) / float64(len(links))
	case "sweep", "former-sweep":
		return "compare/when", planOf(j, profile).seconds()
	}
	return j.Set, 1e-3
}

// do runs a point.
func do(ctx context.Context, env exp.Env, j point, seed uint64) (out pointResult, err error) {
	g := testbed{}
	if j.Set != "" {
		g = testbedOf(j.Set, j.Gbps)
	}
	switch j.Part {
	case "pilot":
		p, err := trajectory(ctx, env, methodOf("bsp"), pilotSeed)
		if out.Runs = map[string]runSummary{"bsp": p}; err == nil && targetOf(p.Curve) <= 0 {
			err = fmt.Errorf("the pilot's accuracy at half of its gradients sets no target: %d evaluations", len(p.Curve))
		}
		return out, err
	case "synchronous":
		out.Runs = map[string]runSummary{}
		for i, m := range trajectories() {
			if out.Runs[m.Key], err = trajectory(ctx, slice(env, i, len(trajectories())), m, seed); err != nil {
				return out, err
			}
		}
	case "methods":
		out.Times = map[string]runTimes{}
		seen := map[string]string{} // method by its events
		for i, m := range methods() {
			if out.Times[m.Key], err = measure(ctx, slice(env, i, len(methods())), m, g, seed, seen); err != nil {
				return out, fmt.Errorf("%s: %w", m.Key, err)
			}
		}
	case "home":
		out.Home, err = home(ctx, env, g, seed)
	case "paper":
		out.Paper, err = paper(ctx, env, g, seed)
	case "sweep", "former-sweep":
		p := planOf(j, env.Profile)
		out.Sweep, err = kit.Keep(ctx, env, []any{"compare/sweep", p}, func(string) ([]sweepRun, error) {
			return sweep(ctx, p, &exp.Bar{Env: env, Total: float64(len(p.runs()))})
		})
	}
	return out, err
}

// planOf returns the grid of a point that is one of the two sweeps.
func planOf(j point, profile string) sweepPlan {
	if j.Part == "former-sweep" {
		return planSweep(profile).former()
	}
	return planSweep(profile)
}

// slice returns env with a progress that counts as part i of n.
func slice(env exp.Env, i, n int) exp.Env {
	if tell := env.Progress; tell != nil {
		env.Progress = func(done, of float64, what string) { tell((float64(i)+done/of)/float64(n), 1, what) }
	}
	return env
}

// methodRun holds what one method did on one testbed with one seed.
type methodRun struct {
	// Curve has this testbed's times; of a synchronous method it is BSP's, whose updates all of
	// them make but for rounding and the choice of samples.
	Curve     []train.Point
	Own       []train.Point // of its own training
	Accuracy  float64       // of the final parameters of its own training, on all test images
	Round     float64       // seconds per N·b samples
	Sent      float64       // bytes per N·b samples, a multicast once
	Delivered float64       // once per receiver
	Updates   int64
	Stale     float64
	Stalest   int64
	Compute   float64 // share of the time in which a worker's device computes, mean over workers
	Shared    string  // method whose training it is; "": its own
}

// methodRunOf puts together what one seed's runs say of m. A synchronous update k ends at k times
// the mean iteration of m's timed rounds; the updates to a target are BSP's for all, so that
// the chance of a training does not decide between methods that make the same update.
func methodRunOf(m method, t runTimes, runs map[string]runSummary) methodRun {
	r := t.Timed
	if m.Async {
		rounds := float64(r.Pushes) / workers
		c := methodRun{Curve: r.Curve, Own: r.Curve, Accuracy: r.Accuracy, Round: r.Seconds / rounds, Updates: r.Updates, Stale: r.Stale, Stalest: r.Stalest,
			Sent: float64(r.Sent) / rounds, Delivered: float64(r.Delivered) / rounds, Shared: t.Shared}
		for w, sec := range t.Compute {
			c.Compute += sec * float64(r.By[w]) / r.Seconds / workers
		}
		return c
	}
	own := runs[m.Trajectory]
	c := methodRun{Own: own.Curve, Accuracy: own.Accuracy, Round: r.Iteration, Updates: own.Updates,
		Sent: float64(r.Sent) / float64(r.Updates), Delivered: float64(r.Delivered) / float64(r.Updates)}
	for _, p := range runs["bsp"].Curve {
		p.Seconds = float64(p.Updates) * r.Iteration
		c.Curve = append(c.Curve, p)
	}
	for _, sec := range t.Compute {
		c.Compute += sec / r.Iteration / float64(len(t.Compute))
	}
	if m.Trajectory != m.Key {
		c.Shared = m.Trajectory
	}
	return c
}
