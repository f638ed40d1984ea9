// Package convergence holds Figs. 3 and 4, the accuracy curves, and Tables 6 and 7, the convergence
// times, with the claims that are judged by them.
package convergence

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// beside names the platform that stands beside the reference: the unequal workers on links of 10 Gb/s,
// on which the gradients of the two large networks queue at the server and DASP is ASP. No claim is
// judged on it.
const beside = "beside"

// The platforms and networks of each figure and table. A figure shares its trainings with the table on the same
// cluster: a command that asks for both makes them once.
var (
	onFig3   = []networksOn{{setup.Homogeneous, setup.Models}}
	onFig4   = []networksOn{{setup.Heterogeneous, setup.Models}, {setup.Homogeneous, setup.Models}}
	onTable7 = []networksOn{{setup.Heterogeneous, setup.Models}, {setup.Homogeneous, cnns}, {beside, cnns}}
)

// Figures returns Figs. 3 and 4, the accuracy curves.
func Figures() (out []exp.Experiment) {
	for _, s := range trainingStudies()[:2] {
		out = append(out, s.Experiment())
	}
	return out
}

// Tables returns Tables 6 and 7, the convergence times.
func Tables() (out []exp.Experiment) {
	for _, s := range trainingStudies()[2:] {
		out = append(out, s.Experiment())
	}
	return out
}

// trainingStudies returns Figs. 3 and 4, the accuracy curves, and Tables 6 and 7, the convergence
// times.
func trainingStudies() []kit.Study[point, setup.Summary] {
	return []kit.Study[point, setup.Summary]{
		trainingStudy("dasp/fig3", "DASP, Fig. 3", setup.WithoutCI, onFig3, func(v *view) { showCurves(v, setup.Homogeneous, onFig3) }),
		trainingStudy("dasp/fig4", "DASP, Fig. 4", setup.WithoutCI, onFig4, func(v *view) {
			showCurves(v, setup.Heterogeneous, onFig4)
			v.Frames = append(v.Frames, fluctuationFrame(v, every(v.Profile, onFig4...)))
			v.Claims = append(v.Claims, fastAndStable(v), inBetween(v))
		}),
		trainingStudy("dasp/table6", "DASP, Table 6", setup.WithoutCI, onFig3, func(v *view) {
			rows := every(v.Profile, onFig3...)
			v.Frames = append(v.Frames, convergenceFrame(v, rows), seedsFrame(v, rows, "method"), statesFrame(v, rows))
			v.Claims = append(convergenceClaims(v, setup.Homogeneous, 48), notGood(v))
			v.Facts = append(v.Facts, differ(v)...)
		}),
		trainingStudy("dasp/table7", "DASP, Table 7", exp.Profiles, onTable7, func(v *view) {
			v.Facts = append(v.Facts, kit.Facts("beside_link/Gb/s", setup.Gigabits(platformOf(beside)),
				"beside_batch", setup.FullBatch)...)
			rows := every(v.Profile, onTable7[0], onTable7[2])
			more, d58 := moreIterations(v)
			v.Frames = append(v.Frames, convergenceFrame(v, rows), seedsFrame(v, rows, "method"), statesFrame(v, rows), more)
			v.Claims = slices.Concat(convergenceClaims(v, setup.Heterogeneous, 52), extremes(v), []result.Claim{d58, listedRange()})
			v.Facts = append(v.Facts, differ(v)...)
		})}
}

// point is a training of a network by a method on a platform.
type point struct{ Platform, Model, Method string }

func (p point) String() string { return p.Platform + ", " + p.Model + ", " + p.Method }

// as returns p with another method.
func (p point) as(method string) point { p.Method = method; return p }

type view = kit.View[point, setup.Summary]

// networksOn is a platform with the networks that are trained on it.
type networksOn struct {
	platform string
	models   []string
}

// every returns the points of all methods and of each of sets, for the networks that the profile trains.
func every(profile string, sets ...networksOn) (out []point) {
	for _, g := range sets {
		for _, s := range setup.SizesOf(profile) {
			if slices.Contains(g.models, s.Model) {
				for _, m := range setup.Methods {
					out = append(out, point{g.platform, s.Model, m})
				}
			}
		}
	}
	return out
}

// trainedOn holds the platform behind each key that frames and claims have: the paper's two clusters
// are trained on the reference.
var trainedOn = map[string]func() *cluster.Platform{
	setup.Homogeneous:   func() *cluster.Platform { return setup.Load(setup.ReferenceEqual) },
	setup.Heterogeneous: func() *cluster.Platform { return setup.Load(setup.Reference) },
	beside:              func() *cluster.Platform { return setup.Load(setup.Heterogeneous) },
}

// platformOf makes the platform of a key of trainedOn.
func platformOf(key string) *cluster.Platform { return trainedOn[key]() }

// evaluated is how many times as long a training takes by its many evaluations.
const evaluated = 1.25

