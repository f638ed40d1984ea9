package compare

import (
	"fmt"
	"slices"
	"strings"
)

// use is the advice that a count gives: its first method where that is first in more
// than half of the cases.
func (c count) use() string {
	if len(c.Wins) > 0 && 2*c.Wins[0].Times > c.Of {
		return "use " + c.Wins[0].Title
	}
	return "no one method"
}

// advice is one situation: what to use, and from which counts.
func (g *guide) advice(situation string, points []point, allowed func(method) bool) string {
	weighed, plain := g.tally(points, allowed, true), g.tally(points, allowed, false)
	out := fmt.Sprintf("%s: %s. With the samples counted that staleness costs, the first is %s", situation, weighed.use(), weighed.words())
	if m := weighed.margin(); m != "" {
		out += "; " + m
	}
	if plain.words() != weighed.words() {
		out += fmt.Sprintf(". By the time of a round alone it is %s", plain.words())
	}
	if len(weighed.Wins) > 1 {
		out += ". By network: " + g.tops(points, allowed, byModel)
		if byLink(points[0]) != byLink(points[len(points)-1]) {
			out += ". By link: " + g.tops(points, allowed, byLink)
		}
	}
	return out + "."
}

// tops names the first of each group of points, samples counted, where it is first in
// more than half of the group, and joins groups that have the same: "ring for A and B".
func (g *guide) tops(points []point, allowed func(method) bool, group func(point) string) string {
	var names []string
	of := map[string][]point{}
	for _, p := range points {
		k := group(p)
		if of[k] == nil {
			names = append(names, k)
		}
		of[k] = append(of[k], p)
	}
	var firsts []string
	who := map[string][]string{}
	for _, k := range names {
		first := "none leads"
		if c := g.tally(of[k], allowed, true); len(c.Wins) > 0 && 2*c.Wins[0].Times > c.Of {
			first = c.Wins[0].Title
		}
		if who[first] == nil {
			firsts = append(firsts, first)
		}
		who[first] = append(who[first], k)
	}
	var out []string
	for _, f := range firsts {
		out = append(out, f+" for "+join(who[f]))
	}
	return strings.Join(out, "; ")
}

func (g *guide) notes() []string {
	out := []string{
		g.advice(fmt.Sprintf("Equal workers, fast links (%s)", g.fastWords()), g.points(func(p point) bool { return p.Set == equalWorkers && slices.Contains(g.fast(), p.Gbps) }), equalSamples),
		g.advice(fmt.Sprintf("Equal workers, slow links (%s)", linkName(g.slow())), g.points(func(p point) bool { return p.Set == equalWorkers && p.Gbps == g.slow() }), equalSamples),
	}
	out = append(out, g.unevenNote("One straggler, six times slower", straggler), g.unevenNote("Speeds spread from 1 to 1/3.6", spread), g.serverNote(), g.sparseNote(), g.realZerosNote(),
		g.multicastNote(), g.replicatedNote(), g.codingNote(), g.aloneNote(), g.samplesNote())
	return append(out, "How sure this is: times are simulated, with assumed devices, on full-duplex links through one switch, N up to "+fmt.Sprint(g.plan.Nodes[len(g.plan.Nodes)-1])+
		", with one learning rate found under BSP; what staleness costs was measured on LeNet-5 with six workers alone, and a window of the seeds' noise belongs to it.",
		"Not measured here: real switches and lost multicast packets, dead nodes, more nodes, racks and nodes of several cards (two-level rings), learning rates tuned per method, momentum, networks with batch norm under staleness or coding, changing speeds, several servers, lossy compression, and what a server machine costs.")
}

func (g *guide) fastWords() string {
	var out []string
	for _, l := range g.fast() {
		out = append(out, linkName(l))
	}
	return join(out)
}

// bestOf is the least time at p of the methods that allowed takes, samples counted.
func (g *guide) bestOf(p point, allowed func(method) bool) (rank, bool) {
	o := g.order(p, allowed, true)
	if len(o) == 0 {
		return rank{}, false
	}
	return o[0], true
}

