// Package iteration holds Tables 4 and 5, the mean iteration times, over the plausible platforms too.
package iteration

import (
	"cmp"
	"context"
	"fmt"
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

// Tables returns Tables 4 and 5, the mean iteration times. Two claims of Table 5 compare both
// clusters, so it has the runs of both; a command that asks for both tables makes them once.
func Tables() []exp.Experiment {
	four := timingStudy("dasp/table4", "DASP, Table 4", []string{setup.Homogeneous}, func(*view) {})
	five := timingStudy("dasp/table5", "DASP, Table 5", []string{setup.Heterogeneous, setup.Homogeneous}, func(v *view) {
		s := kit.NewSheet("slowdown", "model:model method:method factor~/.3 tie:bool")
		for _, p := range reference(setup.Homogeneous) {
			s.Add(p.Model, p.Method, slowdown(v, p.of(""), point{Cluster: setup.Heterogeneous}, p.Model, p.Method), tied(v, p))
		}
		v.Frames = append(v.Frames, s.Frame)
		v.Claims = append(v.Claims, ordering(v), leastAffected(v))
	})
	return []exp.Experiment{four, five}
}

// point is a timing-only run on a cluster's reference platform or, named by Variant, on a plausible
// one in its place.
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

// reference returns the points on a cluster's own platform.
func reference(cluster string) []point { return point{Cluster: cluster}.grid() }

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

// timingStudy returns Table 4 or 5. The first of clusters is the table's own: it is run on its
// reference platform for every seed, and on the plausible ones for the first seed. more may look at
// the runs of all clusters.
func timingStudy(id, source string, clusters []string, more func(*view)) exp.Experiment {
	own, variants := clusters[0], map[point]*cluster.Platform{}
	var points []point
	for _, c := range clusters {
		variants[point{Cluster: c}] = setup.Load(c)
		for _, v := range setup.Sweep(c) {
			variants[point{Cluster: c, Variant: v.Name}] = v.Platform
		}
		points = append(points, reference(c)...)
		for _, p := range plausibles(c) {
			points = append(points, p.grid()...)
		}
	}
	return kit.Study[point, setup.Summary]{ID: id, Source: source, Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []point { return points },
		Once:   func(p point) bool { return p.Variant != "" },
		Cost:   func(_ string, p point) (string, float64) { return p.Cluster + ", timing", 0.015 },
		Config: func(string) map[string]any {
			c := map[string]any{"methods": setup.Methods, "models": setup.Models, "options": setup.Options(),
				"batch": setup.FullBatch, "gradients": setup.Workers * setup.PerWorker, "warmup": setup.Warmup,
				"overheads": overheads, "launch": train.DefaultLaunch, "overhead": train.DefaultOverhead}
			for _, name := range clusters {
				c["platform "+name], c["plausible "+name] = kit.Platform(setup.Load(name)),
					kit.Map(setup.Sweep(name), func(v platforms.Variant) string { return v.Name })
			}
			return c
		},
		Measure: func(ctx context.Context, env exp.Env, p point, seed uint64) (setup.Summary, error) {
			cfg := setup.Timing(variants[point{Cluster: p.Cluster, Variant: p.Variant}], p.Method, p.Model, seed)
			if cfg.Overhead = p.Overhead; p.Overhead == 0 {
				cfg.Overhead = train.DefaultOverhead
			}
			return setup.Run(ctx, env, cfg)
		},
		Show: func(v *view) {
			v.Facts = append(setup.Settings(), kit.Facts("platforms", len(plausibles(own)), "overhead/ms", setup.Milliseconds(train.DefaultOverhead),
				"overhead_least/ms", setup.Milliseconds(overheads[0]), "overhead_most/ms", setup.Milliseconds(overheads[2]),
				"asp_pairs", len(setup.Models)*(len(setup.Methods)-1), "asp_later", aspLater(v, point{Cluster: own}),
				"asp_later_platforms", kit.CountIf(plausibles(own), func(p plausible) bool { return aspLater(v, p.point) > 0 }))...)
			s := kit.NewSheet("states", "model:model"+setup.StateColumns)
			for _, m := range setup.Models {
				s.Add(setup.StateCells(v.At(point{Cluster: own}.of(m).as("dasp")), m)...)
			}
			v.Frames = append(v.Frames, iterationFrame(v, own), s.Frame)
			v.Figures = []result.Figure{{ID: "iteration-bars", Form: "bar", Frame: "iteration", X: "model", Y: []string{"over_bsp"}, By: []string{"method"}}}
			showRanges(v, own)
			more(v)
		}}.Experiment()
}

// iterationOf returns p's mean iteration time, seed by seed.
func iterationOf(v *view, p point) kit.Sample { return kit.Each(v.At(p), setup.PerIteration) }

// iterationFrame lists, method by method, the three readings of "mean iteration time", and of the
// first its ratio to BSP's and DASP's ratio to it. Claims are judged by the first: §3.2 reads the figure as the influence of
// stragglers on fast nodes, which shows in no mean but that over workers, waits included.
func iterationFrame(v *view, own string) result.Frame {
	s := kit.NewSheet("iteration", "model:model method:method per_worker±/ms.2 per_push±/ms.2 per_update±/ms.2 over_bsp~/.3 staleness/versions.2 dasp_over~/.3")
	for _, p := range reference(own) {
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

// ratioMethods lists the methods whose times over BSP's D42–D47 state, in their order.
var ratioMethods = []string{"dasp", "ssp", "dssp"}

// showRanges judges the stated reductions and the ratios that restate them, each with its range over
// the plausible platforms. A frame tells of every reduction how many platforms are within the
// tolerance, which is nearest, and which states DASP visits.
func showRanges(v *view, own string) {
	all := plausibles(own)
	columns := "claim model:model against:method stated/%.1 least/%.1 most/%.1 within nearest_workers:platform nearest_link/Gb/s nearest_overhead/ms"
	for _, s := range setup.States {
		columns += " " + s + "_least/%.0 " + s + "_most/%.0"
	}
	ranges := kit.NewSheet("range", columns)
	table := map[string]string{setup.Homogeneous: "4", setup.Heterogeneous: "5"}[own]
	behind := func(model string) []result.Reason {
		out := []result.Reason{result.Because("assumed-platform")}
		if setup.Visits(v.At(point{Cluster: own}.of(model).as("dasp"))) == setup.QISAlone {
			out = append(out, result.Because("dasp-is-asp"))
		}
		return out
	}
	for _, c := range setup.Reductions(own) {
		e, stated := timeSaved(v, c, point{Cluster: own}), setup.StatedNumber(c.ID)
		on := func(p plausible) float64 { return timeSaved(v, c, p.point).Value }
		off := func(p plausible) float64 { return math.Abs(on(p) - stated) }
		least, most := kit.Extent(all, on)
		within := kit.CountIf(all, func(p plausible) bool { return off(p) <= claims.Tolerance(c.ID) })
		nearest := slices.MinFunc(all, func(a, b plausible) int { return cmp.Compare(off(a), off(b)) })
		row := []any{c.ID, c.Model, c.Against, stated, least, most, within, nearest.workers, nearest.link, setup.Milliseconds(nearest.Overhead)}
		for _, s := range setup.States {
			lo, hi := kit.Extent(all, func(p plausible) float64 { return 100 * v.At(p.of(c.Model).as("dasp"))[0].Share[s] })
			row = append(row, lo, hi)
		}
		ranges.Add(row...)
		f := claims.Number(e.Value, e.CI, e.Samples, e.N)
		f.NoCase = []bool{sameRun(v, point{Cluster: own}.of(c.Model).as("dasp"), c.Against)}
		f.Notes = behind(c.Model)
		if e.Value == 0 {
			f.Notes = append(f.Notes, result.Because("nobody-waits", "method", c.Against))
		}
		f.Notes = append(f.Notes, result.Because("plausible-range", "lo", least, "hi", most, "within", within, "of", len(all)))
		f.Table, f.Network, f.Rival, f.Cluster = table, c.Model, c.Against, own
		v.Claims = append(v.Claims, claims.Verdict(c.ID, f))
	}
	ratio := func(p point) kit.Estimate { return iterationOf(v, p).Over(iterationOf(v, p.as("bsp"))) }
	for i, m := range setup.Models {
		f := claims.Found{Seeds: len(v.Seeds), Notes: behind(m), Table: table, Network: m, Cluster: own}
		var words []map[string]any
		for _, method := range ratioMethods {
			e := ratio(point{Cluster: own}.of(m).as(method))
			f.Values, f.CI95, f.Samples = append(f.Values, e.Value), append(f.CI95, e.CI), append(f.Samples, e.Samples)
			f.NoCase = append(f.NoCase, sameRun(v, point{Cluster: own}.of(m).as(method), "bsp"))
			lo, hi := kit.Extent(all, func(p plausible) float64 {
				return setup.PerIteration(v.At(p.of(m).as(method))[0]) / setup.PerIteration(v.At(p.of(m).as("bsp"))[0])
			})
			words = append(words, map[string]any{"method": method, "lo": lo, "hi": hi})
		}
		f.Notes = append(f.Notes, result.Because("plausible-ratios", "of", len(all), "ratios", words))
		v.Claims = append(v.Claims, claims.Verdict(ratioClaim(own, i), f))
	}
	v.Frames = append(v.Frames, ranges.Frame)
}

// sameRun reports whether p's method and a rival did exactly the same where p is, in every seed.
func sameRun(v *view, p point, rival string) bool { return setup.Same(v.At(p), v.At(p.as(rival))) }

// ratioClaim returns the claim of ratios for a model by its index: D42–D44 for the homogeneous,
// D45–D47 for the heterogeneous cluster.
func ratioClaim(platform string, model int) string {
	return fmt.Sprintf("D%02d", map[string]int{setup.Homogeneous: 42, setup.Heterogeneous: 45}[platform]+model)
}

// disorder compares times where p is. It returns where the means violate ASP ≤ {SSP, DSSP, DASP} ≤
// BSP by more than setup.SameTime, and all comparisons made: each is judged by its interval, times
// within setup.SameTime tie and a tie holds, and methods that did exactly the same are no case.
func disorder(v *view, p point) (out []result.Reason, parts []result.Part) {
	for _, m := range setup.Models {
		mean := func(method string) float64 { return iterationOf(v, p.of(m).as(method)).Mean().Value }
		for _, method := range []string{"ssp", "dssp", "dasp"} {
			for _, pair := range [][2]string{{"asp", method}, {method, "bsp"}} {
				first, second := pair[0], pair[1]
				ratio := mean(first) / mean(second)
				if ratio > 1+setup.SameTime {
					out = append(out, result.Because("D39-violated", "platform", p.Cluster, "model", m, "method", first, "other", second, "ratio", ratio))
				}
				of := map[string]string{"platform": p.Cluster, "model": m, "method": first, "rival": second}
				e := iterationOf(v, p.of(m).as(first)).Over(iterationOf(v, p.of(m).as(second)))
				parts = append(parts, compared(of, ratio, e, sameRun(v, p.of(m).as(first), second)))
			}
		}
	}
	return out, parts
}

// compared returns the part that ratio, of the estimate e, is at most 1 but for setup.SameTime.
func compared(of map[string]string, ratio float64, e kit.Estimate, same bool) result.Part {
	part := result.Part{Of: of, Value: ratio, CI95: e.CI}
	if len(e.Samples) > 1 {
		part.Samples = e.Samples
	}
	if same {
		return claims.Mark(part, claims.NoCase)
	}
	return claims.Mark(part, claims.AtMost(e.CI, 1+setup.SameTime))
}

// ordering judges D39, the order for every model in both clusters, and counts the plausible
// platforms of each cluster on which it holds for all models.
func ordering(v *view) result.Claim {
	var notes []result.Reason
	var made []result.Part
	var args []any
	for _, c := range []string{setup.Homogeneous, setup.Heterogeneous} {
		against, parts := disorder(v, point{Cluster: c})
		notes, made = append(notes, against...), append(made, parts...)
		all := plausibles(c)
		n := kit.CountIf(all, func(p plausible) bool {
			against, _ := disorder(v, p.point)
			return len(against) == 0
		})
		name := map[string]string{setup.Homogeneous: "equal", setup.Heterogeneous: "unequal"}[c]
		args = append(args, name, n, name+"_of", len(all))
		v.Facts = append(v.Facts, kit.Counted("in_order_"+name, "", n))
	}
	ok := len(notes) == 0
	words := result.Because("D39", "holds", ok)
	if ok {
		notes = []result.Reason{result.Because("D39-order", "percent", 100*setup.SameTime)}
	}
	f := claims.OfParts(made, len(v.Seeds), &words)
	f.Notes = append(notes, result.Because("assumed-platform"), result.Because("D39-plausible", args...))
	return claims.Verdict("D39", f)
}

// slowdown returns a method's iteration time on hetero over its time on homo.
func slowdown(v *view, homo, hetero point, model, method string) kit.Estimate {
	return iterationOf(v, hetero.of(model).as(method)).Over(iterationOf(v, homo.of(model).as(method)))
}

// isLeast reports whether, for every model, no baseline is slowed down less than DASP on the mean,
// and lists the comparisons as disorder does.
func isLeast(v *view, homo, hetero point) (ok bool, parts []result.Part) {
	ok = true
	for _, m := range setup.Models {
		for _, b := range setup.Baselines {
			ours, theirs := slowdown(v, homo, hetero, m, "dasp"), slowdown(v, homo, hetero, m, b)
			ratio, same := ours.Value/theirs.Value, sameRun(v, homo.of(m).as("dasp"), b) && sameRun(v, hetero.of(m).as("dasp"), b)
			parts = append(parts, compared(map[string]string{"model": m, "rival": b}, ratio, ours.Samples.Over(theirs.Samples), same))
			ok = ok && ratio <= 1+setup.SameTime
		}
	}
	return ok, parts
}

// tied reports whether p's method, SSP or DSSP, is slowed down as much as DASP.
func tied(v *view, p point) bool {
	factor := func(method string) float64 {
		return slowdown(v, point{Cluster: setup.Homogeneous}, point{Cluster: setup.Heterogeneous}, p.Model, method).Value
	}
	return slices.Contains(setup.Baselines[1:], p.Method) && math.Abs(factor("dasp")/factor(p.Method)-1) <= setup.SameTime
}

// leastAffected judges D56. It counts the pairs of plausible platforms with the same links and
// overhead on which D56 holds for all models: each set of unequal workers beside the reference's
// equal ones. The frame also shows ASP, which the claim leaves open, and ties.
func leastAffected(v *view) result.Claim {
	homo, hetero := point{Cluster: setup.Homogeneous}, point{Cluster: setup.Heterogeneous}
	_, parts := isLeast(v, homo, hetero)
	n, of := 0, 0
	for _, a := range plausibles(setup.Homogeneous) {
		for _, b := range plausibles(setup.Heterogeneous) {
			if a.workers != setup.Homogeneous || a.link != b.link || a.Overhead != b.Overhead {
				continue
			}
			of++
			if least, _ := isLeast(v, a.point, b.point); least {
				n++
			}
		}
	}
	v.Facts = append(v.Facts, kit.Counted("pairs", "", of), kit.Counted("pairs_least_affected", "", n))
	words := result.Because("D56", "factors", kit.Map(setup.Models, func(m string) float64 { return slowdown(v, homo, hetero, m, "dasp").Value }))
	return claims.Verdict("D56", claims.OfParts(parts, len(v.Seeds), &words),
		result.Because("D56-rivals"), result.Because("assumed-platform"), result.Because("D56-plausible", "n", n, "of", of))
}
