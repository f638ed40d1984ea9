// Package versions asks whether the waits that SSP and DSSP order by clocks are needed by versions.
package versions

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// clusters lists the sets of workers; each is run on all links of the profile.
var clusters = []string{setup.Homogeneous, setup.Heterogeneous, setup.Straggler}

// referenceLink names the link of the platform files, as package platforms does.
const referenceLink = "10 Gb/s"

// clockMethods lists the methods that decide by clocks, whose waits are examined.
var clockMethods = []string{"ssp", "dssp"}

// storyConfig says whose gaps are drawn: the gaps of Worker, one of the five fast workers, until the
// slow worker has made SlowPushes pushes.
var storyConfig = struct {
	Cluster, Model string
	Worker         int
	SlowPushes     int64
}{setup.Straggler, "lenet5", 0, 8}

// storyMethods lists the methods whose story is drawn: SSP, and ASP, whose gaps grow while nobody
// waits.
var storyMethods = []string{"ssp", "asp"}

// point is a run. A Story follows one worker's gaps. Of the others, methods that decide by clocks
// get a census, the rest tell what the method made of the run. Link "" is the platform file's own.
type point struct {
	Cluster, Link, Model, Method string
	Story                        bool
}

// measured keeps one of the two of a run.
type measured struct {
	Census census
	Story  storyLine
}

// linksOf lists the names of a profile's links: all of the sweep's, in ci the reference alone.
func linksOf(profile string) (links []string) {
	for _, l := range platforms.Links {
		if profile != "ci" || l.Name == referenceLink {
			links = append(links, l.Name)
		}
	}
	return links
}

// Experiment returns dasp/versions-vs-clocks.
func Experiment() exp.Experiment { return study().Experiment() }

// study asks how many of the waits that SSP and DSSP order by clocks DASP's test of versions would
// have ordered too, at the same instant.
func study() kit.Study[point, measured] {
	return kit.Study[point, measured]{ID: "dasp/versions-vs-clocks", Source: "ours",
		Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points:  points,
		Cost:    func(string, point) (string, float64) { return "versions", 0.018 },
		Config:  config,
		Once:    func(w point) bool { return w.Story },
		Measure: measure,
		Show:    show}
}

func points(profile string) (out []point) {
	for _, c := range clusters {
		for _, m := range setup.Models {
			for _, l := range linksOf(profile) {
				for _, method := range clockMethods {
					out = append(out, point{c, l, m, method, false})
				}
			}
			out = append(out, point{c, "", m, "asp", false}, point{c, "", m, "dasp", false})
		}
	}
	for _, m := range setup.Models {
		for _, method := range setup.Methods {
			out = append(out, point{setup.Reference, "", m, method, false})
		}
	}
	for _, method := range storyMethods {
		out = append(out, point{storyConfig.Cluster, "", storyConfig.Model, method, true})
	}
	return out
}

func config(profile string) map[string]any {
	bases, bandwidths := map[string]any{}, map[string]float64{}
	for _, c := range append(slices.Clip(clusters), setup.Reference) {
		bases[c] = kit.Platform(setup.Load(c))
	}
	for _, l := range platforms.Links {
		if slices.Contains(linksOf(profile), l.Name) {
			bandwidths[l.Name] = l.Bandwidth
		}
	}
	return map[string]any{"platforms": bases, "links": bandwidths, "reference_link": referenceLink, "methods": clockMethods, "own_runs": setup.Methods[1:],
		"models": setup.Models, "options": setup.Options(), "batch": setup.FullBatch, "gradients": setup.Workers * setup.PerWorker, "warmup": setup.Warmup,
		"launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "story": storyConfig, "story_methods": storyMethods,
		"reference_batch": setup.ReferenceBatch, "reference_overhead": setup.ReferenceOverhead, "degraded": degraded}
}

// measure makes one run and keeps the census or the story. A census includes the warm-up: a decision
// needs no steady state.
func measure(ctx context.Context, env exp.Env, w point, seed uint64) (measured, error) {
	p := setup.Load(w.Cluster)
	if w.Link != "" {
		p = setup.OnLinks(w.Cluster, w.Link)
	}
	cfg := setup.Timing(p, w.Method, w.Model, seed)
	if w.Cluster == setup.Reference {
		cfg = setup.OnReference(setup.Heterogeneous, w.Method, w.Model, seed)
	}
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (out measured, err error) {
		switch {
		case w.Story:
			out.Story, err = follow(o.Log, retrace.PolicyOf(w.Method, *cfg.Options), storyConfig.Worker, storyConfig.SlowPushes)
		case slices.Contains(clockMethods, w.Method):
			out.Census, err = newCensus(o, *cfg.Options)
		default:
			out.Census.Own = newOwnRun(o)
			if w.Method == "dasp" {
				out.Census.Own.Promises, err = keepPromises(o.Log, *cfg.Options)
			}
		}
		return out, err
	}, w.Story)
}

