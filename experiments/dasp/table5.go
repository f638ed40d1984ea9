package dasp

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// table5 is the mean iteration time in the heterogeneous cluster, and the two
// claims that set both clusters side by side. Table 4 has the runs of the
// homogeneous cluster too: one command makes them once.
func table5() exp.Experiment {
	return timingTable("dasp/table5", "Mean iteration time, heterogeneous cluster", "DASP, Table 5", heterogeneous, []string{homogeneous},
		func(g grid, wide []plausibleRun, ranges map[string]string, r *runs) ([]result.Claim, error) {
			homo, err := r.timingGrid(load(homogeneous), train.DefaultOverhead, r.env.Seeds)
			if err != nil {
				return nil, err
			}
			equal, err := r.overPlausible(sweep(homogeneous), r.env.Seeds[0])
			if err != nil {
				return nil, err
			}
			return append(judgeReductions(heterogeneous, g, ranges), ordering(orderedOn(equal, wide), homo, g), leastAffected(leastOn(equal, wide), homo, g)), nil
		})
}

// slack is how far an order may be violated before it counts: two methods that
// do the same differ by less than this through their events' rounding.
const slack = 1e-3

var clusters = []string{"homogeneous", "heterogeneous"}

// disorder lists where ASP ≤ {SSP, DSSP, DASP} ≤ BSP is violated, by the mean
// over seeds, to one part in a thousand.
func disorder(g grid) (out []string) {
	for _, m := range models {
		mean := func(method string) float64 {
			x, _ := exp.MeanAndHalf(values(g[m][method], perIteration))
			return x
		}
		for _, method := range []string{"ssp", "dssp", "dasp"} {
			if mean("asp") > mean(method)*(1+slack) {
				out = append(out, fmt.Sprintf("%s: ASP takes %.3f of %s", title[m], mean("asp")/mean(method), title[method]))
			}
			if mean(method) > mean("bsp")*(1+slack) {
				out = append(out, fmt.Sprintf("%s: %s takes %.3f of BSP", title[m], title[method], mean(method)/mean("bsp")))
			}
		}
	}
	return out
}

// orderedOn says on how many plausible platforms of each cluster the order of
// D39 holds for all models.
func orderedOn(homo, hetero []plausibleRun) string {
	count := func(runs []plausibleRun) string {
		n := 0
		for _, p := range runs {
			if len(disorder(p.grid)) == 0 {
				n++
			}
		}
		return fmt.Sprintf("%d of %d", n, len(runs))
	}
	return fmt.Sprintf("over the plausible platforms the order holds for all three models on %s homogeneous and %s heterogeneous", count(homo), count(hetero))
}

// ordering judges D39, the order for every model in both clusters. plausible is
// what other platforms gave.
func ordering(plausible string, homo, hetero grid) result.Claim {
	var against []string
	for i, g := range []grid{homo, hetero} {
		for _, d := range disorder(g) {
			against = append(against, clusters[i]+", "+d)
		}
	}
	seeds, found := len(homo["lenet5"]["bsp"]), "the stated order"
	note := "three models in both clusters, to 0.1 %; where no worker ever waits ASP, SSP, DSSP and DASP are one and the same"
	if len(against) > 0 {
		found, note = "another order", strings.Join(against, "; ")
	}
	return holds("D39", len(against) == 0, seeds, found, note+"; "+assumed+"; "+plausible)
}

// slowdown is a method's heterogeneous over homogeneous iteration time.
func slowdown(homo, hetero grid, model, method string) float64 {
	x, _ := ratio(values(hetero[model][method], perIteration), values(homo[model][method], perIteration))
	return x
}

// isLeast reports whether slowdown is smallest for DASP among BSP, SSP, DSSP and
// DASP, for every model, to one part in a thousand.
func isLeast(homo, hetero grid) bool {
	for _, m := range models {
		for _, b := range baselines {
			if slowdown(homo, hetero, m, "dasp") > slowdown(homo, hetero, m, b)*(1+slack) {
				return false
			}
		}
	}
	return true
}

// leastOn says on how many pairs of plausible platforms with the same links and
// overhead DASP is least affected: each set of unequal workers beside the
// reference's equal ones.
func leastOn(homo, hetero []plausibleRun) string {
	n, of := 0, 0
	for _, a := range homo {
		for _, b := range hetero {
			if a.Workers != homogeneous || a.Link != b.Link || a.overhead != b.overhead {
				continue
			}
			if of++; isLeast(a.grid, b.grid) {
				n++
			}
		}
	}
	return fmt.Sprintf("over pairs of plausible platforms, unequal workers beside equal ones on the same links and overhead, DASP is least affected for all three models on %d of %d", n, of)
}

// leastAffected judges D56. ASP, which the sentence leaves open, and ties are
// printed; plausible is what other platforms gave.
func leastAffected(plausible string, homo, hetero grid) result.Claim {
	var ours []string
	note := ""
	for _, m := range models {
		factor := func(method string) float64 { return slowdown(homo, hetero, m, method) }
		note += title[m] + ":"
		for _, method := range methods {
			note += fmt.Sprintf(" %s ×%.3f", title[method], factor(method))
		}
		ours = append(ours, fmt.Sprintf("×%.2f", factor("dasp")))
		for _, b := range baselines {
			if b != "bsp" && math.Abs(factor("dasp")/factor(b)-1) <= slack {
				note += fmt.Sprintf(" (a tie with %s)", title[b])
			}
		}
		note += ". "
	}
	return holds("D56", isLeast(homo, hetero), len(homo["lenet5"]["bsp"]), "DASP "+strings.Join(ours, "; "),
		note+"Only SSP, DSSP and BSP are rivals here; ASP is printed beside them; "+assumed+"; "+plausible)
}
