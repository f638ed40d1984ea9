package scheme

import (
	"testing"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
	"gradsync/papers/codedsgd/formula"
)

// Three nodes at r = 2 by hand: blocks {0,1}, {0,2}, {1,2}; node 0 lacks the last and
// fetches its two segments from nodes 1 and 2.
func TestFig1OfThreeByHand(t *testing.T) {
	r := kittest.Ran(t, fig1(), "ci")
	kittest.WantCells(t, r, "blocks-3-2", "holders", "{0,1}", "{0,2}", "{1,2}")
	kittest.WantCells(t, r, "blocks-3-2", "samples", 33, 33, 34)
	kittest.WantCells(t, r, "blocks-3-2", "lacked", "2", "1", "0")
	kittest.WantCells(t, r, "blocks-3-2", "segments", "0:0,1:1", "0:0,2:1", "1:0,2:1")
	kittest.WantCells(t, r, "nodes-3-2", "computes", "0,1", "0,2", "1,2")
	kittest.WantCells(t, r, "nodes-3-2", "samples", 66, 67, 67)
	kittest.WantCells(t, r, "nodes-3-2", "lacks", "2", "1", "0")
	kittest.WantCells(t, r, "nodes-3-2", "from", "1:1,2:1", "0:1,2:1", "0:1,1:1")
	// Four nodes: six blocks, each node has three and fetches three in six pieces.
	kittest.WantCells(t, r, "nodes-4-2", "pieces", 6, 6, 6, 6)
	held, f := map[any]int{}, r.Frame("held")
	for _, row := range f.Rows {
		width := map[any]int{"3-2": 4, "4-2": 2}[row[0]] // of 12 samples
		if from, to := row[2].(int), row[3].(int); to-from != width || from%width != 0 {
			t.Errorf("%v: a block from %d to %d", row[0], from, to)
		}
		if row[4] == "computes" {
			held[row[0]]++
		}
	}
	if held["3-2"] != 6 || held["4-2"] != 12 {
		t.Errorf("%v blocks are computed, want 6 and 12", held)
	}
	kittest.WantFact(t, r, "right", true)
	kittest.WantFact(t, r, "distinct", true)
	kittest.WantFact(t, r, "three.pieces", 6)
}

// What is counted is eqs. (20), (21) and (29), as the proof's page derives them; here
// the counts have no binomial coefficient.
func TestAssemblyCounts(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for r := 1; r <= n; r++ {
			x := assemble(n, r, 25)
			have, lack := int(formula.Have(n, r)), int(formula.Left(n, r))
			if x.Have != [2]int{have, have} || x.Lack != [2]int{lack, lack} || x.Units != formula.Uncoding(n, r) || x.Pieces != r*n*lack || x.Wrong != 0 {
				t.Errorf("n = %d, r = %d: %+v", n, r, x)
			}
			if twins := map[bool]int{true: n * (n - 1) / 2}[r == n]; x.Twins != twins {
				t.Errorf("n = %d, r = %d: %d pairs of nodes with the same blocks, want %d", n, r, x.Twins, twins)
			}
		}
	}
}

// Facts say what was counted, whichever way it falls.
func TestFig1FactsFollowTheCounts(t *testing.T) {
	var all []assembly
	for n := 1; n <= 3; n++ {
		for r := 1; r <= n; r++ {
			x := assemble(n, r, 25)
			all = append(all, x)
		}
	}
	all[3].Wrong, all[4].Have, all[4].Twins = 7, [2]int{1, 2}, 2
	var r result.Result
	showAssemblies(redundantPlan{Most: 3}, all, &r)
	for key, want := range map[string]any{"right": false, "wrong": 7, "uneven": 1, "clusters": 6, "distinct": false, "twins": 6, "twins.whole": 4} {
		kittest.WantFact(t, &r, key, want)
	}
}

func TestSetsAreSpelled(t *testing.T) {
	a, _ := codedsgd.Assign(4, 3)
	if s := setName(a.Holders(1)); s != "{0,1,3}" {
		t.Error(s)
	}
	if s := setup.Listed(nil) + ";" + setup.Listed([]int{4, 5}); s != ";4,5" {
		t.Error(s)
	}
}
