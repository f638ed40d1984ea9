// Package dsspanchor compares the simulation of DSSP's two clusters with the numbers that its paper
// publishes (Zhao et al., ICDCS 2019): an anchor for all simulated times.
package dsspanchor

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// DSSP's two clusters, as platform files.
const (
	mixedPair = "dssp2"  // GTX 1080 Ti + GTX 1060
	sixteen   = "dssp16" // 4 servers × 4 P100
)

// DSSP's training of its own ResNet-110; ResNet-18 stands in for its ResNet-50.
const (
	ownModel      = "resnet110"
	ownBatch      = 128
	epochImages   = 50_000                                         // CIFAR-100 has as many as CIFAR-10
	epochs        = 300                                            // stated
	fullGradients = (epochs*epochImages + ownBatch - 1) / ownBatch // 117,188
)

// sixteenModels lists the networks judged on the homogeneous cluster.
var sixteenModels = []string{ownModel, "resnet18"}

// lengths says how long the simulations are; times are scaled to fullGradients.
type lengths struct {
	Gradients int64 `json:"gradients"` // of a run that is judged
	Short     int64 `json:"short"`     // of one in the tables of other platforms
	Races     int64 `json:"races"`     // of a race by arithmetic
}

// lengthsOf returns the lengths of a profile. They were set before the first run, by time alone.
func lengthsOf(profile string) lengths {
	switch profile {
	case "ci":
		return lengths{Gradients: 1000, Short: 300, Races: 10_000}
	case "quick":
		return lengths{Gradients: 10_000, Short: 1500, Races: fullGradients}
	}
	return lengths{Gradients: fullGradients, Short: 8000, Races: fullGradients}
}

// tie returns the relative difference below which two times of n gradients count as equal: 0.1 %, as
// in dasp/table5, or more in short runs, whose end a worker decides by chance that may be s_U + 1
// pushes ahead.
func tie(n int64) float64 { return max(setup.SameTime, float64(setup.DSSPUpper+1)/float64(n)) }

// What the other platforms vary, fixed before the first run. Of the pair: the GTX 1060's time factor
// from 2 to 3.1, at which ASP takes its stated time, and the links of platforms.Links. Of the
// sixteen: the server as four machines, as one, and as one on 10 Gb/s, and the jitter.
var (
	otherFactors = []float64{2, 2.57, 3.1}
	otherServers = []float64{50e9, 12.5e9, 1.25e9} // bytes per second
	otherJitters = []float64{0, 0.05, 0.2}
)

// otherPair lists the contestants of the pair on other platforms.
func otherPair() []contestant {
	c := contestants(2)
	return []contestant{c[0], c[1], c[2], c[5], c[6]} // one SSP, and DASP by its rule
}

// otherSixteen lists the contestants of the sixteen on other platforms.
func otherSixteen() []contestant { return contestants(16)[:6] } // without DASP

// The races: the pair's factor, written 0, with three jitters, and a straggler of factor 6.
var raceRows = []struct {
	Factor float64 `json:"factor"`
	Jitter float64 `json:"jitter"`
}{{0, 0}, {0, 0.01}, {0, 0.05}, {6, 0}, {6, 0.05}}

// The forms of DSSP in a race.
const cappedForm, printedForm = "capped", "printed"

// point is a contestant's run on a cluster, or a race.
type point struct {
	Cluster, Model, Contestant string  // of a race: "", "" and the form
	Factor, Jitter, Bandwidth  float64 // of a race, or of another platform, whose bandwidth is not 0
}

// measured keeps one of the two of a point.
type measured struct {
	Run  simulation
	Race raced
}

// Experiment compares DSSP's published numbers with the simulation of its clusters. It runs the
// timing alone, not the times to accuracy.
func Experiment() exp.Experiment {
	return kit.Study[point, measured]{ID: "dasp/dssp-anchor", Source: "Zhao et al., ICDCS 2019 (DASP's [18]), Table I and Section V.B: ours",
		Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []point { return points() },
		Cost: func(profile string, h point) (string, float64) {
			switch s := lengthsOf(profile); {
			case h.Cluster == "":
				return "races", 0.3e-6 * float64(s.Races)
			case h.Bandwidth > 0:
				return "other platforms", 12e-6 * float64(s.Short)
			default:
				return "anchor", 12e-6 * float64(s.Gradients)
			}
		},
		Config:  func(profile string) map[string]any { return config(lengthsOf(profile)) },
		Once:    func(h point) bool { return h.Bandwidth > 0 },
		Measure: measure,
		Show:    show}.Experiment()
}

