package platforms

import (
	"fmt"

	"gradsync/shared/cluster"
)

// Links are the networks of the sweep in bytes per second: Ethernet of 1, 10
// and 25 Gb/s, and the 100 Gb/s InfiniBand of DSSP's homogeneous cluster.
var Links = []struct {
	Name      string
	Bandwidth float64
}{
	{"1 Gb/s", 0.125e9}, {"10 Gb/s", 1.25e9}, {"25 Gb/s", 3.125e9}, {"100 Gb/s", 12.5e9},
}

// Variant is one plausible platform.
type Variant struct {
	Name     string // "heterogeneous6, 25 Gb/s"
	Workers  string // file that the workers are from
	Link     string
	Platform *cluster.Platform
}

// Sweep returns the plausible platforms in place of a reference: its own
// workers and their alternatives on every link. The set was stated before any
// result; a table gives the range over it.
//
//	homogeneous6    itself; six cards of the fastest and six of the slowest kind of heterogeneous6
//	heterogeneous6  itself; mixed6; straggler6
//
// Another platform has itself as its only set of workers.
func Sweep(reference string) ([]Variant, error) {
	base, err := Load(reference)
	if err != nil {
		return nil, err
	}
	sets := []*cluster.Platform{base}
	switch base.Name {
	case "homogeneous6":
		het, err := Load("heterogeneous6")
		if err != nil {
			return nil, err
		}
		for _, kind := range []int{0, len(het.Workers) - 1} {
			sets = append(sets, allLike(base, het.Workers[kind]))
		}
	case "heterogeneous6":
		for _, name := range []string{"mixed6", "straggler6"} {
			p, err := Load(name)
			if err != nil {
				return nil, err
			}
			sets = append(sets, p)
		}
	}
	var out []Variant
	for _, p := range sets {
		for _, l := range Links {
			q := p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = l.Bandwidth })
			q.Name = p.Name + ", " + l.Name
			out = append(out, Variant{Name: q.Name, Workers: p.Name, Link: l.Name, Platform: q})
		}
	}
	return out, nil
}

// allLike returns base with as many workers of one kind.
func allLike(base *cluster.Platform, kind cluster.Host) *cluster.Platform {
	p := base.Clone()
	for i := range p.Workers {
		p.Workers[i] = kind
		p.Workers[i].Name = fmt.Sprintf("%s-%d", kind.Name, i)
	}
	p.Name = fmt.Sprintf("%d × %s", len(p.Workers), kind.Name)
	return p
}
