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
	notes := []string{fmt.Sprintf("%s of the paper: CSSGD at its best redundancy saves on average %s of SSGD Multicast's time and %s of ASGD's (abstract and body disagree where there are two numbers). Here, in its own message and time model, a multicast counted once in both: %s of SSGD Multicast's and %s of ASGD's; of SSGD charged for every receiver %s.",
		source, ssgd, asgd, signed(meanSaved(c.on, multicast, judged)), c.savedOfASGD(judged), signed(meanSaved(c.on, unicast, judged)))}
	notes = append(notes, fmt.Sprintf("With whole gradients on a switch, the algorithm as printed on Ethernet: %s of SSGD Multicast's and %s of ASGD's.", signed(meanSaved(c.on, multicast, ethernet)), c.savedOfASGD(ethernet)))
	if ours, _, _ := c.pairs(judged); len(ours) > 0 {
		notes = append(notes, fmt.Sprintf("ASGD's nodes send one summed gradient per push, which no message model of the paper forbids; synchronous nodes here send Q(n)/n of them. Cut likewise, by model, ASGD's server link alone would let CSSGD save %s of its time: the comparison with ASGD is decided by how gradients are cut, not by coding.", signed(c.savedOfCut(judged))))
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
	return append(notes, shared)
}

// savedOfASGD is the reduction with its interval, in words.
func (c *course) savedOfASGD(v variant) string {
	ours, base, _ := c.pairs(v)
	if len(ours) == 0 {
		return "no comparable part"
	}
	x, ci := reductionOver(ours, base)
	if ci == nil {
		return signed(x)
	}
	return fmt.Sprintf("%s (%.1f to %.1f)", signed(x), ci[0], ci[1])
}

// signed spells a saving; a negative one is time lost.
func signed(x float64) string { return fmt.Sprintf("%+.1f %%", x) }
