package compare

import (
	"fmt"
	"strings"

	result "gradsync/experiments/result1"
)

// serverNote says whether to use a server that stands; adviceTable says by which method.
func (g *guide) serverNote() string {
	var whether []string
	for _, set := range g.plan.Sets {
		d := g.against(g.points(func(p point) bool { return p.Set == set }), ofServer, serverless)
		whether = append(whether, fmt.Sprintf("%s %d of %d", set, d.Wins, d.Of))
	}
	return fmt.Sprintf("A parameter server exists. Where distributing pays at all, its methods beat the best method without a server in: %s.", strings.Join(whether, ", "))
}

// sparseNotes say at which links and densities RingSparse pays.
func (g *guide) sparseNotes() []string {
	var pays, not []string
	for _, link := range g.plan.Links {
		at := g.points(func(p point) bool { return p.Set == equalWorkers && p.Gbps == link })
		any := false
		for _, d := range g.plan.Densities {
			wins, paid, best := 0, 0, g.sparse(at[0], d)
			for _, p := range at {
				best = min(best, g.sparse(p, d))
				if g.sparse(p, d) < 1 {
					wins++
					if g.times[place{p, "ringsparse", d}] < g.time(p, alone) {
						paid++
					}
				}
			}
			if wins > 0 {
				any = true
				pays = append(pays, fmt.Sprintf("at %s and density %g %% in %d of %d cases, down to %.2f of the ring's time, in %d of them also faster than one worker alone", linkName(link), 100*d, wins, len(at), best, paid))
			}
		}
		if !any {
			not = append(not, linkName(link))
		}
	}
	out := "Sparse gradients, embeddings: RingSparse is faster than the ring "
	if len(pays) == 0 {
		out += "nowhere here"
	} else {
		out += strings.Join(pays, "; ")
	}
	if len(not) > 0 {
		out += fmt.Sprintf("; at %s at no density", join(not))
	}
	return append([]string{out + ".", "That is at assumed rates of packing; faster packing makes more of it pay (ringsparse/time). An embedding was not trained here."}, g.realZeros()...)
}

// realZeros are what zeros of real gradients gave.
func (g *guide) realZeros() []string {
	var out []string
	home := g.studies[0].Home
	for i := 0; i+2 < len(home); i += 3 {
		if layers, sparse := home[i+1], home[i+2]; sparse.How != result.TimingOnly {
			out = append(out, fmt.Sprintf("%s at %s %.2f", sparse.Network, sparse.Link, sparse.Round/layers.Round))
		}
	}
	lo, hi := g.span(g.plan.points(), "ringsparse", "ring")
	st := g.studies[0]
	var firsts []string
	for _, gr := range st.Grounds {
		text := fmt.Sprintf("%s at %s", st.byRound(gr)[0].Title, gr.link())
		layers, ring := st.compareRounds(gr, "ringsparse", "ring-layers"), st.compareRounds(gr, "ringsparse", "ring")
		firsts = append(firsts, fmt.Sprintf("%s (RingSparse takes %.2f of the ring layer by layer, %.2f of the ring that fuses layers)", text, layers, ring))
	}
	return []string{
		fmt.Sprintf("With the zeros of real gradients, against a ring that also goes layer by layer: %s.", join(out)),
		fmt.Sprintf("In compare/homogeneous, LeNet-5 on CPU nodes, the shortest round is that of %s. All LeNet-5 fits in one fused message, which waits for the last gradient; layer by layer the exchange begins before.", join(firsts)),
		fmt.Sprintf("In the cases counted here gradients are dense, on GPUs, and RingSparse takes %.2f to %.2f of the fused ring's time.", lo, hi),
	}
}

// multicastNote says what a switch that copies packets is worth.
func (g *guide) multicastNote() string {
	at := g.plan.points()
	d := g.against(at, func(m method) bool { return m.Multicast }, noMulticast)
	l, h := g.span(g.points(func(p point) bool { return p.Set == equalWorkers }), "ssgd-multicast", "ssgd-unicast")
	ul, uh := g.span(g.points(func(p point) bool { return p.Set != equalWorkers }), "ssgd-multicast", "ssgd-unicast")
	return fmt.Sprintf("A network with multicast: the best method that uses it beats the best that does not %v. SSGD multicast takes %.2f to %.2f of SSGD unicast's time with equal workers, where every node still takes in N−1 gradients, and %.2f to %.2f with unequal ones, where the last to finish sends one copy, not N−1.", d, l, h, ul, uh)
}

// replicatedNotes say what nodes that already hold each other's data gain.
func (g *guide) replicatedNotes() []string {
	at := g.plan.points()
	ssgd := g.against(at, redundant, func(m method) bool { return m.Multicast && !redundant(m) })
	plain := g.against(at, redundant, noMulticast)
	cl, ch := g.span(at, "cssgd", "ssgd-multicast")
	sl, sh := g.span(at, "compressed", "cssgd")
	var sums, codes []string
	for _, n := range g.plan.Nodes {
		if sweepMethod("compressed").codes(n) {
			codes = append(codes, fmt.Sprint(n))
		} else {
			sums = append(sums, fmt.Sprint(n))
		}
	}
	depth := ""
	if len(sums) > 0 {
		depth += "; with N = " + join(sums) + " nothing in them is coded, t = 1"
	}
	if len(codes) > 0 {
		depth += "; with N = " + join(codes) + " they are coded, t = 2"
	}
	return []string{
		fmt.Sprintf("Data already on several nodes: to hold it is free, to compute on it r times is not. The best redundant method beats SSGD multicast %v, and the best method without multicast %v.", ssgd, plain),
		fmt.Sprintf("Redundant methods are CSSGD with r = 2 or n−1 and sums of redundant blocks with r = 2%s. CSSGD with r = 2 takes %.2f to %.2f of SSGD multicast's time, the sums %.2f to %.2f of CSSGD's.", depth, cl, ch, sl, sh),
	}
}

