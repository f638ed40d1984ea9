package compare

import (
	"fmt"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// sweepPlan is the timing-only grid of compare/when, fixed before its first run.
type sweepPlan struct {
	Models    []string  `json:"models"`
	Sets      []string  `json:"sets"`
	Links     []float64 `json:"links"` // Gb/s
	Nodes     []int     `json:"nodes"`
	Batch     int       `json:"batch"`     // samples per worker
	Rounds    int64     `json:"rounds"`    // of synchronous methods; the first is left out
	Async     int64     `json:"async"`     // rounds of asynchronous ones; a quarter is left out
	Densities []float64 `json:"densities"` // of RingSparse's gradients
}

// The sets of workers of the sweep.
const (
	equalWorkers = "equal"
	straggler    = "one straggler"
	spread       = "spread"
)

// setTitle names a set of the sweep in sentences.
var setTitle = map[string]string{equalWorkers: "equal workers", straggler: "one worker six times slower", spread: "speeds spread from 1 to 1/3.6"}

func planSweep(profile string) sweepPlan {
	p := sweepPlan{Models: []string{"lenet5", "mlp", "resnet18", "vgg19_bn"}, Sets: []string{equalWorkers, straggler, spread},
		Links: []float64{1, 10, 25, 100}, Nodes: []int{4, 8}, Batch: 64, Rounds: 3, Async: 16, Densities: []float64{1, 0.1, 0.01}}
	switch profile {
	case "ci":
		p.Models, p.Links, p.Nodes, p.Async = []string{"lenet5", "mlp"}, []float64{1, 100}, []int{4}, 8
	case "standard", "paper":
		p.Nodes = []int{3, 4, 6, 8}
	}
	return p
}

// point is one place of the grid.
type point struct {
	Model, Set string
	Gbps       float64
	Nodes      int
}

func (p sweepPlan) points() (out []point) {
	for _, m := range p.Models {
		for _, s := range p.Sets {
			for _, g := range p.Links {
				for _, n := range p.Nodes {
					out = append(out, point{m, s, g, n})
				}
			}
		}
	}
	return out
}

// sweepMethods are those of the trained comparison, each once, and CSSGD with r = n−1,
// the redundancy at which its load is least but for r = n.
func sweepMethods() (out []method) {
	for _, m := range methods() {
		if m.Key != "asgd" && m.Key != "ring-layers" {
			out = append(out, m)
		}
	}
	return append(out, method{Key: "cssgd-most", Title: "CSSGD, r = n−1", Document: ofCoded, Sync: codedsgd.CSSGD, Multicast: true, Coded: coded(codedsgd.CSSGD, -1)})
}

// platform is the sweep's cluster: GPUs and the server of homogeneous6, without jitter.
func (p point) platform() *cluster.Platform {
	base, err := platforms.Homogeneous(p.Nodes)
	if err != nil {
		panic(err) // plans have nodes in range
	}
	base = base.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Jitter = p.Gbps*gigabit, 0 })
	for i := range base.Workers {
		slow := 1.0
		switch {
		case p.Set == straggler && i == p.Nodes-1:
			slow = 6
		case p.Set == spread:
			slow = 1 + float64(2.6*float64(i)/float64(p.Nodes-1))
		}
		base.Workers[i].FLOPS /= slow
		base.Workers[i].Memory /= slow
	}
	base.Multicast = true
	base.Name = fmt.Sprintf("%d %s, %g Gb/s, multicast", p.Nodes, p.Set, p.Gbps)
	return base
}

// config is the timing-only run of m at p; density is RingSparse's.
func (s sweepPlan) config(m method, p point, density float64) train.Config {
	o := options(p.Nodes)
	if m.Coded != nil && m.Coded.Redundancy < 0 {
		all := *m.Coded
		all.Redundancy = p.Nodes - 1
		m.Coded = &all
	}
	c := train.Config{Sync: m.Sync, Model: p.Model, Platform: p.platform(), Workers: p.Nodes, Batch: s.Batch, TimingOnly: true, EvalEvery: -1, Options: &o}
	m.configure(&c)
	if m.Async {
		c.MaxPushes = s.Async * int64(p.Nodes)
	} else {
		c.MaxUpdates, c.Warmup = s.Rounds, 1
	}
	if m.Sync == "ringsparse" {
		c.Density = density
	}
	return c
}
