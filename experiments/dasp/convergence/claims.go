package convergence

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// The networks whose convergence times the paper states, and the methods that it compares DASP
// with, in its order.
var (
	cnns   = setup.Models[1:]
	others = setup.Methods[:4]
)

// convergenceClaim is a claim of how much sooner than a rival DASP reaches the target.
type convergenceClaim struct {
	id string
	point
	against string
}

// convergenceList lists D19–D26 for the homogeneous and D27–D34 for the heterogeneous cluster:
// network by network, against BSP, ASP, SSP and DSSP.
func convergenceList(platform string) (out []convergenceClaim) {
	first := 19
	if platform == setup.Heterogeneous {
		first = 27
	}
	for i, m := range cnns {
		for j, b := range others {
			out = append(out, convergenceClaim{fmt.Sprintf("D%d", first+len(others)*i+j), point{platform, m, "dasp"}, b})
		}
	}
	return out
}

// tableOf is the paper's table of a cluster's convergence times.
var tableOf = map[string]string{setup.Homogeneous: "6", setup.Heterogeneous: "7"}

// differing lists in what the runs of a network differ from the paper's.
func differing(v *view, platform, model string) (out []result.Reason) {
	s := setup.SizeOf(v.Profile, model)
	if d := v.At(point{platform, model, "bsp"})[0].Data; d != nil && d.Name != s.Wanted() {
		out = append(out, result.Because("data", "used", d.Name, "images", d.Train, "wanted", s.Wanted()))
	}
	if s.Width > 0 {
		out = append(out, result.Because("narrower", "by", s.Narrower(), "image", s.Image))
	}
	return append(out, result.Because("gradients", "n", s.Pushes, "batch", s.Batch), result.Because("clock", "batch", setup.ReferenceBatch, "gradients", s.Batch),
		result.Because("targets", "lowest", 100*s.Targets()[0], "step", 100*s.Step, "highest", 100*s.Target))
}

// union joins lists of reasons and keeps each reason once.
func union(lists ...[]result.Reason) (out []result.Reason) {
	seen := map[string]bool{}
	for _, r := range slices.Concat(lists...) {
		if key := fmt.Sprint(r); !seen[key] {
			out, seen[key] = append(out, r), true
		}
	}
	return out
}

// untold says why a network's times cannot be compared: the profile does not train it. It returns nil
// if they can. That a run misses a target leaves the comparison to the sign test.
func untold(v *view, p point) []result.Reason {
	if len(v.At(p)) == 0 {
		return []result.Reason{result.Because("untrained", "profile", v.Profile, "model", p.Model)}
	}
	return nil
}

// behind lists what every verdict on times of the methods of rests on.
func behind(v *view, p point, of ...string) []result.Reason {
	out := []result.Reason{result.Because("assumed-platform")}
	if setup.Visits(v.At(p.as("dasp"))) == setup.QISAlone {
		out = append(out, result.Because("dasp-is-asp"))
	}
	for _, m := range of {
		if n := first(v, p.as(m)); n > 0 {
			out = append(out, result.Because("first-evaluation", "method", m, "n", n, "of", len(v.Seeds)))
		}
	}
	return out
}

// reduced judges a stated reduction of DASP's convergence time, and returns the reduction measured,
// nothing if a run never has a target: then the sign test judges.
func reduced(v *view, c convergenceClaim) (result.Claim, kit.Estimate) {
	f, saved := claims.Found{Missing: untold(v, c.point)}, kit.Estimate{}
	if f.Missing == nil {
		ours, theirs := primary(v, c.point), primary(v, c.as(c.against))
		if saved = whole(ours.Over(theirs), ours, theirs).Saved(); saved.N > 0 {
			f = claims.Number(saved.Value, saved.CI, saved.Samples, saved.N)
		} else {
			f = censored(v, ours, theirs, c.against)
		}
		f.Notes = append(f.Notes, behind(v, c.point, "dasp", c.against)...)
		found := daspBeside(v, c.as(c.against), primary)
		if x := daspBeside(v, c.as(c.against), once); x != found {
			f.Notes = append(f.Notes, result.Because("one-target", "finding", x, "percent", 100*targetOf(v, c.point)))
		}
		if x := daspBeside(v, c.as(c.against), products); x != found {
			f.Notes = append(f.Notes, result.Because("by-product", "finding", x))
		}
		f.NoCase = []bool{same(v, c.point, c.as(c.against))}
		f.Differs = differing(v, c.Platform, c.Model)
	}
	f.Table, f.Network, f.Rival, f.Cluster = tableOf[c.Platform], c.Model, c.against, c.Platform
	return claims.Verdict(c.id, f), saved
}

