package compare

import "fmt"

// notes are the advice in words, then what it rests on.
func (g *guide) notes() []string {
	slow := func(p point) bool { return p.Set == equalWorkers && p.Gbps == g.slow() }
	of := func(set string) []point { return g.points(func(p point) bool { return p.Set == set }) }
	out := append(g.shortNotes(), g.aloneNote(),
		g.advice(fmt.Sprintf("Equal workers, fast links (%s)", g.fastWords()), g.points(g.quick), noMulticast),
		g.advice(fmt.Sprintf("Equal workers, slow links (%s)", linkName(g.slow())), g.points(slow), noMulticast),
		g.advice("One straggler, six times slower", of(straggler), noMulticast),
		g.advice("Strongly unequal workers, speeds from 1 to 1/3.6", of(spread), noMulticast))
	out = append(append(out, g.waitNotes()...), g.serverNote())
	out = append(append(out, g.sparseNotes()...), g.multicastNote())
	out = append(append(out, g.replicatedNotes()...), g.codingNote(), g.samplesNote())
	return append(out, fmt.Sprintf("How sure this is: cases are %d networks, N = %s, and the links and workers of the table, one count each; in between it may turn. Times are simulated on assumed devices and full-duplex links through one switch. One learning rate, found under BSP, serves all, and what staleness costs was measured on LeNet-5 with six workers and %s: a cost smaller than the intervals above would not have been seen.", len(g.plan.Models), spell(g.plan.Nodes), seeds(len(g.studies[0].Seeds))),
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
	if d.Of == 0 {
		return "nowhere, as one worker alone is faster in all cases"
	}
	return fmt.Sprintf("in %d of the %d cases where distributing pays, at %.2f to %.2f of its time", d.Wins, d.Of, d.Lo, d.Hi)
}

// against compares the best of two kinds over the points at which either beats one
// worker alone; a tie is no win.
func (g *guide) against(points []point, a, b func(method) bool) (d duel) {
	for _, p := range points {
		x, okX := g.bestOf(p, a)
		y, okY := g.bestOf(p, b)
		if !okX || !okY {
			continue
		}
		if min(x.Time, y.Time) >= g.time(p, alone) {
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

// waitNotes say whether not waiting pays with unequal workers, and what giving samples
// by speed does instead.
func (g *guide) waitNotes() []string {
	at := g.points(func(p point) bool { return p.Set != equalWorkers })
	async := func(m method) bool { return m.Async }
	equal := func(m method) bool { return synchronous(m) && !m.Aware }
	aware := func(m method) bool { return m.Aware }
	plain := func(m method) bool { return m.Key == "ssgd-unicast" }
	st := g.studies[1]
	var firsts []string
	for _, gr := range st.Grounds {
		firsts = append(firsts, fmt.Sprintf("%s at %s", st.byRound(gr)[0].Title, gr.link()))
	}
	return []string{
		fmt.Sprintf("With unequal workers, not to wait (the best asynchronous method) beats to wait with equal samples (the best synchronous one) %v.", g.against(at, async, equal)),
		fmt.Sprintf("To give samples by speed and wait is the other way out: SSGD unicast with it beats the best asynchronous method %v, and itself with equal samples %v. It keeps SSGD's N−1 messages, is charged no coding here, and a ring with samples by speed was not run.", g.against(at, aware, async), g.against(at, aware, plain)),
		fmt.Sprintf("On GPUs whose launches cost time, fewer samples save less than on the six unequal CPU nodes of compare/heterogeneous: there its round takes %s of that with equal samples, ASP's %s, and the shortest is that of %s.", st.times("ssgd-aware", "ssgd-unicast"), st.times("asp", "ssgd-unicast"), join(firsts)),
	}
}
