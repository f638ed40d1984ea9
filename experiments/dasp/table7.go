package dasp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
)

// fastLinks is the plausible platform on which the gaps of the two large
// networks open, so that DASP's states act on them.
func fastLinks() platforms.Variant {
	all := sweep(heterogeneous)
	return all[slices.IndexFunc(all, func(v platforms.Variant) bool { return v.Workers == heterogeneous && v.Link == "100 Gb/s" })]
}

// table7 is the convergence time in the heterogeneous cluster, and what the
// paper says of both clusters together.
func table7() exp.Experiment {
	const heading = "Convergence time, heterogeneous cluster"
	fast := fastLinks()
	grounds := []ground{{platform: load(heterogeneous)}, {platform: load(homogeneous), models: cnns}, {platform: fast.Platform, models: cnns}}
	return trainingExperiment("dasp/table7", heading, "DASP, Table 7", grounds, exp.Profiles,
		func(res *result.Result, st study) {
			on := st.on[heterogeneous]
			res.Tables = append(convergenceTables(heading, st, on), trainedStates(heterogeneous, st))
			res.Notes = slices.Concat(lead(heterogeneous, st), lead(fast.Name, st), notReached(st, on), trainedNotes(heterogeneous, st))
			res.Tables = append(res.Tables, fastTables(heading, fast.Name, st)...)
			res.Claims = append(judgeConvergence(res, st, heterogeneous, 52), judgeExtremes(res, st)...)
			res.Claims = append(res.Claims, moreIterations(res, st), listedRange())
		})
}

// fastTables are the large networks with links that let their gaps open. They
// are judged nowhere: the reference was fixed first.
func fastTables(heading, platform string, st study) (out []result.Table) {
	for _, t := range convergenceTables(heading, st, st.on[platform]) {
		t.ID = "fast-" + t.ID
		t.Title = strings.Replace(t.Title, heading, heading+" with links of 100 Gb/s", 1)
		t.Caption += " No claim is judged here: this is one of the plausible platforms of dasp/table5, the one whose links let version gaps open. " +
			"On the reference links gradients of 45 and 80 MB queue at the server, and that queue, not the devices, sets everybody's pace."
		out = append(out, t)
	}
	if len(out) > 0 {
		t := trainedStates(platform, st)
		t.ID, t.Title = "fast-states", t.Title+", "+platform
		out = append(out, t)
	}
	return out
}

// moreIterations judges D58, "ASP needs more iterations to the same accuracy":
// gradients to the target, ASP over each other method, for the networks and
// clusters whose numbers imply it, each ratio above 1 with its interval. A method
// that does the same as ASP, push by push, is no case.
func moreIterations(res *result.Result, st study) result.Claim {
	var diff []string
	all, ours, note, seeds, cases := true, "", "", 0, 0
	for _, platform := range []string{homogeneous, heterogeneous} {
		for _, m := range cnns {
			t := st.on[platform][m]
			if why := missing(st, m, t, methods...); why != "" {
				return claims.Judge("D58", claims.Evidence{NotRun: why})
			}
			s := sizeOf(st.profile, m)
			if coarse(s, t) {
				return claims.Judge("D58", claims.Evidence{NotRun: title[m] + ": every method reaches the target at its first evaluation: nothing to compare"})
			}
			diff = append(diff, differs(res, s)...)
			seeds = len(t["asp"])
			note += fmt.Sprintf("%s, %s:", title[m], title[platform])
			for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
				if identical(t["asp"], t[method]) {
					note += fmt.Sprintf(" (%s does the same as ASP: no case)", title[method])
					continue
				}
				cases++
				r, ci := ratio(targetPushes(t["asp"], s.Target), targetPushes(t[method], s.Target))
				note += fmt.Sprintf(" ASP/%s %.3f", title[method], r)
				if ci != nil {
					note += fmt.Sprintf(" [%.3f, %.3f]", ci[0], ci[1])
				}
				all = all && r > 1 && (ci == nil || ci[0] > 1)
				if method == "bsp" {
					ours += fmt.Sprintf("%.2f; ", r)
				}
			}
			note += ". "
		}
	}
	if cases == 0 {
		return claims.Judge("D58", claims.Evidence{NotRun: "every method does the same as ASP, push by push"})
	}
	slices.Sort(diff)
	note += fmt.Sprintf("Of 16 pairs %d are cases; %s", cases, assumed)
	return holds("D58", all, seeds, "ASP/BSP "+strings.TrimSuffix(ours, "; "), note, slices.Compact(diff)...)
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
		Note: "recomputed from the sixteen reductions that the paper lists (D19–D34); " + claims.NothingRun})
}
