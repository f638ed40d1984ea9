// Package iteration holds Tables 4 and 5, the mean iteration times, over the plausible platforms too.
package iteration

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// Tables returns Tables 4 and 5, the mean iteration times. Table 5 compares both clusters, so it has
// the runs of both; a command that asks for both tables makes them once.
func Tables() []exp.Experiment {
	four := timingStudy("dasp/table4", "DASP, Table 4", []string{setup.Homogeneous}, func(*view) {})
	five := timingStudy("dasp/table5", "DASP, Table 5", []string{setup.Heterogeneous, setup.Homogeneous}, func(v *view) {
		s := kit.NewSheet("slowdown", "model:model method:method factor~/.3 tie:bool")
		for _, p := range onReference(setup.Homogeneous).grid() {
			s.Add(p.Model, p.Method, slowdown(v, p.of(""), onReference(setup.Heterogeneous), p.Model, p.Method), tied(v, p))
		}
		v.Frames = append(v.Frames, s.Frame)
		v.Facts = append(v.Facts, pairFacts(v)...)
	})
	return []exp.Experiment{four, five}
}

// point is a timing-only run on a cluster's 10 Gb/s platform or, named by Variant, on the reference
// or a plausible platform in its place.
type point struct {
	Cluster, Variant string
	Overhead         time.Duration // 0: the default
	Model, Method    string
}

type view = kit.View[point, setup.Summary]

func (p point) String() string {
	return strings.Trim(strings.Join([]string{p.Cluster, p.Variant, p.Model, p.Method}, ", "), ", ")
}

// of returns p with another network.
func (p point) of(model string) point { p.Model = model; return p }

// as returns p with another method.
func (p point) as(method string) point { p.Method = method; return p }

// overheads are the costs of an iteration beside its layers, on the reference device: a third of the
// default, the default and three times it. LeNet-5's iteration is little else.
var overheads = []time.Duration{train.DefaultOverhead / 3, train.DefaultOverhead, 3 * train.DefaultOverhead}

// grid returns p with every network and method.
func (p point) grid() (out []point) {
	for _, m := range setup.Models {
		for _, method := range setup.Methods {
			out = append(out, p.of(m).as(method))
		}
	}
	return out
}

// reference is the variant of the tables' own platform.
const reference = "reference"

// onReference returns the point on the reference of a cluster.
func onReference(cluster string) point { return point{Cluster: cluster, Variant: reference} }

// timingSeeds are enough for intervals of a point or two: a command of three seeds or more gets them.
const timingSeeds = 20

func moreSeeds(seeds []uint64) []uint64 {
	if len(seeds) < 3 {
		return seeds
	}
	out := make([]uint64, timingSeeds)
	for i := range out {
		out[i] = uint64(i)
	}
	return out
}

// plausible is a plausible platform in place of a cluster's own, with an overhead.
type plausible struct {
	point
	workers string  // the platform whose workers they are
	link    float64 // Gb/s
}

// plausibles returns the plausible platforms of a cluster, each with every overhead.
func plausibles(cluster string) (out []plausible) {
	for _, v := range setup.Sweep(cluster) {
		for _, o := range overheads {
			p := point{Cluster: cluster, Variant: v.Name, Overhead: o}
			out = append(out, plausible{p, strings.ReplaceAll(v.Workers, " × ", "×"), setup.Gigabits(v.Platform)})
		}
	}
	return out
}