// points lists the runs on both clusters and on other platforms, and the races.
func points() (out []point) {
	on := func(cluster, model string, list []contestant, factor, jitter, bandwidth float64) {
		for _, c := range list {
			out = append(out, point{cluster, model, c.Key, factor, jitter, bandwidth})
		}
	}
	on(mixedPair, ownModel, contestants(2), 0, 0, 0)
	for _, m := range sixteenModels {
		on(sixteen, m, contestants(16), 0, 0, 0)
	}
	for _, l := range platforms.Links {
		for _, f := range otherFactors {
			on(mixedPair, ownModel, otherPair(), f, 0, l.Bandwidth)
		}
	}
	for _, server := range otherServers {
		for _, j := range otherJitters {
			on(sixteen, ownModel, otherSixteen(), 0, j, server)
		}
	}
	for _, r := range raceRows {
		on("", "", []contestant{{Key: cappedForm}, {Key: printedForm}}, r.Factor, r.Jitter, 0)
	}
	return out
}

// measure makes a run or plays a race.
func measure(ctx context.Context, env exp.Env, h point, seed uint64) (out measured, err error) {
	s := lengthsOf(env.Profile)
	if h.Cluster == "" {
		x := race{raceFactor(h.Factor), setup.DSSPLower, setup.DSSPUpper, h.Contestant == cappedForm, cluster.Host{Jitter: h.Jitter}}
		out.Race = x.run(s.Races, cluster.Stream(seed, 0, "dssp-anchor", "race"))
		return out, ctx.Err()
	}
	p, n := setup.Load(h.Cluster), s.Gradients
	switch {
	case h.Bandwidth == 0:
	case h.Cluster == mixedPair:
		p, n = withFactor(p, h.Factor, h.Bandwidth), s.Short
	default:
		p, n = p.WithHosts(func(host *cluster.Host, server bool) {
			if !server {
				host.Jitter = h.Jitter
			}
		}).WithServerBandwidth(h.Bandwidth), s.Short
	}
	c := kit.Find(contestants(int64(len(p.Workers))), func(c contestant) bool { return c.Key == h.Contestant })
	out.Run, err = c.timed(ctx, env, p, h.Model, n, seed)
	return out, err
}

// withFactor returns the pair p with another time factor f and bandwidth.
func withFactor(p *cluster.Platform, f, bandwidth float64) *cluster.Platform {
	q := p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = bandwidth })
	q.Workers[1].FLOPS, q.Workers[1].Memory = q.Workers[0].FLOPS/f, q.Workers[0].Memory/f
	return q
}

// pairFactor returns how much slower than the fast card the slow one computes.
func pairFactor() float64 {
	w := setup.Load(mixedPair).Workers
	return w[0].FLOPS / w[1].FLOPS
}

// raceFactor returns f, or the pair's factor in place of 0.
func raceFactor(f float64) float64 {
	if f == 0 {
		return pairFactor()
	}
	return f
}

func config(s lengths) map[string]any {
	return map[string]any{"pair": kit.Platform(setup.Load(mixedPair)), "sixteen": kit.Platform(setup.Load(sixteen)), "pair_contestants": contestants(2),
		"sixteen_contestants": contestants(16), "pair_model": ownModel, "sixteen_models": sixteenModels, "alpha": setup.Alpha, "size": s, "batch": ownBatch,
		"gradients_of_300_epochs": int64(fullGradients), "launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "tie": tie(s.Gradients),
		"other_factors": otherFactors, "other_links": platforms.Links, "other_pair_contestants": otherPair(), "other_servers": otherServers,
		"other_jitters": otherJitters, "other_sixteen_contestants": otherSixteen(), "races": raceRows, "race_bounds": []int64{setup.DSSPLower, setup.DSSPUpper},
		"flops_of_training": benchRate}
}

// statedTime returns Table I's time to 0.67, NaN for DASP.
func (c contestant) statedTime() float64 {
	if claim, ok := claims.Get(c.Stated); ok {
		if x, ok := claim.Number(); ok {
			return x
		}
	}
	return math.NaN()
}

// closedForm returns the time relative to BSP's, by arithmetic, with two workers whose iterations
// differ by f.
func (c contestant) closedForm(f float64) float64 {
	if c.lead() >= 0 {
		return boundedRatio(c.lead(), fullGradients)
	}
	if c.Sync == "asp" {
		return aspRatio(f)
	}
	return math.NaN() // DASP's gap is in versions: it has no closed form here
}

// stated returns Table I's time relative to BSP's.
func (f clusterRuns) stated(i int) float64 { return f.list[i].statedTime() / f.list[0].statedTime() }

