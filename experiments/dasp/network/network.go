// Package network asks what DASP makes of equal devices behind unequal links.
package network

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
)

// methodForm is a method in one reading.
type methodForm struct {
	key, sync string
	set       func(*rivals.Options)
}

// The forms of DASP. T_wait of eq. (1) is made of iteration times f: in our default reading f is
// the computation alone, in the other the whole iteration with its transfers. α = 0 makes every
// T_wait 0 and leaves the bound Smax: DASP if eq. (1) says nothing.
var (
	computeForm   = methodForm{"dasp", "dasp", func(o *rivals.Options) { o.Duration = "compute" }}
	iterationForm = methodForm{"dasp-iteration", "dasp", func(o *rivals.Options) { o.Duration = "iteration" }}
	untimedForm   = methodForm{"dasp-untimed", "dasp", func(o *rivals.Options) { o.Alpha = 0 }}
)

// printedForms lists DASP without the re-check that holds WSS and FSS answers to Smax: Algorithm 1
// as printed. They were added after the first run, which showed that the re-check decides nearly
// alone.
var printedForms = []methodForm{
	asPrinted("printed-compute", computeForm), asPrinted("printed-iteration", iterationForm), asPrinted("printed-untimed", untimedForm),
}

// asPrinted returns f without the re-check.
func asPrinted(key string, f methodForm) methodForm {
	return methodForm{key, f.sync, func(o *rivals.Options) { f.set(o); o.FSS = "literal" }}
}

// methodForms lists the paper's methods in its order, DASP in its three forms.
func methodForms() (out []methodForm) {
	for _, m := range setup.Methods[:len(setup.Methods)-1] {
		out = append(out, methodForm{m, m, func(*rivals.Options) {}})
	}
	return append(out, computeForm, iterationForm, untimedForm)
}

// formsOn lists the forms that run on v.
func formsOn(v platforms.Variant) []methodForm {
	if v.Workers == platforms.UnequalLinkSet {
		return append(methodForms(), printedForms...)
	}
	return methodForms()
}

// formConfigs returns the methods' parameters in every form.
func formConfigs() map[string]any {
	out := map[string]any{}
	for _, f := range append(methodForms(), printedForms...) {
		o := setup.Options()
		f.set(&o)
		out[f.key] = map[string]any{"method": f.sync, "options": o}
	}
	return out
}

// clusters returns the clusters of a profile. ci leaves out the equal links and the remote worker's
// second server.
func clusters(profile string) []platforms.Variant {
	return slices.DeleteFunc(kit.Must(platforms.Networks()), func(v platforms.Variant) bool {
		return profile == "ci" && v.Workers != platforms.UnequalLinkSet && linkSpeedsOf(v) != remoteWide
	})
}

// linkSpeeds names a cluster by the workers' links and the server's link in Gb/s.
type linkSpeeds struct {
	Links  string
	Server float64
}

// The clusters that hypotheses and texts name.
var (
	unequalWide   = linkSpeeds{"unequal", 100}
	unequalNarrow = linkSpeeds{"unequal", 10}
	remoteWide    = linkSpeeds{"remote", 100}
)

func linkSpeedsOf(v platforms.Variant) linkSpeeds {
	links := map[string]string{platforms.EqualLinks: "equal", platforms.UnequalLinkSet: "unequal", platforms.RemoteWorker: "remote"}
	return linkSpeeds{links[v.Workers], 8 * v.Platform.Server.Bandwidth / 1e9}
}

// point is a form of a method with a network on a cluster.
type point struct {
	linkSpeeds
	Model, Form string
}

func (l point) as(form string) point { l.Form = form; return l }

// Experiment returns dasp/network.
func Experiment() exp.Experiment { return study().Experiment() }

