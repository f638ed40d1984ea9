package codedsgd

import (
	"fmt"
	"strings"

	"gradsync/papers/codedsgd"
)

// of is a method's run.
func (x shownExchange) of(method string) plainRun {
	for _, p := range x.Plain {
		if p.Method == method {
			return p
		}
	}
	return plainRun{}
}

func fig2Notes(all []shownExchange) []string {
	wrong, compared, packets, wrapped, same, missing := 0, 0, 0, 0, 0, 0
	for _, x := range all {
		w, c, p := x.wrong()
		wrong, compared, packets = wrong+w, compared+c, packets+p
		if x.Same {
			same++
		}
		for _, p := range x.Packets {
			wrapped += p.Wrapped
		}
		for node := range x.A.Nodes() {
			for _, q := range without(x.A, node) {
				for _, v := range x.arrivals(node, q) {
					if v == nil {
						missing++
					}
				}
			}
		}
	}
	notes := []string{readingNote(all[0])}
	switch {
	case wrong == 0 && missing == 0:
		notes = append(notes, fmt.Sprintf("In all %d packets every receiver lacks exactly one of the summands, and what remains is right: %.1f million numbers compared, none wrong, and no node is left without a segment.", packets, float64(compared)/1e6))
	default:
		notes = append(notes, fmt.Sprintf("%d of %d decoded numbers are wrong, %d segments never arrive.", wrong, compared, missing))
	}
	for _, x := range all {
		notes = append(notes, gainNote(x))
	}
	if wrapped > 0 {
		notes = append(notes, fmt.Sprintf("%d sums in the packets are beyond what int32 holds (±10) and wrap around; subtracting wraps them back, so %s. Saturating or floating-point sums could not do that.", wrapped, map[bool]string{true: "nothing is lost", false: "they are not among the reasons for what is wrong"}[wrong == 0]))
	}
	if same == len(all) {
		notes = append(notes, "After the update all nodes have the parameters of one node that computed all blocks alone, bit for bit, with all three methods.")
	} else {
		notes = append(notes, fmt.Sprintf("In %d of %d clusters the nodes' parameters are not those of one node alone.", len(all)-same, len(all)))
	}
	return append(notes, guess)
}

// readingNote reads the first packet aloud.
func readingNote(x shownExchange) string {
	p := x.Packets[0]
	var does []string
	for _, d := range p.Decoded {
		does = append(does, fmt.Sprintf("node %d subtracts %s, which it computed itself, and has %s", d.Node, terms(x.A, d.Subtracted), segmentName(x.A, d.Term)))
	}
	return fmt.Sprintf("How to read it, %s: node %d sends %s once, to nodes %s; %s. One message, %d times useful.", clusterName(x.A), p.From, terms(x.A, p.Terms), listed(p.To), strings.Join(does, "; "), len(p.Decoded))
}

// gainNote says what the code gained of traffic and of time, and where not.
func gainNote(x shownExchange) string {
	coded, multicast, unicast := x.of(codedsgd.CSSGD), x.of(codedsgd.SSGDMulticast), x.of(codedsgd.SSGDUnicast)
	c, m, u := units(coded.Totals.Bytes), units(multicast.Totals.Bytes), units(unicast.Totals.Bytes)
	verdict := fmt.Sprintf("%.3g times the multicast's", c/m)
	switch {
	case c < m:
		verdict = fmt.Sprintf("a gain against both, for a block is lacked by %s", lackers(x))
	case c == m:
		verdict = fmt.Sprintf("no gain against multicast, which serves all %d nodes that lack a block at once, as many as the code does", x.A.Nodes()-x.A.Redundancy())
	}
	same := "the same with all three: a code does not spare receivers"
	if coded.Totals.Delivered != multicast.Totals.Delivered || coded.Totals.Delivered != unicast.Totals.Delivered {
		same = "not the same with all three"
	}
	out, in := x.busiest()
	return fmt.Sprintf("%s: sent are %.4g gradients coded, %.4g by multicast and %.4g by unicast of the same blocks: %s. Received are %.4g, %s. The iterations take %.1f, %.1f and %.1f ms; with the code the busiest link out works for %.1f ms of it, the busiest link in for %.1f.",
		clusterName(x.A), c, m, u, verdict, units(coded.Totals.Delivered), same, ms(coded.end()), ms(multicast.end()), ms(unicast.end()), ms(out), ms(in))
}

func lackers(x shownExchange) string {
	if n := x.A.Nodes() - x.A.Redundancy(); n > 1 {
		return fmt.Sprintf("%d nodes", n)
	}
	return "one node alone and a multicast of it has one receiver"
}
