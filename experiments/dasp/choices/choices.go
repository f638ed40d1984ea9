// Package choices holds what the paper leaves open: the assumptions in place of its lost Tables 1
// to 3, how thresholds and learning rates were chosen, and what each choice alone changes.
package choices

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// Chosen returns the experiments by which thresholds and learning rates were chosen.
func Chosen() []exp.Experiment { return []exp.Experiment{thresholds(), tuning()} }

// Tested returns the experiments that ask what each choice alone changes.
func Tested() []exp.Experiment { return []exp.Experiment{switches(), sensitivity()} }

// thresholdGrid lists the pairs of thresholds tried, in versions.
var thresholdGrid = [][2]int64{{1, 2}, {2, 4}, {3, 5}, {3, 6}, {3, 7}, {3, 8}, {3, 10}, {3, 15}, {6, 12}, {6, 18}, {12, 30}}

// never is a pair of thresholds that no gap reaches, so that every push is in QIS.
var never = [2]int64{1 << 40, 1 << 41}

// leastFSS is the share of LeNet-5's pushes in FSS below which FSS is not shown to act.
const leastFSS = 0.01

// thresholdPair is a point of dasp/thresholds: DASP with a pair of thresholds.
type thresholdPair struct {
	Platform, Model string
	Smin, Smax      int64
}

// thresholds measures the version gap that asynchronous workers reach, and what each pair of
// thresholds makes of it. It trains nothing: the thresholds were chosen from its page before any
// accuracy was known.
func thresholds() exp.Experiment {
	var gapRows, rows []thresholdPair
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, m := range setup.Models {
			gapRows = append(gapRows, thresholdPair{platform, m, never[0], never[1]})
		}
	}
	for _, t := range thresholdGrid {
		for _, m := range setup.Models {
			rows = append(rows, thresholdPair{setup.Heterogeneous, m, t[0], t[1]})
		}
	}
	return kit.Study[thresholdPair, setup.Summary]{ID: "dasp/thresholds", Source: "ours", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []thresholdPair { return slices.Concat(gapRows, rows) },
		Cost:   func(string, thresholdPair) (string, float64) { return "thresholds", 0.05 },
		Seeds:  setup.FirstSeed,
		Config: func(string) map[string]any {
			return map[string]any{"homogeneous": kit.Platform(setup.Load(setup.Homogeneous)), "heterogeneous": kit.Platform(setup.Load(setup.Heterogeneous)),
				"pairs": thresholdGrid, "least_fss": leastFSS, "options": setup.Options(), "batch": setup.FullBatch}
		},
		Measure: func(ctx context.Context, env exp.Env, p thresholdPair, seed uint64) (setup.Summary, error) {
			cfg := setup.Timing(setup.Load(p.Platform), "dasp", p.Model, seed)
			o := *cfg.Options
			o.Smin, o.Smax = p.Smin, p.Smax
			cfg.Options = &o
			return setup.Run(ctx, env, cfg)
		},
		Show: func(v *kit.View[thresholdPair, setup.Summary]) { showThresholds(v, gapRows, rows) }}.Experiment()
}

// showThresholds says whether the chosen pair meets the rule, how large Smax could have been, and
// which networks the pair leaves alone.
func showThresholds(v *kit.View[thresholdPair, setup.Summary], gapRows, rows []thresholdPair) {
	at := func(p thresholdPair) setup.Summary { return v.At(p)[0] }
	chosen := at(thresholdPair{setup.Heterogeneous, setup.Models[0], setup.Smin, setup.Smax})
	largest := int64(0)
	gaps := kit.NewSheet("gaps", "platform:platform model:model mean/versions.2 median/versions p99/versions max/versions")
	for _, p := range gapRows {
		gap := at(p).Gap
		gaps.Add(p.Platform, p.Model, gap.Mean, gap.Median, gap.P99, gap.Max)
	}
	pairs := kit.NewSheet("pairs", "smin smax model:model QIS/%.2 WSS/%.2 FSS/%.2 chosen visits:visits gradient/MB")
	for _, p := range rows {
		if p.Model == setup.Models[0] && p.Smin == setup.Smin && at(p).Share["FSS"] >= leastFSS {
			largest = max(largest, p.Smax)
		}
		row := append([]any{p.Smin, p.Smax, p.Model}, setup.Shares(v.At(p))...)
		pairs.Add(append(row, p.Smin == setup.Smin && p.Smax == setup.Smax, setup.Visits(v.At(p)), setup.Size{Model: p.Model}.Megabytes())...)
	}
	v.Facts = append(setup.Settings(), kit.Facts("least_fss/%", 100*leastFSS, "fss/%.1", 100*chosen.Share["FSS"],
		"met", chosen.Share["FSS"] >= leastFSS && chosen.Share["WSS"] > 0, "largest/versions", largest)...)
	v.Frames = []result.Frame{gaps.Frame, pairs.Frame}
}

