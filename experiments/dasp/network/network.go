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

// methodForms lists the paper's methods in its order, DASP in its three forms.
func methodForms() (out []methodForm) {
	for _, m := range setup.Methods[:len(setup.Methods)-1] {
		out = append(out, methodForm{m, m, func(*rivals.Options) {}})
	}
	return append(out, computeForm, iterationForm, untimedForm)
}

// formConfigs returns the methods' parameters in every form.
func formConfigs() map[string]any {
	out := map[string]any{}
	for _, f := range methodForms() {
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

// sameTime is the relative difference up to which two iteration times count as the same.
const sameTime = 0.01

// The clusters on which both readings of f are set beside each other.
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
					for _, f := range methodForms() {
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
				"short": shortWait, "same_time": sameTime}
		},
		Measure: func(ctx context.Context, env exp.Env, l point, seed uint64) (measured, error) {
			v := kit.Find(clusters(""), func(v platforms.Variant) bool { return linkSpeedsOf(v) == l.linkSpeeds })
			f := kit.Find(methodForms(), func(f methodForm) bool { return f.key == l.Form })
			cfg := setup.Timing(v.Platform, f.sync, l.Model, seed)
			f.set(cfg.Options)
			return train.Kept(ctx, env, cfg, func(o *train.Outcome) (measured, error) { return measuredOf(o, *cfg.Options) })
		},
		Show: func(all *kit.View[point, measured]) {
			v := view{all, kit.Map(clusters(all.Profile), linkSpeedsOf)}
			tested, bound := v.bound()
			v.Frames = []result.Frame{v.iterations(), v.forms(), v.waits(), tested}
			for _, set := range []string{"unequal", "remote"} {
				v.Figures = append(v.Figures, result.Figure{ID: "network-" + set, Form: "bar", Frame: "forms", Where: map[string]any{"links": set, "drawn": true},
					X: "place", Y: []string{"over_bsp"}, By: []string{"form"}})
			}
			v.Facts = append(v.facts(), bound)
		}}
}

// view shows what was measured on all clusters of the profile.
type view struct {
	*kit.View[point, measured]
	sites []linkSpeeds
}

