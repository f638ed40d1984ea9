package ringsparse

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// judgeRule judges P05 by every logged choice.
func (f findings) judgeRule() result.Claim {
	checked, ties, broken, first := 0, 0, 0, ""
	for _, d := range f.runs {
		if d.Kinds != "" {
			continue
		}
		s := d.sum(0, everything)
		checked += s.Choices
		ties += s.Ties
		broken += d.Broken
		if first == "" {
			first = d.First
		}
	}
	found := fmt.Sprintf("%d of %d choices break the rule", broken, checked)
	note := fmt.Sprintf("%d choices were logged and each was compared with the rule written a second time; %d of them were ties", checked, ties)
	if first != "" {
		note += "; the first that breaks it: " + first
	}
	return identity("P05", broken == 0 && ties > 0, found, note)
}

// judgeCount judges P08 by the messages of every run.
func (f findings) judgeCount() result.Claim {
	for _, d := range f.runs {
		if wrong := wrongCounts(d); wrong != "" {
			return identity("P08", false, wrong, "")
		}
	}
	return identity("P08", true, "", fmt.Sprintf("messages of %d runs, counted per exchange: every rank sends each layer N−1 times in the reduce-scatter and N−1 times in the all-gather, for N = %s. What is repeated is S5 alone: S4's split, count and first send happen once per layer, and only the first N−2 of the N−1 receives send on. Read to the letter, with S4 in every repetition, the first blocks would be sent again",
		len(f.runs), strings.ReplaceAll(strings.Trim(fmt.Sprint(f.plan.Ranks), "[]"), " ", " and ")))
}

func (f findings) notes() []string {
	n, tie := f.most(), f.plan.Ties[0]
	var out []string
	var sparser, tied, never, carried []string
	for _, c := range f.plan.Cases {
		s := f.sum(c.Key, n, tie, 0, everything)
		if s.sparserWeights() > 0 {
			sparser = append(sparser, fmt.Sprintf("%s (%.1f %% of its choices)", c.Title, s.of(s.sparserWeights())))
		}
		if s.Weights > 0 {
			carried = append(carried, fmt.Sprintf("%s %.1f %% of choices and %.1f %% of bytes", c.Title, s.of(s.Weights), f.weightBytes(c.Key, n, tie)))
		}
		if s.TieWeights > 0 {
			tied = append(tied, fmt.Sprintf("%s %.1f %%", c.Title, s.of(s.TieWeights)))
		} else if s.Weights == 0 {
			never = append(never, c.Title)
		}
	}
	out = append(out, fmt.Sprintf("Weights are chosen for being sparser, N = %d, in: %s. By the tie rule alone they are chosen, of all choices, in: %s. Never in: %s. A choice is one block, large or small; sent as weights are: %s.", n, list(sparser), list(tied), list(never), list(carried)))
	var alone []string
	for _, c := range f.plan.Cases {
		if z := f.zeros(c.Key); z.WeightsAlone > 0 {
			alone = append(alone, fmt.Sprintf("%s (%.1f %% of entries)", c.Title, 100*float64(z.WeightsAlone)/float64(z.Entries)))
		}
	}
	why := "The reason, counted entry by entry: W′ = W0 − η·g is exactly zero only where W0 and g are (or cancel to the last bit). "
	if len(alone) == 0 {
		out = append(out, why+"In no model was an entry zero in W′ and not in g, so that gradients are never the denser kind before the first exchange.")
	} else {
		out = append(out, why+"Entries that are zero in W′ and not in g were found in: "+strings.Join(alone, ", ")+". In all others zeros of W′ are zeros of g, and weights can win by the tie alone.")
	}
	out = append(append(out, f.prunedNotes()...), f.blackNote())
	return append(append(out, f.tieNotes()...), f.caveats()...)
}

// list joins items; "none" if there are none.
func list(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, "; ")
}

// prunedNotes follow the pruned case from hop to hop.
func (f findings) prunedNotes() (out []string) {
	n, tie, key := f.most(), f.plan.Ties[0], f.plan.AloneOf
	hop := func(h int) share { return f.sum(key, n, tie, 0, func(_, x int) bool { return x == h }) }
	first, second, last := hop(0), hop(1), hop(n-1)
	out = append(out, fmt.Sprintf("Pruned, mask on the weights: of the first choices %.0f %% are weights for being sparser (%.1f %% against %.1f %% dense), of the second %.0f %%. A sum of pruned weights turned into gradients (S51) is zero wherever the mask is, and there the gradients win with %.1f %% against %.1f %%; the next rank adds its own, unmasked, gradient, and at the last hop the sum's densities are %.1f %% and %.1f %%.",
		first.of(first.sparserWeights()), first.weightDensity(), first.gradientDensity(), second.of(second.sparserWeights()), second.gradientDensity(), second.weightDensity(), last.weightDensity(), last.gradientDensity()))
	both, _ := exp.MeanAndHalf(f.ratios(key, n, tie, 0))
	weights, gradients := f.alone(n, "weights"), f.alone(n, "gradients")
	verdict := "the choice at every hop sends less than either kind alone"
	if both > min(weights, gradients) {
		verdict = "the choice at every hop, which looks no further than that hop, sends more than the better kind throughout"
	}
	out = append(out, fmt.Sprintf("Pruned, N = %d: %s: bytes over dense %.3f, weights alone %.3f, gradients alone %.3f.", n, verdict, both, weights, gradients))
	masked := f.sum(key+"-both", n, tie, 0, everything)
	out = append(out, fmt.Sprintf("With the mask on the gradient too, as pruned training usually has it, weights are sparser in %.1f %% of the choices, and the bytes over dense are %.3f.", masked.of(masked.sparserWeights()), masked.ratio()))
	return out
}

