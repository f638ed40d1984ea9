package dasp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// trainings holds one network's cells on one cluster: [method][seed].
type trainings map[string][]cell

// study holds a profile's trainings, by platform and network.
type study struct {
	profile string
	sizes   []size
	on      map[string]map[string]trainings
}

// trains reports whether the profile trains a network.
func (s study) trains(model string) bool {
	return slices.ContainsFunc(s.sizes, func(z size) bool { return z.Model == model })
}

// trainOne trains one method. BSP's parameters do not depend on the cluster:
// they are trained once, on the homogeneous one, and timed on the other by a
// run without arithmetic. That is exact, and a test holds it so.
func (r *runs) trainOne(p *cluster.Platform, method string, seed uint64, s size) (cell, error) {
	what := fmt.Sprintf("%s, %s, %s, seed %d", title[s.Model], p.Name, title[method], seed)
	cost := s.seconds(s.Pushes)
	if method != "bsp" || p.Name == homogeneous {
		return r.get(what, cost, training(p, method, seed, s))
	}
	c, err := r.get(what, cost, training(load(homogeneous), method, seed, s))
	if err != nil {
		return c, err
	}
	cfg := training(p, method, seed, s)
	cfg.TimingOnly, cfg.EvalEvery = true, -1
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
		return b, a.Seconds + float64(f*(b.Seconds-a.Seconds)), float64(a.Pushes) + float64(f*float64(b.Pushes-a.Pushes)), true
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

// ground is a platform with the networks that are trained on it; nil: all of
// the profile.
type ground struct {
	platform *cluster.Platform
	models   []string
}

func (g ground) has(model string) bool { return g.models == nil || slices.Contains(g.models, model) }

// trainingExperiment is a table or figure made of trainings on some grounds.
func trainingExperiment(id, heading, source string, grounds []ground, profiles []string, use func(res *result.Result, st study)) exp.Experiment {
	e := exp.Experiment{ID: id, Title: heading, Source: source, Profiles: profiles}
	e.Shares = func(profile string, seeds int) map[string]float64 {
		parts := map[string]float64{}
		for _, g := range grounds {
			for _, s := range sizesOf(profile) {
				if g.has(s.Model) {
					parts[g.platform.Name+", "+s.Model] = s.seconds(s.Pushes * int64(len(methods)*seeds))
				}
			}
		}
		return parts
	}
	e.Seconds = func(profile string, seeds int) (total float64) {
		for _, s := range e.Shares(profile, seeds) {
			total += s
		}
		return total
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		r := &runs{ctx: ctx, env: env, total: e.Seconds(env.Profile, len(env.Seeds))}
		config := map[string]any{"sizes": sizesOf(env.Profile), "options": options(), "methods": methods, "seeds": env.Seeds,
			"evaluation_images": evalImage, "clock_batch": fullBatch}
		for _, g := range grounds {
			config["platform "+g.platform.Name] = g.platform
		}
		res := exp.NewResult(e, env, result.Trained, config)
		st, err := r.study(grounds)
		if n := len(st.seeds); n > 0 {
			res.Seeds = st.seeds
			st.name(res)
			use(res, st.study)
			if note := looked(env.Profile); note != "" {
				res.Notes = append(res.Notes, note)
			}
		}
		if err != nil {
			if len(st.seeds) == 0 {
				res.Seeds = []uint64{}
			}
			return incomplete(res), err
		}
		res.Status = complete
		return res, nil
	}
	return e
}

// finished is a study with the seeds that are through everywhere.
type finished struct {
	study
	seeds []uint64
}

// study trains seed by seed, so that an interruption leaves whole seeds.
func (r *runs) study(grounds []ground) (finished, error) {
	f := finished{study: study{profile: r.env.Profile, sizes: sizesOf(r.env.Profile), on: map[string]map[string]trainings{}}}
	for _, g := range grounds {
		f.on[g.platform.Name] = map[string]trainings{}
		for _, s := range f.sizes {
			if g.has(s.Model) {
				f.on[g.platform.Name][s.Model] = trainings{}
			}
		}
	}
	for _, seed := range r.env.Seeds {
		one, err := r.seed(grounds, seed, f.sizes)
		if err != nil {
			return f, err
		}
		for at, c := range one {
			t := f.on[at[0]][at[1]]
			t[at[2]] = append(t[at[2]], c)
		}
		f.seeds = append(f.seeds, seed)
	}
	return f, nil
}

// seed trains every method on every ground, by platform, network and method.
func (r *runs) seed(grounds []ground, seed uint64, sizes []size) (map[[3]string]cell, error) {
	out := map[[3]string]cell{}
	for _, g := range grounds {
		for _, s := range sizes {
			if !g.has(s.Model) {
				continue
			}
			for _, method := range methods {
				c, err := r.trainOne(g.platform, method, seed, s)
				if err != nil {
					return nil, err
				}
				out[[3]string{g.platform.Name, s.Model, method}] = c
			}
		}
	}
	return out, nil
}

// name writes into res what was trained on and by which engine.
func (f finished) name(res *result.Result) {
	var sets []*result.Data
	for _, s := range f.sizes {
		for _, t := range f.on {
			if cells := t[s.Model]["bsp"]; len(cells) > 0 {
				res.Engine = cells[0].Engine
				sets = append(sets, cells[0].Data)
				break
			}
		}
	}
	setData(res, sets...)
}

// setData names the data sets of a result, each once; networks that see the same
// images in other sizes join their notes.
func setData(res *result.Result, sets ...*result.Data) {
	var all []result.Data
	for _, d := range sets {
		if d == nil {
			continue
		}
		at := slices.IndexFunc(all, func(o result.Data) bool { return o.Name == d.Name })
		if at < 0 {
			all = append(all, *d)
		} else if d.Note != "" && !strings.Contains(all[at].Note, d.Note) {
			all[at].Note = strings.TrimPrefix(all[at].Note+"; "+d.Note, "; ")
		}
	}
	if len(all) > 0 {
		res.Data = &all[0]
	}
	if len(all) > 1 {
		res.Datasets = all
	}
}
