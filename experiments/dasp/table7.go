package dasp

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// table7 is the convergence time in the heterogeneous cluster, for LeNet-5.
func table7() exp.Experiment {
	const heading = "Convergence time, heterogeneous cluster"
	return trainingExperiment("dasp/table7", heading, "DASP, Table 7", []string{heterogeneous}, exp.Profiles,
		func(res *result.Result, s size, t []trainings) {
			res.Tables = append(res.Tables, convergenceTable(heading, s, t[0]), trainedStates(heterogeneous, t[0]))
			res.Notes = append(append(res.Notes, notReached(s, t[0])...), stateNote("LeNet-5", t[0]["dasp"])...)
			res.Claims = append(res.Claims, moreIterations(res, s, t[0]), listedRange())
			res.Claims = append(res.Claims, notRun(laterNetworks, "D27", "D28", "D29", "D30", "D31", "D32", "D33", "D34", "D52", "D53", "D54", "D55")...)
			res.Claims = append(res.Claims, notRun("the paper contradicts itself: 16.9 and 82.1 are the smallest and largest of its six "+
				"reductions of the ITERATION time against BSP (D01, D13); its convergence times are not stated as such, and "+laterNetworks, "D35", "D36")...)
		})
}

// moreIterations judges D58, "ASP needs more iterations to the same accuracy":
// gradients to the target, ASP over each other method, each ratio above 1 with
// its interval.
func moreIterations(res *result.Result, s size, t trainings) result.Claim {
	diff := append(differs(res, s, len(t["asp"])), "LeNet-5; the paper's ratios are of ResNet-18 and VGG-19-BN")
	_, asp, ok := reachedBy(t["asp"], s.Target)
	if !ok {
		return claims.Judge("D58", claims.Evidence{NotRun: "ASP does not reach the target in every seed of this profile", Differs: diff})
	}
	if coarse(s, t) {
		return claims.Judge("D58", claims.Evidence{NotRun: "every method reaches the target at its first evaluation in this profile: nothing to compare", Differs: diff})
	}
	all, ours, note := true, "", ""
	for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
		_, other, ok := reachedBy(t[method], s.Target)
		if !ok {
			return claims.Judge("D58", claims.Evidence{NotRun: title[method] + " does not reach the target in every seed of this profile", Differs: diff})
		}
		r, ci := ratio(asp, other)
		ours += fmt.Sprintf("%.2f of %s; ", r, title[method])
		note += fmt.Sprintf("ASP/%s %.3f", title[method], r)
		if ci != nil {
			note += fmt.Sprintf(" [%.3f, %.3f]", ci[0], ci[1])
		}
		note += ". "
		all = all && r > 1 && (ci == nil || ci[0] > 1)
	}
	return holds("D58", all, len(t["asp"]), strings.TrimSuffix(ours, "; "), note, diff...)
}

// coarse reports whether all curves start at or above the target.
func coarse(s size, t trainings) bool {
	for _, method := range methods {
		for _, c := range t[method] {
			if c.Curve[0].Accuracy < s.Target {
				return false
			}
		}
	}
	return true
}

// listedRange recomputes D37 from the reductions that the paper lists.
func listedRange() result.Claim {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := 19; i <= 34; i++ {
		c, _ := claims.Get(fmt.Sprintf("D%d", i))
		if x, ok := c.Number(); ok {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return claims.Judge("D37", claims.Evidence{Value: fmt.Sprintf("%.1f-%.1f", lo, hi),
		Note: "recomputed from the sixteen reductions that the paper lists (D19–D34); nothing was run for it"})
}