// ratiosOf judges a claim that lists ratios: of measures each pair's methods, and the first is
// divided by the second. A number in which a run misses a target is judged by the sign test.
func ratiosOf(v *view, id string, p point, of func(*view, point) kit.Times, pairs [][2]string, notes ...result.Reason) result.Claim {
	f := claims.Found{Missing: untold(v, p)}
	if f.Missing == nil {
		f = claims.Found{Seeds: len(v.Seeds), Differs: differing(v, p.Platform, p.Model)}
		for _, pair := range pairs {
			ours, theirs := of(v, p.as(pair[0])), of(v, p.as(pair[1]))
			e, sign := ours.Over(theirs), ""
			if bounded(ours, theirs) {
				sign = sideBeside(ours.Beside(theirs).Against(), false)
				f.Notes = append(f.Notes, boundedPairs(pair[0], pair[1], ours, theirs))
			}
			f.Values, f.CI95, f.Samples = append(f.Values, e.Value), append(f.CI95, e.CI), append(f.Samples, e.Samples)
			f.NoCase, f.Signs = append(f.NoCase, same(v, p.as(pair[0]), p.as(pair[1]))), append(f.Signs, sign)
		}
		f.Notes = append(append(f.Notes, behind(v, p, setup.Methods...)...), notes...)
	}
	f.Table, f.Network, f.Cluster = tableOf[p.Platform], p.Model, p.Platform
	return claims.Verdict(id, f)
}

// convergenceClaims judges a cluster's eight reductions and, network by network, what is derived
// from them: the ratios of the times, and the ratios of the iterations, convergence ratio /
// iteration-time ratio as the row defines them. Unequal workers make several gradients in the mean
// worker's iteration; a note gives the ratios of gradients.
func convergenceClaims(v *view, platform string, derived int) (out []result.Claim) {
	for _, c := range convergenceList(platform) {
		claim, _ := reduced(v, c)
		out = append(out, claim)
	}
	for i, m := range cnns {
		p, pairs := point{platform, m, "dasp"}, [][2]string{{"dasp", "bsp"}, {"dasp", "ssp"}, {"dasp", "dssp"}}
		gradients := kit.Map(pairs, func(of [2]string) float64 { return gradientsTo(v, p.as(of[0])).Over(gradientsTo(v, p.as(of[1]))).Value })
		out = append(out,
			ratiosOf(v, fmt.Sprintf("D%d", derived+2*i), p, primary, [][2]string{{"dasp", "bsp"}, {"asp", "bsp"}, {"ssp", "bsp"}, {"dssp", "bsp"}}),
			ratiosOf(v, fmt.Sprintf("D%d", derived+2*i+1), p, iterationsTo, pairs, result.Because("gradient-ratios", "ratios", gradients)))
	}
	return out
}

// differ counts the judged claims on one network that differ, and among them those of networks with
// which DASP did exactly what ASP does.
func differ(v *view) []result.Fact {
	all, asASP := 0, 0
	for _, c := range v.Claims {
		if p := (point{c.Cluster, c.Network, "dasp"}); c.Network != "" && c.Verdict == claims.Differs {
			if all++; same(v, p, p.as("asp")) {
				asASP++
			}
		}
	}
	return kit.Facts("differ", all, "differ_as_asp", asASP)
}

// comparison returns one part of a claim in words, with its finding.
func comparison(p point, rival string, e kit.Estimate, finding string) result.Part {
	out := result.Part{Of: map[string]string{"platform": p.Platform, "model": p.Model, "method": rival}, CI95: e.CI}
	if e.N > 0 && !math.IsNaN(e.Value) {
		out.Value = e.Value
	}
	if len(e.Samples) > 1 {
		out.Samples = e.Samples
	}
	return claims.Mark(out, finding)
}

