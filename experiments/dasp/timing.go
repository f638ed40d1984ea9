package dasp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// timingExperiments are the mean iteration times of Tables 4 and 5. Table 5 has the two claims
// that set both clusters side by side, and so the runs of both: one command makes them once.
func timingExperiments() (four, five exp.Experiment) {
	four = timingStudy("dasp/table4", "DASP, Table 4", []string{homogeneous}, func(*timedView) {})
	five = timingStudy("dasp/table5", "DASP, Table 5", []string{heterogeneous, homogeneous}, func(v *timedView) {
		s := kit.NewSheet("slowdown", "model:model method:method factor~/.3 tie:bool")
		for _, p := range reference(homogeneous) {
			s.Add(p.Model, p.Method, slowdown(v, p.of(""), timed{Cluster: heterogeneous}, p.Model, p.Method), tied(v, p))
		}
		v.Frames = append(v.Frames, s.Frame)
		v.Claims = append(v.Claims, ordering(v), leastAffected(v))
	})
	return four, five
}

// timing is a timing-only run at full model size.
func timing(p *cluster.Platform, method, model string, seed uint64) train.Config {
	o := options()
	return train.Config{Sync: method, Model: model, Platform: p, Seed: seed, Batch: fullBatch,
		MaxPushes: workers * perWorker, Warmup: warmup, Options: &o, TimingOnly: true}
}

// timed is such a run of a cluster, on its reference platform or on a plausible one in its
// place (Variant), with a cost of each iteration beside its layers.
type timed struct {
	Cluster, Variant string
	Overhead         time.Duration // 0: the default
	Model, Method    string
}

type timedView = kit.View[timed, cell]

func (p timed) String() string {
	return strings.Trim(strings.Join([]string{p.Cluster, p.Variant, p.Model, p.Method}, ", "), ", ")
}

// of and as return p with another network and another method.
func (p timed) of(model string) timed  { p.Model = model; return p }
func (p timed) as(method string) timed { p.Method = method; return p }

// overheads are costs of an iteration beside its layers, on the reference device: a
// third, the default and three times it. LeNet-5's iteration is little else.
var overheads = []time.Duration{train.DefaultOverhead / 3, train.DefaultOverhead, 3 * train.DefaultOverhead}

// baselines are the methods that the paper states a reduction against.
var baselines = []string{"bsp", "ssp", "dssp"}

// grid returns the runs of every network and method where p is.
func (p timed) grid() (out []timed) {
	for _, m := range models {
		for _, method := range methods {
			out = append(out, p.of(m).as(method))
		}
	}
	return out
}

// reference returns the runs on a cluster's own platform.
func reference(cluster string) []timed { return timed{Cluster: cluster}.grid() }

// plausible is a plausible platform in place of a cluster's, with an overhead.
type plausible struct {
	timed
	workers string  // whose they are
	link    float64 // Gb/s
}

// plausibles returns those of a cluster: its sweep, each with every overhead.
func plausibles(cluster string) (out []plausible) {
	for _, v := range sweep(cluster) {
		for _, o := range overheads {
			p := timed{Cluster: cluster, Variant: v.Name, Overhead: o}
			out = append(out, plausible{p, strings.ReplaceAll(v.Workers, " × ", "×"), gigabits(v.Platform)})
		}
	}
	return out
}

// sweep returns the plausible platforms around an embedded one.
func sweep(platform string) []platforms.Variant { return kit.Must(platforms.Sweep(platform)) }

// onLinks returns an embedded platform's own workers on other links.
func onLinks(workers, link string) *cluster.Platform {
	return kit.Find(sweep(workers), func(v platforms.Variant) bool { return v.Workers == workers && v.Link == link }).Platform
}

