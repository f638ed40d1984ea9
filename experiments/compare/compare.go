// Package compare sets the methods of all four documents beside one another: on the
// same network, data, cluster and seeds, with as many samples per update as each
// method allows and one rule for the learning rate.
//
// It judges no claim of a document. It answers what none of them asks: which method to
// use when.
package compare

import (
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// Experiments lists them in the order of the page: what is compared, the two clusters on
// which all methods are trained, and what follows.
func Experiments() []exp.Experiment {
	return []exp.Experiment{facts(), comparisonOf("compare/homogeneous", equalSet), comparisonOf("compare/heterogeneous", unequalSet), when()}
}

const source = "ours"

// workers are the six of the DASP paper, on whose clusters all methods are trained.
const workers = 6

// gigabit is 1 Gb/s in bytes per second.
const gigabit = 1e9 / 8

// Where the trained comparisons run.
const (
	equalSet   = "homogeneous6"
	unequalSet = "heterogeneous6"
)

// testbed is a cluster on which all methods run.
type testbed struct {
	Set      string // file that the workers are from
	Gbps     float64
	Platform *cluster.Platform
}

// links of the trained comparisons in Gb/s: the reference's own, with which the workers of
// BSP mostly compute, and one with which they mostly wait for messages.
var links = []float64{10, 1}

// testbedOf returns the cluster of a set of workers: machines as in the platform file, but CPU
// nodes, on which every sample costs its arithmetic and nothing else, so that redundant samples
// are charged in full. Its switch copies a multicast to its receivers, which is an assumption.
// Methods without a server use the workers alone.
func testbedOf(set string, gbps float64) testbed {
	p, err := platforms.Load(set)
	if err != nil {
		panic(err) // it is embedded
	}
	p = p.WithHosts(func(h *cluster.Host, server bool) {
		h.Bandwidth = gbps * gigabit
		if !server {
			h.FLOPS, h.Memory = h.FLOPS*cpuRate[set], 0
		}
	})
	p.Multicast = true
	p.Name = fmt.Sprintf("%s, CPU nodes, %g Gb/s, multicast", set, gbps)
	return testbed{set, gbps, p}
}

// testbedsConfig records the clusters of some sets.
func testbedsConfig(sets ...string) (out []any) {
	for _, set := range sets {
		for _, g := range links {
			out = append(out, map[string]any{"set": set, "gbps": g, "platform": kit.Platform(testbedOf(set, g).Platform)})
		}
	}
	return out
}

// cpuRate scales a platform's devices to CPU nodes: six of 5 GFLOP/s, or of 8 GFLOP/s and
// less in the proportions of the file, which together compute about as fast.
var cpuRate = map[string]float64{equalSet: 5e9 / 4.9e12, unequalSet: 8e9 / 7.85e12}

// options returns the methods' parameters: SSP s = 3, DSSP [3, 15] clocks, DASP half a round and a
// round of versions; with six workers as in DASP's own tables.
func options(n int) rivals.Options { return rivals.Defaults(n) }
