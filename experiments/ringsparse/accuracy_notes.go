package ringsparse

import (
	"fmt"
	"gradsync/experiments/exp"
	"math"
	"strings"
)

// form finds a form by its key; ok is false if the network is not trained with it.
func (m marks) form(net accuracyNet, key string) (accuracyForm, bool) {
	for _, f := range m.plan.on(net) {
		if f.Key == key {
			return f, true
		}
	}
	return accuracyForm{}, false
}

// say is the paired difference of a form on every network that has it.
func (m marks) say(key string) string {
	var out []string
	for _, net := range m.plan.Nets {
		if f, ok := m.form(net, key); ok {
			c := m.pair(net, f)
			mean, half := exp.MeanAndHalf(c.Diff)
			text := fmt.Sprintf("%s %s points", net.Title, points(mean, half))
			if c.Same == len(c.Diff) {
				text = net.Title + " the same bits on every seed"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

func (m marks) notes() (out []string) {
	out = append(out, fmt.Sprintf("The patent's reading, ties to weights, against the dense ring, final accuracy: %s.%s %s", m.say(patentForm), m.wide(), m.control()))
	for _, net := range m.plan.Nets {
		if w, ties, _ := shares(m.of[net.Model][patentForm]); w == 0 && ties == 0 {
			out = append(out, net.Title+": no block of it was tied and none was sent as weights, so both tie rules are the dense ring to the bit.")
		}
	}
	out = append(out, fmt.Sprintf("With ties to gradients every block stays a gradient, and nothing is lost or rounded otherwise: %s.", m.say("gradients")))
	if text := m.say("printed"); text != "" {
		out = append(out, fmt.Sprintf("The printed sign, read with g as the direction of descent: %s against the dense ring%s.", text, m.printedLikePatent()))
	}
	if text := m.say("threshold"); text != "" {
		out = append(out, fmt.Sprintf("A threshold of %g makes F lossy and sends less; what is dropped is added to the next gradient (error feedback; the exchange has no form without it): %s.", accuracyThreshold, text))
	}
	if text := m.say("pruned-patent"); text != "" {
		out = append(out, "Pruned, where weights are the sparser kind before the first exchange, RingSparse against a dense exchange with the same mask: "+text+".")
	}
	out = append(out, m.timeNote())
	if m.plan.Nets[0].Updates < 1000 {
		out = append(out, "These trainings are short: they compare exchanges and do not reach the accuracy that the networks can have.")
	}
	return out
}

// wide says on which networks the patent's difference misses the margin, and how.
func (m marks) wide() string {
	text := ""
	for _, net := range m.plan.Nets {
		f, _ := m.form(net, patentForm)
		if why := m.pair(net, f).margin(m.controlWithin(net)); why != "" {
			text += fmt.Sprintf(" %s: %s.", net.Title, why)
		}
	}
	return text
}

// control sets the patent's difference beside that of another order of sums.
func (m marks) control() string {
	if m.say(orderForm) == "" {
		return ""
	}
	var text []string
	for _, net := range m.plan.Nets {
		a, _ := m.form(net, patentForm)
		b, _ := m.form(net, orderForm)
		ours, theirs := largestOf(m.pair(net, a).Diff), largestOf(m.pair(net, b).Diff)
		text = append(text, fmt.Sprintf("%s %.2f and %.2f", net.Title, 100*ours, 100*theirs))
	}
	return fmt.Sprintf("The control, a dense exchange that sums in another order and so rounds otherwise: %s. Largest difference on a seed, patent and control, in points: %s.", m.say(orderForm), strings.Join(text, "; "))
}

func largestOf(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// printedLikePatent says whether both signs gave the same bits.
func (m marks) printedLikePatent() string {
	for _, net := range m.plan.Nets {
		if _, ok := m.form(net, "printed"); !ok {
			continue
		}
		same := 0
		for i, x := range m.of[net.Model]["printed"] {
			if x.SHA256 == m.of[net.Model][patentForm][i].SHA256 {
				same++
			}
		}
		return fmt.Sprintf(", and the bits of the corrected sign on %d of %d seeds", same, len(m.Seeds))
	}
	return ""
}

// timeNote is what the exchange gains on the clock.
func (m marks) timeNote() string {
	var text []string
	for _, net := range m.plan.Nets {
		f, _ := m.form(net, patentForm)
		text = append(text, fmt.Sprintf("%s %.3f of its time and %.3f of its bytes", net.Title,
			m.ratio(net, f, func(x mark) float64 { return x.Seconds }), m.ratio(net, f, func(x mark) float64 { return float64(x.Bytes) })))
	}
	return fmt.Sprintf("At %s the patent's reading takes, of the dense ring: %s. S42 weighs packing against sending; counting zeros (S41) and turning sums (S51) are paid for every block, packed or not.", linkName(m.plan.Link), strings.Join(text, "; "))
}