// censoredComparison is comparison with the p-value of the sign test where a time is only bounded.
func censoredComparison(p point, rival string, ours, theirs kit.Times, finding string) result.Part {
	out := comparison(p, rival, ours.Over(theirs), finding)
	if bounded(ours, theirs) && finding != claims.NoCase {
		x := ours.Beside(theirs).P()
		out.P = &x
	}
	return out
}

// notGood judges D38, "DASP does not show a good convergence time" for LeNet-5: some method is
// sooner. It differs if DASP is sooner than every method that does not do exactly what DASP does. Where a
// run misses a target, the sign test judges.
func notGood(v *view) result.Claim {
	ours := point{setup.Homogeneous, "lenet5", "dasp"}
	late := missed(v, ours)
	f := claims.Found{Seeds: len(v.Seeds), Differs: differing(v, setup.Homogeneous, "lenet5"), Table: "6", Network: "lenet5", Cluster: setup.Homogeneous}
	var rivals []map[string]any
	var equal, absent, findings []string
	for _, m := range others {
		x, y := primary(v, ours), primary(v, ours.as(m))
		finding := later(x, y)
		if same(v, ours, ours.as(m)) {
			finding, equal = claims.NoCase, append(equal, m)
		}
		if late < len(v.Seeds) {
			rivals = append(rivals, map[string]any{"method": m, "ratio": x.Over(y).Value})
		}
		if y.Missed() > 0 {
			absent = append(absent, m)
		}
		f.Parts, findings = append(f.Parts, censoredComparison(ours, m, x, y, finding)), append(findings, finding)
	}
	if late > 0 {
		absent = append(absent, "dasp")
	}
	words := result.Because("D38", "rivals", rivals)
	f.Finding, f.Words = claims.Some(findings...), &words
	if absent != nil {
		f.Notes = append(f.Notes, result.Because("not-in-every-seed", "methods", absent))
	}
	if equal != nil {
		f.Notes = append(f.Notes, result.Because("same-as-dasp", "methods", equal))
	}
	f.Notes = append(f.Notes, result.Because("assumed-platform"))
	return claims.Verdict("D38", f)
}

// reduction is one of the sixteen reductions that D35 and D36 are the extremes of: its interval is of
// all of them at once, and its side of 0 likewise, by the sign test where a run misses a target.
type reduction struct {
	kit.Estimate
	convergenceClaim
	side string
}

// casesOf returns the reductions that the paper lists and that have a case, without those that were
// declared to need more seeds than there are, and how many of either kind were left out.
func casesOf(v *view) (cases []reduction, equal, declared int) {
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, c := range convergenceList(platform) {
			switch {
			case same(v, c.point, c.as(c.against)):
				equal++
			case len(v.Seeds) < claims.SeedsFor(c.id):
				declared++
			default:
				cases = append(cases, reduction{convergenceClaim: c})
			}
		}
	}
	for i, c := range cases {
		ours, theirs := primary(v, c.point), primary(v, c.as(c.against))
		saved := ours.OverOf(theirs, len(cases)).Saved()
		side := sideBeside(ours.Beside(theirs).AgainstOf(len(cases)), true)
		if !bounded(ours, theirs) {
			side = map[string]string{"above": claims.Above, "below": claims.Below}[saved.Against(0)]
		}
		cases[i].Estimate, cases[i].side = saved, side
	}
	return cases, equal, declared
}