// study asks what DASP makes of equal devices behind unequal links. §1 names such links as a motive;
// eq. (1), read by computation times, cannot see them.
func study() kit.Study[point, measured] {
	return kit.Study[point, measured]{ID: "dasp/network", Source: "ours",
		Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(profile string) (out []point) {
			for _, v := range clusters(profile) {
				for _, m := range setup.Models {
					for _, f := range formsOn(v) {
						out = append(out, point{linkSpeedsOf(v), m, f.key})
					}
				}
			}
			return out
		},
		Cost: func(string, point) (string, float64) { return "network", 0.016 },
		Config: func(profile string) map[string]any { // the clusters by the rule that makes them
			return map[string]any{"platform": kit.Platform(setup.Load(setup.Homogeneous)), "sites": kit.Map(clusters(profile), linkSpeedsOf),
				"unequal_links": platforms.UnequalLinks, "remote_latency": platforms.RemoteLatency,
				"server_links": platforms.ServerLinks, "models": setup.Models, "forms": formConfigs(),
				"batch": setup.FullBatch, "gradients": setup.Workers * setup.PerWorker, "warmup": setup.Warmup,
				"launch": train.DefaultLaunch, "overhead": train.DefaultOverhead,
				"short": shortWait, "criteria": criteria}
		},
		Measure: func(ctx context.Context, env exp.Env, l point, seed uint64) (measured, error) {
			v := kit.Find(clusters(""), func(v platforms.Variant) bool { return linkSpeedsOf(v) == l.linkSpeeds })
			f := kit.Find(formsOn(v), func(f methodForm) bool { return f.key == l.Form })
			cfg := setup.Timing(v.Platform, f.sync, l.Model, seed)
			f.set(cfg.Options)
			return train.Kept(ctx, env, cfg, func(o *train.Outcome) (measured, error) { return measuredOf(o, v.Platform, *cfg.Options) })
		},
		Show: func(all *kit.View[point, measured]) {
			v := view{all, kit.Map(clusters(all.Profile), linkSpeedsOf)}
			tested := v.test()
			v.Frames = append([]result.Frame{v.iterations(), v.forms(), v.waits(), v.server(), v.workers()}, tested.frames()...)
			for _, set := range []string{"unequal", "remote"} {
				v.Figures = append(v.Figures, result.Figure{ID: "network-" + set, Form: "bar", Frame: "forms", Where: map[string]any{"links": set, "drawn": true},
					X: "place", Y: []string{"over_bsp"}, By: []string{"form"}})
			}
			v.Facts = append(v.facts(), tested.bound())
		}}
}

// view shows what was measured on all clusters of the profile.
type view struct {
	*kit.View[point, measured]
	sites []linkSpeeds
}

// rows lists a point for each form of each network, on each cluster with the given links; "": on
// all.
func (v view) rows(links string, forms ...methodForm) (out []point) {
	for _, s := range v.sites {
		for _, m := range setup.Models {
			for _, f := range forms {
				if links == "" || s.Links == links {
					out = append(out, point{s, m, f.key})
				}
			}
		}
	}
	return out
}

// summaries returns the summaries of the runs of l.
func (v view) summaries(l point) []setup.Summary {
	return kit.Map(v.At(l), func(c measured) setup.Summary { return c.Summary })
}

// over returns l's iteration time per worker over another form's, paired by seed.
func (v view) over(l point, form string) kit.Estimate {
	return kit.Each(v.summaries(l), setup.PerIteration).Over(kit.Each(v.summaries(l.as(form)), setup.PerIteration))
}

// head begins the columns of a frame with where its rows were run.
const head = "links:links server/Gb/s model:model "

// iterations lists the mean iteration time of every form, BSP = 1.
func (v view) iterations() result.Frame {
	columns, forms := "bsp/ms.1", methodForms()[1:]
	for _, f := range forms {
		columns += " " + f.key + "±/.3"
	}
	s := kit.NewSheet("network-iteration", head+columns).Plain()
	for _, l := range v.rows("", methodForms()[0]) {
		row := []any{l.Links, l.Server, l.Model, kit.Each(v.summaries(l), setup.PerIteration).Mean().Times(1e3)}
		for _, f := range forms {
			row = append(row, v.over(l.as(f.key), "bsp"))
		}
		s.Add(row...)
	}
	return s.Frame
}

// forms lists the same numbers form by form, for figures. DASP with every T_wait 0 is in the table
// alone.
func (v view) forms() result.Frame {
	s := kit.NewSheet("forms", head+"form:form place:place over_bsp~/.2 drawn")
	for _, l := range v.rows("", methodForms()[1:]...) {
		s.Add(l.Links, l.Server, l.Model, l.Form, fmt.Sprintf("%s-%g", l.Model, l.Server), v.over(l, "bsp"), l.Form != untimedForm.key)
	}
	return s.Frame
}