// against compares the best of two kinds over points: in how many a is faster, and the
// span of a's time over b's.
func (g *guide) against(points []point, a, b func(method) bool) (wins, of int, lo, hi float64) {
	for _, p := range points {
		x, okX := g.bestOf(p, a)
		y, okY := g.bestOf(p, b)
		if !okX || !okY {
			continue
		}
		r := x.Time / y.Time
		if of == 0 {
			lo, hi = r, r
		}
		of++
		lo, hi = min(lo, r), max(hi, r)
		if r < 1 {
			wins++
		}
	}
	return wins, of, lo, hi
}

// unevenNote is the advice for workers of unequal speed.
func (g *guide) unevenNote(situation, set string) string {
	at := g.points(func(p point) bool { return p.Set == set })
	out := g.advice(situation, at, equalSamples)
	async := func(m method) bool { return m.Async }
	equal := func(m method) bool { return synchronous(m) && !m.Aware }
	aware := func(m method) bool { return m.Aware }
	if wins, of, lo, hi := g.against(at, async, equal); of > 0 {
		out += fmt.Sprintf(" The best asynchronous method beats the best synchronous one with equal samples in %d of %d cases, at %.2f to %.2f of its time.", wins, of, lo, hi)
	}
	if wins, of, lo, hi := g.against(at, aware, async); of > 0 {
		out += fmt.Sprintf(" Giving samples by speed (SSGD unicast, no staleness) beats the best asynchronous method in %d of %d, at %.2f to %.2f of its time; it keeps SSGD's N−1 messages, and a ring with samples by speed was not run.", wins, of, lo, hi)
	}
	return out
}

// serverNote says which method to run where a server stands, and whether to use it.
func (g *guide) serverNote() string {
	var out []string
	for _, set := range g.plan.Sets {
		c := g.tally(g.points(func(p point) bool { return p.Set == set }), ofServer, true)
		out = append(out, fmt.Sprintf("with %s, samples counted, the first is %s", setTitle[set], c.words()))
	}
	wins, of, lo, hi := g.against(g.plan.points(), ofServer, func(m method) bool { return serverless(m) && !m.Aware })
	return fmt.Sprintf("A parameter server exists: %s. The best method of the server beats the best without one (equal samples per worker, no multicast) in %d of %d cases, at %.2f to %.2f of its time.", strings.Join(out, "; "), wins, of, lo, hi)
}

// sparseNote says from which density RingSparse pays.
func (g *guide) sparseNote() string {
	var out []string
	for _, link := range g.plan.Links {
		at := g.points(func(p point) bool { return p.Set == equalWorkers && p.Gbps == link })
		var parts []string
		for _, d := range g.plan.Densities {
			wins, best := 0, 0.0
			for i, p := range at {
				r := g.sparse(p, d)
				if r < 1 {
					wins++
				}
				if i == 0 || r < best {
					best = r
				}
			}
			parts = append(parts, fmt.Sprintf("%g %% in %d (best %.2f)", 100*d, wins, best))
		}
		out = append(out, fmt.Sprintf("at %s with density %s of %d cases", linkName(link), join(parts), len(at)))
	}
	return "Sparse gradients, embeddings: RingSparse's round is shorter than the ring's " + strings.Join(out, "; ") + "."
}

// realZerosNote repeats what real zeros gave.
func (g *guide) realZerosNote() string {
	var out []string
	for i := 0; i+2 < len(g.studies[0].Home); i += 3 {
		if ring, sparse := g.studies[0].Home[i], g.studies[0].Home[i+2]; sparse.How != "timing-only" {
			out = append(out, fmt.Sprintf("%s at %s %.2f", sparse.Network, sparse.Link, sparse.Round/ring.Round))
		}
	}
	return "Real zeros, RingSparse's round over the ring's, six equal CPU nodes: " + join(out) + "."
}

