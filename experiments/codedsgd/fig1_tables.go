package codedsgd

import (
	"fmt"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// samples of each block of a batch, by Algorithm 2.
func samples(a *codedsgd.Assignment, batch int) []int {
	cuts := a.Split(batch, a.Blocks(), nil)
	out := make([]int, a.Blocks())
	for q := range out {
		out[q] = cuts[q+1] - cuts[q]
	}
	return out
}

func blockTable(a *codedsgd.Assignment, batch int) result.Table {
	t := result.Table{ID: "blocks-" + suffix(a), Title: "The blocks, " + clusterName(a), Kind: result.Counted,
		Caption: fmt.Sprintf("Algorithm 2 as the code runs it: a batch, here of %d samples, is cut into C(%d,%d) = %d blocks, one for each set of %d nodes in lexicographic order; every node of the set computes the block's gradient. A gradient is cut into %d segments, and the holder of rank k in the sorted set sends segment k. Nodes, blocks and segments are numbered from 0.",
			batch, a.Nodes(), a.Redundancy(), a.Blocks(), a.Redundancy(), a.Redundancy()),
		Columns: []result.Column{{Key: "block", Title: "block"}, {Key: "holders", Title: "holders"}, {Key: "samples", Title: "samples"},
			{Key: "segments", Title: "who sends which segment"}, {Key: "lacked", Title: "nodes that lack it"}}}
	for q, size := range samples(a, batch) {
		var who, lacked []string
		for _, h := range a.Holders(q) {
			who = append(who, fmt.Sprintf("node %d: segment %d", h, a.Position(q, h)))
		}
		for node := range a.Nodes() {
			if !a.Holds(node, q) {
				lacked = append(lacked, fmt.Sprint(node))
			}
		}
		t.Rows = append(t.Rows, []any{q, setName(a.Holders(q)), size, strings.Join(who, "; "), strings.Join(lacked, ", ")})
	}
	return t
}

func nodeTable(a *codedsgd.Assignment, batch int) result.Table {
	t := result.Table{ID: "nodes-" + suffix(a), Title: "The nodes, " + clusterName(a), Kind: result.Counted,
		Caption: fmt.Sprintf("What each node computes of the %d samples, and what it must fetch: every gradient that it lacks, in %d pieces from as many nodes.", batch, a.Redundancy()),
		Columns: []result.Column{{Key: "node", Title: "node"}, {Key: "computes", Title: "computes blocks"}, {Key: "samples", Title: "samples"},
			{Key: "lacks", Title: "lacks blocks"}, {Key: "pieces", Title: "pieces to fetch"}, {Key: "from", Title: "from"}}}
	size := samples(a, batch)
	for node := range a.Nodes() {
		own, count := 0, make([]int, a.Nodes())
		for _, q := range a.Of(node) {
			own += size[q]
		}
		pieces := 0
		for _, q := range without(a, node) {
			for _, h := range a.Holders(q) {
				count[h]++
				pieces++
			}
		}
		var from []string
		for h, c := range count {
			if c > 0 {
				from = append(from, fmt.Sprintf("%d from node %d", c, h))
			}
		}
		t.Rows = append(t.Rows, []any{node, listed(a.Of(node)), own, listed(without(a, node)), pieces, strings.Join(from, ", ")})
	}
	return t
}

// drawnBatch is how many samples heldFigure cuts: 3 blocks of 4, 6 of 2, whose ends are
// whole numbers on a numbered axis.
const drawnBatch = 12

// heldFigure draws which node computes which samples: a matrix as a time line without
// time.
func heldFigure(a *codedsgd.Assignment) result.Figure {
	f := result.Figure{ID: "held-" + suffix(a), Title: "Who computes what, " + clusterName(a), Kind: result.Counted, Form: "gantt",
		X: result.Axis{Title: "sample of a batch"}, Y: result.Axis{Title: "node"},
		Caption: fmt.Sprintf("From the code's assignment, for a batch of %d samples in %d blocks of %d, in the order of their numbers. A node computes the gradients of the blocks marked so, and fetches the others' in %d pieces. %s", drawnBatch, a.Blocks(), drawnBatch/a.Blocks(), a.Redundancy(), guess)}
	cuts := a.Split(drawnBatch, a.Blocks(), nil)
	for node := range a.Nodes() {
		f.Lanes = append(f.Lanes, fmt.Sprintf("node %d", node))
		for q := range a.Blocks() {
			state, label := "computes", fmt.Sprintf("block %d, of nodes %s, samples", q, setName(a.Holders(q)))
			if !a.Holds(node, q) {
				state = "fetches"
			}
			f.Bands = append(f.Bands, result.Band{Lane: node, From: float64(cuts[q]), To: float64(cuts[q+1]), State: state, Label: label})
		}
	}
	own := len(a.Of(0))
	f.Alt = fmt.Sprintf("%d lanes, %d blocks: every node computes %d of them and fetches %d, every block is computed by %d nodes, no two nodes compute the same blocks.", a.Nodes(), a.Blocks(), own, a.Blocks()-own, a.Redundancy())
	return f
}

func clusterName(a *codedsgd.Assignment) string {
	return fmt.Sprintf("n = %d, r = %d", a.Nodes(), a.Redundancy())
}

func assemblyTable(all []assembly) result.Table {
	last := all[len(all)-1].Nodes
	t := result.Table{ID: "assembled", Title: "Gradients in pieces, without coding", Kind: result.Counted,
		Caption: fmt.Sprintf("For every n to %d and r the code's assignment was run with a gradient of distinct numbers per block: each holder sent its segment to each node that lacks the block, which put the pieces together. Largest n shown; the count of wrong numbers is over all. A gradient unit is one whole gradient of one block. Nodes send unequally where r does not divide a gradient's numbers.", last),
		Columns: []result.Column{{Key: "n", Title: "n"}, {Key: "r", Title: "r"}, {Key: "blocks", Title: "blocks C(n,r)"}, {Key: "have", Title: "computed by a node"}, {Key: "lack", Title: "lacked by a node"},
			{Key: "share", Title: "of the batch lacked", Unit: "%", Digits: 1}, {Key: "pieces", Title: "pieces sent"}, {Key: "units", Title: "sent, unicast", Unit: "gradient units", Digits: 1}, {Key: "wrong", Title: "wrong numbers"}}}
	for _, x := range all {
		if x.Nodes == last || slices.Contains(pictures, [2]int{x.Nodes, x.Redundancy}) {
			t.Rows = append(t.Rows, []any{x.Nodes, x.Redundancy, x.Blocks, between(x.Have), between(x.Lack), 100 * float64(x.Lack[1]) / float64(x.Blocks), x.Pieces, x.Units, x.Wrong})
		}
	}
	return t
}

// between is one number, or both where they differ.
func between(b [2]int) any {
	if b[0] == b[1] {
		return b[0]
	}
	return fmt.Sprintf("%d to %d", b[0], b[1])
}

func fig1Notes(plan redundantPlan, all []assembly) []string {
	wrong, uneven, twins := 0, 0, 0
	for _, x := range all {
		wrong += x.Wrong
		twins += x.Twins
		if x.Have[0] != x.Have[1] {
			uneven++
		}
	}
	// With r = n all nodes compute everything: the only twins there may be.
	expected := 0
	for n := 1; n <= plan.Most; n++ {
		expected += n * (n - 1) / 2
	}
	at := func(n, r int) assembly {
		return all[slices.IndexFunc(all, func(x assembly) bool { return x.Nodes == n && x.Redundancy == r })]
	}
	first := fmt.Sprintf("At every n to %d and every r the nodes compute equally many blocks, and the gradients put together from r pieces are right in every number.", plan.Most)
	if wrong > 0 || uneven > 0 {
		first = fmt.Sprintf("%d numbers of gradients put together from pieces are wrong; nodes compute unequally many blocks in %d of %d clusters.", wrong, uneven, len(all))
	}
	second := "“Every node's combination of samples is another” (§2.1) holds wherever r < n; at r = n all nodes compute everything and nothing is exchanged."
	if twins != expected {
		second = fmt.Sprintf("%d pairs of nodes compute the same blocks, %d of them because r = n.", twins, expected)
	}
	three, alone := at(3, 2), at(3, 1)
	return []string{first,
		fmt.Sprintf("What redundancy buys by itself: a node lacks (n−r)/n of the batch. On three nodes that is %.0f %% at r = 1 and %.0f %% at r = 2, paid for by computing every sample twice.", 100*float64(alone.Lack[0])/float64(alone.Blocks), 100*float64(three.Lack[0])/float64(three.Blocks)),
		fmt.Sprintf("What cutting into r pieces buys by itself: nothing in total. Three nodes at r = 2 send %.4g gradients in %d pieces, (n−r)·C(n,r) as eq. (29) says; each sender only carries 1/r of every one. The pieces matter because a code can then add them up (Fig. 2).", three.Units, three.Pieces),
		second, guess}
}