// censuses holds the censuses of a method's runs, one per seed, of one network or of all.
type censuses struct {
	list          []census
	all           census // the sum of list
	waits, pushes int
}

type view struct{ *kit.View[point, measured] }

// of returns the censuses of a method's runs on a link of a cluster, for one network, or for all if
// model is "".
func (v view) of(cluster, link, model, method string) (c censuses) {
	for _, m := range setup.Models {
		if model == "" || m == model {
			for _, x := range v.At(point{cluster, link, m, method, false}) {
				c.list = append(c.list, x.Census)
			}
		}
	}
	c.all = pool(c.list)
	c.waits, c.pushes = c.all.waited()
	return c
}

// own returns what a method made of its own run at the reference link: the mean over seeds, but of
// Spread and Clock the largest.
func (v view) own(cluster, model, method string) (m ownRun) {
	link := ""
	if slices.Contains(clockMethods, method) {
		link = referenceLink
	}
	list := v.of(cluster, link, model, method).list
	n := float64(len(list))
	for _, c := range list {
		m.Waited += c.Own.Waited / n
		m.Iteration += c.Own.Iteration / n
		m.Staleness += c.Own.Staleness / n
		m.Spread, m.Clock = max(m.Spread, c.Own.Spread), max(m.Clock, c.Own.Clock)
	}
	return m
}

func show(all *kit.View[point, measured]) {
	v := view{all}
	v.Frames = append(v.waits(), v.vain()...)
	v.Frames = append(v.Frames, v.links(), v.worth())
	v.Figures = []result.Figure{{ID: "versions-vain", Form: "bar", Frame: "versions-vain", Where: map[string]any{"anybody": true},
		X: "place", Y: []string{"waits", "vain"}, By: []string{"method"}}}
	v.stories()
	v.sentences()
	v.Facts = append(setup.Settings(), kit.Facts("link/Gb/s", 10, "staleness", setup.SSPBound, "lower", setup.DSSPLower, "upper", setup.DSSPUpper,
		"story.worker", storyConfig.Worker+1, "story.pushes", storyConfig.SlowPushes)...)
}

// head begins the columns of a frame with the run that a row tells of.
const head = "cluster:platform model:model method:method "

// waits counts waits and answers, and how the tests of versions judge them, by run and in sums. In a
// run, the share of waits in vain is the mean over the seeds that have a wait; in a sum it is of all
// waits together. The head start says how many of the decisions that the test by Smin calls wrong or
// right fall in the time in which the slowest worker has made at most s pushes.
func (v view) waits() []result.Frame {
	const tested = "pushes waits once vain_smin vain_smin_share%[1]s/%%.1 ahead_smin vain_smax vain_smax_share%[1]s/%%.1 ahead_smax"
	rows := kit.NewSheet("versions-census", head+fmt.Sprintf(tested, "±"))
	sums := kit.NewSheet("clusters", "cluster:platform method:method "+fmt.Sprintf(tested, ""))
	early := kit.NewSheet("head-start", "method:method early_waits right_waits early_through wrong_through")
	add := func(to *kit.Sheet, c censuses, share func(t int) any, head ...any) {
		row := append(head, c.pushes, c.waits, c.pushes-c.waits)
		for t, n := range c.all.Count {
			row = append(row, n[1][0], share(t), n[0][1])
		}
		to.Add(row...)
	}
	all := map[string]census{}
	for _, c := range clusters {
		for _, m := range setup.Models {
			for _, method := range clockMethods {
				x := v.of(c, referenceLink, m, method)
				add(rows, x, func(t int) any { return vainShare(x.list, t) }, c, m, method)
			}
		}
		for _, method := range clockMethods {
			x := v.of(c, referenceLink, "", method)
			add(sums, x, func(t int) any { return kit.ShareOf(x.all.Count[t][1][0], x.waits) }, c, method)
			all[method] = pool([]census{all[method], x.all})
		}
	}
	for _, method := range clockMethods {
		c := all[method]
		early.Add(method, c.Early[bySmin][1], c.Count[bySmin][1][1], c.Early[bySmin][0], c.Count[bySmin][0][1])
	}
	return []result.Frame{rows.Frame, sums.Frame, early.Frame}
}

