// Package scheme holds Figures 1 to 3, the pictures of the scheme: who holds which blocks,
// what a coded exchange sends and how it is decoded, and how gradients are cut.
package scheme

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// Experiments lists the pictures of the scheme, Figures 1 to 3.
func Experiments() []exp.Experiment { return []exp.Experiment{fig1(), fig2(), fig3()} }

// pictures are the clusters that Figs. 1 to 3 are drawn for: nodes and redundancy.
// The paper's pictures are lost; three nodes at r = 2 is the smallest case in which
// coding does something, and our guess at their subject.
var pictures = [][2]int{{3, 2}, {4, 2}}

// drawnBatch is cut for the figures of who holds what: into 3 blocks of 4 samples, or 6
// of 2, whose ends are whole numbers on an axis.
const drawnBatch = 12

// redundantPlan says what a profile distributes.
type redundantPlan struct {
	Most   int `json:"most"`   // every n up to it, every r
	Length int `json:"length"` // numbers of a gradient, no multiple of most r
	Batch  int `json:"batch"`  // samples that the pictures' clusters cut
}

func planRedundant(profile string) redundantPlan {
	return redundantPlan{Most: setup.Pick(profile, 8, 12), Length: 25, Batch: 100}
}

// fig1 shows the redundant distribution: who computes which blocks, and which the others
// then fetch in r pieces.
func fig1() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/fig1", Source: "CSSGD, Fig. 1", Kind: result.Counted, Profiles: exp.Profiles, Seedless: true,
		Seconds: setup.Seconds(0.1, 0.3),
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planRedundant(profile), "pictures": pictures}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan := planRedundant(env.Profile)
			distribute(plan, r)
			var all []assembly
			for n, k := range setup.Sizes(ctx, 1, plan.Most) {
				all = append(all, assemble(n, k, plan.Length))
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			showAssemblies(plan, all, r)
			return nil
		}}.Experiment()
}

// assembly holds the counts of a cluster whose every node fetched every gradient that it
// lacks in r pieces, one from each holder, without coding.
type assembly struct {
	Nodes, Redundancy, Blocks int
	Have, Lack                [2]int  // blocks of a node, fewest and most
	Twins                     int     // pairs of nodes with the same blocks
	Pieces                    int     // sent, all nodes together
	Units                     float64 // numbers received over a gradient's, all nodes together
	Wrong                     int     // numbers of assembled gradients that are not the holder's
}

// assemble runs the distribution: block q's gradient is length numbers that no other
// block has; holder of rank k gathers segment k, and who lacks the block puts the r
// segments together.
func assemble(n, r, length int) assembly {
	a, cut := kit.Must(codedsgd.Assign(n, r)), kit.Must(codedsgd.NewCut(length, [2]int{length, 1}, r, codedsgd.Rows))
	x := assembly{Nodes: n, Redundancy: r, Blocks: a.Blocks()}
	received, have, lack := 0, []int{}, []int{}
	for node := range n {
		own := a.Of(node)
		for other := range node {
			if slices.Equal(own, a.Of(other)) {
				x.Twins++
			}
		}
		have, lack = append(have, len(own)), append(lack, a.Blocks()-len(own))
		for _, q := range without(a, node) {
			got := slices.Repeat([]int32{-1}, length)
			for _, holder := range a.Holders(q) {
				k := a.Position(q, holder)
				part := make([]int32, cut.Len(k))
				cut.Gather(part, gradientOf(q, length), k)
				cut.Scatter(got, part, k)
				received += len(part)
				x.Pieces++
			}
			x.Wrong += unlike(got, gradientOf(q, length))
		}
	}
	x.Have, x.Lack = [2]int{slices.Min(have), slices.Max(have)}, [2]int{slices.Min(lack), slices.Max(lack)}
	x.Units = float64(received) / float64(length)
	return x
}

// gradientOf stands in for block q's gradient: no number stands twice in all.
func gradientOf(q, length int) []int32 {
	g := make([]int32, length)
	for i := range g {
		g[i] = int32(q*length + i)
	}
	return g
}

func unlike(a, b []int32) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// setName spells a set of nodes: "{0,2}".
func setName(nodes []int) string { return "{" + setup.Listed(nodes) + "}" }

// suffix tells the ids of clusters apart: "3-2".
func suffix(a *codedsgd.Assignment) string { return fmt.Sprintf("%d-%d", a.Nodes(), a.Redundancy()) }

// without returns the blocks that a node does not compute.
func without(a *codedsgd.Assignment, node int) (lacks []int) {
	for q := range a.Blocks() {
		if !a.Holds(node, q) {
			lacks = append(lacks, q)
		}
	}
	return lacks
}

