package ringsparse

import (
	"fmt"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse/formula"
)

func howScale() string {
	return fmt.Sprintf("Timing-only runs of sparse32 without jitter, one iteration. Stacks of square layers of width %d (%.2g million parameters each), %d rows per worker; every worker has its own batch, speed-up is N times one worker's time over this one's. ", stackWidth, float64(stackWidth*(stackWidth+1))/1e6, stackRows)
}

const howModes = "d: density of one worker's gradient. Work free: counting, turning, packing and unpacking take no time, d = 10 %; a bound."

func efficiencyTable(plan scalePlan, all []scaled) result.Table {
	last := plan.Nodes[len(plan.Nodes)-1]
	t := result.Table{ID: "efficiency", Title: fmt.Sprintf("Efficiency by depth and link, N = %d", last), Kind: result.TimingOnly,
		Caption: howScale() + fmt.Sprintf("Efficiency: speed-up over N. Near linear: at least %.0f %% at every N. The gradients of such layers are dense; density %g %% is an optimistic assumption. ", 100*plan.Least, 100*optimistic) + howModes,
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "depth", Title: "layers"}, {Key: "params", Title: "parameters", Unit: "million", Digits: 0}}}
	for _, m := range modes {
		t.Columns = append(t.Columns, result.Column{Key: m.Way.Key, Title: m.Way.Title, Unit: "%", Digits: 1})
	}
	for _, g := range links {
		for _, d := range plan.Depths {
			list := pick(all, d, g)
			s := list[len(list)-1]
			row := []any{linkName(g), d, float64(d*stackWidth*(stackWidth+1)) / 1e6}
			for m := range modes {
				row = append(row, 100*s.efficiency(m))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func speedupTable(plan scalePlan, all []scaled) result.Table {
	depth := plan.Depths[len(plan.Depths)-1]
	t := result.Table{ID: "speed-up", Title: fmt.Sprintf("Speed-up of %d layers", depth), Kind: result.TimingOnly, Caption: howScale(),
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "n", Title: "N"}}}
	for _, m := range modes {
		t.Columns = append(t.Columns, result.Column{Key: m.Way.Key, Title: m.Way.Title, Digits: 2})
	}
	for _, g := range links {
		for _, s := range pick(all, depth, g) {
			row := []any{linkName(g), s.Nodes}
			for m := range modes {
				row = append(row, s.speedup(m))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// saved is what overlap and sparsity each take off the dense ring's iteration without
// overlap, and both together.
func (s *scaled) saved() (overlap, sparsity, both float64) {
	plain := s.Seconds[densePlain]
	return plain - s.Seconds[denseOverlap], plain - s.Seconds[sparsePlain], plain - s.Seconds[sparseTenth]
}

func savedTable(plan scalePlan, all []scaled) result.Table {
	last := plan.Nodes[len(plan.Nodes)-1]
	t := result.Table{ID: "saved", Title: fmt.Sprintf("What overlap saves and what sparsity saves, N = %d", last), Kind: result.TimingOnly,
		Caption: howScale() + fmt.Sprintf("Against the dense ring without overlap: overlap alone (dense ring), RingSparse alone at density %g %%, both. Negative: it takes longer.", 100*optimistic),
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "depth", Title: "layers"}, {Key: "plain", Title: "dense ring, no overlap", Unit: "ms", Digits: 0}, {Key: "single", Title: "of it computing", Unit: "ms", Digits: 0},
			{Key: "overlap", Title: "overlap saves", Unit: "%", Digits: 1}, {Key: "sparsity", Title: "sparsity saves", Unit: "%", Digits: 1}, {Key: "both", Title: "both save", Unit: "%", Digits: 1}}}
	for _, g := range links {
		for _, d := range plan.Depths {
			list := pick(all, d, g)
			s := list[len(list)-1]
			overlap, sparsity, both := s.saved()
			plain := s.Seconds[densePlain]
			t.Rows = append(t.Rows, []any{linkName(g), d, 1e3 * plain, 1e3 * s.Single, 100 * overlap / plain, 100 * sparsity / plain, 100 * both / plain})
		}
	}
	return t
}

func speedupFigure(plan scalePlan, all []scaled, gbps float64) result.Figure {
	depth := plan.Depths[len(plan.Depths)-1]
	f := result.Figure{ID: fmt.Sprintf("speed-up-%g", gbps), Title: fmt.Sprintf("Speed-up of %d layers at %s", depth, linkName(gbps)), Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "N"}, Y: result.Axis{Title: "speed-up over one worker"}, Caption: howScale() + howModes + " Ideal: N.",
		Series: []result.Series{{Name: "ideal", Group: "ideal"}}}
	list := pick(all, depth, gbps)
	for _, s := range list {
		f.Series[0].X, f.Series[0].Y = append(f.Series[0].X, float64(s.Nodes)), append(f.Series[0].Y, float64(s.Nodes))
	}
	last := list[len(list)-1]
	f.Alt = fmt.Sprintf("At N = %d: ", last.Nodes)
	for _, m := range []int{denseOverlap, densePlain, sparseDense, sparseTenth, sparseFree} {
		mode := modes[m]
		line := result.Series{Name: mode.Way.Title, Group: mode.Way.Key}
		for _, s := range list {
			line.X, line.Y = append(line.X, float64(s.Nodes)), append(line.Y, s.speedup(m))
		}
		f.Series = append(f.Series, line)
		f.Alt += fmt.Sprintf("%s %.1f, ", mode.Way.Title, last.speedup(m))
	}
	f.Alt = strings.TrimSuffix(f.Alt, ", ") + "."
	return f
}

func depthFigure(plan scalePlan, all []scaled) result.Figure {
	gbps, last := links[len(links)-1], plan.Nodes[len(plan.Nodes)-1]
	f := result.Figure{ID: "depth", Title: fmt.Sprintf("Efficiency by depth at %s, N = %d", linkName(gbps), last), Kind: result.TimingOnly, Form: "bar",
		X: result.Axis{Title: "layers"}, Y: result.Axis{Title: "speed-up over N", Unit: "%"}, Caption: howScale()}
	for i, m := range modes[:sparsePlain] {
		line := result.Series{Name: m.Way.Title, Group: m.Way.Key}
		for k, d := range plan.Depths {
			list := pick(all, d, gbps)
			line.X, line.Y = append(line.X, float64(k)), append(line.Y, 100*list[len(list)-1].efficiency(i))
		}
		f.Series = append(f.Series, line)
		f.Alt += fmt.Sprintf("%s: %.0f %% with %d layers, %.0f %% with %d. ", m.Way.Title, line.Y[0], plan.Depths[0], line.Y[len(line.Y)-1], plan.Depths[len(plan.Depths)-1])
	}
	for _, d := range plan.Depths {
		f.X.Categories = append(f.X.Categories, fmt.Sprint(d))
	}
	f.Alt = strings.TrimSpace(f.Alt)
	return f
}

// nearLinear lists links at which a mode is near linear at every depth and N.
func nearLinear(plan scalePlan, all []scaled, mode int) (names []string) {
	for _, g := range links {
		ok := true
		for _, d := range plan.Depths {
			e, _ := leastEfficiency(pick(all, d, g), mode)
			ok = ok && e >= plan.Least
		}
		if ok {
			names = append(names, linkName(g))
		}
	}
	return names
}

// needed is the bandwidth in Gb/s from which a dense exchange of one layer among n
// workers, latency aside, is no longer than the layer's backward pass.
//
//	2(N−1)/N·D/B ≤ backward
func needed(n int) float64 {
	backward := 4 * stackRows * stackWidth * stackWidth / referencePlatform().Workers[0].FLOPS
	return formula.Dense(n, 4*stackWidth*(stackWidth+1)) / backward / gigabit
}

// linearNote says of which exchanges “near linear” holds.
func linearNote(plan scalePlan, all []scaled) string {
	s := fmt.Sprintf("“Near linear”, taken as at least %.0f %% of N at every N up to %d and every depth, ", 100*plan.Least, plan.Nodes[len(plan.Nodes)-1])
	var of []string
	for _, m := range []int{sparseDense, sparseTenth, denseOverlap, densePlain} {
		if names := nearLinear(plan, all, m); len(names) > 0 {
			of = append(of, fmt.Sprintf("%s at %s", modes[m].Way.Title, strings.Join(names, " and ")))
		}
	}
	if len(of) == 0 {
		return s + fmt.Sprintf("holds nowhere: not of RingSparse, whether gradients are dense or %g %% dense, nor of the dense ring, with overlap or without, at any link from %s to %s.", 100*optimistic, linkName(links[0]), linkName(links[len(links)-1]))
	}
	return s + "holds of: " + strings.Join(of, "; ") + "; of nothing else."
}

func scalingNotes(plan scalePlan, all []scaled, again []rescaled) []string {
	depth, last := plan.Depths[len(plan.Depths)-1], plan.Nodes[len(plan.Nodes)-1]
	end := func(g float64) *scaled { list := pick(all, depth, g); return list[len(list)-1] }
	slow, fast := end(links[0]), end(links[len(links)-1])
	shallow := pick(all, plan.Depths[0], links[len(links)-1])
	first := shallow[len(shallow)-1]
	minus := strings.NewReplacer("-", "−")
	var parts []string
	for _, g := range links {
		overlap, sparsity, both := end(g).saved()
		plain := end(g).Seconds[densePlain]
		parts = append(parts, fmt.Sprintf("%s: overlap %.0f %%, sparsity %.0f %%, both %.0f %%", linkName(g), 100*overlap/plain, 100*sparsity/plain, 100*both/plain))
	}
	depthNote := "Depth does no harm"
	if fast.efficiency(denseOverlap) < first.efficiency(denseOverlap) {
		depthNote = "Depth does harm"
	}
	return []string{
		linearNote(plan, all),
		fmt.Sprintf("%d workers on %d layers do the work of %.1f at 1 Gb/s with the dense ring and overlap, and of %.1f with RingSparse on dense gradients; at density %g %% of %.1f, since the sum of %d such gradients is %.0f %% dense. At %s: %.1f, %.1f and %.1f.", last, depth, slow.speedup(denseOverlap), slow.speedup(sparseDense), 100*optimistic, slow.speedup(sparseTenth), last, 100*formula.FillIn(optimistic, last-1),
			linkName(fast.Gbps), fast.speedup(denseOverlap), fast.speedup(sparseDense), fast.speedup(sparseTenth)),
		rescaledNote(plan, again),
		fmt.Sprintf("What an iteration of %d layers on %d workers saves against the dense ring without overlap, by %s.", depth, last, minus.Replace(strings.Join(parts, "; "))),
		fmt.Sprintf(depthNote+": at %s the dense ring with overlap has an efficiency of %.2f with %d layers and %.2f with %d. Every layer brings its own time to hide behind; only the exchange of the first layer, which comes last, has nothing left.", linkName(fast.Gbps), first.efficiency(denseOverlap), plan.Depths[0], fast.efficiency(denseOverlap), depth),
		fmt.Sprintf("Whether an exchange hides is a matter of the link: from %.0f Gb/s on the dense exchange of a layer among %d workers, latency aside, lasts no longer than its backward pass, whatever the depth.", needed(last), last),
		fmt.Sprintf("RingSparse's own work, counting, turning sums into the other kind, packing, is charged at rates assumed of a CPU core and fills the time in which the exchange could hide. If it cost nothing, density %g %% would give %.1f at %s and %.1f at %s; gradients alone, which turn nothing, give %.1f and %.1f with the work charged.", 100*optimistic,
			slow.speedup(sparseFree), linkName(slow.Gbps), fast.speedup(sparseFree), linkName(fast.Gbps), slow.speedup(gradientsTenth), fast.speedup(gradientsTenth)),
	}
}
