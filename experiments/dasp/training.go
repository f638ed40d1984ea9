package dasp

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// training is a LeNet-5 run of a profile.
func training(platform, method string, seed uint64, s size) train.Config {
	o := options()
	return train.Config{Sync: method, Model: "lenet5", Data: s.Data, Platform: load(platform), Seed: seed,
		Batch: s.Batch, Rate: rate, MaxPushes: s.Pushes, EvalEvery: s.EvalEvery, EvalImages: evalImage, Options: &o}
}

// trainings holds the cells of one cluster: [method][seed].
type trainings map[string][]cell

// train runs every method on platform for every seed.
func (r *runs) train(platform string, seeds []uint64, s size) (trainings, error) {
	t := trainings{}
	for _, seed := range seeds {
		for _, method := range methods {
			what := fmt.Sprintf("LeNet-5, %s, %s, seed %d", title[platform], title[method], seed)
			c, err := r.trainOne(what, platform, method, seed, s)
			if err != nil {
				return t, err
			}
			t[method] = append(t[method], c)
		}
	}
	return t, nil
}

// trainOne trains one method. BSP's parameters do not depend on the cluster:
// they are trained once, on the homogeneous one, and timed on the other by a
// run without arithmetic. That is exact, and a test holds it so.
func (r *runs) trainOne(what, platform, method string, seed uint64, s size) (cell, error) {
	if method != "bsp" || platform == homogeneous {
		return r.get(what, float64(s.Pushes), training(platform, method, seed, s))
	}
	c, err := r.get(what, float64(s.Pushes), training(homogeneous, method, seed, s))
	if err != nil {
		return c, err
	}
	cfg := training(platform, method, seed, s)
	cfg.TimingOnly = true
	cfg.EvalEvery = -1
	timed, err := r.get(what+", timed again", 0, cfg)
	if err != nil {
		return c, err
	}
	return retime(c, timed)
}

// retime gives a BSP trajectory the clock of another cluster.
func retime(c, timed cell) (cell, error) {
	curve := slices.Clone(c.Curve)
	for i := range curve {
		v := curve[i].Updates
		if v < 1 || v > int64(len(timed.Updates)) {
			return c, fmt.Errorf("dasp: BSP was evaluated at version %d, the timed run has %d", v, len(timed.Updates))
		}
		curve[i].Seconds = timed.Updates[v-1]
	}
	timed.Curve, timed.Accuracy, timed.Data, timed.Engine = curve, c.Accuracy, c.Data, c.Engine
	return timed, nil
}

// toTarget is the point at which a curve first reaches the target, linear
// between evaluations; the first evaluation stands for itself. ok is false if
// it never does.
func toTarget(curve []train.Point, target float64) (at train.Point, seconds, pushes float64, ok bool) {
	for i, b := range curve {
		if b.Accuracy < target {
			continue
		}
		if i == 0 {
			return b, b.Seconds, float64(b.Pushes), true
		}
		a := curve[i-1]
		f := (target - a.Accuracy) / (b.Accuracy - a.Accuracy)
		return b, a.Seconds + f*(b.Seconds-a.Seconds), float64(a.Pushes) + f*float64(b.Pushes-a.Pushes), true
	}
	return at, 0, 0, false
}

// reachedBy collects seconds and pushes to the target per seed; ok is false if
// a seed never reaches it.
func reachedBy(cells []cell, target float64) (seconds, pushes []float64, ok bool) {
	for _, c := range cells {
		_, s, p, reached := toTarget(c.Curve, target)
		if !reached {
			return nil, nil, false
		}
		seconds, pushes = append(seconds, s), append(pushes, p)
	}
	return seconds, pushes, true
}

// trainingExperiment is a table or figure made of LeNet-5 runs; use gets the
// runs of every cluster it names, in that order.
func trainingExperiment(id, heading, source string, platforms []string, profiles []string,
	use func(res *result.Result, s size, t []trainings)) exp.Experiment {
	e := exp.Experiment{ID: id, Title: heading, Source: source, Profiles: profiles}
	e.Shares = func(profile string, seeds int) map[string]float64 {
		parts := map[string]float64{}
		for _, p := range platforms {
			s := sizeOf(profile)
			parts[p] = trainSeconds(s, s.Pushes*int64(len(methods)*seeds))
		}
		return parts
	}
	e.Seconds = func(profile string, seeds int) (total float64) {
		for _, s := range e.Shares(profile, seeds) {
			total += s
		}
		return total
	}
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		s := sizeOf(env.Profile)
		r := &runs{ctx: ctx, env: env, total: float64(s.Pushes) * float64(len(methods)*len(platforms)*len(env.Seeds))}
		config := map[string]any{"size": s, "options": options(), "rate": rate, "model": "lenet5",
			"methods": methods, "seeds": env.Seeds, "evaluation_images": evalImage}
		res := newResult(e, env, result.Trained, config)
		var all []trainings
		for _, p := range platforms {
			config["platform "+p] = load(p)
			t, err := r.train(p, env.Seeds, s)
			all = append(all, t)
			if err != nil {
				return partly(res, s, all, len(platforms), use), err
			}
		}
		conclude(res, s, all, use)
		res.Status = complete
		return res, nil
	}
	return e
}

func conclude(res *result.Result, s size, all []trainings, use func(*result.Result, size, []trainings)) {
	first := all[0][methods[0]][0]
	res.Data, res.Engine = first.Data, first.Engine
	use(res, s, all)
}

// partly makes what it can of an interrupted run: the seeds that every method
// finished on every platform.
func partly(res *result.Result, s size, all []trainings, platforms int, use func(*result.Result, size, []trainings)) *result.Result {
	n := len(res.Seeds)
	if len(all) < platforms {
		n = 0
	}
	for _, t := range all {
		for _, method := range methods {
			n = min(n, len(t[method]))
		}
	}
	if n > 0 {
		for _, t := range all {
			for _, method := range methods {
				t[method] = t[method][:n]
			}
		}
		res.Seeds = res.Seeds[:n]
		conclude(res, s, all, use)
	}
	return incomplete(res)
}

// differs lists how a LeNet-5 run is not the paper's.
func differs(res *result.Result, s size, seeds int) []string {
	var out []string
	if res.Data != nil && res.Data.Name != "mnist" {
		out = append(out, fmt.Sprintf("%s (%d images) in place of MNIST", res.Data.Name, res.Data.Train))
	}
	out = append(out, fmt.Sprintf("%d gradients of batch %d (the paper's number is not stated)", s.Pushes, s.Batch),
		fmt.Sprintf("target accuracy %g %% (not stated)", 100*s.Target))
	return out
}

// trainSeconds estimates LeNet-5 for so many gradients with its evaluations on
// two cores of 2023.
func trainSeconds(s size, pushes int64) float64 {
	return 0.4e-3 * float64(s.Batch) * float64(pushes)
}
