package cli

import (
	"math/big"
	"math/bits"
)

var (
	paramNodes    = needed("nodes", "nodes M")
	paramPerNode  = needed("per-node", "ranks of a node G")
	paramNodeBW   = needed("node-bandwidth", "bandwidth of a node's NIC B′, bytes per second")
	paramNodeLate = optional("node-latency", "seconds per message between nodes α′", "0")
)

// rivalFormulas are those of the exchanges that the ring is compared with.
var rivalFormulas = []evaluable{
	{"halving-doubling.bytes", "2(P−1)K/P, K more if N > P, P the highest power of two up to N: of the busiest rank", "ours: Rabenseifner's all-reduce",
		[]param{paramN, paramK}, halvingBytes},
	{"halving-doubling.seconds", "2·log₂P·α + 2(P−1)/P·K/B, 2α + 5K/(2B) more if N > P", "ours: Rabenseifner's all-reduce",
		[]param{paramN, paramK, paramBW, paramAlpha}, halvingSeconds},
	{"hierarchical.bytes", "2(N−1)K/N, N = G·M", "ours: a ring in two levels", []param{paramNodes, paramPerNode, paramK}, hierarchicalBytes},
	{"hierarchical.node-bytes", "2(M−1)K/M: what a node sends to others", "ours: a ring in two levels", []param{paramNodes, paramK}, hierarchicalNodeBytes},
	{"hierarchical.seconds", "2(G−1)(α + K/(GB)) + 2(M−1)·max(G·t, α′+t) + min(α′, (G−1)t), t = K/(M·G·B′)", "ours: a ring in two levels",
		[]param{paramNodes, paramPerNode, paramK, paramBW, paramAlpha, paramNodeBW, paramNodeLate}, hierarchicalSeconds},
}

// power2 is the highest power of two not above n, and its logarithm.
func power2(n int64) (p, log int64) {
	log = int64(bits.Len64(uint64(n)) - 1)
	return 1 << log, log
}

func halvingBytes(v values) (answer, error) {
	n, err := v.ranks()
	if err != nil {
		return answer{}, err
	}
	p, _ := power2(n)
	bytes := mul(onTheWire(p), v["k"])
	if n > p {
		bytes.Add(bytes, v["k"])
	}
	return rational(bytes, "bytes")
}

func halvingSeconds(v values) (answer, error) {
	n, err := v.link()
	if err != nil {
		return answer{}, err
	}
	p, log := power2(n)
	once := quo(v["k"], v["bandwidth"])
	s := add(mul(whole(2*log), v["latency"]), mul(onTheWire(p), once))
	if n > p {
		s = add(s, add(mul(whole(2), v["latency"]), mul(big.NewRat(5, 2), once)))
	}
	return rational(s, "s")
}

// cluster reads M and G and checks K.
func (v values) cluster() (nodes, perNode int64, err error) {
	if nodes, err = v.count("nodes", 1); err != nil {
		return 0, 0, err
	}
	if perNode, err = v.count("per-node", 1); err != nil {
		return 0, 0, err
	}
	return nodes, perNode, v.atLeastZero("k")
}

func hierarchicalBytes(v values) (answer, error) {
	nodes, perNode, err := v.cluster()
	if err != nil {
		return answer{}, err
	}
	n := mul(whole(nodes), whole(perNode)) // may not fit an int64
	return rational(mul(quo(mul(whole(2), sub(n, one)), n), v["k"]), "bytes")
}

func hierarchicalNodeBytes(v values) (answer, error) {
	nodes, err := v.count("nodes", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("k"); err != nil {
		return answer{}, err
	}
	return rational(mul(onTheWire(nodes), v["k"]), "bytes")
}

func hierarchicalSeconds(v values) (answer, error) {
	nodes, perNode, err := v.cluster()
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("bandwidth", "node-bandwidth"); err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("latency", "node-latency"); err != nil {
		return answer{}, err
	}
	g, m, late := whole(perNode), whole(nodes), v["node-latency"]
	within := mul(mul(whole(2), sub(g, one)), add(v["latency"], quo(v["k"], mul(g, v["bandwidth"]))))
	if nodes == 1 {
		return rational(within, "s")
	}
	piece := quo(v["k"], mul(mul(m, g), v["node-bandwidth"]))
	step := larger(mul(g, piece), add(late, piece))
	between := add(mul(mul(whole(2), sub(m, one)), step), smaller(late, mul(sub(g, one), piece)))
	return rational(add(within, between), "s")
}

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