// timingStudy returns Table 4 or 5. The first of clusters is the table's own: it is run on the
// reference and on its 10 Gb/s platform for every seed, and on the plausible ones for the first seed.
// more may look at the runs of all clusters.
func timingStudy(id, source string, clusters []string, more func(*view)) exp.Experiment {
	own, variants := clusters[0], map[point]*cluster.Platform{}
	var points []point
	for _, c := range clusters {
		variants[point{Cluster: c}] = setup.Load(c)
		for _, v := range setup.Sweep(c) {
			variants[point{Cluster: c, Variant: v.Name}] = v.Platform
		}
		points = append(points, slices.Concat(onReference(c).grid(), point{Cluster: c}.grid())...)
		for _, p := range plausibles(c) {
			points = append(points, p.grid()...)
		}
	}
	return kit.Study[point, setup.Summary]{ID: id, Source: source, Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []point { return points },
		Seeds:  moreSeeds,
		Once:   func(p point) bool { return p.Variant != "" && p.Variant != reference },
		Cost:   func(_ string, p point) (string, float64) { return p.Cluster + ", timing", 0.005 },
		Config: func(string) map[string]any {
			c := map[string]any{"methods": setup.Methods, "models": setup.Models, "options": setup.Options(),
				"batch": setup.FullBatch, "gradients": setup.Workers * setup.PerWorker, "warmup": setup.Warmup,
				"reference_batch": setup.ReferenceBatch, "reference_overhead": setup.ReferenceOverhead,
				"overheads": overheads, "launch": train.DefaultLaunch, "overhead": train.DefaultOverhead}
			for _, name := range clusters {
				c["reference "+name], c["platform "+name] = kit.Platform(setup.Load(setup.ReferenceOf(name))), kit.Platform(setup.Load(name))
				c["plausible "+name] = kit.Map(setup.Sweep(name), func(v platforms.Variant) string { return v.Name })
			}
			return c
		},
		Measure: func(ctx context.Context, env exp.Env, p point, seed uint64) (setup.Summary, error) {
			if p.Variant == reference {
				return setup.Run(ctx, env, setup.OnReference(p.Cluster, p.Method, p.Model, seed))
			}
			cfg := setup.Timing(variants[point{Cluster: p.Cluster, Variant: p.Variant}], p.Method, p.Model, seed)
			if cfg.Overhead = p.Overhead; p.Overhead == 0 {
				cfg.Overhead = train.DefaultOverhead
			}
			return setup.Run(ctx, env, cfg)
		},
		Show: func(v *view) {
			v.Facts = append(setup.Settings(), kit.Facts("platforms", len(plausibles(own)), "overhead/ms", setup.Milliseconds(train.DefaultOverhead),
				"overhead_least/ms", setup.Milliseconds(overheads[0]), "overhead_most/ms", setup.Milliseconds(overheads[2]),
				"asp_pairs", len(setup.Models)*(len(setup.Methods)-1), "asp_later", aspLater(v, onReference(own)),
				"reference_link/Gb/s", setup.Gigabits(setup.Load(setup.ReferenceOf(own))), "beside_link/Gb/s", setup.Gigabits(setup.Load(own)),
				"reference_batch", setup.ReferenceBatch, "reference_overhead/ms", setup.Milliseconds(setup.ReferenceOverhead),
				"asp_later_platforms", kit.CountIf(plausibles(own), func(p plausible) bool { return aspLater(v, p.point) > 0 }))...)
			s := kit.NewSheet("states", "model:model"+setup.StateColumns)
			for _, m := range setup.Models {
				s.Add(setup.StateCells(v.At(onReference(own).of(m).as("dasp")), m)...)
			}
			v.Frames = append(v.Frames, iterationFrame("iteration", v, onReference(own)), iterationFrame("beside", v, point{Cluster: own}), s.Frame)
			v.Figures = []result.Figure{{ID: "iteration-bars", Form: "bar", Frame: "iteration", X: "model", Y: []string{"over_bsp"}, By: []string{"method"}}}
			showRanges(v, own)
			more(v)
		}}.Experiment()
}

// iterationOf returns p's mean iteration time, seed by seed.
func iterationOf(v *view, p point) kit.Sample { return kit.Each(v.At(p), setup.PerIteration) }

// iterationFrame lists, method by method, the three readings of "mean iteration time" on a platform, and of the
// first its ratio to BSP's and DASP's ratio to it. Reductions are of the first: §3.2 reads the figure as the influence of
// stragglers on fast nodes, which shows in no mean but that over workers, waits included.
func iterationFrame(id string, v *view, where point) result.Frame {
	s := kit.NewSheet(id, "model:model method:method per_worker±/ms.2 per_push±/ms.2 per_update±/ms.2 over_bsp~/.3 staleness/versions.2 dasp_over~/.3")
	for _, p := range where.grid() {
		of := func(x func(setup.Summary) float64) kit.Estimate { return kit.Each(v.At(p), x).Mean().Times(1e3) }
		s.Add(p.Model, p.Method, of(setup.PerIteration), of(func(c setup.Summary) float64 { return c.Iteration.PerPush }),
			of(func(c setup.Summary) float64 { return c.Iteration.PerUpdate }), iterationOf(v, p).Over(iterationOf(v, p.as("bsp"))),
			kit.Each(v.At(p), setup.MeanStaleness).Mean(), iterationOf(v, p.as("dasp")).Over(iterationOf(v, p)))
	}
	return s.Frame
}

// aspLater counts the comparisons, of networks and other methods, in which ASP's mean time where p
// is exceeds the other's by more than setup.SameTime.
func aspLater(v *view, p point) (n int) {
	mean := func(p point) float64 { return iterationOf(v, p).Mean().Value }
	for _, q := range p.grid() {
		if mean(q.as("asp")) > mean(q)*(1+setup.SameTime) {
			n++
		}
	}
	return n
}

// timeSaved returns by how much DASP's iteration is shorter than the baseline's of c, where p is.
func timeSaved(v *view, c setup.Reduction, p point) kit.Estimate {
	return iterationOf(v, p.of(c.Model).as("dasp")).Over(iterationOf(v, p.of(c.Model).as(c.Against))).Saved()
}

