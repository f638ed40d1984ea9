package convergence

import (
	"context"
	"slices"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/dasp/rivals"
)

// weightsOn is the platform of dasp/weights: the reference, of unequal workers.
const weightsOn = setup.Heterogeneous

// reading is a method with one reading of what eq. (2) and its legend leave open.
type reading struct {
	key, method string
	set         func(o *rivals.Options)
}

// readings lists the methods of dasp/weights. The grid was declared before its first run: DASP's
// weight of a group, 1/K or 1/N, times K by arrivals apart or, as the legend has it, with those that the
// server received during the node's delay; ASP's weight of a gradient, 1/N or 1. The first reading of a
// method is the one of every other experiment.
var readings = []reading{
	{"bsp", "bsp", func(*rivals.Options) {}},
	{"asp", "asp", func(*rivals.Options) {}},
	{"asp-weight-1", "asp", func(o *rivals.Options) { o.ASPWeight = "1" }},
	{"ssp", "ssp", func(*rivals.Options) {}},
	{"dssp", "dssp", func(*rivals.Options) {}},
	{"dasp", "dasp", func(*rivals.Options) {}},
	{"dasp-group-1-n", "dasp", func(o *rivals.Options) { o.GroupWeight = "1/N" }},
	{"dasp-join", "dasp", func(o *rivals.Options) { o.Arrivals = "join" }},
	{"dasp-join-group-1-n", "dasp", func(o *rivals.Options) { o.Arrivals, o.GroupWeight = "join", "1/N" }},
}

// readingsOf returns the readings of a method.
func readingsOf(method string) (out []reading) {
	for _, r := range readings {
		if r.method == method {
			out = append(out, r)
		}
	}
	return out
}

// Weights asks which claims of Table 7 the readings of eq. (2) decide. It judges none: a verdict is
// that of the default readings. Its seeds are those from which Table 7's stop rule goes on, and the rule
// does not act here; intervals and sign tests are not corrected for the number of pairs.
func Weights() exp.Experiment { return weights().Experiment() }

// weights is the study of Weights. The method of a point is the key of a reading.
func weights() kit.Study[point, setup.Summary] {
	points := func(profile string) (out []point) {
		for _, s := range setup.SizesOf(profile) {
			for _, r := range readings {
				if slices.Contains(cnns, s.Model) {
					out = append(out, point{weightsOn, s.Model, r.key})
				}
			}
		}
		return out
	}
	return kit.Study[point, setup.Summary]{ID: "dasp/weights", Source: "ours", Kind: result.Trained, Profiles: []string{"standard", "paper"},
		Points: points, Own: ownSeeds,
		Cost: func(profile string, p point) (string, float64) {
			s := setup.SizeOf(profile, p.Model)
			if kit.Find(readings, func(r reading) bool { return r.key == p.Method }).method == p.Method {
				return p.Platform + ", " + p.Model, s.Seconds(s.Pushes) // of table 7
			}
			return "weights", s.Seconds(s.Pushes)
		},
		Config: func(profile string) map[string]any {
			set := map[string]any{}
			for _, r := range readings {
				o := setup.Options()
				r.set(&o)
				set[r.key] = o
			}
			return map[string]any{"sizes": setup.SizesOf(profile), "readings": set, "evaluation_images": setup.EvalImages,
				"clock_batch": setup.ReferenceBatch, "targets": targets(profile), "platform": kit.Platform(platformOf(weightsOn))}
		},
		Measure: func(ctx context.Context, env exp.Env, p point, seed uint64) (setup.Summary, error) {
			return trainReading(ctx, env, p, seed, setup.SizeOf(env.Profile, p.Model))
		},
		Show: func(v *view) { showWeights(v, points(v.Profile)) }}
}

// trainReading trains the reading that p names.
func trainReading(ctx context.Context, env exp.Env, p point, seed uint64, s setup.Size) (setup.Summary, error) {
	r := kit.Find(readings, func(r reading) bool { return r.key == p.Method })
	if r.key == r.method { // as everywhere else
		return setup.TrainOnce(ctx, env, platformOf(p.Platform), r.method, seed, s)
	}
	cfg := setup.Training(platformOf(p.Platform), r.method, seed, s)
	r.set(cfg.Options)
	return setup.Run(ctx, env, cfg)
}

// sideOf says on which side of no effect a finding of DASP beside a rival lies, as the paper's stated
// reduction does or not.
func sideOf(found string) string {
	switch found {
	case "sooner":
		return "as-stated"
	case "later":
		return "opposite"
	case "same":
		return "no-case"
	}
	return "undecided"
}

// showWeights shows the reductions of D27 to D34 under every pair of readings, and which claims have
// both signs.
func showWeights(v *view, points []point) {
	for _, p := range points {
		kit.MadeOf(v.Result, v.At(p)[0].Engine, v.At(p)[0].Data)
	}
	reductions := kit.NewSheet("reductions", "claim model:model method:method rival:reading ours:reading saved~/%.1 finding:finding side:reading-side "+
		"missed rival_missed sooner later unknown default")
	flips := kit.NewSheet("flips", "claim model:model method:method stated/% readings as_stated opposite undecided no_case flips")
	both := 0
	for _, c := range convergenceList(setup.Heterogeneous) {
		if len(v.At(point{weightsOn, c.Model, "dasp"})) == 0 {
			continue // profile ci trains LeNet-5 alone
		}
		sides := map[string]int{}
		total := 0
		for _, theirs := range readingsOf(c.against) {
			for _, ours := range readingsOf("dasp") {
				a, b := primary(v, point{weightsOn, c.Model, ours.key}), primary(v, point{weightsOn, c.Model, theirs.key})
				found, signs := finding(a.Against(b)), a.Beside(b)
				if setup.Same(v.At(point{weightsOn, c.Model, ours.key}), v.At(point{weightsOn, c.Model, theirs.key})) {
					found = "same"
				}
				total++
				sides[sideOf(found)]++
				reductions.Add(c.id, c.Model, c.against, theirs.key, ours.key, whole(a.Over(b), a, b).Saved(), found, sideOf(found),
					a.Missed(), b.Missed(), signs.Sooner, signs.Later, signs.Unknown, ours.key == "dasp" && theirs.key == c.against)
			}
		}
		flip := sides["as-stated"] > 0 && sides["opposite"] > 0
		if flip {
			both++
		}
		flips.Add(c.id, c.Model, c.against, setup.StatedNumber(c.id), total, sides["as-stated"], sides["opposite"], sides["undecided"], sides["no-case"], flip)
	}
	falls := kit.NewSheet("fluctuation", "model:model reading:reading fluctuation±/points.2 accuracy±/%.2 seconds±/s.3")
	for _, p := range points {
		falls.Add(p.Model, p.Method, kit.Each(v.At(p), fluctuation).Mean(),
			kit.Each(v.At(p), func(c setup.Summary) float64 { return 100 * c.Accuracy }).Mean(), secondsTo(v, p).Mean())
	}
	v.Facts = append(setup.SettingsAt(setup.ReferenceBatch), kit.Facts("link/Gb/s", setup.Gigabits(platformOf(weightsOn)), "flip", both, "pairs",
		len(reductions.Rows),
		"claims", len(convergenceList(setup.Heterogeneous)))...)
	v.Frames = []result.Frame{flips.Frame, reductions.Frame, falls.Frame, seedsFrame(v, points, "reading")}
}
