package codedsgd

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// switched is the ground on which micro-blocks travel over a switch, with overlap.
var switched = grounds[1]

// trainedFrom is the number of nodes, and classes, from which means are also given by
// themselves: two and three classes are told apart after few updates.
const trainedFrom = 4

// from are the crossings on so many nodes and more.
func from(cs []crossing, nodes int) (out []crossing) {
	for _, c := range cs {
		if c.Nodes >= nodes {
			out = append(out, c)
		}
	}
	return out
}

// meanSavedBy is the mean of what CSSGD with one r saves of a rival, over the node
// counts that have such an r.
func meanSavedBy(cs []crossing, v variant, r int, rival exchange, of func(iteration) float64) float64 {
	sum, cases := 0.0, 0
	for _, c := range cs {
		if x, ok := c.Of[v.Key][coded(r)]; ok {
			sum, cases = sum+saved(of(x), of(c.Of[v.Key][rival])), cases+1
		}
	}
	return sum / float64(cases)
}

// meanWords are these means of every r.
func meanWords(cs []crossing, v variant, rival exchange, of func(iteration) float64) string {
	var out []string
	for _, r := range redundancies {
		if x := meanSavedBy(cs, v, r, rival, of); !math.IsNaN(x) {
			out = append(out, fmt.Sprintf("r = %d %s %s's", r, saving(x), exchangeName(0, rival)))
		}
	}
	return "on the mean over node counts " + strings.Join(out, ", ")
}

// switchWords say where CSSGD at the better r is ahead of SSGD Multicast when
// micro-blocks travel over a switch, and why.
func switchWords(cs []crossing) string {
	var ahead []string
	for _, c := range cs {
		r, it := c.optimal(switched)
		if x := saved(it.Seconds, c.Of[switched.Key][multicast].Seconds); x > 0 {
			ahead = append(ahead, fmt.Sprintf("%.1f %% on %d nodes (r = %d)", x, c.Nodes, r))
		}
	}
	mean := meanSaved(cs, multicast, switched)
	if len(ahead) == 0 {
		return fmt.Sprintf("in micro-blocks on a switch, with overlap, CSSGD at the better r saves nothing of SSGD Multicast's time on any number of nodes (mean over all %.1f %%)", mean)
	}
	return fmt.Sprintf("in micro-blocks on a switch, with overlap, CSSGD at the better r does save of SSGD Multicast's time: %s (mean over all numbers of nodes %.1f %%). There the receivers' links are the bottleneck and the exchange overlaps with computing: with redundancy a node has fewer gradients to take in, Q·(n−r)/n instead of Q·(n−1)/n, coded or not, so that it is redundancy that saves, not the code", strings.Join(ahead, ", "), mean)
}

// aheadElsewhere says whether CSSGD with any r is ahead of SSGD Multicast on a ground
// other than switched.
func aheadElsewhere(cs []crossing) bool {
	for _, v := range grounds {
		if v.Key == switched.Key {
			continue
		}
		for _, c := range cs {
			if _, it := c.optimal(v); it.Seconds < c.Of[v.Key][multicast].Seconds {
				return true
			}
		}
	}
	return false
}

// switchNote is switchWords as a note.
func switchNote(cs []crossing) string {
	words := switchWords(cs)
	out := strings.ToUpper(words[:1]) + words[1:] + "."
	if !aheadElsewhere(cs) {
		out += " In no other of the settings of these figures is it ahead of SSGD Multicast."
	}
	return out
}

// uncodedFaster are the numbers of nodes on which r = 1 would be faster than the
// better of r = 2 and 3, and what CSSGD would save of SSGD Multicast's time on the mean
// if it could be chosen. With r = 1 a packet has one receiver and one term: what SSGD
// Unicast sends.
func uncodedFaster(cs []crossing, v variant) (nodes []int, mean float64) {
	for _, c := range cs {
		_, it := c.optimal(v)
		one := c.Of[v.Key][unicast].Seconds
		if one < it.Seconds {
			nodes = append(nodes, c.Nodes)
		}
		mean += saved(min(one, it.Seconds), c.Of[v.Key][multicast].Seconds) / float64(len(cs))
	}
	return nodes, mean
}

