package dasp

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// The choices that the paper leaves open, and whether training works at all.

func firstSeed(seeds []uint64) []uint64 { return seeds[:min(1, len(seeds))] }

// thresholdGrid are the pairs tried, in versions.
var thresholdGrid = [][2]int64{{1, 2}, {2, 4}, {3, 5}, {3, 6}, {3, 7}, {3, 8}, {3, 10}, {3, 15}, {6, 12}, {6, 18}, {12, 30}}

// never are thresholds that no gap reaches: every push is in QIS.
var never = [2]int64{1 << 40, 1 << 41}

// leastFSS is the share of LeNet-5's pushes in FSS below which the strongest state is not
// shown to act.
const leastFSS = 0.01

// pair is a run of DASP with a pair of thresholds.
type pair struct {
	Platform, Model string
	Smin, Smax      int64
}

// thresholds measures the version gap that asynchronous workers reach, and what each pair
// of thresholds makes of it. It trains nothing: the thresholds were chosen from this page
// before any accuracy was known.
func thresholds() exp.Experiment {
	var gapRows, rows []pair
	for _, platform := range []string{homogeneous, heterogeneous} {
		for _, m := range models {
			gapRows = append(gapRows, pair{platform, m, never[0], never[1]})
		}
	}
	for _, t := range thresholdGrid {
		for _, m := range models {
			rows = append(rows, pair{heterogeneous, m, t[0], t[1]})
		}
	}
	return kit.Study[pair, cell]{ID: "dasp/thresholds", Source: "ours", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []pair { return slices.Concat(gapRows, rows) },
		Cost:   func(string, pair) (string, float64) { return "thresholds", 0.05 },
		Seeds:  firstSeed,
		Config: func(string) map[string]any {
			return map[string]any{"homogeneous": kit.Platform(load(homogeneous)), "heterogeneous": kit.Platform(load(heterogeneous)),
				"pairs": thresholdGrid, "least_fss": leastFSS, "options": options(), "batch": fullBatch}
		},
		Measure: func(ctx context.Context, env exp.Env, p pair, seed uint64) (cell, error) {
			cfg := timing(load(p.Platform), "dasp", p.Model, seed)
			o := *cfg.Options
			o.Smin, o.Smax = p.Smin, p.Smax
			cfg.Options = &o
			return cellOf(ctx, env, cfg)
		},
		Show: func(v *kit.View[pair, cell]) { showThresholds(v, gapRows, rows) }}.Experiment()
}

// showThresholds says whether the rule's condition holds, how far Smax could have gone, and
// which networks the chosen pair does nothing to.
func showThresholds(v *kit.View[pair, cell], gapRows, rows []pair) {
	at := func(p pair) cell { return v.At(p)[0] }
	gap := func(key string, of func(train.Distribution) int64) kit.Col[pair] {
		return kit.Count(key, "versions", func(p pair) int64 { return of(at(p).Gap) })
	}
	chosen := at(pair{heterogeneous, models[0], smin, smax})
	largest := int64(0)
	for _, p := range rows {
		if p.Model == models[0] && p.Smin == smin && at(p).Share["FSS"] >= leastFSS {
			largest = max(largest, p.Smax)
		}
	}
	v.Facts = append(settings(), kit.Number("least_fss", "%", kit.AsIs, 100*leastFSS), kit.Number("fss", "%", 1, 100*chosen.Share["FSS"]),
		kit.Whether("met", chosen.Share["FSS"] >= leastFSS && chosen.Share["WSS"] > 0), kit.Counted("largest", "versions", largest))
	model := kit.Word("model", "model", func(p pair) string { return p.Model })
	cols := []kit.Col[pair]{kit.Count("smin", "", func(p pair) int64 { return p.Smin }), kit.Count("smax", "", func(p pair) int64 { return p.Smax }), model}
	for _, s := range states {
		cols = append(cols, kit.Num(s, "%", 2, func(p pair) float64 { return 100 * at(p).Share[s] }))
	}
	v.Frames = []result.Frame{
		kit.Frame("gaps", gapRows, kit.Word("platform", "platform", func(p pair) string { return p.Platform }), model,
			kit.Num("mean", "versions", 2, func(p pair) float64 { return at(p).Gap.Mean }), gap("median", func(d train.Distribution) int64 { return d.Median }),
			gap("p99", func(d train.Distribution) int64 { return d.P99 }), gap("max", func(d train.Distribution) int64 { return d.Max })),
		kit.Frame("pairs", rows, append(cols, kit.Flag("chosen", func(p pair) bool { return p.Smin == smin && p.Smax == smax }),
			kit.Word("visits", "visits", func(p pair) string { return visits(v.At(p)) }),
			kit.Num("gradient", "MB", kit.AsIs, func(p pair) float64 { return size{Model: p.Model}.megabytes() }))...)}
}

