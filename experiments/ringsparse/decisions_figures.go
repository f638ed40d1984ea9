package ringsparse

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// parts are the three ways in which a block's kind is decided.
var parts = []struct {
	name, group string
	of          func(s share) float64
}{
	{"weights, being sparser", "weights", func(s share) float64 { return s.of(s.sparserWeights()) }},
	{"weights, by the tie alone", "tie", func(s share) float64 { return s.of(s.TieWeights) }},
	{"gradients", "gradients", func(s share) float64 { return s.of(s.gradients()) }},
}

// kindFigure has one group of bars per model.
func (f findings) kindFigure() result.Figure {
	n, tie := f.most(), f.plan.Ties[0]
	fig := result.Figure{ID: "chosen", Title: fmt.Sprintf("What is chosen, N = %d, ties to %s", n, tie), Kind: result.Trained, Form: "bar",
		Caption: "Share of all choices about blocks, by model; the patent's rules.", Y: result.Axis{Title: "share of choices", Unit: "%"}}
	var said []string
	for _, c := range f.plan.Cases {
		fig.X.Categories = append(fig.X.Categories, c.Short)
		s := f.sum(c.Key, n, tie, 0, everything)
		said = append(said, fmt.Sprintf("%s: weights as the sparser kind %.1f %%, by the tie alone %.1f %%, gradients %.1f %%", c.Title, parts[0].of(s), parts[1].of(s), parts[2].of(s)))
	}
	fig.X.Title = "model"
	for _, p := range parts {
		line := result.Series{Name: p.name, Group: p.group}
		for i, c := range f.plan.Cases {
			line.X, line.Y = append(line.X, float64(i)), append(line.Y, p.of(f.sum(c.Key, n, tie, 0, everything)))
		}
		fig.Series = append(fig.Series, line)
	}
	fig.Alt = strings.Join(said, "; ") + "."
	return fig
}

// hopFigure has one group of bars per hop of a case.
func (f findings) hopFigure(c decisionCase) result.Figure {
	n, tie := f.most(), f.plan.Ties[0]
	at := func(h int) share {
		return f.sum(c.Key, n, tie, 0, func(_, hop int) bool { return hop == h })
	}
	fig := result.Figure{ID: "by-hop-" + c.Key, Title: fmt.Sprintf("%s: what is chosen at every hop, N = %d, ties to %s", c.Title, n, tie), Kind: result.Trained, Form: "bar",
		Caption: "Share of the choices about blocks that hold the sum of m ranks; the last is the owner's for the all-gather.",
		X:       result.Axis{Title: "ranks in the sum, m"}, Y: result.Axis{Title: "share of choices", Unit: "%"}}
	for h := range n {
		fig.X.Categories = append(fig.X.Categories, fmt.Sprint(h+1))
	}
	for _, p := range parts {
		line := result.Series{Name: p.name, Group: p.group}
		for h := range n {
			line.X, line.Y = append(line.X, float64(h)), append(line.Y, p.of(at(h)))
		}
		fig.Series = append(fig.Series, line)
	}
	fig.Alt = fmt.Sprintf("Gradients are chosen in %.0f %% of the choices at m = 1 and in %.0f %% at m = %d; weights by the tie alone in %.0f %% and %.0f %%, weights for being sparser in %.0f %% and %.0f %%.",
		parts[2].of(at(0)), parts[2].of(at(n-1)), n, parts[1].of(at(0)), parts[1].of(at(n-1)), parts[0].of(at(0)), parts[0].of(at(n-1)))
	return fig
}

// fillFigure draws the density of gradient sums by hop.
func (f findings) fillFigure() result.Figure {
	n, tie := f.most(), f.plan.Ties[len(f.plan.Ties)-1]
	fig := result.Figure{ID: "density", Title: fmt.Sprintf("Density of gradient sums, N = %d, ties to %s", n, tie), Kind: result.Trained, Form: "line",
		Caption: fmt.Sprintf("Entries of the sum of m ranks' gradients that are not +0, over all layers; %d seeds pooled. A sum received as weights is drawn as S51 turns it back into gradients, which is zero wherever a mask is%s.", f.seeds, f.masked(n, tie)),
		X:       result.Axis{Title: "ranks in the sum, m"}, Y: result.Axis{Title: "density", Unit: "%"}}
	var said []string
	for _, c := range f.plan.Cases {
		line := result.Series{Name: c.Title, Group: c.Key}
		for h := range n {
			s := f.sum(c.Key, n, tie, 0, func(_, hop int) bool { return hop == h })
			line.X, line.Y = append(line.X, float64(h+1)), append(line.Y, s.gradientDensity())
		}
		fig.Series = append(fig.Series, line)
		text := fmt.Sprintf("%s from %.1f to %.1f %%", c.Title, line.Y[0], line.Y[n-1])
		if low := slices.Min(line.Y); low < min(line.Y[0], line.Y[n-1]) {
			text += fmt.Sprintf(" by way of %.1f %%", low)
		}
		said = append(said, text)
	}
	fig.Alt = fmt.Sprintf("From one rank to the sum of %d: %s.", n, strings.Join(said, "; "))
	return fig
}

// masked is what that does to the pruned case at its second hop, if its sums are
// sparser there than one rank's gradient.
func (f findings) masked(n int, tie string) string {
	at := func(h int) float64 {
		return f.sum(f.plan.AloneOf, n, tie, 0, func(_, hop int) bool { return hop == h }).gradientDensity()
	}
	if at(1) >= at(0) {
		return ""
	}
	return fmt.Sprintf(": hence the pruned MLP's fall from %.0f to %.0f %% at m = 2", at(0), at(1))
}

// byteFigure sets both tie rules side by side.
func (f findings) byteFigure() result.Figure {
	n := f.most()
	fig := result.Figure{ID: "bytes", Title: fmt.Sprintf("Bytes against the dense ring, N = %d", n), Kind: result.Trained, Form: "bar",
		Caption: fmt.Sprintf("Payload over the dense ring's, mean over %d seeds; 1 is dense.", f.seeds), X: result.Axis{Title: "model"}, Y: result.Axis{Title: "bytes / dense"}}
	var said []string
	for _, c := range f.plan.Cases {
		fig.X.Categories = append(fig.X.Categories, c.Short)
	}
	for _, tie := range f.plan.Ties {
		for link, gbps := range []float64{f.plan.Link, f.plan.Other} {
			line := result.Series{Name: fmt.Sprintf("tie to %s, %s", tie, linkName(gbps)), Group: fmt.Sprintf("%s %g", tie, gbps)}
			var texts []string
			for i, c := range f.plan.Cases {
				mean, _ := exp.MeanAndHalf(f.ratios(c.Key, n, tie, link))
				line.X, line.Y = append(line.X, float64(i)), append(line.Y, mean)
				texts = append(texts, fmt.Sprintf("%s %.2f", c.Title, mean))
			}
			fig.Series = append(fig.Series, line)
			said = append(said, line.Name+": "+strings.Join(texts, ", "))
		}
	}
	fig.Alt = strings.Join(said, "; ") + "."
	return fig
}
