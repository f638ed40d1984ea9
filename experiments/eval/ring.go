package eval

import (
	"math/big"
	"math/bits"
)

var (
	paramN     = needed("n", "number of ranks N")
	paramK     = needed("k", "bytes per rank K")
	paramBW    = needed("bandwidth", "link bandwidth B, bytes per second")
	paramAlpha = optional("latency", "seconds per message α", "0")
)

const allReduceCost = "ring, All-reduce communication cost"

// ringFormulas lists the formulas of the blog's ring and of its single reducer.
var ringFormulas = []Formula{
	{"ring.bytes", "2(N−1)K/N, the mean per rank", allReduceCost, []Param{paramN, paramK},
		of("bytes", func(v Args) *big.Rat {
			n := v.ranks()
			v.count("k", 0)
			return mul(onTheWire(n), v["k"])
		})},
	{"ring.seconds", "2(N−1)(α + K/(N·B))", allReduceCost + "; α is ours",
		[]Param{paramN, paramK, paramBW, paramAlpha}, of("s", func(v Args) *big.Rat {
			n := v.link()
			return mul(whole(2*(n-1)), add(quo(v["k"], mul(whole(n), v["bandwidth"])), v["latency"]))
		})},
	{"ring.steps", "(N−1) + (N−1)", "ring, The scatter-reduce and The allgather", []Param{paramN},
		of("exchanges", func(v Args) *big.Rat { return whole(2 * (v.count("n", 1) - 1)) })},
	{"ring.limit", "2K, which 2(N−1)K/N tends to", "ring, Applying the all-reduce to deep learning", []Param{paramK},
		of("bytes", func(v Args) *big.Rat {
			v.atLeastZero("k")
			return mul(whole(2), v["k"])
		})},
	{"ring.break-even", "α·B·N(N−2)/(N−1)²: gradients above it are faster round the ring than by one reducer", "ours: from ring.seconds and naive.both-seconds",
		[]Param{paramN, paramBW, needed("latency", "seconds per message α")}, of("bytes", func(v Args) *big.Rat {
			n := v.count("n", 2)
			v.positive("bandwidth")
			v.atLeastZero("latency")
			m := sub(whole(n), one) // as rationals: n² may not fit an int64
			return mul(mul(v["latency"], v["bandwidth"]), quo(mul(whole(n), sub(m, one)), mul(m, m)))
		})},
	{"ring.busbw", "S/t · 2(N−1)/N", "nccl-tests' definition of bus bandwidth",
		[]Param{paramN, needed("bytes", "S"), needed("seconds", "t")}, of("bytes/s", func(v Args) *big.Rat {
			n := v.count("n", 1)
			v.positive("seconds")
			return mul(quo(v["bytes"], v["seconds"]), onTheWire(n))
		})},
	{"naive.bytes", "(N−1)K into the one reducer, and as much out of it", "ring, The communication problem",
		[]Param{paramN, paramK}, of("bytes", func(v Args) *big.Rat { return mul(whole(v.ranks()-1), v["k"]) })},
	{"naive.seconds", "(N−1)K/B", "ring, The communication problem (one direction)", []Param{paramN, paramK, paramBW},
		of("s", func(v Args) *big.Rat { return quo(mul(whole(v.link()-1), v["k"]), v["bandwidth"]) })},
	{"naive.both-seconds", "2(α + (N−1)K/B): gather and broadcast", "ring, The communication problem (both directions); α is ours",
		[]Param{paramN, paramK, paramBW, paramAlpha}, of("s", func(v Args) *big.Rat {
			n := v.link()
			if n == 1 { // nothing is sent, so nothing is late
				return new(big.Rat)
			}
			return mul(whole(2), add(v["latency"], quo(mul(whole(n-1), v["k"]), v["bandwidth"])))
		})},
}

// ranks reads N and K, which is not negative; link B and α too.
func (v Args) ranks() int64 {
	n := v.count("n", 1)
	v.atLeastZero("k")
	return n
}

func (v Args) link() int64 {
	n := v.ranks()
	v.positive("bandwidth")
	if v["latency"] != nil {
		v.atLeastZero("latency")
	}
	return n
}

// onTheWire returns 2(N−1)/N, the ring's bytes over K.
func onTheWire(n int64) *big.Rat { return big.NewRat(2*(n-1), n) }