// distribute fills in the blocks and nodes of the pictured clusters. A list of
// nodes, each with a number that goes with it, is spelled "0:1,2:2".
func distribute(plan redundantPlan, r *result.Result) {
	clusters := kit.NewSheet("clusters", "cluster n r blocks have lack width")
	held := kit.NewSheet("held", "cluster node from to state:state holders")
	for _, at := range pictures {
		a := kit.Must(codedsgd.Assign(at[0], at[1]))
		clusters.Add(suffix(a), a.Nodes(), a.Redundancy(), a.Blocks(), len(a.Of(0)), len(without(a, 0)), drawnBatch/a.Blocks())
		cuts := a.Split(drawnBatch, a.Blocks(), nil)
		for node := range a.Nodes() {
			for q := range a.Blocks() {
				state := map[bool]string{true: "computes", false: "fetches"}[a.Holds(node, q)]
				held.Add(suffix(a), node, cuts[q], cuts[q+1], state, setName(a.Holders(q)))
			}
		}
		r.Frames = append(r.Frames, blocksOf(a, plan.Batch), nodesOf(a, plan.Batch))
		r.Figures = append(r.Figures, result.Figure{ID: "held-" + suffix(a), Form: "gantt", Frame: "held", Where: map[string]any{"cluster": suffix(a)},
			X: "from", Y: []string{"to"}, Lane: "node", State: "state", Label: "holders"})
	}
	r.Frames = append(r.Frames, clusters.Frame, held.Frame)
}

// samples counts the samples of each block of a batch, by Algorithm 2.
func samples(a *codedsgd.Assignment, batch int) []int {
	cuts := a.Split(batch, a.Blocks(), nil)
	out := make([]int, a.Blocks())
	for q := range out {
		out[q] = cuts[q+1] - cuts[q]
	}
	return out
}

// blocksOf lists the blocks: who holds one, who sends which segment, who lacks it.
func blocksOf(a *codedsgd.Assignment, batch int) result.Frame {
	s := kit.NewSheet("blocks-"+suffix(a), "block holders samples segments lacked")
	for q, size := range samples(a, batch) {
		segments := kit.Map(a.Holders(q), func(h int) string { return fmt.Sprintf("%d:%d", h, a.Position(q, h)) })
		var lacked []int
		for node := range a.Nodes() {
			if !a.Holds(node, q) {
				lacked = append(lacked, node)
			}
		}
		s.Add(q, setName(a.Holders(q)), size, strings.Join(segments, ","), setup.Listed(lacked))
	}
	return s.Frame
}

// nodesOf lists the nodes: what each computes, and how many pieces it fetches from whom.
func nodesOf(a *codedsgd.Assignment, batch int) result.Frame {
	s, size := kit.NewSheet("nodes-"+suffix(a), "node computes samples lacks pieces from"), samples(a, batch)
	for node := range a.Nodes() {
		own, pieces, count := 0, 0, make([]int, a.Nodes())
		for _, q := range a.Of(node) {
			own += size[q]
		}
		for _, q := range without(a, node) {
			for _, h := range a.Holders(q) {
				count[h]++
				pieces++
			}
		}
		var from []string
		for h, c := range count {
			if c > 0 {
				from = append(from, fmt.Sprintf("%d:%d", h, c))
			}
		}
		s.Add(node, setup.Listed(a.Of(node)), own, setup.Listed(without(a, node)), pieces, strings.Join(from, ","))
	}
	return s.Frame
}

func (x assembly) lacked() float64 { return 100 * float64(x.Lack[1]) / float64(x.Blocks) }

// showAssemblies fills in the pictured clusters and the largest, and sums over all.
func showAssemblies(plan redundantPlan, all []assembly, r *result.Result) {
	s := kit.NewSheet("assembled", "n r blocks have lack share/%.1 pieces units/gradient-units.1 wrong")
	// With r = n all nodes compute everything: the only twins there may be.
	wrong, uneven, twins, expected := 0, 0, 0, 0
	at := map[[2]int]assembly{}
	for _, x := range all {
		key := [2]int{x.Nodes, x.Redundancy}
		at[key] = x
		wrong += x.Wrong
		twins += x.Twins
		if x.Redundancy == x.Nodes {
			expected += x.Nodes * (x.Nodes - 1) / 2
		}
		uneven += setup.One(x.Have[0] != x.Have[1])
		if x.Nodes == plan.Most || slices.Contains(pictures, key) {
			s.Add(x.Nodes, x.Redundancy, x.Blocks, x.Have[0], x.Lack[1], x.lacked(), x.Pieces, x.Units, x.Wrong)
		}
	}
	three, alone := at[pictures[0]], at[[2]int{pictures[0][0], 1}]
	r.Frames = append(r.Frames, s.Frame)
	r.Facts = kit.Facts("most", plan.Most, "batch", plan.Batch, "drawn", drawnBatch, "clusters", len(all),
		"right", wrong == 0 && uneven == 0, "wrong", wrong, "uneven", uneven, "distinct", twins == expected, "twins", twins, "twins.whole", expected,
		"three.n", three.Nodes, "three.r", three.Redundancy, "three.lack/%.0", three.lacked(), "three.units", three.Units, "three.pieces", three.Pieces,
		"alone.r", alone.Redundancy, "alone.lack/%.0", alone.lacked())
}
