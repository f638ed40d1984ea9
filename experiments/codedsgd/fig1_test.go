package codedsgd

import (
	"math"
	"strings"
	"testing"

	"gradsync/papers/codedsgd"
)

// Three nodes at r = 2 by hand: blocks {0,1}, {0,2}, {1,2}; node 0 lacks the last and
// fetches its two segments from nodes 1 and 2.
func TestFig1OfThreeByHand(t *testing.T) {
	r := runProfile(t, fig1(), "ci")
	blocks := tableOf(t, r, "blocks-3-2")
	wantColumn(t, blocks, "holders", "{0,1}", "{0,2}", "{1,2}")
	wantColumn(t, blocks, "samples", 33, 33, 34)
	wantColumn(t, blocks, "lacked", "2", "1", "0")
	wantColumn(t, blocks, "segments", "node 0: segment 0; node 1: segment 1", "node 0: segment 0; node 2: segment 1", "node 1: segment 0; node 2: segment 1")
	nodes := tableOf(t, r, "nodes-3-2")
	wantColumn(t, nodes, "computes", "0, 1", "0, 2", "1, 2")
	wantColumn(t, nodes, "samples", 66, 67, 67)
	wantColumn(t, nodes, "lacks", "2", "1", "0")
	wantColumn(t, nodes, "from", "1 from node 1, 1 from node 2", "1 from node 0, 1 from node 2", "1 from node 0, 1 from node 1")
	// Four nodes: six blocks, each node has three and fetches three in six pieces.
	wantColumn(t, tableOf(t, r, "nodes-4-2"), "pieces", 6, 6, 6, 6)
	for _, f := range r.Figures {
		held, width := 0, map[string]float64{"held-3-2": 4, "held-4-2": 2}[f.ID] // of 12 samples
		for _, b := range f.Bands {
			if b.To-b.From != width || math.Mod(b.From, width) != 0 {
				t.Errorf("%s: a block from %g to %g", f.ID, b.From, b.To)
			}
			if b.State == "computes" {
				held++
			}
		}
		if want := map[string]int{"held-3-2": 6, "held-4-2": 12}[f.ID]; held != want {
			t.Errorf("%s: %d blocks are computed, want %d", f.ID, held, want)
		}
	}
	if !strings.Contains(r.Notes[0], "right in every number") || !strings.Contains(r.Notes[1], "67 % at r = 1 and 33 % at r = 2") {
		t.Errorf("notes %q", r.Notes)
	}
}

// What is counted is eqs. (20), (21) and (29), as the proof's page derives them; here
// the counts have no binomial coefficient.
func TestAssemblyCounts(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for r := 1; r <= n; r++ {
			x, err := assemble(n, r, 25)
			if err != nil {
				t.Fatal(err)
			}
			have, lack := choose(n-1, r-1), choose(n-1, r)
			if x.Have != [2]int{have, have} || x.Lack != [2]int{lack, lack} || x.Units != float64((n-r)*choose(n, r)) || x.Pieces != r*n*lack || x.Wrong != 0 {
				t.Errorf("n = %d, r = %d: %+v", n, r, x)
			}
			if twins := map[bool]int{true: n * (n - 1) / 2}[r == n]; x.Twins != twins {
				t.Errorf("n = %d, r = %d: %d pairs of nodes with the same blocks, want %d", n, r, x.Twins, twins)
			}
		}
	}
	if _, err := assemble(2, 3, 25); err == nil {
		t.Error("r > n was assembled")
	}
}

// The notes say what was counted, whichever way it falls.
func TestFig1NotesFollowTheCounts(t *testing.T) {
	plan := redundantPlan{Most: 3}
	var all []assembly
	for n := 1; n <= 3; n++ {
		for r := 1; r <= n; r++ {
			x, err := assemble(n, r, 25)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, x)
		}
	}
	all[3].Wrong, all[4].Have, all[4].Twins = 7, [2]int{1, 2}, 2
	n := fig1Notes(plan, all)
	if !strings.Contains(n[0], "7 numbers") || !strings.Contains(n[0], "1 of 6") || !strings.Contains(n[3], "6 pairs of nodes") {
		t.Errorf("%q", n)
	}
}

func TestSetsAreSpelled(t *testing.T) {
	a, _ := codedsgd.Assign(4, 3)
	if s := setName(a.Holders(1)); s != "{0,1,3}" {
		t.Error(s)
	}
	if s := listed(nil) + "; " + listed([]int{4, 5}); s != "none; 4, 5" {
		t.Error(s)
	}
}
