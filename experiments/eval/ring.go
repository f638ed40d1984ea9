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
	{"ring.bytes", "2(N−1)K/N, the mean per rank", allReduceCost, []Param{paramN, paramK}, ringBytes},
	{"ring.seconds", "2(N−1)(α + K/(N·B))", allReduceCost + "; α is ours", []Param{paramN, paramK, paramBW, paramAlpha}, ringSeconds},
	{"ring.steps", "(N−1) + (N−1)", "ring, The scatter-reduce and The allgather", []Param{paramN}, ringSteps},
	{"ring.limit", "2K, which 2(N−1)K/N tends to", "ring, Applying the all-reduce to deep learning", []Param{paramK}, ringLimit},
	{"ring.break-even", "α·B·N(N−2)/(N−1)²: gradients above it are faster round the ring than by one reducer", "ours: from ring.seconds and naive.both-seconds",
		[]Param{paramN, paramBW, needed("latency", "seconds per message α")}, ringBreakEven},
	{"ring.busbw", "S/t · 2(N−1)/N", "nccl-tests' definition of bus bandwidth",
		[]Param{paramN, needed("bytes", "S"), needed("seconds", "t")}, busBandwidth},
	{"naive.bytes", "(N−1)K into the one reducer, and as much out of it", "ring, The communication problem", []Param{paramN, paramK}, naiveBytes},
	{"naive.seconds", "(N−1)K/B", "ring, The communication problem (one direction)", []Param{paramN, paramK, paramBW}, naiveSeconds},
	{"naive.both-seconds", "2(α + (N−1)K/B): gather and broadcast", "ring, The communication problem (both directions); α is ours",
		[]Param{paramN, paramK, paramBW, paramAlpha}, naiveBothSeconds},
}

// ranks reads N and K, which is not negative.
func (v Args) ranks() (n int64, err error) {
	if n, err = v.count("n", 1); err != nil {
		return 0, err
	}
	return n, v.atLeastZero("k")
}

// link reads N, K, B and α.
func (v Args) link() (n int64, err error) {
	if n, err = v.ranks(); err != nil {
		return 0, err
	}
	if err = v.positive("bandwidth"); err != nil {
		return 0, err
	}
	if v["latency"] == nil {
		return n, nil
	}
	return n, v.atLeastZero("latency")
}

// onTheWire returns 2(N−1)/N, the ring's bytes over K.
func onTheWire(n int64) *big.Rat { return big.NewRat(2*(n-1), n) }

func ringBytes(v Args) (Answer, error) {
	n, err := v.ranks()
	if err != nil {
		return Answer{}, err
	}
	if _, err := v.count("k", 0); err != nil {
		return Answer{}, err
	}
	return rational(mul(onTheWire(n), v["k"]), "bytes")
}

func ringSeconds(v Args) (Answer, error) {
	n, err := v.link()
	if err != nil {
		return Answer{}, err
	}
	hop := quo(v["k"], mul(whole(n), v["bandwidth"]))
	return rational(mul(whole(2*(n-1)), add(hop, v["latency"])), "s")
}

func ringSteps(v Args) (Answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return Answer{}, err
	}
	return rational(whole(2*(n-1)), "exchanges")
}

func ringLimit(v Args) (Answer, error) {
	if err := v.atLeastZero("k"); err != nil {
		return Answer{}, err
	}
	return rational(mul(whole(2), v["k"]), "bytes")
}

func ringBreakEven(v Args) (Answer, error) {
	n, err := v.count("n", 2)
	if err != nil {
		return Answer{}, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("latency"); err != nil {
		return Answer{}, err
	}
	m := sub(whole(n), one) // as rationals: n² may not fit an int64
	ratio := quo(mul(whole(n), sub(m, one)), mul(m, m))
	return rational(mul(mul(v["latency"], v["bandwidth"]), ratio), "bytes")
}

func busBandwidth(v Args) (Answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return Answer{}, err
	}
	if err := v.positive("seconds"); err != nil {
		return Answer{}, err
	}
	return rational(mul(quo(v["bytes"], v["seconds"]), onTheWire(n)), "bytes/s")
}

func naiveBytes(v Args) (Answer, error) {
	n, err := v.ranks()
	if err != nil {
		return Answer{}, err
	}
	return rational(mul(whole(n-1), v["k"]), "bytes")
}

