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

// Experiments lists them in the order of the page: what is compared, the cluster on which
// all methods are trained, and what follows from trainings on it and among equal workers.
func Experiments() []exp.Experiment {
	return []exp.Experiment{facts(), heterogeneous(), when()}
}

const source = "ours"

// workers are the six of the DASP paper, on whose clusters all methods are trained.
const workers = 6

// gigabit is 1 Gb/s in bytes per second.
const gigabit = 1e9 / 8

// Where the trained comparisons run: on the machines of the reference, turned into CPU nodes. What
// does not depend on how fast a card is stays the file's: the proportions of the cards, how far
// computing times spread (20 %), latencies, and the server, whose link is twice a worker's.
const (
	equalSet   = "reference6-equal"
	unequalSet = "reference6"
)

// formerSet names the machines that a set took the place of: steadier by a factor of four, before a
// server whose link is a worker's. On them all methods have their time to the target and nothing
// else, with the same seeds, so that what the reference changed is computed and paired by seed.
func formerSet(set string) string {
	return map[string]string{equalSet: "homogeneous6", unequalSet: "heterogeneous6"}[set]
}

// testbed is a cluster on which all methods run.
type testbed struct {
	Set      string // file that the workers are from
	Gbps     float64
	Platform *cluster.Platform
}

// links of the trained comparisons, a worker's, in Gb/s: one with which the workers of BSP mostly
// compute, and one with which they mostly wait for messages. The reference's own 100 Gb/s is no third
// one. By arithmetic, LeNet-5's 0.25 MB pass six times through the server's link in 0.6 ms at 10 Gb/s,
// and a round computes for 8 ms: a faster link could save less than computing times spread, and would
// cost half as much again. Nor would it be the reference's case: its cards compute 440 to 980 times
// as fast as these nodes, so that 1 Gb/s is nearer to its proportion of computing to sending. The
// cards themselves at 100 Gb/s, timed and not trained, are in compare/when.
var links = []float64{10, 1}

// ownSeeds returns the seeds of a profile's trainings: five, as of DASP's in quick. With
// computing times that spread by 20 %, three would leave intervals too wide to tell an order from chance.
func ownSeeds(profile string) []uint64 {
	if profile == "quick" || profile == "standard" {
		return []uint64{0, 1, 2, 3, 4}
	}
	return exp.DefaultSeeds
}

// testbedOf returns the cluster of a set of workers: machines as in the platform file, but CPU
// nodes, on which every sample costs its arithmetic and nothing else, so that redundant samples
// are charged in full. The server's link keeps its ratio to a worker's. Its switch copies a multicast
// to its receivers, which is an assumption. Methods without a server use the workers alone.
func testbedOf(set string, gbps float64) testbed {
	p, err := platforms.Load(set)
	if err != nil {
		panic(err) // it is embedded
	}
	p = onLink(p, gbps).WithHosts(func(h *cluster.Host, server bool) {
		if !server {
			h.FLOPS, h.Memory = h.FLOPS*cpuRate[set], 0
		}
	})
	p.Multicast = true
	p.Name = fmt.Sprintf("%s, CPU nodes, %g Gb/s, multicast", set, gbps)
	return testbed{set, gbps, p}
}

// onLink returns p with workers' links of gbps, and a server's in proportion.
func onLink(p *cluster.Platform, gbps float64) *cluster.Platform {
	ratio := p.Server.Bandwidth / p.Workers[0].Bandwidth
	return p.WithHosts(func(h *cluster.Host, server bool) {
		if h.Bandwidth = gbps * gigabit; server {
			h.Bandwidth *= ratio
		}
	})
}

// testbedsConfig records the clusters of some sets, and those that they took the place of.
func testbedsConfig(sets ...string) (out []any) {
	for _, s := range sets {
		for _, set := range []string{s, formerSet(s)} {
			for _, g := range links {
				out = append(out, map[string]any{"set": set, "gbps": g, "platform": kit.Platform(testbedOf(set, g).Platform)})
			}
		}
	}
	return out
}

// cpuRate scales a platform's devices to CPU nodes: six of 5 GFLOP/s, or of 8 GFLOP/s and
// less in the proportions of the file, which together compute about as fast.
var cpuRate = map[string]float64{equalSet: 5e9 / 2.2e12, unequalSet: 8e9 / 7.85e12, formerSet(equalSet): 5e9 / 4.9e12, formerSet(unequalSet): 8e9 / 7.85e12}

// options returns the methods' parameters: SSP s = 3, DSSP [3, 15] clocks, DASP half a round and a
// round of versions; with six workers as in DASP's own tables.
func options(n int) rivals.Options { return rivals.Defaults(n) }
