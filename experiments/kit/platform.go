package kit

import (
	"cmp"
	"slices"

	"gradsync/experiments/platforms"
	"gradsync/shared/cluster"
)

// Platform returns p as a configuration records it: its name and hash, and, unless package platforms
// has a file of that hash, the whole platform.
func Platform(p *cluster.Platform) map[string]any {
	sum := platforms.Sum(p)
	out := map[string]any{"name": p.Name, "sha256": sum}
	if file, err := platforms.Load(p.Name); err != nil || platforms.Sum(file) != sum {
		bare := p.WithHosts(func(h *cluster.Host, _ bool) { h.Assumed = nil })
		bare.Note, bare.Assumed = "", nil
		for i := range bare.Nodes {
			bare.Nodes[i].Assumed = nil
		}
		for i := range bare.Codecs {
			bare.Codecs[i].Assumed = nil
		}
		out["platform"] = bare // its numbers; the reasons for them are no result
	}
	return out
}

// Load returns a platform of package platforms by its name. They are embedded, so a failure
// is a programmer's mistake.
func Load(name string) *cluster.Platform {
	p, err := platforms.Load(name)
	if err != nil {
		panic(err)
	}
	return p
}

// Band is an interval of a time line, in milliseconds: a pass or the update, for which Computes is
// true, or the all-reduce of a layer.
type Band struct {
	Computes     bool
	State, Layer string // forward, backward, update or all-reduce; "": no layer
	From, To     float64
}

// TimeLine returns what rank 0 did in one iteration of data-parallel training: its forward
// pass, the backward passes of layers in the order of that pass, the update, and then its
// exchanges, from first byte to last; an exchange of tag k has the name exchanged[k].
func TimeLine(t *cluster.Trace, layers, exchanged []string) (out []Band) {
	wire := make([]Band, len(exchanged))
	for _, s := range t.Spans {
		from, to := 1e3*s.From.Seconds(), 1e3*s.To.Seconds()
		switch {
		case s.Rank != 0:
		case s.Kind == cluster.SpanCompute:
			b := Band{Computes: true, State: "update", From: from, To: to}
			switch stage := len(out); {
			case stage == 0:
				b.State = "forward"
			case stage <= len(layers):
				b.State, b.Layer = "backward", layers[stage-1]
			}
			out = append(out, b)
		case s.Kind == cluster.SpanSend || s.Kind == cluster.SpanRecv:
			if b := &wire[s.Tag]; b.Layer == "" {
				*b = Band{State: "all-reduce", Layer: exchanged[s.Tag], From: from, To: to}
			} else {
				b.From, b.To = min(b.From, from), max(b.To, to)
			}
		}
	}
	wire = slices.DeleteFunc(wire, func(b Band) bool { return b.Layer == "" })
	slices.SortStableFunc(wire, func(a, b Band) int { return cmp.Compare(a.From, b.From) })
	return append(out, wire...)
}