// The learning rates tried for each network, and the seeds, which no table uses.
var (
	tuningRates = map[string][]float64{
		"lenet5":   {0.05, 0.1, 0.2, 0.4, 0.8},
		"resnet18": {0.02, 0.05, 0.1, 0.2, 0.4},
		"vgg19_bn": {0.01, 0.02, 0.05, 0.1, 0.2},
	}
	tuningSeeds = []uint64{1000, 1001, 1002}
)

// tunedQuick holds how many gradients a tuning run of quick uses: half of what a run used when the
// rates were chosen.
var tunedQuick = map[string]int64{"lenet5": 600, "resnet18": 300, "vgg19_bn": 240}

// tuned returns how many gradients a tuning run uses: a quarter of a run but in quick.
func tuned(profile string, s setup.Size) int64 {
	if profile == "quick" {
		return tunedQuick[s.Model]
	}
	return s.Pushes / 4
}

// ratedTraining is a point of dasp/tuning: a training under BSP with a learning rate.
type ratedTraining struct {
	Model string
	Rate  float64
}

// tuning chooses the learning rate that all methods share, under BSP alone: the rate with the best
// mean final accuracy over the tuning seeds, the smaller of equals. The smallest rate within two standard errors of the
// best would be no rule: rates that diverge widen the pooled spread until every rate is near the best.
func tuning() exp.Experiment {
	points := func(profile string) (out []ratedTraining) {
		for _, s := range setup.SizesOf(profile) {
			for _, r := range tuningRates[s.Model] {
				out = append(out, ratedTraining{s.Model, r})
			}
		}
		return out
	}
	return kit.Study[ratedTraining, setup.Summary]{ID: "dasp/tuning", Source: "ours", Kind: result.Trained, Profiles: setup.WithoutCI,
		Points: points, Seeds: func([]uint64) []uint64 { return tuningSeeds },
		Cost: func(profile string, p ratedTraining) (string, float64) {
			s := setup.SizeOf(profile, p.Model)
			return "tuning", s.Seconds(tuned(profile, s))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"rates": tuningRates, "sizes": setup.SizesOf(profile), "options": setup.Options(),
				"platform":    kit.Platform(setup.Load(setup.Homogeneous)),
				"clock_batch": setup.FullBatch, "gradients": kit.Map(setup.SizesOf(profile), func(s setup.Size) int64 { return tuned(profile, s) })}
		},
		Measure: func(ctx context.Context, env exp.Env, p ratedTraining, seed uint64) (setup.Summary, error) {
			s := setup.SizeOf(env.Profile, p.Model)
			cfg := setup.Training(setup.Load(setup.Homogeneous), "bsp", seed, s)
			cfg.Rate, cfg.MaxPushes, cfg.EvalEvery = p.Rate, tuned(env.Profile, s), -1
			return setup.Run(ctx, env, cfg)
		},
		Show: func(v *kit.View[ratedTraining, setup.Summary]) {
			rates := kit.NewSheet("rates", "model:model rate accuracy±/%.2 least/%.2 picked")
			picks := kit.NewSheet("picks", "model:model pushes picked used agree")
			for _, s := range setup.SizesOf(v.Profile) {
				var found [][]float64
				for _, r := range tuningRates[s.Model] {
					runs := v.At(ratedTraining{s.Model, r})
					kit.MadeOf(v.Result, runs[0].Engine, runs[0].Data)
					found = append(found, kit.Each(runs, func(c setup.Summary) float64 { return c.Accuracy }))
				}
				picked := tuningRates[s.Model][pick(found)]
				for i, r := range tuningRates[s.Model] {
					rates.Add(s.Model, r, kit.Sample(found[i]).Mean().Times(100), 100*slices.Min(found[i]), picked == r)
				}
				picks.Add(s.Model, tuned(v.Profile, s), picked, s.Rate, picked == s.Rate)
			}
			v.Frames = []result.Frame{rates.Frame, picks.Frame}
		}}.Experiment()
}

// pick applies tuning's rule to accuracies by rate and seed, and returns the index of the rate.
func pick(found [][]float64) (best int) {
	for i := range found {
		if stat.Mean(found[i], nil) > stat.Mean(found[best], nil) {
			best = i
		}
	}
	return best
}
