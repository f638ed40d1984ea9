// Package dynamic asks what the methods make of speeds that change during a run.
package dynamic

import (
	"context"
	"fmt"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// linkedModel is a model on the clusters' own links or on faster ones; results call it a case.
type linkedModel struct {
	Model string  `json:"model"`
	Link  float64 `json:"link"` // bytes/s of every NIC; 0: the platform's own
}

// fastLink is the link on which devices, not the server's NIC, set the pace of the large models:
// InfiniBand as in DSSP's paper, the fastest of the plausible links.
const fastLink = 12.5e9

var leNet = linkedModel{Model: "lenet5"}

// key returns the key of c in the enumeration "case".
func (c linkedModel) key() string {
	if c.Link > 0 {
		return c.Model + "-fast"
	}
	return c.Model
}

// linkedModels lists the cases of a profile.
func linkedModels(profile string) []linkedModel {
	if profile == "ci" {
		return []linkedModel{leNet, {"vgg19_bn", fastLink}}
	}
	return []linkedModel{leNet, {"resnet18", 0}, {"vgg19_bn", 0}, {"resnet18", fastLink}, {"vgg19_bn", fastLink}}
}

// iterationsOf returns the iterations of each worker in a timing-only run.
func iterationsOf(profile string) int64 {
	if profile == "ci" {
		return 90
	}
	return 250
}

// point is a run of a case in a scenario by a method.
type point struct {
	Case             linkedModel
	Scenario, Method string
	Learn            bool // trained, not timed only
}

func (p point) with(method string) point { p.Method = method; return p }

func (p point) in(scenario string) point { p.Scenario = scenario; return p }

// before returns p in the scenario of the same speeds that never change hands.
func (p point) before() point { return p.in(scenarioOf(p.Scenario).Against) }

// trainedScenario names a scenario in which LeNet-5 is trained, and the one to compare it with: the
// cluster of Table 7 or 6, whose trainings are the table's own.
type trainedScenario struct{ key, against string }

func trainedScenarios(profile string) []trainedScenario {
	all := []trainedScenario{{"static", ""}, {"steps", "static"}, {"undisturbed", ""}, {"bursts", "undisturbed"}}
	if profile == "ci" {
		return all[:2]
	}
	return all
}

// Experiment returns dasp/dynamic.
func Experiment() exp.Experiment { return study().Experiment() }

// study asks what the methods make of speeds that change during the run.
//
// Times are per push. With every worker always under way that is N·time/gradients, so ASP, which
// never waits, is the control: the speeds only change hands, and its factor is 1. Per worker its
// factor would differ, because a mean over workers gives a permanently slow one no more weight than
// a fast one.
func study() kit.Study[point, measured] {
	return kit.Study[point, measured]{ID: "dasp/dynamic", Source: "DASP, §1 and §2", Kind: result.Trained, Profiles: exp.Profiles,
		Points: points, Config: config, Measure: measure, Show: show,
		Cost: func(profile string, p point) (string, float64) {
			s := setup.SizeOf(profile, "lenet5")
			switch {
			case !p.Learn:
				return "dasp/dynamic", 0.015 * float64(iterationsOf(profile)) / 150
			case scenarioOf(p.Scenario).Against != "":
				return "dasp/dynamic", s.Seconds(s.Pushes)
			}
			return scenarioOf(p.Scenario).Base + ", lenet5", s.Seconds(s.Pushes) // of tables 7 and 6
		}}
}

// points lists the timed runs and the trainings.
func points(profile string) (out []point) {
	for _, c := range linkedModels(profile) {
		for _, s := range scenarios {
			for _, m := range setup.Methods {
				out = append(out, point{Case: c, Scenario: s.Key, Method: m})
			}
		}
	}
	for _, l := range trainedScenarios(profile) {
		for _, m := range setup.Methods {
			out = append(out, point{Case: leNet, Scenario: l.key, Method: m, Learn: true})
		}
	}
	return out
}

// config returns every parameter that decides the numbers.
func config(profile string) map[string]any {
	bases := map[string]any{}
	for _, s := range scenarios {
		bases[s.Base] = kit.Platform(setup.Load(s.Base))
	}
	scenarios := kit.Map(scenarios, func(s scenario) map[string]string {
		return map[string]string{"key": s.Key, "platform": s.Base, "against": s.Against}
	})
	lessons := kit.Map(trainedScenarios(profile), func(l trainedScenario) string { return l.key })
	return map[string]any{"platforms": bases, "scenarios": scenarios, "cases": linkedModels(profile), "methods": setup.Methods, "options": setup.Options(),
		"batch": setup.FullBatch, "gradients": setup.Workers * iterationsOf(profile), "warmup": setup.Warmup, "launch": train.DefaultLaunch,
		"overhead": train.DefaultOverhead,
		"training": setup.SizeOf(profile, "lenet5"), "evaluation_images": setup.EvalImages, "trained_scenarios": lessons,
		"schedule": map[string]any{"deal": []int{dealFrom, dealTo}, "calm": []int{calmFrom, calmTo},
			"burst":      []int{burstFrom, burstTo},
			"first_calm": firstCalm, "burst_factor": burstFactor, "horizon": horizonFactor, "pace_gradients": paceGradients},
		"criteria": map[string]float64{"visible": visible}}
}

// measured keeps the numbers of a run; a training fills the summary alone.
type measured struct {
	setup.Summary
	Waiting float64 // mean number of workers that wait for others
}

// timingConfig returns a timing-only run of a case by ASP.
func timingConfig(c linkedModel, base, profile string) train.Config {
	p := setup.Load(base)
	if c.Link > 0 {
		p = p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = c.Link })
	}
	cfg := setup.Timing(p, "asp", c.Model, 0)
	cfg.MaxPushes = setup.Workers * iterationsOf(profile)
	return cfg
}

