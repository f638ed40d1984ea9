package codedsgd

import (
	"fmt"
	"math/big"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

func stepTable(plan proofPlan, steps []step) result.Table {
	t := result.Table{ID: "steps", Title: "Every step of the proof, as printed and as it holds", Kind: result.Counted,
		Caption: fmt.Sprintf("Every n from %d to %d, every r. The left side of each equation is counted from sets: which node holds which block, which packet goes where, one by one; the right side is the closed form, compared as exact rationals. A case is one equation at one (n, r), of all nodes, groups or packets at once. A printed form that is wrong is shown with its smallest case. The printed loop is counted where a node has at most %s combinations: %s.", plan.Least, plan.Most, grouped(plan.LoopLimit), notCounted(plan)),
		Columns: []result.Column{{Key: "equation", Title: "equation"}, {Key: "says", Title: "what it says"}, {Key: "printed", Title: "as printed"}, {Key: "corrected", Title: "as it holds"},
			{Key: "cases", Title: "cases"}, {Key: "verdict", Title: "verdict"}, {Key: "wrong", Title: "printed wrong in"}, {Key: "smallest", Title: "smallest counter-example"}}}
	for i := range steps {
		s := &steps[i]
		row := []any{s.Number, s.Says, s.Printed, s.Corrected, s.Cases, s.verdict(), nil, s.Smallest}
		if s.Said > 0 {
			row[6] = fmt.Sprintf("%d of %d", s.Wrong, s.Said)
		}
		if s.Corrected == "" {
			row[3] = "as printed"
		}
		if !s.holds() {
			row[7] = s.First
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// grouped writes a whole number in groups of three digits.
func grouped(x int64) string {
	s := fmt.Sprint(x)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// notCounted names the sizes whose printed loop is too long.
func notCounted(plan proofPlan) string {
	var sizes []string
	for n := plan.Least; n <= plan.Most; n++ {
		var rs []string
		for r := 1; r <= n; r++ {
			if codedsgd.LoopCombinations(n, r).Cmp(big.NewInt(plan.LoopLimit)) > 0 {
				rs = append(rs, fmt.Sprint(r))
			}
		}
		if rs != nil {
			sizes = append(sizes, fmt.Sprintf("n = %d, r = %s", n, strings.Join(rs, ", ")))
		}
	}
	if sizes == nil {
		return "everywhere"
	}
	return "not at " + strings.Join(sizes, "; ")
}

func countTable(plan proofPlan, sizes []size) result.Table {
	t := result.Table{ID: "counts", Title: fmt.Sprintf("What an exchange consists of, n ≤ %d", plan.Most), Kind: result.Counted,
		Caption: "Counted one by one from the assignment and the packets of every group of r+1 nodes; r = n has no group and sends nothing. A packet is 1/r of a gradient long, whatever it is the sum of.",
		Columns: []result.Column{{Key: "n", Title: "n"}, {Key: "r", Title: "r"}, {Key: "blocks", Title: "blocks"}, {Key: "have", Title: "a node has"}, {Key: "left", Title: "a node lacks"},
			{Key: "groups", Title: "groups"}, {Key: "packets", Title: "packets"}, {Key: "deliveries", Title: "received, all nodes"}, {Key: "terms", Title: "segments added up"},
			{Key: "load", Title: "load (28)", Unit: gradientUnits, Digits: 2}}}
	for i := range sizes {
		s := &sizes[i]
		c := s.Counted
		t.Rows = append(t.Rows, []any{s.N, s.R, c.Blocks, c.Have, c.Left, c.Groups, c.Packets, c.Deliveries, c.Terms, float(big.NewRat(int64(c.Elements), int64(s.R)))})
	}
	return t
}

func proofNotes(plan proofPlan, steps []step) []string {
	var right, corrected, failed []string
	cases := 0
	for i := range steps {
		s := &steps[i]
		cases += s.Cases
		switch {
		case !s.holds():
			failed = append(failed, s.Number)
		case s.Corrected == "":
			right = append(right, s.Number)
		default:
			corrected = append(corrected, s.Number)
		}
	}
	result := "no form fails"
	if failed != nil {
		result = "these fail: " + strings.Join(failed, ", ")
	}
	notes := []string{
		fmt.Sprintf("%d equations were compared, every n from %d to %d and every r; %s. As printed hold %s.", cases, plan.Least, plan.Most, result, strings.Join(right, ", ")),
		fmt.Sprintf("Printed wrong, and right as corrected: %s. None of them touches (19), (28), (29) or (30), which hold of the corrected packets: the sets that the proof means are the right ones, their definitions are not.", strings.Join(corrected, ", ")),
	}
	more := []struct{ number, text string }{
		{"(24)", "(24) says that r+1 nodes have r+1 blocks in common. They have none: a block lies on r nodes. What (25) and (26) need are the r+1 blocks all of whose holders are in the group."},
		{"§2.4", "The proof says that a block is contained in one group only, so that groups never repeat one another. A block is in n−r groups. What is true, and enough for the proof, is that a block and one node that lacks it are in one group together. This is also why coding a sum that all nodes need is no gain: the block is sent again in every one of its groups."},
		{"Alg. 3", "Algorithm 3 as printed makes a packet of every combination of r blocks: the packets that (28) counts are among them, and from r = 3 to n − 2 many more."},
		{"§2.2", "The reduction to 1/n of §2.2 contradicts (19), which counts (n−r)/((n−1)·r)."},
	}
	for _, m := range more {
		if s := stepOf(steps, m.number); s.holds() && s.Wrong > 0 {
			notes = append(notes, m.text+" Smallest case: "+s.Smallest+".")
		}
	}
	return notes
}
