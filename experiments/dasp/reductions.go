package dasp

import (
	"fmt"
	"slices"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
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
			judgeRatios(res, s, time, on[m], targetSeconds, [][2]string{{"dasp", "bsp"}, {"asp", "bsp"}, {"ssp", "bsp"}, {"dssp", "bsp"}}, ""),
			judgeIterations(res, s, iterations, on[m]))
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
	return claims.Judge(c.id, claims.Evidence{Value: x, CI95: ci, Seeds: len(t["dasp"]), Differs: differs(res, s), Note: assumed + isASP(t) + early(s, t, "dasp", c.against)})
}

// targetSeconds, targetPushes and targetIterations are the times, gradients and
// iterations to a target that every seed reaches. An iteration lasts a worker's
// mean: the paper's convergence time is iteration time × iterations (§3.2).
func targetSeconds(cells []cell, target float64) []float64 {
	s, _, _ := reachedBy(cells, target)
	return s
}
func targetPushes(cells []cell, target float64) []float64 {
	_, p, _ := reachedBy(cells, target)
	return p
}

func targetIterations(cells []cell, target float64) []float64 {
	x := targetSeconds(cells, target)
	for i := range x {
		x[i] /= perIteration(cells[i])
	}
	return x
}

// ratiosOf are ratios of what of gives, method over method.
func ratiosOf(s size, t trainings, of func([]cell, float64) []float64, pairs [][2]string) (x []float64, ci []*[2]float64) {
	for _, p := range pairs {
		r, rci := ratio(of(t[p[0]], s.Target), of(t[p[1]], s.Target))
		x, ci = append(x, r), append(ci, rci)
	}
	return x, ci
}

// judgeIterations judges the iterations to target by the row's own definition,
// convergence ratio / iteration-time ratio, and says the gradients beside it:
// unequal workers make several gradients in the mean worker's iteration.
func judgeIterations(res *result.Result, s size, id string, t trainings) result.Claim {
	pairs := [][2]string{{"dasp", "bsp"}, {"dasp", "ssp"}, {"dasp", "dssp"}}
	g, _ := ratiosOf(s, t, targetPushes, pairs)
	return judgeRatios(res, s, id, t, targetIterations, pairs, fmt.Sprintf("; the gradients to target are in the ratios %.3f; %.3f; %.3f", g[0], g[1], g[2]))
}

// judgeRatios judges a list of ratios.
func judgeRatios(res *result.Result, s size, id string, t trainings, of func([]cell, float64) []float64, pairs [][2]string, note string) result.Claim {
	x, ci := ratiosOf(s, t, of, pairs)
	return claims.Judge(id, claims.Evidence{Value: x, CI95s: ci, Seeds: len(t["bsp"]), Differs: differs(res, s), Note: assumed + isASP(t) + early(s, t, methods...) + note})
}

// compared is one of the sixteen reductions, with its interval.
type compared struct {
	x     float64
	ci    *[2]float64
	where string
	same  bool // both methods did the same, push by push
}

// judgeExtremes judges D35 and D36, the smallest and largest reduction of the
// convergence time, over the sixteen that the paper lists.
func judgeExtremes(res *result.Result, st study) []result.Claim {
	const note = "the paper contradicts itself: 16.9 and 82.1 are the smallest and largest of its six reductions of the ITERATION time against BSP (D01, D13), " +
		"and its listed convergence times run from 1.8 to 61.2 %; measured over the same sixteen comparisons"
	all, why := listed(st)
	if why != "" {
		why = note + "; " + why
		return []result.Claim{claims.Judge("D35", claims.Evidence{NotRun: why}), claims.Judge("D36", claims.Evidence{NotRun: why})}
	}
	least, most, ties := all[0], all[0], 0
	for _, c := range all {
		if c.x < least.x {
			least = c
		}
		if c.x > most.x {
			most = c
		}
		if c.same {
			ties++
		}
	}
	judge := func(id, which string, c compared) result.Claim {
		return claims.Judge(id, claims.Evidence{Value: c.x, CI95: c.ci, Seeds: len(res.Seeds),
			Differs: slices.Concat(differs(res, sizeOf(st.profile, cnns[0])), differs(res, sizeOf(st.profile, cnns[1]))),
			Note: fmt.Sprintf("the %s of sixteen comparisons, %s, with that comparison's own interval; in %d of them DASP and the other method do the same, push by push; %s; %s",
				which, c.where, ties, assumed, note)})
	}
	return []result.Claim{judge("D35", "smallest", least), judge("D36", "largest", most)}
}

// listed are the reductions that the paper lists, or why one is missing.
func listed(st study) (all []compared, why string) {
	for _, platform := range []string{homogeneous, heterogeneous} {
		for _, c := range convergenceClaims(platform) {
			t := st.on[platform][c.model]
			if why := missing(st, c.model, t, "dasp", c.against); why != "" {
				return nil, why
			}
			target := sizeOf(st.profile, c.model).Target
			x, ci := reduction(targetSeconds(t["dasp"], target), targetSeconds(t[c.against], target))
			all = append(all, compared{x, ci, fmt.Sprintf("%s against %s, %s", title[c.model], title[c.against], title[platform]), identical(t["dasp"], t[c.against])})
		}
	}
	return all, ""
}