func show(v *kit.View[point, measured]) {
	s := lengthsOf(v.Profile)
	of := func(h point, list []contestant) clusterRuns {
		f := clusterRuns{list: list}
		for _, c := range list {
			h.Contestant = c.Key
			f.runs = append(f.runs, kit.Map(v.At(h), func(x measured) simulation { return x.Run }))
		}
		return f
	}
	pair, homo := of(point{Cluster: mixedPair, Model: ownModel}, contestants(2)), map[string]clusterRuns{}
	for _, m := range sixteenModels {
		homo[m] = of(point{Cluster: sixteen, Model: m}, contestants(16))
	}
	others := map[point]clusterRuns{}
	var links, orders []point
	for _, h := range points() {
		switch {
		case h.Bandwidth == 0 || h.Contestant != "bsp":
		case h.Cluster == mixedPair:
			links, others[h] = append(links, h), of(h, otherPair())
		default:
			orders, others[h] = append(orders, h), of(h, otherSixteen())
		}
	}
	v.Frames = []result.Frame{runFrame(pair, homo), raceFrame(v, s), linkFrame(links, others), orderFrame(orders, others, s)}
	v.Figures = []result.Figure{{ID: "anchor-bars", Form: "bar", Frame: "runs", Where: map[string]any{"listed": true},
		X: "method", Y: []string{"ratio", "stated_ratio"}}}
	v.Claims = append(tableClaims(pair), homogeneousOrder(homo, s))
	v.Facts = slices.Concat(facts(pair, s), orderFacts(pair, s), findings(v, pair, s, links, others))
}

// runFrame lists the runs on both clusters, the pair's timing beside the stated times. The column
// explained is the part of the stated saving that timing gives.
func runFrame(pair clusterRuns, homo map[string]clusterRuns) result.Frame {
	s := kit.NewSheet("runs", "cluster:platform model:model method:contestant time±/s.1 ratio~/.4 closed/.3 stated/s.1 stated_ratio/.3 "+
		"explained/%.0 gradients/.2 share/%.1 fast_waits/%.1 waits/%.2 largest staleness/versions.2 listed")
	add := func(f clusterRuns, cluster, model string) {
		for i, c := range f.list {
			of := func(x float64) float64 { return kit.OnlyIf(cluster == mixedPair, x) }
			percent := func(share func(simulation) float64) float64 { return 100 * f.mean(i, share) }
			over, stated := f.over(i), f.stated(i)
			s.Add(cluster, model, c.Key, f.times(i).Mean(), over, of(c.closedForm(f.factor())), of(c.statedTime()), of(stated),
				of(100*(1-over.Value)/(1-stated)), of(stated/over.Value), of(percent(func(l simulation) float64 { return l.FastShare })),
				of(percent(func(l simulation) float64 { return l.FastWaits })), percent(func(l simulation) float64 { return l.Waits }),
				f.largest(i), f.mean(i, func(l simulation) float64 { return l.Staleness }), cluster == mixedPair && c.Stated != "")
		}
	}
	add(pair, mixedPair, ownModel)
	for _, m := range sixteenModels {
		add(homo[m], sixteen, m)
	}
	return s.Frame
}

// racing returns the races of a form, and their mean time over BSP's.
func racing(v *kit.View[point, measured], h point, s lengths) ([]measured, kit.Estimate) {
	runs := v.At(h)
	return runs, kit.Each(runs, func(x measured) float64 { return x.Race.time / (float64(s.Races) * raceFactor(h.Factor) / 2) }).Mean()
}

// raceFrame shows DSSP with its range capped and as printed, without a network.
func raceFrame(v *kit.View[point, measured], s lengths) result.Frame {
	f := kit.NewSheet("printed", "factor/.2 jitter/% form:form ratio/.3 asp/.3 largest waits/.0 waited/%_of_time.1 pair")
	for _, h := range points() {
		if h.Cluster != "" {
			continue
		}
		runs, ratio := racing(v, h, s)
		of := func(x func(raced) float64) float64 {
			return kit.Each(runs, func(h measured) float64 { return x(h.Race) }).Mean().Value
		}
		f.Add(raceFactor(h.Factor), 100*h.Jitter, h.Contestant, ratio, aspRatio(raceFactor(h.Factor)),
			kit.Largest(runs, func(h measured) int64 { return h.Race.largest }),
			math.Round(of(func(r raced) float64 { return float64(r.waits) })), 100*of(func(r raced) float64 { return r.waited / r.time }), h.Factor == 0)
	}
	return kit.As(result.Modelled, f.Frame)
}

