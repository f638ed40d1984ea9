package ringsparse

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// judgeOverlap judges P14 by RingSparse on every network of more than one layer at
// every link.
func judgeOverlap(pairs []pair) result.Claim {
	least, most, where, of := math.Inf(1), 0.0, pair{}, 0
	var failing []string
	for _, p := range pairs {
		if p.Way != overlapWays[0] || p.Layers < 2 {
			continue
		}
		of++
		if p.saved() < least {
			least, where = p.saved(), p
		}
		most = math.Max(most, p.saved())
		if p.With/p.Plain > 1-claims.Tolerance("P14") {
			failing = append(failing, fmt.Sprintf("%s at %s (saves %.1f %%; its first layer has %.0f %% of the parameters, computing is %.0f %% of the iteration)", p.Title, linkName(p.Gbps), 100*p.saved(), 100*p.First, 100*p.Single/p.Plain))
		}
	}
	note := fmt.Sprintf("RingSparse, saved of the iteration without overlap: %d of %d cases save at least %.0f %%; least %.1f %% (%s at %s), most %.1f %%; wanted of every case", of-len(failing), of, 100*claims.Tolerance("P14"), 100*least, where.Title, linkName(where.Gbps), 100*most)
	if len(failing) > 0 {
		note += ". The others have little to hide an exchange behind, or most of it comes when nothing is left to compute: " + strings.Join(failing, ", ")
	}
	return holds("P14", len(failing) == 0, 0, fmt.Sprintf("saves %.1f to %.1f %%", 100*least, 100*most), note)
}

func pairTable(plan overlapPlan, pairs []pair) result.Table {
	t := result.Table{ID: "saved", Title: fmt.Sprintf("What overlap saves, N = %d", plan.Nodes), Kind: result.TimingOnly,
		Caption: howScale() + "Gradients of the stacks are dense; the three networks have the densities of ringsparse/traffic. Saved: of the iteration without overlap. Hidden: what is saved over what the exchange adds to computation without it.",
		Columns: []result.Column{{Key: "title", Title: "network"}, {Key: "layers", Title: "layers"}, {Key: "link", Title: "link"}, {Key: "way", Title: "exchange"}, {Key: "single", Title: "computing", Unit: "ms", Digits: 2},
			{Key: "plain", Title: "without overlap", Unit: "ms", Digits: 2}, {Key: "with", Title: "with overlap", Unit: "ms", Digits: 2}, {Key: "saved", Title: "saved", Unit: "%", Digits: 1}, {Key: "hidden", Title: "hidden", Unit: "%", Digits: 1}}}
	for _, p := range pairs {
		t.Rows = append(t.Rows, []any{p.Title, p.Layers, linkName(p.Gbps), ways[wayIndex(p.Way)].Title, 1e3 * p.Single, 1e3 * p.Plain, 1e3 * p.With, 100 * p.saved(), 100 * p.hidden()})
	}
	return t
}

// stackPairs are RingSparse's or another way's stacks at a link, by depth.
func stackPairs(plan overlapPlan, pairs []pair, way string, gbps float64) (out []pair) {
	for _, d := range plan.Depths {
		for _, p := range pairs {
			if p.Title == newStack(d, 1).Title && p.Way == way && p.Gbps == gbps {
				out = append(out, p)
			}
		}
	}
	return out
}

func savedFigure(plan overlapPlan, pairs []pair) result.Figure {
	f := result.Figure{ID: "saved-by-depth", Title: fmt.Sprintf("What overlap saves, by depth, N = %d", plan.Nodes), Kind: result.TimingOnly, Form: "bar",
		X: result.Axis{Title: "layers"}, Y: result.Axis{Title: "of the iteration without overlap", Unit: "%"}, Caption: howScale() + "RingSparse on dense gradients."}
	for _, d := range plan.Depths {
		f.X.Categories = append(f.X.Categories, fmt.Sprint(d))
	}
	for _, g := range links {
		s := result.Series{Name: linkName(g), Group: linkName(g)}
		for i, p := range stackPairs(plan, pairs, overlapWays[0], g) {
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, 100*p.saved())
		}
		f.Series = append(f.Series, s)
		f.Alt += fmt.Sprintf("At %s overlap saves %.1f %% with %d layer and %.1f %% with %d. ", linkName(g), s.Y[0], plan.Depths[0], s.Y[len(s.Y)-1], plan.Depths[len(plan.Depths)-1])
	}
	f.Alt = strings.TrimSpace(f.Alt)
	return f
}

func overlapNotes(plan overlapPlan, pairs []pair) []string {
	var notes []string
	for _, g := range links {
		ours, dense := stackPairs(plan, pairs, "ringsparse", g), stackPairs(plan, pairs, "dense", g)
		last, lastDense := ours[len(ours)-1], dense[len(dense)-1]
		notes = append(notes, fmt.Sprintf("At %s overlap saves %.1f %% of RingSparse's iteration with 1 layer, %.1f %% with 2 and %.1f %% with %d; of the dense ring's, with %d layers, %.1f %%.", linkName(g), 100*ours[0].saved(), 100*ours[1].saved(), 100*last.saved(), last.Layers, last.Layers, 100*lastDense.saved()))
	}
	faster, of := denseFaster(pairs)
	var least, most *pair
	for i := range pairs {
		p := &pairs[i]
		if p.Way != overlapWays[0] || p.Layers < 2 {
			continue
		}
		if least == nil || p.saved() < least.saved() {
			least = p
		}
		if most == nil || p.saved() > most.saved() {
			most = p
		}
	}
	return append(notes,
		fmt.Sprintf("What can be saved is bounded by the smaller of backward pass and exchange. It is most, %.1f %%, for %s at %s and least, %.1f %%, for %s at %s. Little is left where the backward pass is short beside the exchange, and where most parameters are in the first layer, whose gradient comes last.", 100*most.saved(), most.Title, linkName(most.Gbps), 100*least.saved(), least.Title, linkName(least.Gbps)),
		fmt.Sprintf("Overlap is not the patent's own: the dense ring has it too, layer by layer. With overlap in both the dense ring is the faster in %d of %d cases.", faster, of))
}

// denseFaster counts the networks and links where the dense ring with overlap is
// faster than RingSparse with overlap.
func denseFaster(pairs []pair) (faster, of int) {
	type place struct {
		title string
		gbps  float64
	}
	dense := map[place]float64{}
	for _, p := range pairs {
		if p.Way == "dense" {
			dense[place{p.Title, p.Gbps}] = p.With
		}
	}
	for _, p := range pairs {
		if p.Way == overlapWays[0] {
			of++
			if dense[place{p.Title, p.Gbps}] < p.With {
				faster++
			}
		}
	}
	return faster, of
}
