package compare

import (
	"fmt"
	"strings"

	"gradsync/experiments/result"
)

// serverNote says which method to run where a server stands, and whether to use it.
func (g *guide) serverNote() string {
	var which, whether []string
	for _, set := range g.plan.Sets {
		at := g.points(func(p point) bool { return p.Set == set })
		c := g.tally(at, ofServer, true)
		which = append(which, fmt.Sprintf("%s: %s (%s)", set, c.use(), c.words()))
		d := g.against(at, ofServer, func(m method) bool { return serverless(m) && !m.Aware })
		whether = append(whether, fmt.Sprintf("%s %d of %d", set, d.Wins, d.Of))
	}
	return fmt.Sprintf("A parameter server exists. Of its methods, workers %s. They beat the best method without a server in: %s.", strings.Join(which, "; "), strings.Join(whether, ", "))
}

// sparseNote says at which links and densities RingSparse pays.
func (g *guide) sparseNote() string {
	var pays, not []string
	for _, link := range g.plan.Links {
		at := g.points(func(p point) bool { return p.Set == equalWorkers && p.Gbps == link })
		any := false
		for _, d := range g.plan.Densities {
			wins, best := 0, g.sparse(at[0], d)
			for _, p := range at {
				best = min(best, g.sparse(p, d))
				if g.sparse(p, d) < 1 {
					wins++
				}
			}
			if wins > 0 {
				any = true
				pays = append(pays, fmt.Sprintf("at %s and density %g %% in %d of %d cases, down to %.2f of the ring's time", linkName(link), 100*d, wins, len(at), best))
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
	return out + ". That is at assumed rates of packing; faster packing makes more of it pay (ringsparse/time)." + g.realZeros()
}

// realZeros is what zeros of real gradients gave.
func (g *guide) realZeros() string {
	var out []string
	home := g.studies[0].Home
	for i := 0; i+2 < len(home); i += 3 {
		if layers, sparse := home[i+1], home[i+2]; sparse.How != result.TimingOnly {
			out = append(out, fmt.Sprintf("%s at %s %.2f", sparse.Network, sparse.Link, sparse.Round/layers.Round))
		}
	}
	return " With the zeros of real gradients, against a ring that also goes layer by layer: " + join(out) + "."
}

// multicastNote says what a switch that copies packets is worth.
func (g *guide) multicastNote() string {
	at := g.plan.points()
	d := g.against(at, func(m method) bool { return m.Multicast }, func(m method) bool { return noMulticast(m) && !m.Aware })
	l, h := g.span(g.points(func(p point) bool { return p.Set == equalWorkers }), "ssgd-multicast", "ssgd-unicast")
	ul, uh := g.span(g.points(func(p point) bool { return p.Set != equalWorkers }), "ssgd-multicast", "ssgd-unicast")
	return fmt.Sprintf("A network with multicast: the best method that uses it beats the best that does not %v. SSGD multicast takes %.2f to %.2f of SSGD unicast's time with equal workers, where every node still takes in N−1 gradients, and %.2f to %.2f with unequal ones, where the last to finish sends one copy, not N−1.", d, l, h, ul, uh)
}

// replicatedNote says what nodes that already hold each other's data gain.
func (g *guide) replicatedNote() string {
	at := g.plan.points()
	ssgd := g.against(at, redundant, func(m method) bool { return m.Multicast && !redundant(m) })
	plain := g.against(at, redundant, func(m method) bool { return noMulticast(m) && !m.Aware })
	cl, ch := g.span(at, "cssgd", "ssgd-multicast")
	sl, sh := g.span(at, "compressed", "cssgd")
	return fmt.Sprintf("Data already on several nodes: to hold it is free, to compute on it r times is not. The best redundant method (CSSGD with r = 2 or n−1; sum, then code with r = 2) beats SSGD multicast %v, and the best method without multicast %v. CSSGD with r = 2 takes %.2f to %.2f of SSGD multicast's time, sum, then code %.2f to %.2f of CSSGD's.",
		ssgd, plain, cl, ch, sl, sh)
}

// samplesNote says what staleness costs.
func (g *guide) samplesNote() string {
	var out []string
	for _, st := range g.studies {
		var parts []string
		for _, k := range []string{"asp", "ssp", "dssp", "dasp"} {
			f, ok := g.factor[st.Set][k]
			text := methodOf(k).Title + " not known, a seed misses the target"
			if ok {
				text = fmt.Sprintf("%s %.2f", methodOf(k).Title, f.Ratio)
			}
			if ok && f.CI != nil {
				text += fmt.Sprintf(" [%.2f, %.2f]", f.CI[0], f.CI[1])
			}
			parts = append(parts, text)
		}
		out = append(out, clusterTitle[st.Set]+": "+join(parts))
	}
	return "Samples that staleness costs, times BSP's, in the trainings of LeNet-5: " + strings.Join(out, "; ") + ". Above it is counted where the interval excludes 1."
}

// aloneNote says where an exchange is not worth making.
func (g *guide) aloneNote() string {
	worse, of := map[string]int{}, map[string]int{}
	var models []string
	for _, p := range g.plan.points() {
		k := modelTitle[p.Model]
		if of[k] == 0 {
			models = append(models, k)
		}
		of[k]++
		if o := g.order(p, noMulticast, true); len(o) > 0 && g.time(p, alone) < o[0].Time {
			worse[k]++
		}
	}
	var out []string
	for _, m := range models {
		out = append(out, fmt.Sprintf("%s %d of %d", m, worse[m], of[m]))
	}
	slowest := g.points(func(p point) bool { return p.Gbps == g.slow() })
	n := 0
	for _, p := range slowest {
		if o := g.order(p, noMulticast, true); len(o) > 0 && g.time(p, alone) < o[0].Time {
			n++
		}
	}
	return fmt.Sprintf("Ask first whether to distribute at all: one worker (the fastest) that computes all N·b samples by itself beats the best method without multicast in %s cases; at %s in %d of %d.", join(out), linkName(g.slow()), n, len(slowest))
}