func naiveSeconds(v Args) (Answer, error) {
	n, err := v.link()
	if err != nil {
		return Answer{}, err
	}
	return rational(quo(mul(whole(n-1), v["k"]), v["bandwidth"]), "s")
}

func naiveBothSeconds(v Args) (Answer, error) {
	n, err := v.link()
	if err != nil {
		return Answer{}, err
	}
	if n == 1 { // nothing is sent, so nothing is late
		return rational(new(big.Rat), "s")
	}
	return rational(mul(whole(2), add(v["latency"], quo(mul(whole(n-1), v["k"]), v["bandwidth"]))), "s")
}

var (
	paramNodes    = needed("nodes", "nodes M")
	paramPerNode  = needed("per-node", "ranks of a node G")
	paramNodeBW   = needed("node-bandwidth", "bandwidth of a node's NIC B′, bytes per second")
	paramNodeLate = optional("node-latency", "seconds per message between nodes α′", "0")
)

// rivalFormulas lists the formulas of the two all-reduces that the ring is compared with.
var rivalFormulas = []Formula{
	{"halving-doubling.bytes", "2(P−1)K/P, K more if N > P, P the highest power of two up to N: of the busiest rank", "ours: Rabenseifner's all-reduce",
		[]Param{paramN, paramK}, halvingBytes},
	{"halving-doubling.seconds", "2·log₂P·α + 2(P−1)/P·K/B, 2α + 5K/(2B) more if N > P", "ours: Rabenseifner's all-reduce",
		[]Param{paramN, paramK, paramBW, paramAlpha}, halvingSeconds},
	{"hierarchical.bytes", "2(N−1)K/N, N = G·M", "ours: a ring in two levels", []Param{paramNodes, paramPerNode, paramK}, hierarchicalBytes},
	{"hierarchical.node-bytes", "2(M−1)K/M: what a node sends to others", "ours: a ring in two levels", []Param{paramNodes, paramK}, hierarchicalNodeBytes},
	{"hierarchical.seconds", "2(G−1)(α + K/(GB)) + 2(M−1)·max(G·t, α′+t) + min(α′, (G−1)t), t = K/(M·G·B′)", "ours: a ring in two levels",
		[]Param{paramNodes, paramPerNode, paramK, paramBW, paramAlpha, paramNodeBW, paramNodeLate}, hierarchicalSeconds},
}

// power2 returns the highest power of two not above n, and its logarithm.
func power2(n int64) (p, log int64) {
	log = int64(bits.Len64(uint64(n)) - 1)
	return 1 << log, log
}

func halvingBytes(v Args) (Answer, error) {
	n, err := v.ranks()
	if err != nil {
		return Answer{}, err
	}
	p, _ := power2(n)
	bytes := mul(onTheWire(p), v["k"])
	if n > p {
		bytes.Add(bytes, v["k"])
	}
	return rational(bytes, "bytes")
}

func halvingSeconds(v Args) (Answer, error) {
	n, err := v.link()
	if err != nil {
		return Answer{}, err
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
func (v Args) cluster() (nodes, perNode int64, err error) {
	if nodes, err = v.count("nodes", 1); err != nil {
		return 0, 0, err
	}
	if perNode, err = v.count("per-node", 1); err != nil {
		return 0, 0, err
	}
	return nodes, perNode, v.atLeastZero("k")
}

func hierarchicalBytes(v Args) (Answer, error) {
	nodes, perNode, err := v.cluster()
	if err != nil {
		return Answer{}, err
	}
	n := mul(whole(nodes), whole(perNode)) // may not fit an int64
	return rational(mul(quo(mul(whole(2), sub(n, one)), n), v["k"]), "bytes")
}

func hierarchicalNodeBytes(v Args) (Answer, error) {
	nodes, err := v.count("nodes", 1)
	if err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("k"); err != nil {
		return Answer{}, err
	}
	return rational(mul(onTheWire(nodes), v["k"]), "bytes")
}

func hierarchicalSeconds(v Args) (Answer, error) {
	nodes, perNode, err := v.cluster()
	if err != nil {
		return Answer{}, err
	}
	if err := v.positive("bandwidth", "node-bandwidth"); err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("latency", "node-latency"); err != nil {
		return Answer{}, err
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
