package codedsgd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// pictures are the clusters that Figs. 1 to 3 are drawn for: nodes and redundancy.
// The paper's pictures are lost; three nodes at r = 2 is the smallest case in which
// coding does something, and our guess of what they show.
var pictures = [][2]int{{3, 2}, {4, 2}}

const guess = "The paper's picture is lost: that it shows three nodes at redundancy 2, the smallest case in which coding does anything, is our guess."

// redundantPlan is what a profile assembles.
type redundantPlan struct {
	Most   int `json:"most"`   // every n up to it, every r
	Length int `json:"length"` // numbers of a gradient, no multiple of most r
	Batch  int `json:"batch"`  // samples that the pictures' clusters cut
}

func planRedundant(profile string) redundantPlan {
	if profile == "ci" {
		return redundantPlan{Most: 8, Length: 25, Batch: 100}
	}
	return redundantPlan{Most: 12, Length: 25, Batch: 100}
}

// fig1 is the redundant distribution: who computes what, and what the others then
// fetch in r pieces.
func fig1() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/fig1", Title: "Redundant distribution", Source: "CSSGD, Fig. 1", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		if profile == "ci" {
			return 0.1
		}
		return 0.3
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planRedundant(env.Profile)
		res := exp.NewResult(e, env, result.Counted, map[string]any{"plan": plan, "pictures": pictures})
		res.Seeds = []uint64{}
		for _, at := range pictures {
			a, err := codedsgd.Assign(at[0], at[1])
			if err != nil {
				return res, err
			}
			res.Tables = append(res.Tables, blockTable(a, plan.Batch), nodeTable(a, plan.Batch))
			res.Figures = append(res.Figures, heldFigure(a))
		}
		var all []assembly
		for n := 1; n <= plan.Most; n++ {
			for r := 1; r <= n; r++ {
				if err := ctx.Err(); err != nil {
					return res, err
				}
				x, err := assemble(n, r, plan.Length)
				if err != nil {
					return res, err
				}
				all = append(all, x)
			}
		}
		res.Tables = append(res.Tables, assemblyTable(all))
		res.Notes = fig1Notes(plan, all)
		res.Status = complete
		return res, nil
	}
	return e
}

// assembly is what was counted when every node of a cluster fetched every gradient
// that it lacks in r pieces, one from each holder, without coding.
type assembly struct {
	Nodes, Redundancy, Blocks int
	Have, Lack                [2]int  // blocks of a node, fewest and most
	Twins                     int     // pairs of nodes with the same blocks
	Pieces                    int     // sent, all nodes together
	Units                     float64 // numbers received over a gradient's, all nodes together
	Spread                    [2]int  // numbers sent by the node that sends least and most
	Wrong                     int     // numbers of assembled gradients that are not the holder's
}

// assemble runs the distribution: block q's gradient is length numbers that no other
// block has; holder of rank k gathers segment k, and who lacks the block puts the r
// segments together.
func assemble(n, r, length int) (assembly, error) {
	x := assembly{Nodes: n, Redundancy: r}
	a, err := codedsgd.Assign(n, r)
	if err != nil {
		return x, err
	}
	cut, err := codedsgd.NewCut(length, [2]int{length, 1}, r, codedsgd.Rows)
	if err != nil {
		return x, err
	}
	x.Blocks = a.Blocks()
	sent, received := make([]int, n), 0
	buffer, got := make([]int32, cut.Len(0)), make([]int32, length)
	for node := range n {
		own := a.Of(node)
		for other := range node {
			if slices.Equal(own, a.Of(other)) {
				x.Twins++
			}
		}
		x.Have, x.Lack = bounds(x.Have, len(own), node), bounds(x.Lack, a.Blocks()-len(own), node)
		for q := range a.Blocks() {
			if a.Holds(node, q) {
				continue
			}
			fill(got, -1)
			for _, holder := range a.Holders(q) {
				k := a.Position(q, holder)
				part := buffer[:cut.Len(k)]
				cut.Gather(part, gradientOf(q, length), k)
				cut.Scatter(got, part, k)
				sent[holder] += len(part)
				received += len(part)
				x.Pieces++
			}
			for i, v := range gradientOf(q, length) {
				if got[i] != v {
					x.Wrong++
				}
			}
		}
	}
	x.Units = float64(received) / float64(length)
	x.Spread = [2]int{slices.Min(sent), slices.Max(sent)}
	return x, nil
}

// gradientOf is a stand-in for block q's gradient: no number stands twice in all.
func gradientOf(q, length int) []int32 {
	g := make([]int32, length)
	for i := range g {
		g[i] = int32(q*length + i)
	}
	return g
}

func fill(x []int32, v int32) {
	for i := range x {
		x[i] = v
	}
}

// bounds widens the fewest and the most seen to v, the first of which is number 0.
func bounds(b [2]int, v, number int) [2]int {
	if number == 0 {
		return [2]int{v, v}
	}
	return [2]int{min(b[0], v), max(b[1], v)}
}

// setName spells a set of nodes: {0,2}.
func setName(nodes []int) string {
	return "{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(nodes)), ","), "[]") + "}"
}

// listed spells a list: "0, 2", "none".
func listed(xs []int) string {
	if len(xs) == 0 {
		return "none"
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(xs)), ", "), "[]")
}

// suffix tells the ids of clusters apart: "3-2".
func suffix(a *codedsgd.Assignment) string { return fmt.Sprintf("%d-%d", a.Nodes(), a.Redundancy()) }

// without are the blocks that a node does not compute.
func without(a *codedsgd.Assignment, node int) (lacks []int) {
	for q := range a.Blocks() {
		if !a.Holds(node, q) {
			lacks = append(lacks, q)
		}
	}
	return lacks
}
