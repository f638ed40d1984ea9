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

// advice is one situation: what to use, how often it is first, and where it is not.
func (g *guide) advice(situation string, points []point, allowed func(method) bool) string {
	c := g.tally(points, allowed, true)
	if len(c.Wins) == 0 {
		return situation + ": not known, no method could be weighed."
	}
	out := fmt.Sprintf("%s: %s", situation, c.use())
	if first := c.Wins[0]; 2*first.Times > c.Of {
		out += fmt.Sprintf(". It is first in %d of %d cases; the second takes longer by %s", first.Times, c.Of, c.margin())
	} else {
		out += fmt.Sprintf(" leads. First: %s", c.words())
	}
	if len(c.Wins) > 1 {
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

// notes are the advice in words, then what it rests on.
func (g *guide) notes() []string {
	fast := func(p point) bool { return p.Set == equalWorkers && slices.Contains(g.fast(), p.Gbps) }
	slow := func(p point) bool { return p.Set == equalWorkers && p.Gbps == g.slow() }
	of := func(set string) []point { return g.points(func(p point) bool { return p.Set == set }) }
	out := []string{
		g.advice(fmt.Sprintf("Equal workers, fast links (%s)", g.fastWords()), g.points(fast), equalSamples),
		g.advice(fmt.Sprintf("Equal workers, slow links (%s)", linkName(g.slow())), g.points(slow), equalSamples),
		g.advice("One straggler, six times slower", of(straggler), equalSamples),
		g.advice("Strongly unequal workers, speeds from 1 to 1/3.6", of(spread), equalSamples),
		g.waitNote(), g.serverNote(), g.sparseNote(), g.multicastNote(), g.replicatedNote(), g.aloneNote(), g.samplesNote()}
	return append(out, fmt.Sprintf("How sure this is: cases are %d networks, N = %s, and the links and workers of the table; times are simulated on assumed devices and full-duplex links through one switch. One learning rate, found under BSP, serves all. What staleness costs was measured on LeNet-5 with six workers, three seeds at most, and other networks need not share it.", len(g.plan.Models), spell(g.plan.Nodes)),
		"Not measured here: real switches and lost multicast packets, dead nodes, more nodes, data that differ from worker to worker, racks and machines of several cards (two-level rings), rates tuned per method, momentum, batch norm under staleness or coding, speeds that change, several servers, lossy compression, and what a server costs.")
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

// duel is how the best of two kinds of methods compare over points.
type duel struct {
	Wins, Of int
	Lo, Hi   float64 // the first's time over the second's
}

func (d duel) String() string {
	return fmt.Sprintf("in %d of %d cases, at %.2f to %.2f of its time", d.Wins, d.Of, d.Lo, d.Hi)
}

// against compares the best of two kinds over points; a tie is no win.
func (g *guide) against(points []point, a, b func(method) bool) (d duel) {
	for _, p := range points {
		x, okX := g.bestOf(p, a)
		y, okY := g.bestOf(p, b)
		if !okX || !okY {
			continue
		}
		r := x.Time / y.Time
		if d.Of == 0 {
			d.Lo, d.Hi = r, r
		}
		d.Of++
		d.Lo, d.Hi = min(d.Lo, r), max(d.Hi, r)
		if r < 1/(1+tie) {
			d.Wins++
		}
	}
	return d
}

// waitNote says whether not waiting pays with unequal workers, and what giving samples
// by speed does instead.
func (g *guide) waitNote() string {
	at := g.points(func(p point) bool { return p.Set != equalWorkers })
	async := func(m method) bool { return m.Async }
	equal := func(m method) bool { return synchronous(m) && !m.Aware }
	aware := func(m method) bool { return m.Aware }
	plain := func(m method) bool { return m.Key == "ssgd-unicast" }
	return fmt.Sprintf("With unequal workers, not to wait (the best asynchronous method) beats to wait with equal samples (the best synchronous one) %v. To give samples by speed and wait is the other way out: SSGD unicast gains by it %v; it keeps SSGD's N−1 messages, and a ring with samples by speed was not run. On the six unequal CPU nodes of the training, where time is arithmetic and messages alone, its round takes %s of that with equal samples, and ASP's %s.",
		g.against(at, async, equal), g.against(at, aware, plain), g.studies[1].times("ssgd-aware", "ssgd-unicast"), g.studies[1].times("asp", "ssgd-unicast"))
}