// timingStudy returns table 4 or 5: the first of clusters is its own, on its reference
// platform for every seed and over the plausible ones for the first seed. What more adds
// may look at all clusters.
func timingStudy(id, source string, clusters []string, more func(*timedView)) exp.Experiment {
	own, variants := clusters[0], map[timed]*cluster.Platform{}
	var points []timed
	for _, c := range clusters {
		variants[timed{Cluster: c}] = load(c)
		for _, v := range sweep(c) {
			variants[timed{Cluster: c, Variant: v.Name}] = v.Platform
		}
		points = append(points, reference(c)...)
		for _, p := range plausibles(c) {
			points = append(points, p.grid()...)
		}
	}
	return kit.Study[timed, cell]{ID: id, Source: source, Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []timed { return points },
		Once:   func(p timed) bool { return p.Variant != "" },
		Cost:   func(_ string, p timed) (string, float64) { return p.Cluster + ", timing", 0.015 },
		Config: func(string) map[string]any {
			c := map[string]any{"methods": methods, "models": models, "options": options(), "batch": fullBatch, "gradients": workers * perWorker,
				"warmup": warmup, "overheads": overheads, "launch": train.DefaultLaunch, "overhead": train.DefaultOverhead}
			for _, name := range clusters {
				c["platform "+name], c["plausible "+name] = kit.Platform(load(name)),
					kit.Map(sweep(name), func(v platforms.Variant) string { return v.Name })
			}
			return c
		},
		Measure: func(ctx context.Context, env exp.Env, p timed, seed uint64) (cell, error) {
			cfg := timing(variants[timed{Cluster: p.Cluster, Variant: p.Variant}], p.Method, p.Model, seed)
			if cfg.Overhead = p.Overhead; p.Overhead == 0 {
				cfg.Overhead = train.DefaultOverhead
			}
			return cellOf(ctx, env, cfg)
		},
		Show: func(v *timedView) {
			v.Facts = append(settings(), kit.Facts("platforms", len(plausibles(own)), "overhead/ms", ms(train.DefaultOverhead),
				"overhead_least/ms", ms(overheads[0]), "overhead_most/ms", ms(overheads[2]))...)
			s := kit.NewSheet("states", "model:model"+stateColumns)
			for _, m := range models {
				s.Add(stateCells(v.At(timed{Cluster: own}.of(m).as("dasp")), m)...)
			}
			v.Frames = append(v.Frames, iterationFrame(v, own), s.Frame)
			v.Figures = []result.Figure{{ID: "iteration-bars", Form: "bar", Frame: "iteration", X: "model", Y: []string{"over_bsp"}, By: []string{"method"}}}
			showRanges(v, own)
			more(v)
		}}.Experiment()
}

// iterationOf returns p's mean iteration time, seed by seed.
func iterationOf(v *timedView, p timed) kit.Sample { return kit.Each(v.At(p), perIteration) }

// iterationFrame is the three readings of "mean iteration time", method by method, and the
// first one's ratio to BSP's. Claims are judged by the first: §3.2 reads the figure as the
// stragglers' influence on fast nodes, which only a mean over workers with their waits shows.
func iterationFrame(v *timedView, own string) result.Frame {
	s := kit.NewSheet("iteration", "model:model method:method per_worker±/ms.2 per_push±/ms.2 per_update±/ms.2 over_bsp~/.3 staleness/versions.2")
	for _, p := range reference(own) {
		of := func(x func(cell) float64) kit.Estimate { return mean(v.At(p), x).Times(1e3) }
		s.Add(p.Model, p.Method, of(perIteration), of(func(c cell) float64 { return c.Iteration.PerPush }),
			of(func(c cell) float64 { return c.Iteration.PerUpdate }), iterationOf(v, p).Over(iterationOf(v, p.as("bsp"))), mean(v.At(p), staleness))
	}
	return s.Frame
}

// reductionClaim is one stated reduction of the mean iteration time.
type reductionClaim struct{ id, model, against string }

// reductionClaims are D01–D09 of the homogeneous and D10–D18 of the heterogeneous cluster:
// model by model, against BSP, SSP, DSSP.
func reductionClaims(platform string) (out []reductionClaim) {
	first := 1
	if platform == heterogeneous {
		first = 10
	}
	for i, m := range models {
		for j, b := range baselines {
			out = append(out, reductionClaim{fmt.Sprintf("D%02d", first+len(baselines)*i+j), m, b})
		}
	}
	return out
}

// reduced returns by how much DASP's iteration is shorter than its rival's where p is.
func (c reductionClaim) reduced(v *timedView, p timed) kit.Estimate {
	return iterationOf(v, p.of(c.model).as("dasp")).Over(iterationOf(v, p.of(c.model).as(c.against))).Saved()
}

// ratioMethods are the methods of D42–D47, as their rows list them: over BSP.
var ratioMethods = []string{"dasp", "ssp", "dssp"}

