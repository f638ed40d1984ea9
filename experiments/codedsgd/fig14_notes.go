package codedsgd

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/claims"
)

// statedSavings are the paper's means of a network, in per cent, by claim: of SSGD
// and of ASGD. Abstract and body exchange two of them.
func statedSavings(net network) (ssgd, asgd string) {
	of := func(ids ...string) string {
		var out []string
		for _, id := range ids {
			c, _ := claims.Get(id)
			out = append(out, c.Value)
		}
		return strings.Join(out, " or ") + " %"
	}
	if net.Key == cnn.Key {
		return of("C04", "C05"), of("C06")
	}
	return of("C01"), of("C02", "C03")
}

// raceNotes say what the figure of the paper shows and what is found.
func (c *course) raceNotes(source string) []string {
	ssgd, asgd := statedSavings(c.plan.Net)
	notes := []string{
		fmt.Sprintf("The text says of %s that CSSGD at its best redundancy saves on average %s of SSGD Multicast's time and %s of ASGD's (where there are two numbers, abstract and body disagree); the curves are lost. Here, at the better of r = 2 and 3, in its own message and time model, a multicast counted once in both, it %s SSGD Multicast's time and %s. It %s the time of SSGD that pays for every receiver.",
			source, ssgd, asgd, saving(meanSaved(c.on, multicast, judged)), c.savedOfASGD(judged), saving(meanSaved(c.on, unicast, judged))),
		fmt.Sprintf("With whole gradients on a switch, what the printed algorithm does on Ethernet, it %s SSGD Multicast's time and %s.", saving(meanSaved(c.on, multicast, ethernet)), c.savedOfASGD(ethernet)),
		c.mostWords(), switchNote(c.on), optimalNote(c.on)}
	if early := c.earlyNote(); early != "" {
		notes = append(notes, early)
	}
	notes = append(notes, c.loadWords())
	if ours, _, _ := c.pairs(judged); len(ours) > 0 {
		notes = append(notes, fmt.Sprintf("ASGD's nodes send one summed gradient per push; synchronous nodes in this message model send Q(n)/n. Were ASGD's pushes cut likewise, its server's link alone, by model, would make it so slow that CSSGD %s its time: the comparison with ASGD is decided by how gradients are cut more than by coding.", saving(c.savedOfCut(judged))))
	}
	for i, on := range c.on {
		missed := 0
		for _, x := range c.ends[i] {
			if math.IsNaN(x) {
				missed++
			}
		}
		if missed > 0 {
			notes = append(notes, fmt.Sprintf("On %d nodes %d of %d runs of ASGD do not reach the target in as many samples as %d updates have: no point there.", on.Nodes, missed, len(c.ends[i]), c.plan.Updates))
		}
	}
	if c.plan.Nodes[0] == 2 {
		notes = append(notes, "On 2 nodes CSSGD's r = 2 exchanges nothing: each node computes the whole batch. It counts as CSSGD in the means.")
	}
	return append(notes, shared, c.whole.note())
}

// mostWords is the comparison on the most nodes, where there is most to save.
func (c *course) mostWords() string {
	i := len(c.on) - 1
	ssgd, cssgd, async, r := c.racers(i, judged)
	uni := c.on[i].Of[judged.Key][unicast].Seconds * meanOf(c.updates[i])
	out := fmt.Sprintf("On %d nodes alone, in the paper's model, CSSGD (%s) %s SSGD Multicast's time and %s SSGD Unicast's", c.on[i].Nodes, redundancyName(c.on[i].Nodes, r), saving(saved(meanOf(cssgd), meanOf(ssgd))), saving(saved(meanOf(cssgd), uni)))
	if x := saved(meanOf(cssgd), meanOf(async)); !math.IsNaN(x) {
		out += fmt.Sprintf(" and %s ASGD's", saving(x))
	}
	return out + "."
}

// savedOfASGD is the reduction with its interval, in words.
func (c *course) savedOfASGD(v variant) string {
	ours, base, _ := c.pairs(v)
	if len(ours) == 0 {
		return "has no number of nodes to be compared on with ASGD"
	}
	x, ci := reductionOver(ours, base)
	if ci == nil {
		return saving(x) + " ASGD's"
	}
	return fmt.Sprintf("%s ASGD's (95 %% interval of the saving %.1f to %.1f %%)", saving(x), ci[0], ci[1])
}