// showRanges lists the stated reductions beside those on the table's own platform and their range
// over the plausible ones: how many are within the tolerance, which is nearest, and which states
// DASP visits. It judges none of them: dasp/multiverse does.
func showRanges(v *view, own string) {
	all := plausibles(own)
	columns := "claim model:model against:method stated/%.1 saved~/%.1 same:bool beside~/%.1 least/%.1 most/%.1 within nearest_workers:platform " +
		"nearest_link/Gb/s " +
		"nearest_overhead/ms"
	for _, s := range setup.States {
		columns += " " + s + "_least/%.0 " + s + "_most/%.0"
	}
	ranges := kit.NewSheet("range", columns)
	for _, c := range setup.Reductions(own) {
		stated := setup.StatedNumber(c.ID)
		on := func(p plausible) float64 { return timeSaved(v, c, p.point).Value }
		off := func(p plausible) float64 { return math.Abs(on(p) - stated) }
		least, most := kit.Extent(all, on)
		within := kit.CountIf(all, func(p plausible) bool { return off(p) <= claims.Tolerance(c.ID) })
		nearest := slices.MinFunc(all, func(a, b plausible) int { return cmp.Compare(off(a), off(b)) })
		row := []any{c.ID, c.Model, c.Against, stated, timeSaved(v, c, onReference(own)), sameRun(v, onReference(own).of(c.Model).as("dasp"), c.Against),
			timeSaved(v, c, point{Cluster: own}), least, most, within, nearest.workers, nearest.link, setup.Milliseconds(nearest.Overhead)}
		for _, s := range setup.States {
			lo, hi := kit.Extent(all, func(p plausible) float64 { return 100 * v.At(p.of(c.Model).as("dasp"))[0].Share[s] })
			row = append(row, lo, hi)
		}
		ranges.Add(row...)
	}
	v.Frames = append(v.Frames, ranges.Frame)
}

// sameRun reports whether p's method and a rival did exactly the same where p is, in every seed.
func sameRun(v *view, p point, rival string) bool { return setup.Same(v.At(p), v.At(p.as(rival))) }

// inOrder reports whether the means where p is have the order ASP ≤ {SSP, DSSP, DASP} ≤ BSP for
// every network; times within setup.SameTime tie.
func inOrder(v *view, p point) bool {
	for _, m := range setup.Models {
		mean := func(method string) float64 { return iterationOf(v, p.of(m).as(method)).Mean().Value }
		for _, method := range []string{"ssp", "dssp", "dasp"} {
			if max(mean("asp")/mean(method), mean(method)/mean("bsp")) > 1+setup.SameTime {
				return false
			}
		}
	}
	return true
}

// slowdown returns a method's iteration time on hetero over its time on homo.
func slowdown(v *view, homo, hetero point, model, method string) kit.Estimate {
	return iterationOf(v, hetero.of(model).as(method)).Over(iterationOf(v, homo.of(model).as(method)))
}

// isLeast reports whether, for every model, no baseline is slowed down less than DASP on the mean.
func isLeast(v *view, homo, hetero point) bool {
	for _, m := range setup.Models {
		for _, b := range setup.Baselines {
			if slowdown(v, homo, hetero, m, "dasp").Value > slowdown(v, homo, hetero, m, b).Value*(1+setup.SameTime) {
				return false
			}
		}
	}
	return true
}

// tied reports whether p's method, SSP or DSSP, is slowed down as much as DASP.
func tied(v *view, p point) bool {
	factor := func(method string) float64 {
		return slowdown(v, onReference(setup.Homogeneous), onReference(setup.Heterogeneous), p.Model, method).Value
	}
	return slices.Contains(setup.Baselines[1:], p.Method) && math.Abs(factor("dasp")/factor(p.Method)-1) <= setup.SameTime
}

// pairFacts counts the plausible platforms of each cluster with the stated order, and the pairs of
// platforms with the same links and overhead on which DASP is the least affected for all models: each
// set of unequal workers beside the reference's equal ones.
func pairFacts(v *view) []result.Fact {
	n, of := 0, 0
	for _, a := range plausibles(setup.Homogeneous) {
		for _, b := range plausibles(setup.Heterogeneous) {
			if a.workers != setup.Homogeneous || a.link != b.link || a.Overhead != b.Overhead {
				continue
			}
			of++
			if isLeast(v, a.point, b.point) {
				n++
			}
		}
	}
	ordered := func(cluster string) int {
		return kit.CountIf(plausibles(cluster), func(p plausible) bool { return inOrder(v, p.point) })
	}
	return kit.Facts("in_order_equal", ordered(setup.Homogeneous), "in_order_unequal", ordered(setup.Heterogeneous), "pairs", of, "pairs_least_affected", n)
}