// tuningRates are the learning rates tried for each network, and tuningSeeds in no table.
var (
	tuningRates = map[string][]float64{
		"lenet5":   {0.05, 0.1, 0.2, 0.4, 0.8},
		"resnet18": {0.02, 0.05, 0.1, 0.2, 0.4},
		"vgg19_bn": {0.01, 0.02, 0.05, 0.1, 0.2},
	}
	tuningSeeds = []uint64{1000, 1001, 1002}
)

// tuned returns how many gradients a tuning run uses: half a run of quick, a quarter of the
// longer ones.
func tuned(profile string, s size) int64 {
	if profile == "quick" {
		return s.Pushes / 2
	}
	return s.Pushes / 4
}

// rated is a training under BSP with a learning rate.
type rated struct {
	Model string
	Rate  float64
}

// tuning chooses the learning rate that all methods share, under BSP alone: the rate with
// the best mean final accuracy over the tuning seeds, the smaller of equals. A first rule
// took the smallest rate within two standard errors of the best; it was dropped after the
// first table of quick, whose pooled spread the diverging rates blow up until every rate is
// near the best. ResNet-18's 0.02 was added at the same time, because 0.05 was the smallest
// tried and the best.
func tuning() exp.Experiment {
	points := func(profile string) (out []rated) {
		for _, s := range sizesOf(profile) {
			for _, r := range tuningRates[s.Model] {
				out = append(out, rated{s.Model, r})
			}
		}
		return out
	}
	return kit.Study[rated, cell]{ID: "dasp/tuning", Source: "ours", Kind: result.Trained, Profiles: withoutCI,
		Points: points, Seeds: func([]uint64) []uint64 { return tuningSeeds },
		Cost: func(profile string, p rated) (string, float64) {
			s := sizeOf(profile, p.Model)
			return "tuning", s.seconds(tuned(profile, s))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"rates": tuningRates, "sizes": sizesOf(profile), "options": options(), "platform": kit.Platform(load(homogeneous)),
				"clock_batch": fullBatch, "share": tuned(profile, size{Pushes: 100})}
		},
		Measure: func(ctx context.Context, env exp.Env, p rated, seed uint64) (cell, error) {
			s := sizeOf(env.Profile, p.Model)
			cfg := training(load(homogeneous), "bsp", seed, s)
			cfg.Rate, cfg.MaxPushes, cfg.EvalEvery = p.Rate, tuned(env.Profile, s), -1
			return cellOf(ctx, env, cfg)
		},
		Show: func(v *kit.View[rated, cell]) {
			rows, picked := points(v.Profile), map[string]float64{}
			accuracy := func(p rated) kit.Sample { return kit.Each(v.At(p), func(c cell) float64 { return c.Accuracy }) }
			for _, p := range rows {
				kit.MadeOf(v.Result, v.At(p)[0].Engine, v.At(p)[0].Data)
			}
			for _, s := range sizesOf(v.Profile) {
				var found [][]float64
				for _, r := range tuningRates[s.Model] {
					found = append(found, accuracy(rated{s.Model, r}))
				}
				picked[s.Model] = tuningRates[s.Model][pick(found)]
			}
			rule := func(s size) float64 { return picked[s.Model] }
			v.Frames = []result.Frame{
				kit.Frame("rates", rows,
					kit.Word("model", "model", func(p rated) string { return p.Model }), kit.Num("rate", "", kit.AsIs, func(p rated) float64 { return p.Rate }),
					kit.Half("accuracy", "%", 2, func(p rated) kit.Estimate { return accuracy(p).Mean().Times(100) }),
					kit.Num("least", "%", 2, func(p rated) float64 { return 100 * slices.Min(accuracy(p)) }),
					kit.Flag("picked", func(p rated) bool { return picked[p.Model] == p.Rate })),
				kit.Frame("picks", sizesOf(v.Profile), kit.Word("model", "model", func(s size) string { return s.Model }),
					kit.Count("pushes", "", func(s size) int64 { return tuned(v.Profile, s) }), kit.Num("picked", "", kit.AsIs, rule),
					kit.Num("used", "", kit.AsIs, func(s size) float64 { return s.Rate }), kit.Flag("agree", func(s size) bool { return rule(s) == s.Rate }))}
		}}.Experiment()
}

