package ringsparse

import (
	"context"
	"fmt"
	"strings"

	result "gradsync/experiments/result1"
)

// rateModes are the modes timed again at the measured rates, on the deepest network
// and the most workers.
var rateModes = []int{sparseDense, sparseTenth, gradientsTenth}

// rescaled is one link of that: speed-ups by rateModes at both sets of rates.
type rescaled struct {
	Gbps              float64
	Assumed, Measured []float64
}

// scaleMeasured runs rateModes at measuredRates.
func scaleMeasured(ctx context.Context, plan scalePlan, all []scaled) ([]rescaled, error) {
	var out []rescaled
	depth := plan.Depths[len(plan.Depths)-1]
	for _, g := range links {
		list := pick(all, depth, g)
		s := list[len(list)-1]
		x := rescaled{Gbps: g}
		for _, m := range rateModes {
			w := newStack(depth, modes[m].Density)
			l, err := w.run(ctx, leg{way: modes[m].Way, gbps: g, nodes: s.Nodes, rates: measuredRates})
			if err != nil {
				return nil, err
			}
			x.Assumed = append(x.Assumed, s.speedup(m))
			x.Measured = append(x.Measured, float64(s.Nodes)*s.Single/l.Seconds)
		}
		out = append(out, x)
	}
	return out, nil
}

func rescaledTable(plan scalePlan, list []rescaled) result.Table {
	depth, last := plan.Depths[len(plan.Depths)-1], plan.Nodes[len(plan.Nodes)-1]
	t := result.Table{ID: "rates", Title: fmt.Sprintf("Speed-up of %d layers on %d workers at assumed and at measured rates", depth, last), Kind: result.TimingOnly,
		Caption: howScale() + "Assumed: the platform's rates, confidence low (" + spellRates(referencePlatform().Codecs) + "; GB/s, packing/unpacking). Measured: `gradsync calibrate` at density 10 %, one core with AVX-512 (" + spellRates(measuredRates) + "). Added after the first run.",
		Columns: []result.Column{{Key: "link", Title: "link"}}}
	for _, m := range rateModes {
		w := modes[m].Way
		t.Columns = append(t.Columns, result.Column{Key: w.Key, Title: w.Title + ", assumed", Digits: 2}, result.Column{Key: w.Key + "-measured", Title: w.Title + ", measured", Digits: 2})
	}
	for _, x := range list {
		row := []any{linkName(x.Gbps)}
		for i := range rateModes {
			row = append(row, x.Assumed[i], x.Measured[i])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// rescaledNote says whether measured rates make anything near linear.
func rescaledNote(plan scalePlan, list []rescaled) string {
	last := plan.Nodes[len(plan.Nodes)-1]
	var parts, linear []string
	for _, x := range list {
		parts = append(parts, fmt.Sprintf("at %s RingSparse %.1f (%.1f), gradients alone %.1f (%.1f)", linkName(x.Gbps), x.Measured[1], x.Assumed[1], x.Measured[2], x.Assumed[2]))
		for i, m := range rateModes {
			if x.Measured[i] >= plan.Least*float64(last) {
				linear = append(linear, fmt.Sprintf("%s at %s", modes[m].Way.Title, linkName(x.Gbps)))
			}
		}
	}
	end := "Nothing becomes near linear by them."
	if len(linear) > 0 {
		end = "Near linear at that size by them: " + strings.Join(linear, "; ") + "."
	}
	return fmt.Sprintf("These figures are of packing at %s. At %s the speed-up on %d workers at density %g %% is, in brackets at the assumed rates, %s. %s", assumed(), measuredSet(), last, 100*optimistic, strings.Join(parts, "; "), end)
}