var (
	paramNodes    = needed("nodes", "nodes M")
	paramPerNode  = needed("per-node", "ranks of a node G")
	paramNodeBW   = needed("node-bandwidth", "bandwidth of a node's NIC B′, bytes per second")
	paramNodeLate = optional("node-latency", "seconds per message between nodes α′", "0")
)

// rivalFormulas lists the formulas of the two all-reduces that the ring is compared with.
var rivalFormulas = []Formula{
	{"halving-doubling.bytes", "2(P−1)K/P, K more if N > P, P the highest power of two up to N: of the busiest rank", "ours: Rabenseifner's all-reduce",
		[]Param{paramN, paramK}, of("bytes", func(v Args) *big.Rat {
			n := v.ranks()
			p, _ := power2(n)
			bytes := mul(onTheWire(p), v["k"])
			if n > p {
				bytes.Add(bytes, v["k"])
			}
			return bytes
		})},
	{"halving-doubling.seconds", "2·log₂P·α + 2(P−1)/P·K/B, 2α + 5K/(2B) more if N > P", "ours: Rabenseifner's all-reduce",
		[]Param{paramN, paramK, paramBW, paramAlpha}, of("s", func(v Args) *big.Rat {
			n := v.link()
			p, log := power2(n)
			once := quo(v["k"], v["bandwidth"])
			s := add(mul(whole(2*log), v["latency"]), mul(onTheWire(p), once))
			if n > p {
				s = add(s, add(mul(whole(2), v["latency"]), mul(big.NewRat(5, 2), once)))
			}
			return s
		})},
	{"hierarchical.bytes", "2(N−1)K/N, N = G·M", "ours: a ring in two levels",
		[]Param{paramNodes, paramPerNode, paramK}, of("bytes", func(v Args) *big.Rat {
			nodes, perNode := v.cluster()
			n := mul(whole(nodes), whole(perNode)) // may not fit an int64
			return mul(quo(mul(whole(2), sub(n, one)), n), v["k"])
		})},
	{"hierarchical.node-bytes", "2(M−1)K/M: what a node sends to others", "ours: a ring in two levels",
		[]Param{paramNodes, paramK}, of("bytes", func(v Args) *big.Rat {
			nodes := v.count("nodes", 1)
			v.atLeastZero("k")
			return mul(onTheWire(nodes), v["k"])
		})},
	{"hierarchical.seconds", "2(G−1)(α + K/(GB)) + 2(M−1)·max(G·t, α′+t) + min(α′, (G−1)t), t = K/(M·G·B′)", "ours: a ring in two levels",
		[]Param{paramNodes, paramPerNode, paramK, paramBW, paramAlpha, paramNodeBW, paramNodeLate},
		of("s", hierarchicalSeconds)},
}

// power2 returns the highest power of two not above n, and its logarithm.
func power2(n int64) (p, log int64) {
	log = int64(bits.Len64(uint64(n)) - 1)
	return 1 << log, log
}

// cluster reads M and G and checks K.
func (v Args) cluster() (nodes, perNode int64) {
	nodes, perNode = v.count("nodes", 1), v.count("per-node", 1)
	v.atLeastZero("k")
	return nodes, perNode
}

func hierarchicalSeconds(v Args) *big.Rat {
	nodes, perNode := v.cluster()
	v.positive("bandwidth", "node-bandwidth")
	v.atLeastZero("latency", "node-latency")
	g, m, late := whole(perNode), whole(nodes), v["node-latency"]
	within := mul(mul(whole(2), sub(g, one)), add(v["latency"], quo(v["k"], mul(g, v["bandwidth"]))))
	if nodes == 1 {
		return within
	}
	piece := quo(v["k"], mul(mul(m, g), v["node-bandwidth"]))
	_, step := ordered(mul(g, piece), add(late, piece))
	least, _ := ordered(late, mul(sub(g, one), piece))
	return add(within, add(mul(mul(whole(2), sub(m, one)), step), least))
}

// ordered returns the smaller and the larger of two.
func ordered(a, b *big.Rat) (least, most *big.Rat) {
	if a.Cmp(b) < 0 {
		return a, b
	}
	return b, a
}