// tieNotes compare the two tie rules.
func (f findings) tieNotes() (out []string) {
	n := f.most()
	var text []string
	for _, c := range f.plan.Cases {
		a, _ := exp.MeanAndHalf(f.ratios(c.Key, n, f.plan.Ties[0], 0))
		b, _ := exp.MeanAndHalf(f.ratios(c.Key, n, f.plan.Ties[1], 0))
		text = append(text, fmt.Sprintf("%s %.3f and %.3f", c.Title, a, b))
	}
	out = append(out, fmt.Sprintf("Bytes over the dense ring's at %s, N = %d, ties to weights and ties to gradients: %s. %s", linkName(f.plan.Link), n, strings.Join(text, "; "), f.tieConversions()))
	if text := f.lostTies(); text != "" {
		out = append(out, text)
	}
	var fast []string
	for _, c := range f.plan.Cases {
		if s := f.sum(c.Key, n, f.plan.Ties[0], 1, everything); s.compressed() > 0 {
			fast = append(fast, fmt.Sprintf("%s %.1f %%", c.Title, s.of(s.compressed())))
		}
	}
	bitmap := coders(referencePlatform())[0]
	tc, td := bitmap.Costs(1e9)
	out = append(out, fmt.Sprintf("At %s S42 compresses, of all choices at N = %d, in: %s. Packing and unpacking a bitmap take %.2f ns per byte, sending the byte as it is %.2f ns.", linkName(f.plan.Other), n, list(fast), tc+td, 1e9/(f.plan.Other*gigabit)))
	return out
}

// tieConversions says whether the tie rule changes how many blocks S51 turns, and
// which way.
func (f findings) tieConversions() string {
	var other []string
	var way [2]float64 // share of conversions that make gradients, by tie rule
	for i, tie := range f.plan.Ties[:2] {
		var to, all int64
		for _, d := range f.runs {
			if d.Tie == tie && d.Kinds == "" {
				to, all = to+d.Totals.ToGradients, all+d.Totals.ToGradients+d.Totals.ToWeights
			}
		}
		way[i] = 100 * float64(to) / float64(max(all, 1))
	}
	for _, c := range f.plan.Cases {
		for _, n := range f.plan.Ranks {
			if a, b := f.conversions(c.Key, n, f.plan.Ties[0]), f.conversions(c.Key, n, f.plan.Ties[1]); a != b {
				other = append(other, fmt.Sprintf("%s, N = %d, %.1f and %.1f", c.Title, n, a, b))
			}
		}
	}
	text := "S51 turns as many blocks under one rule as under the other, in every row of the table"
	if other != nil {
		text = "S51 turns, per rank and step, other numbers of blocks: " + strings.Join(other, "; ")
	}
	return fmt.Sprintf("%s; what the rule decides is which way, and so what is rounded: over all models %.0f %% and %.0f %% of the conversions make gradients of weights.", text, way[0], way[1])
}

// blackNote splits the MLP's zeros into those of black pixels and of idle units.
func (f findings) blackNote() string {
	n, tie := f.most(), f.plan.Ties[0]
	density := func(key string, layer int) float64 {
		s := f.sum(key, n, tie, 0, func(l, h int) bool { return l == layer && h == 0 })
		return s.gradientDensity()
	}
	return fmt.Sprintf("Black pixels explain only a part of the MLP's zeros: of one rank's gradient of the first layer %.0f %% are not zero with raw pixels, %.0f %% with normalised ones, where black is no zero; of the second layer, which sees no pixels, %.0f %% and %.0f %%. The rest are units that are idle (ReLU) for all %d images of a rank's batch; larger batches have fewer.",
		density("mlp", 0), density("mlp-normalised", 0), density("mlp", 1), density("mlp-normalised", 1), f.plan.Cases[0].Batch)
}

// caveats say what the numbers are not.
func (f findings) caveats() []string {
	e := defaultEmbedding()
	out := []string{
		fmt.Sprintf("The embedding MLP is trained on synthetic texts: %d tokens each of a vocabulary of %d, drawn by Zipf's law with exponent %g, half by a ranking of the text's class. How fast sums fill in depends on that law.", e.Tokens, e.Vocabulary, e.Zipf),
	}
	replay := 0
	for _, d := range f.runs {
		replay += d.Replay
	}
	if replay > 0 {
		out = append([]string{fmt.Sprintf("%d logged choices have other bytes than their densities say: choices at %s are not exact.", replay, linkName(f.plan.Other))}, out...)
	}
	return out
}

// lostTies says where ties to weights make other ties: a sum of weights turned into
// gradients loses steps smaller than a weight's last bit.
func (f findings) lostTies() string {
	n := f.most()
	var text []string
	for _, c := range f.plan.Cases {
		w, g := f.sum(c.Key, n, f.plan.Ties[0], 0, everything), f.sum(c.Key, n, f.plan.Ties[1], 0, everything)
		if w.Ties < g.Ties {
			text = append(text, fmt.Sprintf("%s %.1f %% and %.1f %%", c.Title, w.of(w.Ties), g.of(g.Ties)))
		}
	}
	if text == nil {
		return ""
	}
	return fmt.Sprintf("Ties to weights end in fewer ties than ties to gradients, N = %d: %s of all choices. A block sent as weights and turned back (S51) has lost the gradients that are smaller than a weight's last bit; they have become zeros, the gradients look sparser than they are, and the next hop takes them.", n, strings.Join(text, "; "))
}