// multicastNote says what a switch that copies packets is worth.
func (g *guide) multicastNote() string {
	at := g.plan.points()
	wins, of, lo, hi := g.against(at, func(m method) bool { return m.Multicast }, func(m method) bool { return noMulticast(m) && !m.Aware })
	l, h := g.span(g.points(func(p point) bool { return p.Set == equalWorkers }), "ssgd-multicast", "ssgd-unicast")
	ul, uh := g.span(g.points(func(p point) bool { return p.Set != equalWorkers }), "ssgd-multicast", "ssgd-unicast")
	return fmt.Sprintf("A network with multicast: the best method that uses it beats the best that does not (equal samples) in %d of %d cases, at %.2f to %.2f of its time. SSGD multicast's round takes %.2f to %.2f of SSGD unicast's with equal workers, where every receiver still takes in N−1 gradients, and %.2f to %.2f with unequal ones, where the last to finish sends one copy in place of N−1.", wins, of, lo, hi, l, h, ul, uh)
}

// replicatedNote says what nodes that already hold each other's data gain.
func (g *guide) replicatedNote() string {
	at := g.plan.points()
	wins, of, lo, hi := g.against(at, redundant, func(m method) bool { return m.Multicast && !redundant(m) })
	plain, _, pl, ph := g.against(at, redundant, func(m method) bool { return noMulticast(m) && !m.Aware })
	return fmt.Sprintf("Data already on several nodes: having it costs nothing, computing on it r times does. The best redundant method (CSSGD with r = 2 or n−1; sum, then code with r = 2) beats SSGD multicast in %d of %d cases, at %.2f to %.2f of its time, and the best without multicast in %d, at %.2f to %.2f.", wins, of, lo, hi, plain, pl, ph)
}

// codingNote compares redundant methods with each other.
func (g *guide) codingNote() string {
	at := g.plan.points()
	cl, ch := g.span(at, "cssgd", "ssgd-multicast")
	ml, mh := g.span(at, "cssgd-most", "ssgd-multicast")
	sl, sh := g.span(at, "compressed", "cssgd")
	return fmt.Sprintf("Coding: a round of CSSGD with r = 2 takes %.2f to %.2f of SSGD multicast's and is shorter in %d of %d cases; with r = n−1 %.2f to %.2f, shorter in %d. Sum, then code takes %.2f to %.2f of CSSGD's at r = 2, shorter in %d.",
		cl, ch, g.firsts(at, "cssgd", "ssgd-multicast"), len(at), ml, mh, g.firsts(at, "cssgd-most", "ssgd-multicast"), sl, sh, g.firsts(at, "compressed", "cssgd"))
}

// samplesNote says what staleness costs.
func (g *guide) samplesNote() string {
	var out []string
	for _, st := range g.studies {
		var parts []string
		for _, k := range []string{"asp", "ssp", "dssp", "dasp"} {
			if f, ok := g.factor[st.Set][k]; ok {
				text := fmt.Sprintf("%s %.2f", methodOf(k).Title, f.Ratio)
				if f.CI != nil {
					text += fmt.Sprintf(" [%.2f, %.2f]", f.CI[0], f.CI[1])
				}
				parts = append(parts, text)
			} else {
				parts = append(parts, methodOf(k).Title+" not known, a seed misses the target")
			}
		}
		out = append(out, clusterTitle[st.Set]+": "+join(parts))
	}
	return "Samples that staleness costs, times BSP's (LeNet-5, mean of both links, interval over seeds): " + strings.Join(out, "; ") + ". It is counted above where the interval excludes 1."
}

// aloneNote says where an exchange is not worth making.
func (g *guide) aloneNote() string {
	worse, of := map[float64]int{}, map[float64]int{}
	for _, p := range g.plan.points() {
		of[p.Gbps]++
		if o := g.order(p, noMulticast, true); len(o) > 0 && g.time(p, alone) < o[0].Time {
			worse[p.Gbps]++
		}
	}
	var out []string
	for _, l := range g.plan.Links {
		out = append(out, fmt.Sprintf("at %s in %d of %d cases", linkName(l), worse[l], of[l]))
	}
	return "One worker alone, computing all N·b samples, is faster than the best method without multicast " + join(out) + ": there nothing is gained by distributing."
}