// extremes judges D35 and D36, the smallest and largest reduction of the convergence time, over the
// sixteen that the paper lists and that have a case. The paper contradicts itself: the numbers it states
// are the smallest and largest reduction of the iteration time. The least of several estimates is picked
// because it is the least, so that its own interval says too much: intervals are of all comparisons at
// once (Bonferroni's bound), the interval of the least reaches from the least lower end to the least upper
// one, and cells that were declared undecidable are left out. Where a run misses a target, only the side is
// judged: the least is below 0 if one reduction is, and above if all are.
func extremes(v *view) []result.Claim {
	lo, hi := listed(19, 34)
	least, most := setup.StatedNumber("D35"), setup.StatedNumber("D36")
	note := result.Because("paper-contradicts-itself", "stated_lo", least, "stated_hi", most, "lo", lo, "hi", hi)
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, m := range cnns {
			if why := untold(v, point{platform, m, "dasp"}); why != nil {
				f := claims.Found{Missing: append([]result.Reason{note}, why...)}
				return []result.Claim{claims.Verdict("D35", f), claims.Verdict("D36", f)}
			}
		}
	}
	cases, equal, declared := casesOf(v)
	judge := func(id string, sign float64, enough, needed string) result.Claim {
		f := claims.Found{Values: []float64{0}, NoCase: []bool{true}, Seeds: len(v.Seeds)}
		args := []any{"of", 2 * len(cnns) * len(others), "same", equal, "declared", declared, "cases", len(cases)}
		if len(cases) > 0 {
			c := slices.MinFunc(cases, func(a, b reduction) int { return cmp.Compare(sign*a.Value, sign*b.Value) })
			f = claims.Number(c.Value, jointly(cases, sign), c.Samples, c.N)
			if f.CI95[0] == nil && c.N > 1 {
				f.Signs = []string{sideOfExtreme(cases, enough, needed)}
				f.Notes = append(f.Notes, result.Because("extreme-bounded"))
			}
			args = append(args, "model", c.Model, "against", c.against, "platform", c.Platform)
		}
		f.Differs = union(differing(v, setup.Homogeneous, cnns[0]), differing(v, setup.Homogeneous, cnns[1]))
		f.Notes = append(f.Notes, result.Because(id, args...), result.Because("assumed-platform"), note)
		return claims.Verdict(id, f)
	}
	return []result.Claim{judge("D35", 1, claims.Below, claims.Above), judge("D36", -1, claims.Above, claims.Below)}
}

// jointly returns the interval of the least of several reductions whose intervals hold at once, of the
// largest if sign is −1, nil if one of them has none.
func jointly(cases []reduction, sign float64) *[2]float64 {
	out := [2]float64{sign * math.Inf(1), sign * math.Inf(1)}
	for _, c := range cases {
		if c.CI == nil {
			return nil
		}
		for end, x := range c.CI {
			if sign*x < sign*out[end] {
				out[end] = x
			}
		}
	}
	return &out
}

// sideOfExtreme returns enough if one reduction lies on that side of 0, needed if all lie on the other.
func sideOfExtreme(cases []reduction, enough, needed string) string {
	on := func(side string) int { return kit.CountIf(cases, func(c reduction) bool { return c.side == side }) }
	switch {
	case on(enough) > 0:
		return enough
	case on(needed) == len(cases):
		return needed
	}
	return claims.Undecided
}