// measure times or trains p at the speeds of its scenario.
func measure(ctx context.Context, env exp.Env, p point, seed uint64) (measured, error) {
	s := scenarioOf(p.Scenario)
	cfg := timingConfig(p.Case, s.Base, env.Profile)
	pace, err := basePaceOf(ctx, env, cfg)
	if err != nil {
		return measured{}, err
	}
	if p.Learn {
		return trainPoint(ctx, env, p, seed, s, cfg.Platform, pace)
	}
	cfg.Sync, cfg.Seed = p.Method, seed
	plan := s.plan(pace, seed, horizonFactor*float64(cfg.MaxPushes/setup.Workers)*pace.Unit)
	cfg.Platform = plan.on(cfg.Platform)
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (measured, error) { return measuredOf(o, plan, pace.Unit) })
}

// trainPoint trains LeNet-5 at the speeds of the timing-only runs, whose clock it has.
func trainPoint(ctx context.Context, env exp.Env, p point, seed uint64, s scenario, base *cluster.Platform, pace basePace) (measured, error) {
	z := setup.SizeOf(env.Profile, p.Case.Model)
	plan := s.plan(pace, seed, horizonFactor*float64(z.Pushes/setup.Workers)*pace.Unit)
	c, err := setup.TrainOnce(ctx, env, plan.on(base), p.Method, seed, z)
	if n := len(c.Curve); err == nil && n > 0 && c.Curve[n-1].Seconds > plan.Horizon {
		err = fmt.Errorf("the run takes %g s, its schedule reaches %g s", c.Curve[n-1].Seconds, plan.Horizon)
	}
	return measured{Summary: c}, err
}

// measuredOf reduces a run, without its first warm-up iterations of unit seconds.
func measuredOf(o *train.Outcome, plan speedPlan, unit float64) (measured, error) {
	end := o.Log.End.Seconds()
	if end > plan.Horizon {
		return measured{}, fmt.Errorf("the run takes %g s, its schedule reaches %g s", end, plan.Horizon)
	}
	return measured{setup.Summarise(o, false), waiting(o.Log, setup.Warmup*unit, end)}, nil
}

// waiting returns how many workers wait for others in [from, to), in the mean; in QIS nobody waits for anyone.
func waiting(l *dasp.Log, from, to float64) (mean float64) {
	for _, p := range l.Pushes {
		if !p.Abandoned && p.State != dasp.QIS {
			mean += max(min(p.Replied.Seconds(), to)-max(p.Received.Seconds(), from), 0)
		}
	}
	return mean / (to - from)
}