// pick applies tuning's rule to accuracies by rate and seed and returns the rate's index.
func pick(found [][]float64) (best int) {
	for i := range found {
		if stat.Mean(found[i], nil) > stat.Mean(found[best], nil) {
			best = i
		}
	}
	return best
}

// floors are accuracies that training must reach on the real data: well below what the
// networks are known for, well above what a wrong gradient gives.
var floors = map[string]float64{"lenet5": 0.985, "resnet18": 0.7, "vgg19_bn": 0.7}

// longer are the trainings that must reach them. The lengths of standard are those at which
// single BSP runs had passed the floors, half as much again for VGG-19-BN, which had passed
// by a tenth of a point, and twice as much for LeNet-5, which ended at 98.31 % in a first
// run under DASP.
func longer(profile string) []size {
	sizes := sizesOf(profile)
	if profile == "standard" {
		for i, pushes := range []int64{22500, 9360, 14040} {
			sizes[i].Pushes, sizes[i].EvalEvery = pushes, pushes/6
		}
	}
	return sizes
}

// accuracy asks whether training works at all: the tables stop early, because they compare
// times.
func accuracy() kit.Study[size, cell] {
	return kit.Study[size, cell]{ID: "dasp/accuracy", Source: "ours", Kind: result.Trained, Profiles: []string{"standard", "paper"},
		Points: longer, Seeds: firstSeed,
		Cost: func(_ string, s size) (string, float64) { return "longer", s.seconds(s.Pushes) },
		Config: func(profile string) map[string]any {
			return map[string]any{"options": options(), "platform": kit.Platform(load(heterogeneous)), "clock_batch": fullBatch,
				"sizes": longer(profile), "floors": floors}
		},
		Measure: func(ctx context.Context, env exp.Env, s size, seed uint64) (cell, error) {
			return cellOf(ctx, env, training(load(heterogeneous), "dasp", seed, s))
		},
		Show: func(v *kit.View[size, cell]) {
			at := func(s size) cell { return v.At(s)[0] }
			v.Facts = settings()
			for _, s := range longer(v.Profile) {
				kit.MadeOf(v.Result, at(s).Engine, at(s).Data)
			}
			v.Frames = []result.Frame{kit.Frame("floors", longer(v.Profile), kit.Word("model", "model", func(s size) string { return s.Model }),
				kit.Count("gradients", "", func(s size) int64 { return s.Pushes }),
				kit.Num("epochs", "", 1, func(s size) float64 { return float64(s.Pushes) * float64(s.Batch) / float64(at(s).Data.Train) }),
				kit.Num("floor", "%", 1, func(s size) float64 { return 100 * floors[s.Model] }),
				kit.Num("accuracy", "%", 2, func(s size) float64 { return 100 * at(s).Accuracy }),
				kit.Flag("reached", func(s size) bool { return at(s).Accuracy >= floors[s.Model] })),
				kit.Frame("sizes", longer(v.Profile), append(sizeCols(), kit.Word("data", "data", func(s size) string { return at(s).Data.Name }),
					kit.Count("train", "", func(s size) int { return at(s).Data.Train }))...)}
		}}
}
