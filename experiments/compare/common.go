package compare

import (
	"fmt"

	"gradsync/experiments/platforms"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

const complete = "complete"

// workers are the six of the DASP paper, on whose clusters all methods are trained.
const workers = 6

// gigabit is 1 Gb/s in bytes per second.
const gigabit = 1e9 / 8

// ground is a cluster on which all methods run.
type ground struct {
	Set      string            `json:"set"` // file that the workers are from
	Gbps     float64           `json:"gbps"`
	Platform *cluster.Platform `json:"platform"`
}

// links of the trained comparisons in Gb/s: the reference's own, with which the
// workers of BSP mostly compute, and one with which they mostly wait for messages.
var links = []float64{10, 1}

// groundsOf are the clusters of a set of workers: machines like those of the platform
// file, but CPU nodes, on which every sample costs its arithmetic and nothing else, so
// that redundant samples are charged in full. Its switch copies a multicast to its
// receivers, which is an assumption. Methods without a server use the workers alone.
func groundsOf(set string) (out []ground) {
	for _, g := range links {
		p, err := platforms.Load(set)
		if err != nil {
			panic(err) // it is embedded
		}
		p = p.WithHosts(func(h *cluster.Host, server bool) {
			h.Bandwidth = g * gigabit
			if !server {
				h.FLOPS, h.Memory = h.FLOPS*cpuRate[set], 0
			}
		})
		p.Multicast = true
		p.Name = fmt.Sprintf("CPU nodes as in %s, %g Gb/s, multicast", set, g)
		out = append(out, ground{set, g, p})
	}
	return out
}

// cpuRate scales a platform's devices to CPU nodes: six of 5 GFLOP/s, or of 8 GFLOP/s
// and less in the proportions of the file, which together compute about as fast.
var cpuRate = map[string]float64{equalSet: 5e9 / 4.9e12, unequalSet: 8e9 / 7.85e12}

func (g ground) link() string { return fmt.Sprintf("%g Gb/s", g.Gbps) }

// options are the methods' parameters: SSP s = 3, DSSP [3, 15] clocks, DASP half a
// round and a round of versions; with six workers those of DASP's own tables.
func options(n int) rivals.Options { return rivals.Defaults(n) }

// Where the trained comparisons run.
const (
	equalSet   = "homogeneous6"
	unequalSet = "heterogeneous6"
)

// clusterTitle names a set in sentences.
var clusterTitle = map[string]string{equalSet: "six equal workers", unequalSet: "six unequal workers"}