// optimalNote says what "optimal" is, and what it leaves out.
func optimalNote(cs []crossing) string {
	out := "CSSGD Optimal is the better of r = 2 and r = 3, of which §3.2.2 speaks, not the best of all r; the text does not say among which r its optimum is. "
	nodes, mean := uncodedFaster(cs, judged)
	if len(nodes) == 0 {
		return out + "In its model r = 1, without a code, is faster on no number of nodes."
	}
	return out + fmt.Sprintf("In its model r = 1, which has no code and sends what SSGD Unicast sends, would be faster on %s nodes; were it among the choices, the mean would be that CSSGD %s SSGD Multicast's time.", words(nodes), saving(mean))
}

// earlyNote says where the target is passed at once, and what the means are without
// these numbers of nodes; "" where there are none.
func (c *course) earlyNote() string {
	var early []string
	for i, on := range c.on {
		if u := meanOf(c.updates[i]); on.Nodes < trainedFrom && !math.IsNaN(u) {
			early = append(early, fmt.Sprintf("%.1f updates on %d nodes", u, on.Nodes))
		}
	}
	late := from(c.on, trainedFrom)
	if len(early) == 0 || len(late) == 0 {
		return ""
	}
	out := fmt.Sprintf("The target is passed after %s: so few classes are soon told apart, and such points say little of training. Over %d nodes and more alone, in the paper's model, CSSGD %s SSGD Multicast's time", strings.Join(early, " and "), trainedFrom, saving(meanSaved(late, multicast, judged)))
	if x, _, ok := c.savedFrom(trainedFrom); ok {
		out += " and " + saving(x) + " ASGD's"
	}
	return out + "."
}

// savedFrom is what CSSGD saves of ASGD's time over so many nodes and more.
func (c *course) savedFrom(least int) (percent float64, nodes []int, ok bool) {
	ours, base, all := c.pairs(judged)
	var o, b [][]float64
	for i, n := range all {
		if n >= least {
			o, b, nodes = append(o, ours[i]), append(b, base[i]), append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		return 0, nil, false
	}
	percent, _ = reductionOver(o, b)
	return percent, nodes, true
}

// growth is what §3.2.5 says of ASGD that samples per second do not show: from the
// fewest to the most nodes its staleness and the way to the target.
func (c *course) growth() string {
	i, k := 0, len(c.on)-1
	span := func(of func(i int) float64, unit string) string {
		return fmt.Sprintf("%.3g to %.3g%s", of(i), of(k), unit)
	}
	cssgd := func(i int) float64 { _, x, _, _ := c.racers(i, judged); return meanOf(x) }
	return fmt.Sprintf("§3.2.5 speaks of ASGD's updates becoming stale and of growing iterations, which samples per second do not show: from %d to %d nodes its mean staleness goes from %s, its way to the target from %s, n pushes counted as one update (synchronous: %s), its time to the target from %s and CSSGD's from %s; the task grows too, n classes on n nodes",
		c.on[i].Nodes, c.on[k].Nodes, span(func(i int) float64 { return c.stale[i] }, " versions"), span(c.pushes, " updates"), span(func(i int) float64 { return meanOf(c.updates[i]) }, ""),
		span(func(i int) float64 { return meanOf(c.ends[i]) }, " s"), span(cssgd, " s"))
}

// pushes is how many of ASGD's pushes over n lead to the target, a mean over the runs
// that reach it; NaN: none.
func (c *course) pushes(i int) float64 {
	reached, sum := 0, 0.0
	for _, x := range c.ends[i] {
		if !math.IsNaN(x) {
			reached, sum = reached+1, sum+x
		}
	}
	if reached == 0 {
		return math.NaN()
	}
	return sum / float64(reached) * c.rate[i] / float64(c.plan.Net.batch(c.on[i].Nodes))
}

// judgeRuns judges C12 by the network that ASGD is trained on the least often.
func judgeRuns(profile string, seeds []uint64) result.Claim {
	least := math.MaxInt
	var per []string
	for _, net := range networks() {
		p := schoolingOf(profile, net)
		runs := max(p.Runs, len(p.seedsOf(seeds)))
		least = min(least, runs)
		per = append(per, fmt.Sprintf("%s %d", net.Title, runs))
	}
	return claims.Judge("C12", claims.Evidence{Value: least, Note: "runs of ASGD on each number of nodes, each with its own seed, of the network with fewer: " + strings.Join(per, ", ")})
}
