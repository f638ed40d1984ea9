package codedsgd

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

func loopTable(plan overcountPlan, loops []loop) result.Table {
	t := result.Table{ID: "loop", Title: fmt.Sprintf("The printed loop against the packets that are needed, n ≤ %d", plan.Most), Kind: result.Counted,
		Caption: fmt.Sprintf("Counted on every node: all combinations of r of its blocks, as Algorithm 3 loops over them; a packet is one with at least one receiver, useful if its blocks' holders are r+1 nodes (of r = 1 there is no such question). Needed: one packet of each member of each group of r+1 nodes. Each segment is received C(C(n−2,r−2), r−1) times by each node that lacks it: by its block and any r−1 others that sender and receiver both hold; %s. Load: packets over r, a multicast once, against the (n−1)·C(n,r) of (30). Not enumerated: more than %s combinations per node.", repeatsCounted(loops), grouped(plan.LoopLimit)),
		Columns: []result.Column{{Key: "n", Title: "n"}, {Key: "r", Title: "r"}, {Key: "each", Title: "combinations per node"}, {Key: "packets", Title: "packets, as printed"}, {Key: "useful", Title: "useful ones"},
			{Key: "needed", Title: "needed"}, {Key: "factor", Title: "printed over needed", Digits: 2}, {Key: "received", Title: "each segment received", Unit: "times"}, {Key: "normal", Title: "load over (30)", Digits: 3}, {Key: "state", Title: ""}}}
	for i := range loops {
		l := &loops[i]
		row := []any{l.N, l.R, l.Each.Int64(), nil, nil, l.Needed, nil, nil, nil, "not enumerated"}
		if l.Repeats != nil {
			row[7] = l.Repeats.Int64()
		}
		if l.Counted {
			row[3], row[9] = l.Packets, "enumerated"
			if l.R > 1 {
				row[4] = l.Useful
			}
			if l.Needed > 0 {
				row[6], row[8] = l.factor(), l.ofNormal()
			} else {
				row[9] = "no exchange"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// repeatsCounted says in how many sizes the receptions counted are the closed form's.
func repeatsCounted(loops []loop) string {
	equal, of := 0, 0
	for _, l := range countedLoops(loops) {
		of++
		if l.received().Cmp(new(big.Rat).SetInt(l.Repeats)) == 0 {
			equal++
		}
	}
	return fmt.Sprintf("counted, it is so at %d of %d sizes", equal, of)
}

// factorFigure has a line over r for every n of which every r was counted.
func factorFigure(loops []loop) result.Figure {
	f := result.Figure{ID: "factor", Title: "Packets as printed over packets needed", Kind: result.Counted, Form: "line",
		X: result.Axis{Title: "redundancy r"}, Y: result.Axis{Title: "times", Log: true},
		Caption: "Counted on all nodes, for every n of which every r was enumerated. 1 at r = 2 and at r = n − 1: there the printed loop makes the right packets and no others. At r = 1 it makes one multicast for n − 1 packets."}
	for n := 4; ; n++ {
		of := slices.DeleteFunc(slices.Clone(loops), func(l loop) bool { return l.N != n })
		if len(of) == 0 || slices.ContainsFunc(of, func(l loop) bool { return !l.Counted }) {
			break
		}
		s := result.Series{Name: fmt.Sprintf("n = %d", n), Group: fmt.Sprintf("nodes-%d", n)}
		for _, l := range countedLoops(of) {
			s.X, s.Y = append(s.X, float64(l.R)), append(s.Y, l.factor())
		}
		f.Series = append(f.Series, s)
	}
	var parts []string
	for _, s := range f.Series {
		at := 0
		for i, y := range s.Y {
			if y > s.Y[at] {
				at = i
			}
		}
		parts = append(parts, fmt.Sprintf("%s at most %.3g at r = %g", s.Name, s.Y[at], s.X[at]))
	}
	f.Alt = "Times the packets needed: " + strings.Join(parts, "; ") + "."
	return f
}

// atThreeFigure is r = 3, which the paper runs, over n.
func atThreeFigure(loops []loop) result.Figure {
	f := result.Figure{ID: "r-3", Title: "r = 3: load of the printed loop and of the packets needed, over SSGD block by block", Kind: result.Counted, Form: "line",
		X: result.Axis{Title: "nodes n"}, Y: result.Axis{Title: "of the load of (30)", Log: true},
		Caption: "Counted. Above 1 the printed loop sends more than the baseline without redundancy, uncoded and counted once per receiver."}
	printed, needed := result.Series{Name: "Algorithm 3 as printed", Group: "printed"}, result.Series{Name: "the packets that are needed, (19)", Group: "cssgd"}
	for _, l := range countedLoops(loops) {
		if l.R != 3 {
			continue
		}
		printed.X, printed.Y = append(printed.X, float64(l.N)), append(printed.Y, l.ofNormal())
		needed.X, needed.Y = append(needed.X, float64(l.N)), append(needed.Y, l.ofNormal()/l.factor())
	}
	f.Series = []result.Series{printed, needed}
	last := len(printed.X) - 1
	f.Alt = fmt.Sprintf("As printed %.3g times the load of (30) at n = %g and %.3g times at n = %g; needed are %.3g and %.3g.", printed.Y[0], printed.X[0], printed.Y[last], printed.X[last], needed.Y[0], needed.Y[last])
	return f
}

func loopNotes(plan overcountPlan, loops []loop) []string {
	all := countedLoops(loops)
	var worst, first *loop
	same, more, fewer, above, skipped := 0, 0, 0, 0, 0
	sameRule := true // equal at r = 2 and n − 1, more between, fewer at r = 1 < n − 1
	for i := range all {
		l := &all[i]
		switch f := l.factor(); {
		case f == 1:
			same++
			sameRule = sameRule && (l.R == 2 || l.R == l.N-1)
		case f > 1:
			more++
			sameRule = sameRule && l.R >= 3 && l.R <= l.N-2
			if first == nil {
				first = l
			}
		default:
			fewer++
			sameRule = sameRule && l.R == 1
		}
		if worst == nil || l.factor() > worst.factor() {
			worst = l
		}
		if l.ofNormal() > 1 {
			above++
		}
	}
	for i := range loops {
		if !loops[i].Counted {
			skipped++
		}
	}
	rule := "The three cases do not follow r alone."
	if sameRule {
		rule = "They are the same exactly at r = 2 and r = n − 1, more for 3 ≤ r ≤ n − 2, fewer at r = 1, where the loop makes one multicast to n − 1 nodes and (28) counts n − 1 packets."
	}
	notes := []string{fmt.Sprintf("Of %d sizes that were counted, the printed loop makes the packets that are needed at %d, more at %d and fewer at %d. %s", len(all), same, more, fewer, rule)}
	if first != nil {
		notes = append(notes, fmt.Sprintf("The smallest overcount is n = %d, r = %d: %d packets for %d. The largest counted is n = %d, r = %d: %s for %d, %s times as many.", first.N, first.R, first.Packets, first.Needed, worst.N, worst.R, grouped(worst.Packets), worst.Needed, grouped(int64(math.Round(worst.factor())))))
	}
	notes = append(notes,
		fmt.Sprintf("At %d of the counted sizes the printed loop sends more than SSGD without redundancy and without coding, counted once per receiver, (30): run as printed, the algorithm would lose what (19) promises.", above),
		"A combination of r blocks is useful if its holders are r+1 nodes: then each of the r others lacks exactly one block, and another one each. Other combinations have receivers too, nodes that lack just one of the blocks, but they bring segments that a useful packet already brings: each segment comes C(C(n−2,r−2), r−1) times, which is 1 for r = 1, 2 and n − 1 alone.",
	)
	if skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d sizes with more than %s combinations on each node were not enumerated.", skipped, grouped(plan.LoopLimit)))
	}
	return notes
}