// waits shows of what DASP's waits are made, all seeds together. The column compute is the time over
// that of the same kind with f = compute.
func (v view) waits() result.Frame {
	s := kit.NewSheet("network-waits", head+"form:form QIS/%.1 WSS/%.1 FSS/%.1 zero/%_of_WSS.1 short/%_of_WSS.1 twait/ms.2 oldest/ms.1 "+
		"wss/s fss/s k/.2 solo/%_of_groups.1 groups stale/versions.2 spread/versions bsp/.3 compute/.3 printed:bool idle:bool")
	per := func(x float64, n int) float64 { return kit.OnlyIf(n > 0, x/float64(n)) }
	for _, l := range append(v.rows("", computeForm, iterationForm), v.rows("unequal", printedForms...)...) {
		runs, w := v.summaries(l), allWaits(v.At(l))
		share := func(state string) float64 { return 100 * stateShare(v.At(l), state) }
		waited := func(state string) kit.Estimate {
			return kit.Each(runs, func(c setup.Summary) float64 { return c.Seconds[state] }).Mean()
		}
		base, printed := computeForm, slices.ContainsFunc(printedForms, func(f methodForm) bool { return f.key == l.Form })
		if printed {
			base = printedForms[0]
		}
		s.Add(l.Links, l.Server, l.Model, l.Form, share("QIS"), share("WSS"), share("FSS"), kit.ShareOf(w.Zero, w.WSS), kit.ShareOf(w.Short, w.WSS),
			per(1e3*w.Wait, w.WSS), per(1e3*w.Oldest, w.WSS), waited("WSS"), waited("FSS"), per(float64(w.Members), w.Groups),
			kit.ShareOf(w.Solo, w.Groups), w.Groups, kit.Each(runs, setup.MeanStaleness).Mean(), setup.WidestSpread(runs), v.over(l, "bsp"), v.over(l, base.key),
			printed, onlyQIS(v.At(l)))
	}
	return s.Frame
}

// server shows contention at the server: how full its link is, and how long an iteration queues
// there.
func (v view) server() result.Frame {
	s := kit.NewSheet("network-server", head+"method:method busy/%.1 queue/ms.2 fastest/ms.1 slowest/ms.1 uneven/.2")
	for _, l := range v.rows("", methodForms()[:2]...) {
		queue, times := 0.0, meanByWorker(v.At(l), iterationsOf)
		for _, q := range meanByWorker(v.At(l), func(c measured) []float64 { return c.Queue }) {
			queue += 1e3 * q / setup.Workers
		}
		s.Add(l.Links, l.Server, l.Model, l.Form, kit.Each(v.At(l), func(c measured) float64 { return 100 * c.Busy }).Mean(), queue,
			1e3*slices.Min(times), 1e3*slices.Max(times), unevenness(v.At(l)))
	}
	return s.Frame
}

// workers lists each worker's own iteration time on unequal links.
func (v view) workers() result.Frame {
	s := kit.NewSheet("network-workers", head+"form:form w1/ms.1 w2/ms.1 w3/ms.1 w4/ms.1 w5/ms.1 w6/ms.1")
	for _, l := range v.rows("unequal", methodForms()[1], computeForm, iterationForm) {
		row := []any{l.Links, l.Server, l.Model, l.Form}
		for _, x := range meanByWorker(v.At(l), iterationsOf) {
			row = append(row, 1e3*x)
		}
		s.Add(row...)
	}
	return s.Frame
}

// facts returns what eq. (1) asked for on unequal links, where both readings of f agree, and the
// parameters that texts name.
func (v view) facts() []result.Fact {
	asked, same, of := wssWaits{}, 0, 0
	for _, s := range []linkSpeeds{unequalWide, unequalNarrow, remoteWide} {
		for _, m := range setup.Models {
			compute, iteration := point{s, m, computeForm.key}, point{s, m, iterationForm.key}
			if s.Links == "unequal" {
				asked.add(allWaits(v.At(compute)))
			}
			if len(v.At(compute)) == 0 || onlyQIS(v.At(compute)) && onlyQIS(v.At(iteration)) {
				continue
			}
			if of++; math.Abs(v.over(iteration, computeForm.key).Value-1) <= criteria["same_time"] {
				same++
			}
		}
	}
	per := func(x float64) float64 { return kit.OnlyIf(asked.WSS > 0, 1e3*x/float64(asked.WSS)) }
	out := append(setup.Settings(), kit.Facts("asked.zero/%.0", kit.ShareOf(asked.Zero, asked.WSS), "asked.short/%.0", kit.ShareOf(asked.Short, asked.WSS),
		"asked.wait/ms", per(asked.Wait), "asked.oldest/ms", per(asked.Oldest))...)
	for w, link := range platforms.UnequalLinks {
		out = append(out, kit.Number(fmt.Sprintf("link.%d", w+1), "Gb/s", kit.AsIs, 8*link/1e9))
	}
	for _, key := range []string{"most_waits", "same_time", "kept_saving", "nearly_all", "not_nearly"} {
		out = append(out, kit.Number(key, "%", kit.AsIs, 100*criteria[key]))
	}
	return append(out, kit.Facts("link.wide/Gb/s", unequalWide.Server, "link.narrow/Gb/s", unequalNarrow.Server, "short/%", 100*shortWait,
		"latency/ms", setup.Milliseconds(platforms.RemoteLatency), "asked", asked.WSS, "readings.same", same, "readings", of, "evened", criteria["evened"],
		"gradients", setup.Workers*setup.PerWorker, "warmup", setup.Warmup)...)
}
