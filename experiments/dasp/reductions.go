package dasp

import (
	"fmt"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
)

// cnns are the networks that the paper states convergence times of.
var cnns = models[1:]

// others are the methods that it states them against, in its order.
var others = methods[:4]

// convergenceClaim is one stated reduction of the convergence time.
type convergenceClaim struct{ id, model, against string }

// convergenceClaims are D19–D26 of the homogeneous and D27–D34 of the
// heterogeneous cluster: network by network, against BSP, ASP, SSP, DSSP.
func convergenceClaims(platform string) (out []convergenceClaim) {
	first := 19
	if platform == heterogeneous {
		first = 27
	}
	for i, m := range cnns {
		for j, b := range others {
			out = append(out, convergenceClaim{fmt.Sprintf("D%d", first+len(others)*i+j), m, b})
		}
	}
	return out
}

// untrained is why a profile has no number for a network, "" if it has.
func untrained(st study, model string) string {
	if st.trains(model) {
		return ""
	}
	return fmt.Sprintf("profile %s trains LeNet-5 alone, %s is in quick, standard and paper", st.profile, title[model])
}

// judgeConvergence judges a cluster's eight reductions and the ratios derived
// from them (first: D48 or D52; then iterations to target, the other network's
// two). A method that misses the target in any seed leaves its rows not-run.
func judgeConvergence(res *result.Result, st study, platform string, first int) (out []result.Claim) {
	on := st.on[platform]
	for _, c := range convergenceClaims(platform) {
		out = append(out, judgeReduction(res, st, c, on[c.model]))
	}
	for i, m := range cnns {
		time, iterations := fmt.Sprintf("D%d", first+2*i), fmt.Sprintf("D%d", first+2*i+1)
		if why := missing(st, m, on[m], methods...); why != "" {
			out = append(out, claims.Judge(time, claims.Evidence{NotRun: why}), claims.Judge(iterations, claims.Evidence{NotRun: why}))
			continue
		}
		s := sizeOf(st.profile, m)
		out = append(out,
			judgeRatios(res, s, time, on[m], targetSeconds, [][2]string{{"dasp", "bsp"}, {"asp", "bsp"}, {"ssp", "bsp"}, {"dssp", "bsp"}}),
			judgeRatios(res, s, iterations, on[m], targetPushes, [][2]string{{"dasp", "bsp"}, {"dasp", "ssp"}, {"dasp", "dssp"}}))
	}
	return out
}

// missing says why a network's rows cannot be judged, "" if they can.
func missing(st study, model string, t trainings, need ...string) string {
	if why := untrained(st, model); why != "" {
		return why
	}
	for _, method := range need {
		if why := short(sizeOf(st.profile, model), method, t); why != "" {
			return why + " of this profile: there is no time to compare"
		}
	}
	return ""
}

func judgeReduction(res *result.Result, st study, c convergenceClaim, t trainings) result.Claim {
	if why := missing(st, c.model, t, "dasp", c.against); why != "" {
		return claims.Judge(c.id, claims.Evidence{NotRun: why})
	}
	s := sizeOf(st.profile, c.model)
	x, ci := reduction(targetSeconds(t["dasp"], s.Target), targetSeconds(t[c.against], s.Target))
	return claims.Judge(c.id, claims.Evidence{Value: x, CI95: ci, Seeds: len(t["dasp"]), Differs: differs(res, s), Note: assumed + isASP(t)})
}

// targetSeconds and targetPushes are the times and gradients to a target that every seed
// reaches.
func targetSeconds(cells []cell, target float64) []float64 {
	s, _, _ := reachedBy(cells, target)
	return s
}
func targetPushes(cells []cell, target float64) []float64 {
	_, p, _ := reachedBy(cells, target)
	return p
}

// judgeRatios judges a list of ratios of times or gradients to target.
func judgeRatios(res *result.Result, s size, id string, t trainings, of func([]cell, float64) []float64, pairs [][2]string) result.Claim {
	var x []float64
	var ci []*[2]float64
	for _, p := range pairs {
		r, rci := ratio(of(t[p[0]], s.Target), of(t[p[1]], s.Target))
		x, ci = append(x, r), append(ci, rci)
	}
	return claims.Judge(id, claims.Evidence{Value: x, CI95s: ci, Seeds: len(t["bsp"]), Differs: differs(res, s), Note: assumed + isASP(t)})
}

// judgeExtremes judges D35 and D36, the smallest and largest reduction of the
// convergence time, over the sixteen that the paper lists.
func judgeExtremes(res *result.Result, st study) []result.Claim {
	var all []float64
	var where []string
	why := ""
	for _, platform := range []string{homogeneous, heterogeneous} {
		for _, c := range convergenceClaims(platform) {
			t := st.on[platform][c.model]
			if w := missing(st, c.model, t, "dasp", c.against); w != "" {
				why = w
				continue
			}
			target := sizeOf(st.profile, c.model).Target
			x, _ := reduction(targetSeconds(t["dasp"], target), targetSeconds(t[c.against], target))
			all = append(all, x)
			where = append(where, fmt.Sprintf("%s against %s, %s", title[c.model], title[c.against], title[platform]))
		}
	}
	const note = "the paper contradicts itself: 16.9 and 82.1 are the smallest and largest of its six reductions of the ITERATION time against BSP (D01, D13), " +
		"and its listed convergence times run from 1.8 to 61.2 %; measured over the same sixteen comparisons"
	if why != "" {
		why = note + "; " + why
		return []result.Claim{claims.Judge("D35", claims.Evidence{NotRun: why}), claims.Judge("D36", claims.Evidence{NotRun: why})}
	}
	var out []result.Claim
	for id, x := range map[string]float64{"D35": slices.Min(all), "D36": slices.Max(all)} {
		at := where[slices.Index(all, x)]
		out = append(out, claims.Judge(id, claims.Evidence{Value: x, Seeds: len(st.on[heterogeneous][cnns[0]]["bsp"]),
			Differs: slices.Concat(differs(res, sizeOf(st.profile, cnns[0])), differs(res, sizeOf(st.profile, cnns[1]))),
			Note:    at + "; " + note}))
	}
	slices.SortFunc(out, func(a, b result.Claim) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return out
}