// samplesNote says what staleness costs.
func (g *guide) samplesNote() string {
	var out []string
	for _, st := range g.studies {
		var parts []string
		for _, k := range everyKey {
			parts = append(parts, g.costOf(st.Set, k))
		}
		out = append(out, clusterTitle[st.Set]+": "+join(parts))
	}
	return "Samples that staleness costs, times BSP's, in the trainings of LeNet-5: " + strings.Join(out, "; ") + ". " + g.costs()
}

// everyKey are the asynchronous methods' keys.
var everyKey = []string{"asp", "ssp", "dssp", "dasp"}

// costOf is a method's factor in words: "ASP 0.98 [0.66, 1.45]".
func (g *guide) costOf(set, k string) string {
	f, ok := g.factor[set][k]
	switch {
	case !ok:
		return methodOf(k).Title + " not known, a seed misses the target"
	case f.CI == nil:
		return fmt.Sprintf("%s %.2f", methodOf(k).Title, f.Ratio)
	}
	return fmt.Sprintf("%s %.2f [%.2f, %.2f]", methodOf(k).Title, f.Ratio, f.CI[0], f.CI[1])
}

// costs says which factors are counted, if any.
func (g *guide) costs() string {
	var counted, unknown []string
	for _, st := range g.studies {
		for _, k := range everyKey {
			f, ok := g.factor[st.Set][k]
			if !ok {
				unknown = append(unknown, fmt.Sprintf("%s (%s)", methodOf(k).Title, clusterTitle[st.Set]))
			} else if f.counted() > 1 {
				counted = append(counted, fmt.Sprintf("%s (%s)", g.costOf(st.Set, k), clusterTitle[st.Set]))
			}
		}
	}
	last := g.studies[len(g.studies)-1]
	out := fmt.Sprintf("No cost of staleness in samples could be shown with %s (%s: %s); none is counted.", seeds(len(last.Seeds)), clusterTitle[last.Set], g.costOf(last.Set, "asp"))
	if len(counted) > 0 {
		out = "Counted as a cost of staleness in samples, as the interval lies above 1: " + join(counted) + ", measured on LeNet-5; other networks need not share it."
	}
	if len(unknown) > 0 {
		out += " Not weighed, so never first: " + join(unknown) + "."
	}
	return out
}

func seeds(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

// aloneNote says where an exchange is worth making.
func (g *guide) aloneNote() string {
	paying := func(points []point) string {
		n := 0
		for _, p := range points {
			if g.pays(p, noMulticast) {
				n++
			}
		}
		return fmt.Sprintf("%d of %d", n, len(points))
	}
	var models []string
	for _, m := range g.plan.Models {
		models = append(models, modelTitle[m]+" "+paying(g.points(func(p point) bool { return p.Model == m })))
	}
	return fmt.Sprintf("Ask first whether to distribute at all. The best method without multicast beats one worker (the fastest) that computes all N·b samples by itself in %s cases: %s. Only these cases count for a method below. One worker alone needs all data and the memory for N·b samples in one place.",
		paying(g.plan.points()), join(models))
}

// codingNote says what integers cost, and whom.
func (g *guide) codingNote() string {
	at := g.plan.points()
	n := g.plan.Nodes[len(g.plan.Nodes)-1]
	p := point{g.plan.Models[len(g.plan.Models)-1], equalWorkers, g.plan.Links[len(g.plan.Links)-1], n}
	free, of := 0, 0
	for _, q := range at {
		best, ok := g.bestOf(q, noMulticast)
		if !ok {
			continue
		}
		of++
		if g.free(q) < min(best.Time, g.time(q, alone))/(1+tie) {
			free++
		}
	}
	lo, hi := g.span(at, "cssgd", uncoded("cssgd"))
	return fmt.Sprintf("Coding is charged at an assumed 2 GB/s, and to coded methods alone: SSGD could send floats and pays for none. It makes CSSGD's round with r = 2 %.2f to %.2f times as long; %s at %s, equal workers, N = %d: %.4g ms with it, %.4g without, ring %.4g. Were coding free, CSSGD (r = 2 or n−1) would beat both the best method without multicast and one worker alone in %d of %d cases.",
		lo, hi, modelTitle[p.Model], linkName(p.Gbps), n, 1e3*g.time(p, "cssgd"), 1e3*g.time(p, uncoded("cssgd")), 1e3*g.time(p, "ring"), free, of)
}

// free is the time of CSSGD at p were coding free, the better of the two redundancies.
func (g *guide) free(p point) float64 {
	return min(g.time(p, uncoded("cssgd")), g.time(p, uncoded("cssgd-most")))
}
