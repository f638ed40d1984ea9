package platforms

import (
	"fmt"
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// UnequalLinks are the NICs of six equal workers in bytes per second: 25, 10,
// 10, 5, 2.5 and 1 Gb/s, the Ethernet speeds that one laboratory may own at once.
var UnequalLinks = []float64{3.125e9, 1.25e9, 1.25e9, 0.625e9, 0.3125e9, 0.125e9}

// RemoteLatency is the one-way latency to the last worker where it stands at
// another site, some 4,000 km of fibre away.
const RemoteLatency = 20 * time.Millisecond

// ServerLinks are the NICs of the server: one that no worker's link can fill,
// and the reference's.
var ServerLinks = []struct {
	Name      string
	Bandwidth float64
}{{"100 Gb/s", 12.5e9}, {"10 Gb/s", 1.25e9}}

// The sets of workers of Networks.
const (
	EqualLinks     = "equal links"
	UnequalLinkSet = "unequal links"
	RemoteWorker   = "one worker 20 ms away"
)

// Networks returns clusters of the reference's equal devices that differ in
// their links alone: all workers at 10 Gb/s; UnequalLinks; 10 Gb/s with the last
// worker RemoteLatency away. Each stands before a server of each of ServerLinks.
func Networks() ([]Variant, error) {
	base, err := Load("homogeneous6")
	if err != nil {
		return nil, err
	}
	if len(base.Workers) != len(UnequalLinks) {
		return nil, fmt.Errorf("platforms: %d unequal links for %d workers", len(UnequalLinks), len(base.Workers))
	}
	var out []Variant
	for _, set := range []string{EqualLinks, UnequalLinkSet, RemoteWorker} {
		for _, l := range ServerLinks {
			p := base.Clone()
			setBandwidth(p.Server, l.Bandwidth, "the experiment's axis: the server's link")
			switch set {
			case UnequalLinkSet:
				for i := range p.Workers {
					setBandwidth(&p.Workers[i], UnequalLinks[i], "the experiment's axis: equal devices on Ethernet of several ages")
				}
			case RemoteWorker:
				last := &p.Workers[len(p.Workers)-1]
				last.Latency = RemoteLatency
				assume(last, "latency", RemoteLatency.String(), "the experiment's axis: one worker at another site")
			}
			p.Name = fmt.Sprintf("%s, server %s", set, l.Name)
			p.Note = "The devices of homogeneous6; the links are the experiment's axis, fixed before its first run."
			out = append(out, Variant{Name: p.Name, Workers: set, Link: l.Name, Platform: p})
		}
	}
	return out, nil
}

// setBandwidth changes h's NIC and the reason that stands beside it.
func setBandwidth(h *cluster.Host, bytes float64, why string) {
	h.Bandwidth = bytes
	assume(h, "bandwidth", fmt.Sprintf("%g Gb/s", 8*bytes/1e9), why)
}

// assume replaces the reason of a field.
func assume(h *cluster.Host, field, value, why string) {
	h.Assumed = slices.DeleteFunc(h.Assumed, func(a cluster.Assumption) bool { return a.Field == field })
	h.Assumed = append(h.Assumed, cluster.Assumption{Field: field, Value: value, Why: why, Confidence: "chosen, not measured"})
}