// listed returns the smallest and the largest number stated by claims D<from> to D<to>.
func listed(from, to int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := from; i <= to; i++ {
		x := setup.StatedNumber(fmt.Sprintf("D%d", i))
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// listedRange recomputes D37 from the reductions that the paper lists.
func listedRange() result.Claim {
	lo, hi := listed(19, 34)
	c, _ := claims.Get("D37")
	f := claims.Identity(c.Value == fmt.Sprintf("%.1f-%.1f", lo, hi), result.Because("D37", "lo", lo, "hi", hi))
	f.Input, f.Notes = true, []result.Reason{result.Because("recomputed", "n", 34-19+1), result.Because("nothing-run")}
	return claims.Verdict("D37", f)
}

// moreIterations judges D58, "ASP needs more iterations to the same accuracy", for the networks and
// clusters whose numbers imply it: the gradients to the target under ASP, over those under each
// other method, are above 1 with their interval, or by the sign test where a run misses a target. A
// method that does the same as ASP, push by push, is no case. The frame holds the ratios, of bounds
// without an interval where a run misses.
func moreIterations(v *view) (result.Frame, result.Claim) {
	var rows []point
	for _, p := range every(v.Profile, networksOn{setup.Homogeneous, cnns}, networksOn{setup.Heterogeneous, cnns}) {
		if p.Method != "asp" {
			rows = append(rows, p)
		}
	}
	asp := func(p point) kit.Times { return gradientsTo(v, p.as("asp")) }
	equal := func(p point) bool { return same(v, p, p.as("asp")) }
	s := kit.NewSheet("asp-gradients", "platform:platform model:model method:method asp_over~/.3 as_asp:bool asp_missed missed")
	for _, p := range rows {
		s.Add(p.Platform, p.Model, p.Method, asp(p).Over(gradientsTo(v, p)), equal(p), asp(p).Missed(), gradientsTo(v, p).Missed())
	}
	frame := s.Frame

	var differs []result.Reason
	var parts []result.Part
	var bsp []float64
	cases := 0
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, m := range cnns {
			p := point{platform, m, "asp"}
			if why := untold(v, p); why != nil {
				return frame, claims.Verdict("D58", claims.Found{Missing: why})
			}
			if !slices.ContainsFunc(setup.Methods, func(x string) bool { return first(v, p.as(x)) < len(v.Seeds) }) {
				return frame, claims.Verdict("D58", claims.Found{Missing: []result.Reason{result.Because("all-at-first-evaluation", "model", m)}})
			}
			differs = union(differs, differing(v, platform, m))
		}
	}
	for _, p := range rows {
		if equal(p) {
			parts = append(parts, comparison(p, p.Method, kit.Estimate{}, claims.NoCase))
			continue
		}
		ours, theirs := asp(p), gradientsTo(v, p)
		cases, parts = cases+1, append(parts, censoredComparison(p, p.Method, ours, theirs, later(ours, theirs)))
		if p.Method == "bsp" {
			bsp = append(bsp, ours.Over(theirs).Value)
		}
	}
	words := result.Because("D58", "ratios", bsp)
	f := claims.OfParts(parts, len(v.Seeds), &words)
	f.Differs, f.Notes = differs, []result.Reason{result.Because("D58-cases", "cases", cases, "of", len(rows)), result.Because("assumed-platform")}
	if cases == 0 {
		f.Words, f.Notes = nil, []result.Reason{result.Because("all-do-as-asp")}
	}
	return frame, claims.Verdict("D58", f)
}

// stableTo is the mean fall of accuracy between evaluations, in points, up to which D57 calls a
// convergence stable. The bound was written before the first run. Rises do not count: progress is no fluctuation.
const stableTo = 2.5

// fastAndStable judges D57: in both clusters and under every method, LeNet-5 reaches the target in
// every seed and fluctuates by at most stableTo points, with its interval. One seed that never
// reaches it contradicts.
func fastAndStable(v *view) result.Claim {
	most, parts, notes := 0.0, []result.Part{}, []result.Reason{}
	for _, p := range every(v.Profile, networksOn{setup.Heterogeneous, setup.Models[:1]}, networksOn{setup.Homogeneous, setup.Models[:1]}) {
		e := kit.Each(v.At(p), fluctuation).Mean()
		most = max(most, e.Value)
		parts = append(parts, comparison(p, p.Method, e, claims.Every(claims.AtMost(e.CI, stableTo), claims.Whether(missed(v, p) == 0))))
		if missed(v, p) > 0 {
			notes = append(notes, result.Because("D57-missed", "platform", p.Platform, "method", p.Method, "percent", 100*targetOf(v, p)))
		}
		if e.Value > stableTo {
			notes = append(notes, result.Because("D57-falls", "platform", p.Platform, "method", p.Method, "points", e.Value))
		}
	}
	words := result.Because("D57", "points", most)
	f := claims.OfParts(parts, len(v.Seeds), &words)
	f.Differs, f.Network = differing(v, setup.Heterogeneous, "lenet5"), "lenet5"
	f.Notes = append(notes, result.Because("D57-stable", "points", stableTo))
	return claims.Verdict("D57", f)
}

// inBetween judges D40 for ResNet-18 and VGG-19-BN in both clusters, by differences of fluctuation
// paired by seed. It holds if in all four cases ASP fluctuates most and BSP least of the five (ties of
// numbers allowed), and DASP's share of ASP's fluctuation is smaller in the heterogeneous cluster.
// The criterion was written before the first run of these networks.
func inBetween(v *view) result.Claim {
	var parts []result.Part
	var differs, notes []result.Reason
	holds := 0
	for _, m := range cnns {
		if len(v.At(point{setup.Heterogeneous, m, "asp"})) == 0 {
			return claims.Verdict("D40", claims.Found{Missing: untold(v, point{setup.Heterogeneous, m, "asp"})})
		}
		differs = union(differs, differing(v, setup.Heterogeneous, m))
		share := map[string]float64{}
		for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
			p := point{platform, m, "dasp"}
			of := func(method string) float64 { return falls(v, p.as(method)).Mean().Value }
			each := ordered(v, p)
			if claims.OfParts(each, len(v.Seeds), nil).Finding == claims.Holds {
				holds++
			}
			parts, share[platform] = append(parts, each...), of("dasp")/of("asp")
			if same(v, p, p.as("asp")) {
				notes = append(notes, result.Because("D40-same", "platform", platform, "model", m))
			}
			if of("asp") == 0 {
				notes = append(notes, result.Because("D40-never", "platform", platform, "model", m))
			}
		}
		parts = append(parts, smaller(v, m))
		if share[setup.Homogeneous] > 0 && share[setup.Heterogeneous] >= 0 {
			notes = append(notes, result.Because("D40-share", "model", m, "equal", share[setup.Homogeneous], "unequal", share[setup.Heterogeneous]))
		}
	}
	words := result.Because("D40", "n", holds, "of", 4)
	f := claims.OfParts(parts, len(v.Seeds), &words)
	f.Differs, f.Notes = differs, append(notes, result.Because("D40-means"), result.Because("assumed-platform"))
	return claims.Verdict("D40", f)
}