// linkFrame lists the pair's ratios over links and time factors; own marks the cards' own factor.
func linkFrame(rows []point, others map[point]clusterRuns) result.Frame {
	columns, keys := "link/Gb/s factor/.2 f/.2", []string{}
	for _, c := range otherPair()[1:] {
		columns, keys = columns+" "+c.Key+"/.3", append(keys, c.Key)
	}
	s := kit.NewSheet("other-pairs", columns+" closed/.3 own")
	for _, h := range rows {
		f := others[h]
		row := []any{8 * h.Bandwidth / 1e9, h.Factor, f.factor()}
		for _, key := range keys {
			row = append(row, f.ratio(key))
		}
		s.Add(append(row, aspRatio(f.factor()), h.Factor == otherFactors[1])...)
	}
	return s.Frame
}

// orderFrame lists the order, fastest first, on other servers and jitters.
func orderFrame(rows []point, others map[point]clusterRuns, size lengths) result.Frame {
	s := kit.NewSheet("other-orders", "server/Gb/s jitter/% order asp/.3")
	for _, h := range rows {
		var list []entrant
		for i, c := range others[h].list {
			list = append(list, entrant{symbol: c.Symbol, seconds: others[h].times(i)[0]})
		}
		s.Add(8*h.Bandwidth/1e9, 100*h.Jitter, order(list, tie(size.Short)), others[h].ratio("asp"))
	}
	return s.Frame
}

// facts returns what timing explains of Table I, and on what the numbers rest.
func facts(f clusterRuns, s lengths) []result.Fact {
	parameters := setup.FullSizeOf(ownModel).Params
	const weights, biases = 64 * 90, 90 // that 90 more classes need
	var paces, stated []float64
	for _, key := range []string{"ssp-3", "ssp-6", "ssp-15"} {
		paces, stated = append(paces, f.ratio(key)), append(stated, f.stated(f.at(key)))
	}
	return kit.Facts("gradients.full", int64(fullGradients), "gradients", s.Gradients, "gradients.short", s.Short, "gradients.race", s.Races,
		"epochs", epochs, "images", epochImages, "batch", ownBatch, "target", 0.67, "lower", setup.DSSPLower, "upper", setup.DSSPUpper,
		"grant", setup.DSSPUpper-setup.DSSPLower, "f.other", otherFactors[2], "parameters", parameters, "classes", 10, "classes.stated", 100,
		"weights.more", weights, "biases.more", biases, "workers", len(setup.Load(sixteen).Workers), "overhead/ms", setup.Milliseconds(train.DefaultOverhead),
		"link/Gb/s", 8*setup.Load(mixedPair).Server.Bandwidth/1e9, "tie/%", 100*tie(s.Gradients), "f/.2", f.factor(),
		"f.asp/.2", factorOf(f.stated(f.at("asp"))), "f.cards/.2", pairFactor(), "tie.short/%.1", 100*tie(s.Short),
		"lead/%.3", 100*float64(setup.DSSPUpper+1)/fullGradients, "more/%.1", 100*float64(weights+biases)/float64(parameters),
		"scaled", s.Gradients < fullGradients, "ssp.stated.least/.3", slices.Min(stated), "ssp.stated.most/.3", slices.Max(stated),
		"ssp.pace.least/.3", slices.Min(paces), "ssp.pace.most/.3", slices.Max(paces), "ssp.unexplained", slices.Max(stated) < slices.Min(paces))
}

// findings says what jitter makes of the printed form, what DASP's thresholds do between two
// workers, and whether DSSP's gain comes from the server's link.
func findings(v *kit.View[point, measured], f clusterRuns, s lengths, links []point, others map[point]clusterRuns) []result.Fact {
	pace := func(jitter float64) float64 {
		_, x := racing(v, point{Contestant: printedForm, Jitter: jitter}, s)
		return x.Value
	}
	free, narrow := byVersions(f, s)
	var gains []float64
	for _, h := range links {
		if h.Factor == otherFactors[1] {
			gains = append(gains, others[h].ratio("dssp"))
		}
	}
	return kit.Facts("printed:printed", reading(pace(0), pace(0.01), pace(0.05), aspRatio(pairFactor())),
		"versions.free", free, "versions.narrow", narrow, "queue", queueIsTheReason(gains))
}

// byVersions reports whether DASP's thresholds leave the fast worker free where SSP's bound does
// not, and whether the narrow ones make it wait.
func byVersions(f clusterRuns, s lengths) (free, narrow bool) {
	rule, six, halfway := f.over(6).Value, f.over(7).Value, (f.ratio("asp")+1)/2
	return max(rule, six) < halfway && f.ratio("ssp-3") > halfway, rule > six*(1+tie(s.Gradients))
}

// queueIsTheReason reports whether DSSP's time comes up to BSP's as links widen.
func queueIsTheReason(ratios []float64) bool {
	rising := true
	for i := range ratios[1:] {
		rising = rising && ratios[i+1] > ratios[i]
	}
	return rising && ratios[0] > 0 && ratios[len(ratios)-1] > 0.99
}
