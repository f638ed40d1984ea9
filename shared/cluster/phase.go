package cluster

import (
	"encoding/json"
	"errors"
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

// parsePhases reads the list of a host's phases.
func parsePhases(raw []byte) ([]Phase, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, errors.New("not a list")
	}
	out := make([]Phase, 0, len(list))
	for i, item := range list {
		p, err := parsePhase(item)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

func parsePhase(raw []byte) (p Phase, err error) {
	fields, err := object(raw)
	if err != nil {
		return p, err
	}
	seen := map[string]bool{}
	for _, f := range fields {
		var text string
		if err = f.text(&text); err == nil {
			switch f.name {
			case "at":
				p.At, err = parseDuration(text)
			case "factor":
				p.Factor, err = fraction.parse(text)
			default:
				return p, fmt.Errorf("unknown field %q", f.name)
			}
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.name, err)
		}
		seen[f.name] = true
	}
	for _, name := range []string{"at", "factor"} {
		if !seen[name] {
			return p, fmt.Errorf("field %q is missing", name)
		}
	}
	return p, nil
}

// phasesJSON writes phases as parsePhases reads them.
func phasesJSON(phases []Phase) []json.RawMessage {
	out := make([]json.RawMessage, len(phases))
	for i, p := range phases {
		var o members
		o.add("at", duration.format(p.At.Seconds()))
		o.add("factor", fraction.format(p.Factor))
		out[i] = o.end()
	}
	return out
}
