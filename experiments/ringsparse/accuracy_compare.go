package ringsparse

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
)

// compared is a form beside its base, seed by seed.
type compared struct {
	Diff     []float64 // final accuracy, of 1
	Updates  []float64 // to the target, over the base's; empty unless both reach it on every seed
	Same     int       // seeds with the base's bits
	Promised int       // seeds on which those were promised
}

// compare sets the seeds of a form beside its base's.
func compare(f accuracyForm, these, base []mark) (c compared) {
	reached := true
	for i, m := range these {
		b := base[i]
		c.Diff = append(c.Diff, m.Accuracy-b.Accuracy)
		if m.SHA256 == b.SHA256 {
			c.Same++
		}
		if f.Bits && m.Totals.Kinds[ringsparse.Weights].Blocks == 0 {
			c.Promised++
		}
		mine, ok := updatesTo(m.Curve, accuracyTarget*b.Accuracy)
		theirs, also := updatesTo(b.Curve, accuracyTarget*b.Accuracy)
		if reached = reached && ok && also; reached {
			c.Updates = append(c.Updates, mine/theirs)
		}
	}
	if !reached {
		c.Updates = nil
	}
	return c
}

// updatesTo is when a curve first reaches the target, linear between evaluations; the
// first evaluation stands for itself.
func updatesTo(curve []train.Point, target float64) (updates float64, ok bool) {
	for i, b := range curve {
		switch {
		case b.Accuracy < target:
			continue
		case i == 0:
			return float64(b.Updates), true
		}
		a := curve[i-1]
		share := (target - a.Accuracy) / (b.Accuracy - a.Accuracy)
		return float64(a.Updates) + float64(share*float64(b.Updates-a.Updates)), true
	}
	return 0, false
}

// within reports whether the 95 % interval of a paired difference lies in ± margin;
// of a single seed the difference itself counts.
func within(diff []float64, margin float64) bool {
	mean, half := meanAndHalf(diff)
	if math.IsNaN(half) {
		half = 0
	}
	return mean-half >= -margin && mean+half <= margin
}

// against lists which criteria of the claim a form misses on one network.
func (c compared) against() (out []string) {
	mean, half := meanAndHalf(c.Diff)
	lower := tolerance("P10")
	if mean < -lower {
		out = append(out, fmt.Sprintf("final accuracy %.2f points lower, more than %.1f", -100*mean, 100*lower))
	}
	if !within(c.Diff, accuracyMargin) {
		text := fmt.Sprintf("the difference %s points is not within ±%.1f", points(mean, half), 100*accuracyMargin)
		if half > math.Abs(mean) {
			text += ", though it may be none: too few seeds to tell"
		}
		out = append(out, text)
	}
	if c.Updates == nil {
		out = append(out, "not every seed reaches the target")
	} else if more, _ := meanAndHalf(c.Updates); more > accuracyMore {
		out = append(out, fmt.Sprintf("%.3f times the updates to the target, more than %.2f", more, accuracyMore))
	}
	return out
}

// points spells a difference of accuracies in percentage points.
func points(mean, half float64) string {
	text := fmt.Sprintf("%+.2f", 100*mean)
	if !math.IsNaN(half) {
		text += fmt.Sprintf(" ± %.2f", 100*half)
	}
	return text
}

// pair compares a form on a network.
func (m marks) pair(net accuracyNet, f accuracyForm) compared {
	return compare(f, m.of[net.Model][f.Key], m.of[net.Model][f.Base])
}

// judge judges P10 by the patent's form on every network, and by the bits that are
// promised.
func (m marks) judge() result.Claim {
	var found, missed []string
	for _, net := range m.plan.Nets {
		for _, f := range m.plan.on(net) {
			if f.Base == "" {
				continue
			}
			c := m.pair(net, f)
			if f.Bits && c.Same < c.Promised {
				missed = append(missed, fmt.Sprintf("%s: other bits than the dense ring on %d of %d seeds", net.Title, c.Promised-c.Same, c.Promised))
			}
			if f.Key != patentForm {
				continue
			}
			mean, half := meanAndHalf(c.Diff)
			found = append(found, fmt.Sprintf("%s %s points", net.Title, points(mean, half)))
			for _, why := range c.against() {
				missed = append(missed, net.Title+": "+why)
			}
		}
	}
	note := fmt.Sprintf("paired with the dense ring over %d seeds; criteria stated before: interval of the difference within ±%.1f points, mean at most %.1f lower, at most %.2f times the updates to %.0f %% of the dense ring's final accuracy, equal bits where no block is sent as weights",
		len(m.Seeds), 100*accuracyMargin, 100*tolerance("P10"), accuracyMore, 100*accuracyTarget)
	if len(missed) > 0 {
		note += "; missed: " + strings.Join(missed, "; ")
	}
	return holds("P10", len(missed) == 0, len(m.Seeds), strings.Join(found, "; "), note)
}