// rows lists a point for each form of each network on each cluster.
func (v view) rows(forms ...methodForm) (out []point) {
	for _, s := range v.sites {
		for _, m := range setup.Models {
			for _, f := range forms {
				out = append(out, point{s, m, f.key})
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
	for _, l := range v.rows(methodForms()[0]) {
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
	for _, l := range v.rows(methodForms()[1:]...) {
		s.Add(l.Links, l.Server, l.Model, l.Form, fmt.Sprintf("%s-%g", l.Model, l.Server), v.over(l, "bsp"), l.Form != untimedForm.key)
	}
	return s.Frame
}

// waits shows of what DASP's waits are made, all seeds together. The column compute is the time over
// that with f = compute.
func (v view) waits() result.Frame {
	s := kit.NewSheet("network-waits", head+"form:form QIS/%.1 WSS/%.1 FSS/%.1 zero/%_of_WSS.1 short/%_of_WSS.1 twait/ms.2 oldest/ms.1 "+
		"wss/s fss/s k/.2 solo/%_of_groups.1 groups stale/versions.2 spread/versions compute/.3 idle:bool")
	per := func(x float64, n int) float64 { return kit.OnlyIf(n > 0, x/float64(n)) }
	for _, l := range v.rows(computeForm, iterationForm) {
		runs, w := v.summaries(l), allWaits(v.At(l))
		share := func(state string) float64 { return 100 * stateShare(v.At(l), state) }
		waited := func(state string) kit.Estimate {
			return kit.Each(runs, func(c setup.Summary) float64 { return c.Seconds[state] }).Mean()
		}
		s.Add(l.Links, l.Server, l.Model, l.Form, share("QIS"), share("WSS"), share("FSS"), kit.ShareOf(w.Zero, w.WSS), kit.ShareOf(w.Short, w.WSS),
			per(1e3*w.Wait, w.WSS), per(1e3*w.Oldest, w.WSS), waited("WSS"), waited("FSS"), per(float64(w.Members), w.Groups),
			kit.ShareOf(w.Solo, w.Groups), w.Groups, kit.Each(runs, setup.MeanStaleness).Mean(), setup.WidestSpread(runs), v.over(l, computeForm.key),
			onlyQIS(v.At(l)))
	}
	return s.Frame
}

// boundSites are the clusters on which the bound alone may decide.
var boundSites = []linkSpeeds{unequalWide, unequalNarrow, remoteWide}

// bound tests, network by network, whether DASP by computation times takes as long as with the bound Smax
// alone, and answers whether it does wherever anybody waits: yes, no, partly, or never where nobody does.
func (v view) bound() (result.Frame, result.Fact) {
	s := kit.NewSheet("tested", head+"value~ case:bool holds:bool")
	same, other := 0, 0
	for _, site := range boundSites {
		for _, m := range setup.Models {
			l := point{site, m, computeForm.key}
			if len(v.At(l)) == 0 {
				continue
			}
			var e kit.Estimate
			there := !onlyQIS(v.At(l)) // somebody waits
			if there {
				e = v.over(l, untimedForm.key)
			}
			holds := there && math.Abs(e.Value-1) <= sameTime
			if s.Add(l.Links, l.Server, l.Model, e, there, holds); holds {
				same++
			} else if there {
				other++
			}
		}
	}
	word := "partly"
	switch {
	case same == 0 && other == 0:
		word = "never"
	case other == 0:
		word = "yes"
	case same == 0:
		word = "no"
	}
	return s.Frame, kit.Facts("bound:bound", word)[0]
}

// stateShare returns a state's share of pushes, the mean over seeds.
func stateShare(runs []measured, state string) float64 {
	return kit.Each(runs, func(c measured) float64 { return c.Summary.Share[state] }).Mean().Value
}

// facts returns what eq. (1) asked for on unequal links, where both readings of f agree, and the
// parameters that texts name.
func (v view) facts() []result.Fact {
	asked, same, of := wssWaits{}, 0, 0
	for _, s := range boundSites {
		for _, m := range setup.Models {
			compute, iteration := point{s, m, computeForm.key}, point{s, m, iterationForm.key}
			if s.Links == "unequal" {
				asked.add(allWaits(v.At(compute)))
			}
			if len(v.At(compute)) == 0 || onlyQIS(v.At(compute)) && onlyQIS(v.At(iteration)) {
				continue
			}
			if of++; math.Abs(v.over(iteration, computeForm.key).Value-1) <= sameTime {
				same++
			}
		}
	}
	per := func(x float64) float64 { return kit.OnlyIf(asked.WSS > 0, 1e3*x/float64(asked.WSS)) }
	out := append(setup.Settings(), kit.Facts("asked.zero/%.0", kit.ShareOf(asked.Zero, asked.WSS), "asked.short/%.0", kit.ShareOf(asked.Short, asked.WSS),
		"asked.wait/ms", per(asked.Wait), "asked.oldest/ms", per(asked.Oldest))...)
	for w, link := range platforms.UnequalLinks {
		out = append(out, kit.Facts(fmt.Sprintf("link.%d/Gb/s", w+1), 8*link/1e9)...)
	}
	return append(out, kit.Facts("same_time/%", 100*sameTime, "link.wide/Gb/s", unequalWide.Server, "link.narrow/Gb/s", unequalNarrow.Server,
		"short/%", 100*shortWait, "latency/ms", setup.Milliseconds(platforms.RemoteLatency), "asked", asked.WSS,
		"readings.same", same, "readings", of, "gradients", setup.Workers*setup.PerWorker, "warmup", setup.Warmup)...)
}
