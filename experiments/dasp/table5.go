package dasp

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// table5 is the mean iteration time in the heterogeneous cluster, and the two
// claims that set both clusters side by side.
func table5() exp.Experiment {
	return timingTable("dasp/table5", "Mean iteration time, heterogeneous cluster", "DASP, Table 5", heterogeneous, 2,
		func(g grid, ranges map[string]string, r *runs) ([]result.Claim, error) {
			homo, err := r.timingGrid(load(homogeneous), train.DefaultOverhead, r.env.Seeds)
			if err != nil {
				return nil, err
			}
			out := judgeReductions(heterogeneous, g, ranges, 45)
			return append(out, ordering(homo, g), leastAffected(homo, g)), nil
		})
}

// slack is how far an order may be violated before it counts: two methods that
// do the same differ by less than this through their events' rounding.
const slack = 1e-3

// ordering judges D39: ASP ≤ {SSP, DSSP, DASP} ≤ BSP for every model in both
// clusters, by the mean over seeds, to one part in a thousand.
func ordering(grids ...grid) result.Claim {
	ok, note := true, ""
	for i, g := range grids {
		for _, m := range models {
			mean := func(method string) float64 {
				x, _ := meanAndHalf(values(g[m][method], perIteration))
				return x
			}
			for _, method := range []string{"ssp", "dssp", "dasp"} {
				if mean("asp") > mean(method)*(1+slack) {
					ok = false
					note += fmt.Sprintf("%s, %s: ASP takes %.3f of %s; ", clusters[i], title[m], mean("asp")/mean(method), title[method])
				}
				if mean(method) > mean("bsp")*(1+slack) {
					ok = false
					note += fmt.Sprintf("%s, %s: %s takes %.3f of BSP; ", clusters[i], title[m], title[method], mean(method)/mean("bsp"))
				}
			}
		}
	}
	if ok {
		return holds("D39", ok, len(grids[0]["lenet5"]["bsp"]), "the stated order", "three models in both clusters, to 0.1 %; where no worker ever waits ASP, SSP, DSSP and DASP are one and the same")
	}
	return holds("D39", ok, len(grids[0]["lenet5"]["bsp"]), "another order", note)
}

var clusters = []string{"homogeneous", "heterogeneous"}

// leastAffected judges D56: heterogeneous over homogeneous iteration time is
// smallest for DASP among BSP, SSP, DSSP and DASP, for every model. ASP, which
// the sentence leaves open, and ties are printed.
func leastAffected(homo, hetero grid) result.Claim {
	ok, ours, note := true, []string{}, ""
	for _, m := range models {
		factor := func(method string) float64 {
			x, _ := ratio(values(hetero[m][method], perIteration), values(homo[m][method], perIteration))
			return x
		}
		note += title[m] + ":"
		for _, method := range methods {
			note += fmt.Sprintf(" %s ×%.3f", title[method], factor(method))
		}
		ours = append(ours, fmt.Sprintf("×%.2f", factor("dasp")))
		for _, b := range baselines {
			ok = ok && factor("dasp") <= factor(b)*(1+slack)
			if b != "bsp" && math.Abs(factor("dasp")/factor(b)-1) <= slack {
				note += fmt.Sprintf(" (a tie with %s)", title[b])
			}
		}
		note += ". "
	}
	return holds("D56", ok, len(homo["lenet5"]["bsp"]), "DASP "+strings.Join(ours, "; "), note+"Only SSP, DSSP and BSP are rivals here; ASP is printed beside them.")
}
