package compare

import (
	"fmt"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

// adviceTable is the short answer: situation, what is best, how often, and where.
func (g *guide) adviceTable() result.Table {
	t := result.Table{ID: "advice", Title: "Which method to use when", Kind: result.TimingOnly,
		Caption: g.how() + "Use: one worker alone where no method is faster in half of the cases or more, then the method that is first in more than half of the others, or those that are first somewhere, if four at most; = joins methods within half a per cent, “any asynchronous” all four of ASP, SSP, DSSP and DASP. Best: cases in which each is. " + g.costs() + " Everything here is computed from the tables below.",
		Columns: []result.Column{{Key: "situation", Title: "situation"}, {Key: "use", Title: "use"}, {Key: "first", Title: "best"}, {Key: "where", Title: "where"}}}
	add := func(situation string, points []point, allowed func(method) bool) {
		c := g.tally(points, allowed)
		t.Rows = append(t.Rows, []any{situation, c.use(), c.words(), g.byNetwork(points, allowed)})
	}
	of := func(set string) []point { return g.points(func(p point) bool { return p.Set == set }) }
	equal := of(equalWorkers)
	add("equal workers, "+g.fastWords(), g.points(g.quick), noMulticast)
	add("equal workers, "+linkName(g.slow()), slices.DeleteFunc(slices.Clone(equal), func(p point) bool { return p.Gbps != g.slow() }), noMulticast)
	add("one straggler, six times slower", of(straggler), noMulticast)
	add("strongly unequal, speeds from 1 to 1/3.6", of(spread), noMulticast)
	add("a server exists, equal workers", equal, ofServer)
	add("a server exists, one straggler", of(straggler), ofServer)
	add("a server exists, strongly unequal", of(spread), ofServer)
	t.Rows = append(t.Rows, g.sparseRow(equal))
	t.Rows = append(t.Rows,
		g.duelRow("the network has multicast", "a method with multicast", func(m method) bool { return m.Multicast }, noMulticast),
		g.duelRow("data on several nodes, to be computed on r times", "a redundant method", redundant, noMulticast))
	add("if it must be a redundant method", g.plan.points(), redundant)
	return t
}

// quick takes the points of equal workers but for the slowest link.
func (g *guide) quick(p point) bool {
	return p.Set == equalWorkers && slices.Contains(g.fast(), p.Gbps)
}

// duelRow asks whether the best of one kind beats the best of another, where either
// beats one worker alone.
func (g *guide) duelRow(situation, kind string, a, b func(method) bool) []any {
	words := func(group func(point) string) string {
		var names, out []string
		of := map[string][]point{}
		for _, p := range g.plan.points() {
			if of[group(p)] == nil {
				names = append(names, group(p))
			}
			of[group(p)] = append(of[group(p)], p)
		}
		for _, k := range names {
			d := g.against(of[k], a, b)
			if d.Of == 0 {
				continue
			}
			out = append(out, fmt.Sprintf("%s %d of %d", k, d.Wins, d.Of))
		}
		return strings.Join(out, "; ")
	}
	d, use := g.against(g.plan.points(), a, b), "not "+kind
	if 2*d.Wins > d.Of {
		use = kind
	}
	if d.Of == 0 {
		use = oneAlone
	}
	return []any{situation, use, fmt.Sprintf("%s %d of %d where distributing pays", kind, d.Wins, d.Of), words(byModel) + "; " + words(byLink)}
}

func byModel(p point) string { return modelTitle[p.Model] }
func byLink(p point) string  { return linkName(p.Gbps) }

// sparseRow is the advice for gradients of the lowest stated density.
func (g *guide) sparseRow(points []point) []any {
	d := g.plan.Densities[len(g.plan.Densities)-1]
	wins := 0
	for _, p := range points {
		if g.sparse(p, d) < 1 {
			wins++
		}
	}
	group := func(name func(point) string) string {
		var sparse, ring []string
		of, first := map[string]int{}, map[string]int{}
		var names []string
		for _, p := range points {
			k := name(p)
			if of[k] == 0 {
				names = append(names, k)
			}
			of[k]++
			if g.sparse(p, d) < 1 {
				first[k]++
			}
		}
		for _, k := range names {
			if 2*first[k] > of[k] {
				sparse = append(sparse, k)
			} else {
				ring = append(ring, k)
			}
		}
		switch {
		case len(sparse) == 0:
			return "ring for " + join(ring)
		case len(ring) == 0:
			return "RingSparse for " + join(sparse)
		}
		return fmt.Sprintf("RingSparse for %s; ring for %s", join(sparse), join(ring))
	}
	use := "ring"
	if 2*wins > len(points) {
		use = "RingSparse"
	}
	return []any{fmt.Sprintf("sparse gradients of density %g %%, equal workers, ring or RingSparse", 100*d), use, fmt.Sprintf("RingSparse %d of %d", wins, len(points)), group(byModel) + "; " + group(byLink)}
}