// showRanges adds the range of every stated reduction over the plausible platforms, those
// within the tolerance, which is nearest and what DASP's pushes visit, the range of the
// ratios that restate them, and the claims with their ranges beside.
func showRanges(v *timedView, own string) {
	all := plausibles(own)
	columns := "claim model:model against:method stated/%.1 least/%.1 most/%.1 within nearest_workers:platform nearest_link/Gb/s nearest_overhead/ms"
	for _, s := range states {
		columns += " " + s + "_least/%.0 " + s + "_most/%.0"
	}
	ranges := kit.NewSheet("range", columns)
	table := map[string]string{homogeneous: "4", heterogeneous: "5"}[own]
	behind := func(model string) []result.Reason {
		out := []result.Reason{result.Because("assumed-platform")}
		if visits(v.At(timed{Cluster: own}.of(model).as("dasp"))) == qisAlone {
			out = append(out, result.Because("dasp-is-asp"))
		}
		return out
	}
	for _, c := range reductionClaims(own) {
		e, stated := c.reduced(v, timed{Cluster: own}), statedNumber(c.id)
		on := func(p plausible) float64 { return c.reduced(v, p.timed).Value }
		off := func(p plausible) float64 { return math.Abs(on(p) - stated) }
		least, most := kit.Extent(all, on)
		within := kit.CountIf(all, func(p plausible) bool { return off(p) <= claims.Tolerance(c.id) })
		nearest := slices.MinFunc(all, func(a, b plausible) int { return cmp.Compare(off(a), off(b)) })
		row := []any{c.id, c.model, c.against, stated, least, most, within, nearest.workers, nearest.link, ms(nearest.Overhead)}
		for _, s := range states {
			lo, hi := kit.Extent(all, func(p plausible) float64 { return 100 * v.At(p.of(c.model).as("dasp"))[0].Share[s] })
			row = append(row, lo, hi)
		}
		ranges.Add(row...)
		f := claims.Number(e.Value, e.CI, e.Samples, e.N)
		f.Notes = behind(c.model)
		if e.Value == 0 {
			f.Notes = append(f.Notes, result.Because("nobody-waits", "method", c.against))
		}
		f.Notes = append(f.Notes, result.Because("plausible-range", "lo", least, "hi", most, "within", within, "of", len(all)))
		f.Table, f.Network, f.Rival, f.Cluster = table, c.model, c.against, own
		v.Claims = append(v.Claims, claims.Verdict(c.id, f))
	}
	ratio := func(p timed) kit.Estimate { return iterationOf(v, p).Over(iterationOf(v, p.as("bsp"))) }
	for i, m := range models {
		f := claims.Found{Seeds: len(v.Seeds), Notes: behind(m), Table: table, Network: m, Cluster: own}
		var words []map[string]any
		for _, method := range ratioMethods {
			e := ratio(timed{Cluster: own}.of(m).as(method))
			f.Values, f.CI95, f.Samples = append(f.Values, e.Value), append(f.CI95, e.CI), append(f.Samples, e.Samples)
			lo, hi := kit.Extent(all, func(p plausible) float64 {
				return perIteration(v.At(p.of(m).as(method))[0]) / perIteration(v.At(p.of(m).as("bsp"))[0])
			})
			words = append(words, map[string]any{"method": method, "lo": lo, "hi": hi})
		}
		f.Notes = append(f.Notes, result.Because("plausible-ratios", "of", len(all), "ratios", words))
		v.Claims = append(v.Claims, claims.Verdict(ratioClaim(own, i), f))
	}
	v.Frames = append(v.Frames, ranges.Frame)
}

// ratioClaim is D42–D44 of the homogeneous and D45–D47 of the heterogeneous cluster: by the
// model's place.
func ratioClaim(platform string, model int) string {
	return fmt.Sprintf("D%02d", map[string]int{homogeneous: 42, heterogeneous: 45}[platform]+model)
}

// slack is how far an order may be violated before it counts: two methods that do the same
// differ by less than this through their events' rounding.
const slack = 1e-3

// disorder lists where ASP ≤ {SSP, DSSP, DASP} ≤ BSP is violated where p is, by the mean
// over seeds, to one part in a thousand, and all comparisons made.
func disorder(v *timedView, p timed) (out []result.Reason, parts []result.Part) {
	for _, m := range models {
		mean := func(method string) float64 { return iterationOf(v, p.of(m).as(method)).Mean().Value }
		for _, method := range []string{"ssp", "dssp", "dasp"} {
			for _, pair := range [][2]string{{"asp", method}, {method, "bsp"}} {
				first, second := pair[0], pair[1]
				holds, ratio := mean(first) <= mean(second)*(1+slack), mean(first)/mean(second)
				if !holds {
					out = append(out, result.Because("D39-violated", "platform", p.Cluster, "model", m, "method", first, "other", second, "ratio", ratio))
				}
				of := map[string]string{"platform": p.Cluster, "model": m, "method": first, "rival": second}
				parts = append(parts, result.Part{Of: of, Value: ratio, Holds: &holds})
			}
		}
	}
	return out, parts
}