// falls returns the fluctuation of p's trainings, seed by seed.
func falls(v *view, p point) kit.Sample { return kit.Each(v.At(p), fluctuation) }

// ordered returns the parts that ASP falls at all, and that no method falls more than ASP or less than
// BSP where p is: the difference of the falls of method and rival, in points, is at least 0. Two methods
// that did the same are no case.
func ordered(v *view, p point) (parts []result.Part) {
	if asp := falls(v, p.as("asp")).Mean(); asp.Value == 0 {
		parts = append(parts, comparison(p, "asp", asp, claims.Differs))
	}
	for _, method := range setup.Methods {
		for _, pair := range [][2]string{{"asp", method}, {method, "bsp"}} {
			more, less := p.as(pair[0]), p.as(pair[1])
			if more == less || pair[0] == "asp" && pair[1] == "bsp" && method == "asp" { // once
				continue
			}
			e := falls(v, more).Minus(falls(v, less))
			finding := claims.AtLeast(e.CI, 0)
			if same(v, more, less) {
				finding = claims.NoCase
			}
			part := comparison(p, pair[0], e, finding)
			part.Of["rival"] = pair[1]
			parts = append(parts, part)
		}
	}
	return parts
}

// fluctuationFrame holds what D40 and D57 are judged by, seed by seed.
func fluctuationFrame(v *view, rows []point) result.Frame {
	s := kit.NewSheet("falls", "platform:platform model:model method:method seed fluctuation/points.2")
	for _, p := range rows {
		for i, x := range falls(v, p) {
			s.Add(p.Platform, p.Model, p.Method, v.Seeds[i], x)
		}
	}
	return s.Frame
}

// smaller returns the part that DASP's share of ASP's fluctuation is smaller in the heterogeneous
// cluster than in the other; it has the difference of the shares. Where DASP is ASP in both there is no case.
func smaller(v *view, model string) result.Part {
	homo, hetero := point{setup.Homogeneous, model, "dasp"}, point{setup.Heterogeneous, model, "dasp"}
	shares := func(p point) kit.Sample {
		asp := falls(v, p.as("asp"))
		out := slices.Clone(falls(v, p))
		for i := range out {
			out[i] /= asp[i]
		}
		return out.Map(func(x float64) float64 { return x }) // none at all where ASP never falls in a seed
	}
	e := shares(hetero).Minus(shares(homo))
	finding := claims.LessThan(e.CI, 0)
	if same(v, homo, homo.as("asp")) && same(v, hetero, hetero.as("asp")) {
		finding = claims.NoCase
	}
	part := comparison(hetero, "dasp", e, finding)
	part.Of["rival"], part.Of["than"] = "asp", setup.Homogeneous
	return part
}
