package cluster

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Phase is a change of a host's speed in the course of a run: from At on, and
// until the next phase, computation takes Factor times as long as the host's
// own values say. A Factor below 1 is a faster host.
//
// Source: ours: other users' load on a shared node, a document's "dynamic heterogeneity"
type Phase struct {
	At     time.Duration
	Factor float64
}

// Lasts returns how many seconds a computation takes that begins at the run's
// second `from` and would take `seconds` if no phase changed the host's speed
// (seconds are those of Seconds, jitter included). With the factor s(t) = 1
// before the first phase it is the d of
//
//	∫ from … from+d  dt / s(t) = seconds
//
// summed over the phases, so that it is exact across any number of changes. A
// host without phases takes `seconds`, to the last bit.
//
// Source: ours: work done at a rate that changes in steps
func (h *Host) Lasts(from, seconds float64) float64 {
	if len(h.Slow) == 0 {
		return seconds
	}
	next := sort.Search(len(h.Slow), func(i int) bool { return h.Slow[i].At.Seconds() >= from })
	factor, passed := 1.0, 0.0
	if next > 0 {
		factor = h.Slow[next-1].Factor
	}
	for ; next < len(h.Slow); next++ {
		room := h.Slow[next].At.Seconds() - from - passed
		if float64(seconds*factor) <= room {
			break
		}
		seconds -= room / factor
		passed += room
		factor = h.Slow[next].Factor
	}
	return passed + float64(seconds*factor)
}

// validPhases returns an error that names the first phase out of its domain.
func validPhases(phases []Phase) error {
	for i, p := range phases {
		switch {
		case p.At < 0:
			return fmt.Errorf("slow %d: at = %v is negative", i, p.At)
		case i > 0 && p.At <= phases[i-1].At:
			return fmt.Errorf("slow %d: at = %v, want later than %v before it", i, p.At, phases[i-1].At)
		case !(p.Factor > 0) || math.IsInf(p.Factor, 0):
			return fmt.Errorf("slow %d: factor = %g, want > 0", i, p.Factor)
		}
	}
	return nil
}

// object returns an entry of a host's phases.
func (p *Phase) object() object {
	return object{nil, []member{{name: "at", to: &p.At, must: true},
		{name: "factor", to: &p.Factor, unit: fraction, must: true}}}
}