// vain returns the shares of pushes made to wait, and in vain, and the time lost by all workers
// together, as means over seeds. The column anybody marks the bars to draw: there one of the methods
// makes somebody wait.
func (v view) vain() []result.Frame {
	shares := kit.NewSheet("versions-vain", "place:place "+head+"waits~/%.0 vain~/%.0 anybody")
	lost := kit.NewSheet("versions-seconds", head+"waited/s.2 vain_smin/s.2 vain_smax/s.2 share/%_of_time.1 vain_share/%_of_time.1")
	for _, c := range clusters {
		for _, m := range setup.Models {
			anybody := slices.ContainsFunc(clockMethods, func(method string) bool { return v.of(c, referenceLink, m, method).waits > 0 })
			for _, method := range clockMethods {
				x := v.of(c, referenceLink, m, method)
				share := func(of func(c census, waits int) int) kit.Estimate {
					return kit.Each(x.list, func(one census) float64 {
						waits, pushes := one.waited()
						return kit.ShareOf(of(one, waits), pushes)
					}).Mean().Clamp(0, 100)
				}
				shares.Add(c+"-"+m, c, m, method, share(func(_ census, waits int) int { return waits }),
					share(func(c census, _ int) int { return c.Count[bySmin][1][0] }), anybody)
				n, seconds := float64(len(x.list)), x.all.Seconds
				waited := seconds[bySmin][0] + seconds[bySmin][1]
				lost.Add(c, m, method, waited/n, seconds[bySmin][0]/n, seconds[bySmax][0]/n, 100*waited/x.all.Length,
					100*seconds[bySmin][0]/x.all.Length)
			}
		}
	}
	return []result.Frame{shares.Frame, lost.Frame}
}

// links returns the same shares on every link of the profile.
func (v view) links() result.Frame {
	s := kit.NewSheet("versions-links", head+"link/Gb/s waits/%.1 vain/%_of_waits.1")
	for _, c := range clusters {
		for _, m := range setup.Models {
			for _, method := range clockMethods {
				for _, l := range platforms.Links {
					if x := v.of(c, l.Name, m, method); len(x.list) > 0 {
						s.Add(c, m, method, 8*l.Bandwidth/1e9, kit.ShareOf(x.waits, x.pushes), kit.ShareOf(x.all.Count[bySmin][1][0], x.waits))
					}
				}
			}
		}
	}
	return s.Frame
}

// worth compares the methods' own runs; beside_ssp marks where SSP makes anybody wait. A test on
// SSP's history does not say what another answer would have led to: its waits kept SSP's versions
// together.
func (v view) worth() result.Frame {
	s := kit.NewSheet("versions-worth", head+
		"waits/%_of_pushes.1 iteration/ms.2 over_ssp/.2 staleness/versions.2 spread/versions clock/clocks beside_ssp")
	for _, c := range clusters {
		for _, m := range setup.Models {
			ssp := v.own(c, m, "ssp")
			for _, method := range setup.Methods[1:] {
				x := v.own(c, m, method)
				s.Add(c, m, method, 100*x.Waited, 1e3*x.Iteration, x.Iteration/ssp.Iteration, x.Staleness, x.Spread, x.Clock, ssp.Waited > 0)
			}
		}
	}
	return s.Frame
}

// stories draws the gaps of one worker as lines of steps, since each gap holds until the next push,
// and lists where they end. low counts the gaps of at most 1 in the second half.
func (v view) stories() {
	ends := kit.NewSheet("stories", "method:method span/ms.0 half clock_end clock_most clock_low version_end version_most version_low")
	corners := kit.NewSheet("gaps", "method:method ms/ms clock version")
	for _, m := range storyMethods {
		s := v.At(point{storyConfig.Cluster, "", storyConfig.Model, m, true})[0].Story
		n := len(s.Ms)
		row := []any{m, s.Ms[n-1], n - n/2}
		for _, gaps := range [][]int64{s.Clock, s.Version} {
			low := slices.DeleteFunc(slices.Clone(gaps[n/2:]), func(gap int64) bool { return gap > 1 })
			row = append(row, gaps[n-1], slices.Max(gaps), len(low))
		}
		ends.Add(row...)
		for i, x := range s.Ms {
			if i > 0 {
				corners.Add(m, x, s.Clock[i-1], s.Version[i-1])
			}
			corners.Add(m, x, s.Clock[i], s.Version[i])
		}
		v.Figures = append(v.Figures, result.Figure{ID: "gaps-" + m, Form: "line", Frame: "gaps", Where: map[string]any{"method": m},
			X: "ms", Y: []string{"clock", "version"}})
	}
	v.Frames = append(v.Frames, ends.Frame, corners.Frame)
}
