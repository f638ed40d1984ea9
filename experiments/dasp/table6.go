package dasp

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// table6 is the convergence time in the homogeneous cluster.
func table6() exp.Experiment {
	const heading = "Convergence time, homogeneous cluster"
	return trainingExperiment("dasp/table6", heading, "DASP, Table 6", []ground{{platform: load(homogeneous)}}, []string{"quick", "standard", "paper"},
		func(res *result.Result, st study) {
			on := st.on[homogeneous]
			res.Tables = append(convergenceTables(heading, st, on), trainedStates(homogeneous, st))
			res.Notes = slices.Concat(lead(homogeneous, st), notReached(st, on), trainedNotes(homogeneous, st))
			res.Claims = append(judgeConvergence(res, st, homogeneous, 48), notGood(res, sizeOf(st.profile, "lenet5"), on["lenet5"]))
		})
}

// notGood judges D38, "DASP does not show a good convergence time" for LeNet-5:
// it holds unless DASP is faster than every other method with an interval
// wholly below 1. If no method reaches the target nothing is judged.
func notGood(res *result.Result, s size, t trainings) result.Claim {
	diff := differs(res, s)
	ours, _, reached := reachedBy(t["dasp"], s.Target)
	best, found, note, rivals := reached, "", "", 0
	for _, method := range others {
		base, _, ok := reachedBy(t[method], s.Target)
		if !ok {
			note += title[method] + ": target not reached in every seed. "
			continue
		}
		rivals++
		if !reached {
			continue
		}
		r, ci := ratio(ours, base)
		found += fmt.Sprintf("%.2f of %s; ", r, title[method])
		note += fmt.Sprintf("DASP/%s %.3f", title[method], r)
		if ci != nil {
			note += fmt.Sprintf(" [%.3f, %.3f]", ci[0], ci[1])
		}
		note += ". "
		best = best && r < 1 && (ci == nil || ci[1] < 1)
	}
	switch {
	case !reached && rivals == 0:
		return claims.Judge("D38", claims.Evidence{NotRun: "no method reaches the target in every seed of this profile", Differs: diff})
	case !reached:
		found, note = "target not reached", note+"DASP: target not reached in every seed."
	}
	for _, method := range others {
		if identical(t["dasp"], t[method]) {
			note += "DASP and " + title[method] + " do the same, push by push; "
		}
	}
	return holds("D38", !best, len(t["dasp"]), strings.TrimSuffix(found, "; "), note+assumed, diff...)
}
