package dasp

import (
	"context"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// versionClusters are the sets of workers; each is run on the sweep's links.
var versionClusters = []string{homogeneous, heterogeneous, straggler}

const straggler = "straggler6"

// referenceLink names the link of the platform files, as package platforms does.
const referenceLink = "10 Gb/s"

// clockMethods decide by clocks; theirs are the waits in question.
var clockMethods = []string{"ssp", "dssp"}

// storyConfig says whose gaps are drawn: the first worker's, one of the five fast ones,
// until the slow worker has made SlowPushes pushes.
var storyConfig = struct {
	Cluster, Model string
	Worker         int
	SlowPushes     int64
}{straggler, "lenet5", 0, 8}

// storyMethods are drawn: SSP, and ASP, which shows the gaps when nobody waits.
var storyMethods = []string{"ssp", "asp"}

// watch is a run that is looked at: by a census where its method decides by clocks, else
// for what the method made of it, or for its story. Link "" stands for the platform file.
type watch struct {
	Cluster, Link, Model, Method string
	Story                        bool
}

// watched holds what is kept of a run: one of the two.
type watched struct {
	Census census
	Story  storyLine
}

// linksOf lists the links of a profile: all of the sweep's, in ci the reference's.
func linksOf(profile string) (links []string) {
	for _, l := range platforms.Links {
		if profile != "ci" || l.Name == referenceLink {
			links = append(links, l.Name)
		}
	}
	return links
}

// versionsVsClocks asks how many of the waits that SSP and DSSP order by clocks
// DASP's test of versions would have ordered too, at the same instant.
func versionsVsClocks() exp.Experiment { return versionStudy().Experiment() }

func versionStudy() kit.Study[watch, watched] {
	return kit.Study[watch, watched]{ID: "dasp/versions-vs-clocks", Source: "ours: §1 and §2.1 count versions where SSP counts iterations",
		Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points:  watches,
		Cost:    func(string, watch) (string, float64) { return "versions", 0.018 },
		Config:  versionSetup,
		Once:    func(w watch) bool { return w.Story },
		Measure: watchRun,
		Show:    showVersions}
}

func watches(profile string) (out []watch) {
	for _, c := range versionClusters {
		for _, m := range models {
			for _, l := range linksOf(profile) {
				for _, method := range clockMethods {
					out = append(out, watch{c, l, m, method, false})
				}
			}
			out = append(out, watch{c, "", m, "asp", false}, watch{c, "", m, "dasp", false})
		}
	}
	for _, method := range storyMethods {
		out = append(out, watch{storyConfig.Cluster, "", storyConfig.Model, method, true})
	}
	return out
}

// versionSetup returns what the result records of its parameters.
func versionSetup(profile string) map[string]any {
	bases, bandwidths := map[string]any{}, map[string]float64{}
	for _, c := range versionClusters {
		bases[c] = kit.Platform(load(c))
	}
	for _, l := range platforms.Links {
		if slices.Contains(linksOf(profile), l.Name) {
			bandwidths[l.Name] = l.Bandwidth
		}
	}
	return map[string]any{"platforms": bases, "links": bandwidths, "reference_link": referenceLink, "methods": clockMethods, "own_runs": methods[1:],
		"models": models, "options": options(), "batch": fullBatch, "gradients": workers * perWorker, "warmup": warmup,
		"launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "story": storyConfig, "story_methods": storyMethods}
}

// watchRun makes one run and keeps what it is looked at for. A census keeps the warm-up:
// a decision needs no steady state.
func watchRun(ctx context.Context, env exp.Env, w watch, seed uint64) (watched, error) {
	p := load(w.Cluster)
	if w.Link != "" {
		variants := sweep(w.Cluster)
		p = variants[slices.IndexFunc(variants, func(v platforms.Variant) bool { return v.Workers == w.Cluster && v.Link == w.Link })].Platform
	}
	cfg := timing(p, w.Method, w.Model, seed)
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (out watched, err error) {
		switch {
		case w.Story:
			fresh := func() (dasp.Policy, error) { return rivals.New(w.Method, *cfg.Options) }
			out.Story, err = follow(o.Log, fresh, storyConfig.Worker, storyConfig.SlowPushes)
		case slices.Contains(clockMethods, w.Method):
			out.Census, err = newCensus(o, *cfg.Options)
		default:
			out.Census.Own = newOwnRun(o)
		}
		return out, err
	}, w.Story)
}

// censuses are a row of tables: the censuses of a method's runs, one per seed, of one
// network or, for the sums of a cluster, of all.
type censuses struct {
	cluster, model, method string
	gbps                   float64
	list                   []census
	all                    census // their pool
	waits, pushes          int
}

type versionsView struct{ *kit.View[watch, watched] }

// of returns the censuses of a cluster's runs on a link: of one network, or of all for "".
func (v versionsView) of(cluster, link, model, method string) censuses {
	c := censuses{cluster: cluster, model: model, method: method}
	for _, m := range models {
		if model == "" || m == model {
			for _, x := range v.At(watch{cluster, link, m, method, false}) {
				c.list = append(c.list, x.Census)
			}
		}
	}
	c.all = pool(c.list)
	c.waits, c.pushes = c.all.waited()
	return c
}

// own returns what a method made of its own run at the reference link, the mean over seeds
// or the largest.
func (v versionsView) own(cluster, model, method string) ownRun {
	link := ""
	if slices.Contains(clockMethods, method) {
		link = referenceLink
	}
	return meanOwn(v.of(cluster, link, model, method).list)
}

// shareOf returns 100·part/of, no number where there is nothing to share.
func shareOf(part, of int) float64 { return onlyIf(of > 0, 100*float64(part)/float64(of)) }

func showVersions(view *kit.View[watch, watched]) {
	v := versionsView{view}
	var rows, links, pools, owns, early []censuses
	for _, c := range versionClusters {
		for _, m := range models {
			for _, method := range clockMethods {
				rows = append(rows, v.of(c, referenceLink, m, method))
				for _, l := range platforms.Links {
					if x := v.of(c, l.Name, m, method); len(x.list) > 0 {
						x.gbps = 8 * l.Bandwidth / 1e9
						links = append(links, x)
					}
				}
			}
			for _, method := range methods[1:] {
				owns = append(owns, censuses{cluster: c, model: m, method: method})
			}
		}
		for _, method := range clockMethods {
			pools = append(pools, v.of(c, referenceLink, "", method))
		}
	}
	for _, method := range clockMethods {
		c := censuses{method: method}
		for _, p := range pools {
			if p.method == method {
				c.all = pool([]census{c.all, p.all})
			}
		}
		early = append(early, c)
	}
	cluster := kit.Word("cluster", "platform", func(c censuses) string { return c.cluster })
	model := kit.Word("model", "model", func(c censuses) string { return c.model })
	method := kit.Word("method", "method", func(c censuses) string { return c.method })
	v.Frames = []result.Frame{
		kit.Frame("versions-census", rows, append([]kit.Col[censuses]{cluster, model, method}, censusCols(false)...)...),
		kit.Frame("clusters", pools, append([]kit.Col[censuses]{cluster, method}, censusCols(true)...)...),
		headStart(early, method), vainFrame(rows, cluster, model, method), vainSeconds(rows, cluster, model, method),
		kit.Frame("versions-links", links, cluster, model, method, kit.Num("link", "Gb/s", kit.AsIs, func(c censuses) float64 { return c.gbps }),
			kit.Num("waits", "%", 1, func(c censuses) float64 { return shareOf(c.waits, c.pushes) }),
			kit.Num("vain", "% of waits", 1, func(c censuses) float64 { return shareOf(c.all.Count[bySmin][1][0], c.waits) })),
		v.worth(owns, cluster, model, method)}
	v.Figures = []result.Figure{{ID: "versions-vain", Form: "bar", Frame: "versions-vain", Where: map[string]any{"anybody": true},
		X: "place", Y: []string{"waits", "vain"}, By: []string{"method"}}}
	v.stories()
	v.Facts = slices.Concat(settings(), named("Gb/s", "link", 10), named("", "staleness", sspBound, "lower", dsspLower, "upper", dsspUpper,
		"story.worker", storyConfig.Worker+1, "story.pushes", storyConfig.SlowPushes))
}

// censusCols are the waits and answers of censuses, and what the tests of versions say of
// them. The share of waits in vain is the mean over the seeds that have a wait, or, of
// sums, that of all waits together.
func censusCols(sums bool) []kit.Col[censuses] {
	cols := []kit.Col[censuses]{
		kit.Count("pushes", "", func(c censuses) int { return c.pushes }),
		kit.Count("waits", "", func(c censuses) int { return c.waits }),
		kit.Count("once", "", func(c censuses) int { return c.pushes - c.waits })}
	for t, name := range []string{"smin", "smax"} {
		share := kit.Half("vain_"+name+"_share", "%", 1, func(c censuses) kit.Estimate { return vainShare(c.list, t) })
		if sums {
			share = kit.Num("vain_"+name+"_share", "%", 1, func(c censuses) float64 { return shareOf(c.all.Count[t][1][0], c.waits) })
		}
		cols = append(cols, kit.Count("vain_"+name, "", func(c censuses) int { return c.all.Count[t][1][0] }), share,
			kit.Count("ahead_"+name, "", func(c censuses) int { return c.all.Count[t][0][1] }))
	}
	return cols
}

// headStart tells how much of what clocks get wrong or right by Smin belongs to the time
// in which the slowest worker has made at most s pushes.
func headStart(rows []censuses, method kit.Col[censuses]) result.Frame {
	return kit.Frame("head-start", rows, method,
		kit.Count("early_waits", "", func(c censuses) int { return c.all.Early[bySmin][1] }),
		kit.Count("right_waits", "", func(c censuses) int { return c.all.Count[bySmin][1][1] }),
		kit.Count("early_through", "", func(c censuses) int { return c.all.Early[bySmin][0] }),
		kit.Count("wrong_through", "", func(c censuses) int { return c.all.Count[bySmin][0][1] }))
}

// vainFrame holds the share of pushes made to wait and in vain; anybody tells where a bar
// is drawn, since one of the methods makes somebody wait.
func vainFrame(rows []censuses, cluster, model, method kit.Col[censuses]) result.Frame {
	share := func(of func(c census, waits int) int) func(censuses) kit.Estimate {
		return func(c censuses) kit.Estimate {
			return kit.Each(c.list, func(one census) float64 {
				waits, pushes := one.waited()
				return shareOf(of(one, waits), pushes)
			}).Mean().Clamp(0, 100)
		}
	}
	place := kit.Word("place", "place", func(c censuses) string { return c.cluster + "-" + c.model })
	return kit.Frame("versions-vain", rows, place, cluster, model, method,
		kit.Interval("waits", "%", 0, share(func(_ census, waits int) int { return waits })),
		kit.Interval("vain", "%", 0, share(func(c census, _ int) int { return c.Count[bySmin][1][0] })),
		kit.Flag("anybody", func(c censuses) bool {
			return slices.ContainsFunc(rows, func(o censuses) bool { return o.cluster == c.cluster && o.model == c.model && o.waits > 0 })
		}))
}

// vainSeconds is the time lost, all workers together, mean over seeds.
func vainSeconds(rows []censuses, cluster, model, method kit.Col[censuses]) result.Frame {
	waited := func(c censuses) float64 { return c.all.Seconds[bySmin][0] + c.all.Seconds[bySmin][1] }
	vain := func(t int) func(censuses) float64 {
		return func(c censuses) float64 { return c.all.Seconds[t][0] / float64(len(c.list)) }
	}
	return kit.Frame("versions-seconds", rows, cluster, model, method,
		kit.Num("waited", "s", 2, func(c censuses) float64 { return waited(c) / float64(len(c.list)) }),
		kit.Num("vain_smin", "s", 2, vain(bySmin)), kit.Num("vain_smax", "s", 2, vain(bySmax)),
		kit.Num("share", "% of time", 1, func(c censuses) float64 { return 100 * waited(c) / c.all.Length }),
		kit.Num("vain_share", "% of time", 1, func(c censuses) float64 { return 100 * c.all.Seconds[bySmin][0] / c.all.Length }))
}

// worth sets the methods' own runs side by side; beside_ssp tells where SSP makes anybody
// wait. A test on SSP's history does not say what would follow from another answer: SSP's
// waits are what kept its versions together.
func (v versionsView) worth(rows []censuses, cluster, model, method kit.Col[censuses]) result.Frame {
	own := func(c censuses) ownRun { return v.own(c.cluster, c.model, c.method) }
	ssp := func(c censuses) ownRun { return v.own(c.cluster, c.model, "ssp") }
	return kit.Frame("versions-worth", rows, cluster, model, method,
		kit.Num("waits", "% of pushes", 1, func(c censuses) float64 { return 100 * own(c).Waited }),
		kit.Num("iteration", "ms", 2, func(c censuses) float64 { return 1e3 * own(c).Iteration }),
		kit.Num("over_ssp", "", 2, func(c censuses) float64 { return own(c).Iteration / ssp(c).Iteration }),
		kit.Num("staleness", "versions", 2, func(c censuses) float64 { return own(c).Staleness }),
		kit.Count("spread", "versions", func(c censuses) int64 { return own(c).Spread }),
		kit.Count("clock", "clocks", func(c censuses) int64 { return own(c).Clock }),
		kit.Flag("beside_ssp", func(c censuses) bool { return ssp(c).Waited > 0 }))
}

// gapPoint is a corner of the line of steps that a worker's gaps make: each gap holds
// until the next push.
type gapPoint struct {
	method         string
	ms             float64
	clock, version int64
}

// stories adds the gaps of one worker as lines, and where they end.
func (v versionsView) stories() {
	var corners []gapPoint
	story := func(method string) storyLine {
		return v.At(watch{storyConfig.Cluster, "", storyConfig.Model, method, true})[0].Story
	}
	for _, m := range storyMethods {
		corners = append(corners, steps(m, story(m))...)
		v.Figures = append(v.Figures, result.Figure{ID: "gaps-" + m, Form: "line", Frame: "gaps", Where: map[string]any{"method": m},
			X: "ms", Y: []string{"clock", "version"}})
	}
	cols := []kit.Col[string]{kit.Word("method", "method", func(m string) string { return m }),
		kit.Num("span", "ms", 0, func(m string) float64 { return story(m).Ms[len(story(m).Ms)-1] }),
		kit.Count("half", "", func(m string) int { return len(story(m).Ms) - len(story(m).Ms)/2 })}
	for _, g := range []struct {
		key string
		of  func(storyLine) []int64
	}{{"clock", func(s storyLine) []int64 { return s.Clock }}, {"version", func(s storyLine) []int64 { return s.Version }}} {
		cols = append(cols,
			kit.Count(g.key+"_end", "", func(m string) int64 { x := g.of(story(m)); return x[len(x)-1] }),
			kit.Count(g.key+"_most", "", func(m string) int64 { return slices.Max(g.of(story(m))) }),
			kit.Count(g.key+"_low", "", func(m string) int { return lowHalf(g.of(story(m))) }))
	}
	v.Frames = append(v.Frames, kit.Frame("stories", storyMethods, cols...),
		kit.Frame("gaps", corners, kit.Word("method", "method", func(g gapPoint) string { return g.method }),
			kit.Num("ms", "ms", kit.AsIs, func(g gapPoint) float64 { return g.ms }),
			kit.Count("clock", "", func(g gapPoint) int64 { return g.clock }), kit.Count("version", "", func(g gapPoint) int64 { return g.version })))
}

// steps turns gaps at instants into the corners of a line of steps.
func steps(method string, s storyLine) (out []gapPoint) {
	for i, x := range s.Ms {
		if i > 0 {
			out = append(out, gapPoint{method, x, s.Clock[i-1], s.Version[i-1]})
		}
		out = append(out, gapPoint{method, x, s.Clock[i], s.Version[i]})
	}
	return out
}

// lowHalf counts the values of at most 1 in the second half.
func lowHalf(x []int64) (n int) {
	for _, v := range x[len(x)/2:] {
		if v <= 1 {
			n++
		}
	}
	return n
}

// meanOwn returns the mean over runs of what has one, the largest of the rest.
func meanOwn(list []census) (m ownRun) {
	n := float64(len(list))
	for _, c := range list {
		m.Waited += c.Own.Waited / n
		m.Iteration += c.Own.Iteration / n
		m.Staleness += c.Own.Staleness / n
		m.Spread, m.Clock = max(m.Spread, c.Own.Spread), max(m.Clock, c.Own.Clock)
	}
	return m
}
