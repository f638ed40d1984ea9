package dasp

import (
	"fmt"

	"gradsync/experiments/result"
)

// convergenceTable is table 6 or 7: time to the same accuracy.
func convergenceTable(heading string, s size, t trainings) result.Table {
	tab := result.Table{ID: "convergence", Title: heading + fmt.Sprintf(", LeNet-5 to %g %%", 100*s.Target), Kind: result.Trained,
		Caption: fmt.Sprintf("Virtual time and gradients until the test accuracy first reaches %g %% (linear between evaluations, "+
			"%d test images each, every %d gradients), mean over seeds; ± half the 95 %% interval. The ratio is paired by seed. "+
			"BSP is trained once and timed on both clusters, which is exact: its parameters do not depend on the cluster.",
			100*s.Target, evalImage, s.EvalEvery),
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "seconds", Title: "time to target", Unit: "s", Digits: 3},
			{Key: "seconds_half", Title: "±", Unit: "s", Digits: 3}, {Key: "ratio", Title: "BSP = 1", Digits: 3},
			{Key: "lo", Title: "from", Digits: 3}, {Key: "hi", Title: "to", Digits: 3},
			{Key: "pushes", Title: "gradients to target", Digits: 0}, {Key: "iteration", Title: "mean iteration", Unit: "ms", Digits: 2},
			{Key: "product", Title: "iteration × iterations", Unit: "s", Digits: 3}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2}}}
	base, _, baseOK := reachedBy(t["bsp"], s.Target)
	for _, method := range methods {
		cells := t[method]
		sec, push, ok := reachedBy(cells, s.Target)
		iteration, _ := meanAndHalf(values(cells, perIteration))
		accuracy, _ := meanAndHalf(values(cells, func(c cell) float64 { return c.Accuracy }))
		row := []any{title[method], nil, nil, nil, nil, nil, nil, 1e3 * iteration, nil, 100 * accuracy}
		if ok {
			mean, half := meanAndHalf(sec)
			row[1], row[2] = mean, orNone(half)
			row[6], _ = meanAndHalf(push)
			row[8] = iteration * row[6].(float64) / workers // §3.2's own definition, per worker
		}
		if ok && baseOK {
			r, ci := ratio(sec, base)
			row[3] = r
			if ci != nil {
				row[4], row[5] = ci[0], ci[1]
			}
		}
		tab.Rows = append(tab.Rows, row)
	}
	return tab
}

// notReached says which methods never got to the target, and when all did how
// many evaluations lie before it.
func notReached(s size, t trainings) []string {
	var out []string
	for _, method := range methods {
		n := 0
		for _, c := range t[method] {
			if _, _, _, ok := toTarget(c.Curve, s.Target); !ok {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%s does not reach %g %% in %d of %d seeds within %d gradients: its time to target is not a number, and no ratio is printed.",
				title[method], 100*s.Target, n, len(t[method]), s.Pushes))
		}
	}
	return out
}

// laterNetworks is why no number of ResNet-18 and VGG-19-BN stands here.
const laterNetworks = "convergence of ResNet-18 and VGG-19-BN needs their training: the networks and the engine for it are here (gradsync train --model resnet18), the experiment is not built yet"

// trainedStates is the table of DASP's states in a training.
func trainedStates(platform string, t trainings) result.Table {
	tab := newStateTable(result.Trained)
	tab.Rows = append(tab.Rows, stateRow("LeNet-5, "+title[platform], t["dasp"]))
	return tab
}
