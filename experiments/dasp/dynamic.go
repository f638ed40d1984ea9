package dasp

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// The hypotheses, as they were written before the first run. Times are per push:
// with every worker always under way that is N·time/gradients, so that ASP, which
// never waits, is the control: the speeds only change hands, and its factor is 1.
// Per worker it would not be, because a mean over workers weighs a permanently
// slow one as much as a fast one.
const (
	// dynH1 holds in a case if (DSSP/SSP when speeds change)/(DSSP/SSP when they do
	// not) is above 1, its 95 % interval too.
	dynH1 = "H1: when speeds change, DSSP's prediction from the last interval helps less: its iteration time relative to SSP's rises"
	// dynH2 holds in a case if |ln factor| of DASP, the factor by which changing
	// speeds change the iteration time, is below those of SSP and of DSSP, with both
	// 95 % intervals of the differences above 0.
	dynH2 = "H2: DASP's iteration time changes by less than SSP's and DSSP's when the same speeds change hands"
	// dynH3 holds in a case if DASP lets go of a formerly slow worker within N
	// versions in the mean, and after fewer of that worker's own gradients than SSP,
	// its 95 % interval too.
	dynH3 = "H3: versions forgive a slow past: the formerly slow worker stops being the oldest within N versions under DASP, under SSP only after the clocks have levelled"
)

// dynCase is a model, on the clusters' own links or on faster ones.
type dynCase struct {
	Model string  `json:"model"`
	Link  float64 `json:"link"` // bytes/s of every NIC; 0: the platform's own
}

// dynFast is the link on which devices, not the server's NIC, set the pace of
// the large models: InfiniBand as in DSSP's paper, the fastest of the plausible.
const dynFast = 12.5e9

func (c dynCase) title() string {
	if c.Link > 0 {
		return title[c.Model] + ", 100 Gb/s"
	}
	return title[c.Model]
}

func dynCases(profile string) []dynCase {
	if profile == "ci" {
		return []dynCase{{"lenet5", 0}, {"vgg19_bn", dynFast}}
	}
	return []dynCase{{"lenet5", 0}, {"resnet18", 0}, {"vgg19_bn", 0}, {"resnet18", dynFast}, {"vgg19_bn", dynFast}}
}

// dynPerWorker is how many iterations of each worker a timing run has.
func dynPerWorker(profile string) int64 {
	if profile == "ci" {
		return 90
	}
	return 250
}

// dynamic asks what the methods make of speeds that change during the run.
func dynamic() exp.Experiment {
	e := exp.Experiment{ID: "dasp/dynamic", Title: "Speeds that change during the run", Profiles: exp.Profiles,
		Source: "ours: §1 names changing speeds as the method's motive and §2 its states' answer; no table of the paper varies them"}
	e.Shares = func(profile string, seeds int) map[string]float64 {
		s := sizeOf(profile, "lenet5")
		one := s.seconds(s.Pushes * int64(len(methods)*seeds))
		parts := map[string]float64{e.ID: dynRunSeconds(profile) * float64(seeds*(len(dynCases(profile))*len(dynScenarios)*len(methods)+len(dynTraded)*len(dynSettings(profile))))}
		for _, l := range dynLessons(profile) {
			if l.against != "" {
				parts[e.ID] += one
			} else {
				parts[dynScenarioOf(l.key).Base+", lenet5"] = one // of tables 7 and 6
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
		res := exp.NewResult(e, env, result.Trained, dynSetup(env))
		g := dynGrid{}
		for _, c := range dynCases(env.Profile) {
			cells, err := r.dynTimed(c)
			if err != nil {
				return incomplete(res), err
			}
			g[c.title()] = cells
		}
		lines, err := r.dynTimeLines()
		if err != nil {
			return incomplete(res), err
		}
		trades, err := r.dynTrades()
		if err != nil {
			return incomplete(res), err
		}
		dynConclude(res, env.Profile, g, trades, lines)
		if err := r.dynLearn(res); err != nil {
			return incomplete(res), err
		}
		res.Status = complete
		return res, nil
	}
	return e
}

// dynSetup is what the result records of its parameters.
func dynSetup(env exp.Env) map[string]any {
	bases, scenarios, lessons := map[string]any{}, []map[string]string{}, []string{}
	for _, s := range dynScenarios {
		bases[s.Base] = load(s.Base)
		scenarios = append(scenarios, map[string]string{"key": s.Key, "speeds": s.Title, "platform": s.Base, "against": s.Against})
	}
	for _, l := range dynLessons(env.Profile) {
		lessons = append(lessons, l.key)
	}
	settings := []map[string]any{}
	for _, x := range dynSettings(env.Profile) {
		o := options()
		x.set(&o)
		settings = append(settings, map[string]any{"method": x.method, "bounds": x.name, "options": o})
	}
	return map[string]any{"platforms": bases, "scenarios": scenarios, "cases": dynCases(env.Profile), "methods": methods, "options": options(),
		"batch": fullBatch, "gradients": workers * dynPerWorker(env.Profile), "warmup": warmup, "launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "seeds": env.Seeds,
		"training": sizeOf(env.Profile, "lenet5"), "evaluation_images": evalImage, "trained_scenarios": lessons,
		"schedule": map[string]any{"deal": []int{dynDealFrom, dynDealTo}, "calm": []int{dynCalmFrom, dynCalmTo}, "burst": []int{dynBurstFrom, dynBurstTo},
			"first_calm": dynFirstCalm, "burst_factor": dynBurstFactor, "forget": dynForget, "horizon": dynHorizon, "pace_gradients": dynPaceGradients},
		"windows":    map[string]any{"before": dynBefore, "after": dynAfter, "line_before": dynLineBefore, "line_after": dynLineAfter},
		"tradeoff":   map[string]any{"model": "lenet5", "scenarios": dynTraded, "settings": settings},
		"criteria":   map[string]float64{"tie": slack, "visible": dynVisible},
		"hypotheses": []string{dynH1, dynH2, dynH3, dynH4}}
}