// trainingStudy returns a table or figure made of the trainings of sets.
func trainingStudy(id, source string, profiles []string, sets []networksOn, show func(*view)) kit.Study[point, setup.Summary] {
	return kit.Study[point, setup.Summary]{ID: id, Source: source, Kind: result.Trained, Profiles: profiles,
		Points: func(profile string) []point { return every(profile, sets...) },
		Own:    ownSeeds, Enough: func(v *view) bool { return enough(v, sets) },
		Cost: func(profile string, p point) (string, float64) {
			s := setup.SizeOf(profile, p.Model)
			return p.Platform + ", " + p.Model, evaluated * s.Seconds(s.Pushes)
		},
		Config: func(profile string) map[string]any {
			c := map[string]any{"sizes": setup.SizesOf(profile), "options": setup.Options(), "methods": setup.Methods,
				"evaluation_images": setup.EvalImages, "clock_batch": setup.ReferenceBatch, "clock_overhead": setup.ReferenceOverhead,
				"targets": targets(profile), "stable": stableTo, "stop": stopRule(profile)}
			for _, g := range sets {
				c["platform "+g.platform] = kit.Platform(platformOf(g.platform))
			}
			return c
		},
		Measure: func(ctx context.Context, env exp.Env, p point, seed uint64) (setup.Summary, error) {
			return setup.TrainOnce(ctx, env, platformOf(p.Platform), p.Method, seed, setup.SizeOf(env.Profile, p.Model))
		},
		Show: func(v *view) {
			v.Facts = append(setup.SettingsAt(setup.ReferenceBatch), kit.Facts(
				"link/Gb/s", setup.Gigabits(platformOf(setup.Homogeneous)), "changed", v.Profile == "quick")...)
			v.Facts = append(v.Facts, seedFacts(v)...)
			for _, p := range every(v.Profile, sets...) {
				kit.MadeOf(v.Result, v.At(p)[0].Engine, v.At(p)[0].Data)
			}
			v.Frames = append(v.Frames, sizesFrame(v, sets[0].platform))
			show(v)
		}}
}

// targets lists the accuracies to which each network of a profile is timed.
func targets(profile string) map[string][]float64 {
	out := map[string][]float64{}
	for _, s := range setup.SizesOf(profile) {
		out[s.Model] = s.Targets()
	}
	return out
}

// sizesFrame lists how each network was trained, and on which data.
func sizesFrame(v *view, platform string) result.Frame {
	f := kit.NewSheet("sizes", setup.SizeColumns+" data:data train stated_data wanted:data")
	for _, s := range setup.SizesOf(v.Profile) {
		data := v.At(point{platform, s.Model, "bsp"})[0].Data
		f.Add(s.Cells(data.Name, data.Train, data.Name == s.Wanted(), s.Wanted())...)
	}
	return f.Frame
}

// same reports whether two methods did exactly the same in every seed, event by event.
func same(v *view, a, b point) bool { return setup.Same(v.At(a), v.At(b)) }

// statesFrame shows which of DASP's states the trainings are in.
func statesFrame(v *view, rows []point) result.Frame {
	s := kit.NewSheet("states", "platform:platform model:model"+setup.StateColumns)
	for _, p := range rows {
		if p.Method == "dasp" {
			s.Add(setup.StateCells(v.At(p), p.Platform, p.Model)...)
		}
	}
	return s.Frame
}

// showCurves adds the curves of every network on a platform, the final accuracies of all sets,
// and DASP's states.
func showCurves(v *view, platform string, sets []networksOn) {
	rows := every(v.Profile, networksOn{platform, setup.Models})
	s := kit.NewSheet("accuracy", "platform:platform model:model method:method accuracy±/%.2 fluctuation±/points.2 staleness/versions.2")
	for _, p := range every(v.Profile, sets...) {
		s.Add(p.Platform, p.Model, p.Method, kit.Each(v.At(p), func(c setup.Summary) float64 { return 100 * c.Accuracy }).Mean(),
			kit.Each(v.At(p), fluctuation).Mean(), kit.Each(v.At(p), setup.MeanStaleness).Mean())
	}
	v.Frames = append(v.Frames, curvesFrame(v, rows), s.Frame, statesFrame(v, rows))
	for _, s := range setup.SizesOf(v.Profile) {
		for _, x := range []string{"seconds", "pushes"} {
			v.Figures = append(v.Figures, result.Figure{ID: x + "-" + s.Model, Form: "line", Frame: "curves", Where: map[string]any{"model": s.Model},
				X: x, Y: []string{"accuracy"}, By: []string{"method"}, Seed: "seed"})
		}
	}
}

// fluctuation returns the mean fall of accuracy from one evaluation to the next over the last half
// of a curve, in points. A rise counts as 0: it is learning.
func fluctuation(c setup.Summary) float64 {
	half := c.Curve[len(c.Curve)/2:]
	if len(half) < 2 {
		return 0
	}
	sum := 0.0
	for i := 1; i < len(half); i++ {
		sum += max(100*(half[i-1].Accuracy-half[i].Accuracy), 0)
	}
	return sum / float64(len(half)-1)
}

// curvesFrame holds the test accuracy of every training, seed by seed and in the mean. The mean is
// taken evaluation by evaluation: all seeds are evaluated after the same number of gradients, give
// or take a group.
func curvesFrame(v *view, rows []point) result.Frame {
	s := kit.NewSheet("curves", "model:model method:method seed seconds/s pushes/.0 accuracy~/%.2").Plain()
	accuracy := func(b train.Point) float64 { return 100 * b.Accuracy }
	for _, p := range rows {
		shortest := math.MaxInt
		for i, c := range v.At(p) {
			shortest = min(shortest, len(c.Curve))
			for _, b := range c.Curve {
				s.Add(p.Model, p.Method, v.Seeds[i], b.Seconds, b.Pushes, kit.Sample{accuracy(b)}.Mean())
			}
		}
		for i := range shortest {
			at := kit.Map(v.At(p), func(c setup.Summary) train.Point { return c.Curve[i] })
			s.Add(p.Model, p.Method, nil, kit.Each(at, func(b train.Point) float64 { return b.Seconds }).Mean(),
				kit.Each(at, func(b train.Point) float64 { return float64(b.Pushes) }).Mean(), kit.Each(at, accuracy).Mean().Clamp(0, 100))
		}
	}
	return s.Frame
}
