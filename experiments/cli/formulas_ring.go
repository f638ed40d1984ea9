package cli

import "math/big"

var (
	paramN     = needed("n", "number of ranks N")
	paramK     = needed("k", "bytes per rank K")
	paramBW    = needed("bandwidth", "link bandwidth B, bytes per second")
	paramAlpha = optional("latency", "seconds per message α", "0")
)

const allReduceCost = "ring, All-reduce communication cost"

// ringFormulas are those of the blog, and of the exchanges that it is compared
// with.
var ringFormulas = []evaluable{
	{"ring.bytes", "2(N−1)K/N, the mean per rank", allReduceCost, []param{paramN, paramK}, ringBytes},
	{"ring.seconds", "2(N−1)(α + K/(N·B))", allReduceCost + "; α is ours", []param{paramN, paramK, paramBW, paramAlpha}, ringSeconds},
	{"ring.steps", "(N−1) + (N−1)", "ring, The scatter-reduce and The allgather", []param{paramN}, ringSteps},
	{"ring.limit", "2K, which 2(N−1)K/N tends to", "ring, Applying the all-reduce to deep learning", []param{paramK}, ringLimit},
	{"ring.break-even", "α·B·N(N−2)/(N−1)²: gradients above it are faster round the ring than by one reducer", "ours: from ring.seconds and naive.both-seconds",
		[]param{paramN, paramBW, needed("latency", "seconds per message α")}, ringBreakEven},
	{"ring.busbw", "S/t · 2(N−1)/N", "nccl-tests' definition of bus bandwidth",
		[]param{paramN, needed("bytes", "S"), needed("seconds", "t")}, busBandwidth},
	{"naive.bytes", "(N−1)K into the one reducer, and as much out of it", "ring, The communication problem", []param{paramN, paramK}, naiveBytes},
	{"naive.seconds", "(N−1)K/B", "ring, The communication problem (one direction)", []param{paramN, paramK, paramBW}, naiveSeconds},
	{"naive.both-seconds", "2(α + (N−1)K/B): gather and broadcast", "ring, The communication problem (both directions); α is ours",
		[]param{paramN, paramK, paramBW, paramAlpha}, naiveBothSeconds},
}

// ranks reads N and K, which is not negative.
func (v values) ranks() (n int64, err error) {
	if n, err = v.count("n", 1); err != nil {
		return 0, err
	}
	return n, v.atLeastZero("k")
}

// link reads N, K, B and α.
func (v values) link() (n int64, err error) {
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

// onTheWire is 2(N−1)/N, which the ring's bytes are of K.
func onTheWire(n int64) *big.Rat { return big.NewRat(2*(n-1), n) }

func ringBytes(v values) (answer, error) {
	n, err := v.ranks()
	if err != nil {
		return answer{}, err
	}
	if _, err := v.count("k", 0); err != nil {
		return answer{}, err
	}
	return rational(mul(onTheWire(n), v["k"]), "bytes")
}

func ringSeconds(v values) (answer, error) {
	n, err := v.link()
	if err != nil {
		return answer{}, err
	}
	hop := quo(v["k"], mul(whole(n), v["bandwidth"]))
	return rational(mul(whole(2*(n-1)), add(hop, v["latency"])), "s")
}

func ringSteps(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	return rational(whole(2*(n-1)), "exchanges")
}

func ringLimit(v values) (answer, error) {
	if err := v.atLeastZero("k"); err != nil {
		return answer{}, err
	}
	return rational(mul(whole(2), v["k"]), "bytes")
}

func ringBreakEven(v values) (answer, error) {
	n, err := v.count("n", 2)
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("latency"); err != nil {
		return answer{}, err
	}
	m := sub(whole(n), one) // as rationals: n² may not fit an int64
	ratio := quo(mul(whole(n), sub(m, one)), mul(m, m))
	return rational(mul(mul(v["latency"], v["bandwidth"]), ratio), "bytes")
}

func busBandwidth(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("seconds"); err != nil {
		return answer{}, err
	}
	return rational(mul(quo(v["bytes"], v["seconds"]), onTheWire(n)), "bytes/s")
}

func naiveBytes(v values) (answer, error) {
	n, err := v.ranks()
	if err != nil {
		return answer{}, err
	}
	return rational(mul(whole(n-1), v["k"]), "bytes")
}

func naiveSeconds(v values) (answer, error) {
	n, err := v.link()
	if err != nil {
		return answer{}, err
	}
	return rational(quo(mul(whole(n-1), v["k"]), v["bandwidth"]), "s")
}

func naiveBothSeconds(v values) (answer, error) {
	n, err := v.link()
	if err != nil {
		return answer{}, err
	}
	if n == 1 { // nothing is sent, so nothing is late
		return rational(new(big.Rat), "s")
	}
	return rational(mul(whole(2), add(v["latency"], quo(mul(whole(n-1), v["k"]), v["bandwidth"]))), "s")
}