// ordering judges D39, the order for every model in both clusters, and counts the plausible
// platforms of each on which it holds for all models.
func ordering(v *timedView) result.Claim {
	f, args := claims.Found{Seeds: len(v.Seeds)}, []any{}
	for _, c := range []string{homogeneous, heterogeneous} {
		against, parts := disorder(v, timed{Cluster: c})
		f.Notes, f.Parts = append(f.Notes, against...), append(f.Parts, parts...)
		all := plausibles(c)
		n := kit.CountIf(all, func(p plausible) bool {
			against, _ := disorder(v, p.timed)
			return len(against) == 0
		})
		name := map[string]string{homogeneous: "equal", heterogeneous: "unequal"}[c]
		args = append(args, name, n, name+"_of", len(all))
		v.Facts = append(v.Facts, kit.Counted("in_order_"+name, "", n))
	}
	ok := len(f.Notes) == 0
	words := result.Because("D39", "holds", ok)
	if ok {
		f.Notes = []result.Reason{result.Because("D39-order", "percent", 100*slack)}
	}
	f.Holds, f.Words, f.Notes = &ok, &words, append(f.Notes, result.Because("assumed-platform"), result.Because("D39-plausible", args...))
	return claims.Verdict("D39", f)
}

// slowdown is a method's iteration time where hetero is over that where homo is.
func slowdown(v *timedView, homo, hetero timed, model, method string) kit.Estimate {
	return iterationOf(v, hetero.of(model).as(method)).Over(iterationOf(v, homo.of(model).as(method)))
}

// isLeast tells whether slowdown is smallest for DASP among BSP, SSP, DSSP and DASP, for
// every model, to one part in a thousand, and lists the comparisons.
func isLeast(v *timedView, homo, hetero timed) (ok bool, parts []result.Part) {
	ok = true
	for _, m := range models {
		for _, b := range baselines {
			ours, theirs := slowdown(v, homo, hetero, m, "dasp").Value, slowdown(v, homo, hetero, m, b).Value
			holds := ours <= theirs*(1+slack)
			parts = append(parts, result.Part{Of: map[string]string{"model": m, "rival": b}, Value: ours / theirs, Holds: &holds})
			ok = ok && holds
		}
	}
	return ok, parts
}

// tied tells whether DASP is slowed down as much as p's method, SSP or DSSP.
func tied(v *timedView, p timed) bool {
	factor := func(method string) float64 {
		return slowdown(v, timed{Cluster: homogeneous}, timed{Cluster: heterogeneous}, p.Model, method).Value
	}
	return slices.Contains(baselines[1:], p.Method) && math.Abs(factor("dasp")/factor(p.Method)-1) <= slack
}

// leastAffected judges D56, and counts the pairs of plausible platforms with the same links
// and overhead on which it holds for all models: each set of unequal workers beside the
// reference's equal ones. ASP, which the sentence leaves open, and ties stand in the frame.
func leastAffected(v *timedView) result.Claim {
	homo, hetero := timed{Cluster: homogeneous}, timed{Cluster: heterogeneous}
	ok, parts := isLeast(v, homo, hetero)
	n, of := 0, 0
	for _, a := range plausibles(homogeneous) {
		for _, b := range plausibles(heterogeneous) {
			if a.workers != homogeneous || a.link != b.link || a.Overhead != b.Overhead {
				continue
			}
			of++
			if least, _ := isLeast(v, a.timed, b.timed); least {
				n++
			}
		}
	}
	v.Facts = append(v.Facts, kit.Counted("pairs", "", of), kit.Counted("pairs_least_affected", "", n))
	words := result.Because("D56", "factors", kit.Map(models, func(m string) float64 { return slowdown(v, homo, hetero, m, "dasp").Value }))
	return claims.Verdict("D56", claims.Found{Holds: &ok, Seeds: len(v.Seeds), Words: &words, Parts: parts,
		Notes: []result.Reason{result.Because("D56-rivals"), result.Because("assumed-platform"), result.Because("D56-plausible", "n", n, "of", of)}})
}
