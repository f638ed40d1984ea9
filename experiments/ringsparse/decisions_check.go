package ringsparse

import (
	"fmt"

	"gradsync/papers/ringsparse"
)

// ruleOf is S41 in one line, apart from package ringsparse: which kind follows from
// two densities.
func ruleOf(weights, gradients float64, tie string) (kind ringsparse.Kind, byTie bool) {
	switch {
	case weights < gradients:
		return ringsparse.Weights, false
	case weights > gradients:
		return ringsparse.Gradients, false
	case tie == "gradients":
		return ringsparse.Gradients, true
	}
	return ringsparse.Weights, true
}

// brokenRules counts logged choices that do not follow S41; first describes one.
func brokenRules(choices []ringsparse.Choice, tie string) (broken int, first string) {
	for _, c := range choices {
		kind, byTie := ruleOf(c.WeightDensity, c.GradientDensity, tie)
		if kind == c.Kind && byTie == c.Tie {
			continue
		}
		if broken++; broken == 1 {
			first = fmt.Sprintf("layer %d block %d hop %d: %v (tie %v) at densities %g and %g", c.Layer, c.Block, c.Hop, c.Kind, c.Tie, c.WeightDensity, c.GradientDensity)
		}
	}
	return broken, first
}

// wrongCounts says where a run's exchanges are not N−1 and N−1 per layer and step of
// every rank; "" is nowhere.
func wrongCounts(d decided) string {
	each := int64(d.Ranks) * d.Steps * int64(len(d.Layers)) // one exchange of all ranks and layers
	t := d.Totals
	if len(t.Hops) != d.Ranks-1 {
		return fmt.Sprintf("%s, N = %d: %d exchanges reduce", d.Case.Title, d.Ranks, len(t.Hops))
	}
	for i, h := range t.Hops {
		if h.Blocks != each {
			return fmt.Sprintf("%s, N = %d: %d messages at exchange %d, want %d", d.Case.Title, d.Ranks, h.Blocks, i+1, each)
		}
	}
	if want := each * int64(d.Ranks-1); t.Gather.Blocks != want {
		return fmt.Sprintf("%s, N = %d: %d messages of the all-gather, want %d", d.Case.Title, d.Ranks, t.Gather.Blocks, want)
	}
	if want := 2 * each * int64(d.Ranks-1); t.Sent.Blocks != want {
		return fmt.Sprintf("%s, N = %d: %d messages, want %d", d.Case.Title, d.Ranks, t.Sent.Blocks, want)
	}
	return ""
}
