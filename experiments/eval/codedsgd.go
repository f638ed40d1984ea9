package eval

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"gradsync/papers/codedsgd"
)

var (
	codedN    = needed("n", "number of nodes n")
	codedR    = needed("r", "redundancy r: nodes that compute a block").as("3")
	codedCalc = needed("tcalc", "seconds that SSGD computes per batch, T_calculate")
	codedComm = needed("tcomm", "seconds that SSGD exchanges per batch, by unicast, T_communicate")
	codedForm = oneOf("form", "the ratio of loads in the model, (19) or 1/r", "exact", "short")
	codedNR   = []Param{codedN, codedR}
)

// codedLimit bounds n, so that every load is a float64.
const codedLimit = 1000

// codedFormulas lists the formulas of coded synchronous SGD. Units are whole gradients
// per batch.
var codedFormulas = []Formula{
	{"codedsgd.blocks", "C(n,r)", "CSSGD §2.1", codedNR, codedLoad(codedsgd.BlockCount, "blocks")},
	{"codedsgd.have", "r·C(n,r)/n = C(n−1,r−1)", "CSSGD (20)", codedNR, codedLoad(codedsgd.DHave, "blocks")},
	{"codedsgd.left", "C(n,r) − r·C(n,r)/n = C(n−1,r)", "CSSGD (21)", codedNR, codedLoad(codedsgd.DLeft, "blocks")},
	{"codedsgd.groups", "C(n,r+1)", "CSSGD §2.4", codedNR, codedLoad(codedsgd.GroupCount, "groups")},
	{"codedsgd.packets", "C(n,r+1)·(r+1)", "CSSGD Alg. 3, corrected", codedNR, codedLoad(codedsgd.UsefulPackets, "packets")},
	{"codedsgd.combinations", "C(μ,r), μ = C(n−1,r−1): per node", "CSSGD (8)", codedNR, loopCombinations},
	{"codedsgd.literal-packets", "combinations of C(μ,r) that somebody lacks one block of, counted on all nodes",
		"CSSGD Alg. 3, as printed", codedNR, literalPackets},
	{"codedsgd.literal-repeats", "C(C(n−2,r−2), r−1): how often the printed loop brings a segment to a node",
		"ours: CSSGD Alg. 3, lines 10–12", codedNR, loopRepeatsOf},
	{"codedsgd.load", "C(n,r+1)·(r+1)/r = C(n,r)·(n−r)/r, or another accounting", "CSSGD (28)", append(slices.Clone(codedNR),
		oneOf("accounting", "what is sent, and how it is counted", accountingKeys()...)), codedAccounting},
	{"codedsgd.uncoded", "n·D_left = (n−r)·C(n,r)", "CSSGD (29)", codedNR, codedLoad(codedsgd.LUncoding, "gradients")},
	{"codedsgd.normal", "(n−1)·C(n,r)", "CSSGD (30)", codedNR, codedLoad(codedsgd.LNormal, "gradients")},
	{"codedsgd.ratio", "(n−r)/((n−1)·r)", "CSSGD (19)", codedNR, codedLoad(codedsgd.LRatio, "")},
	{"codedsgd.like-for-like", "(n−r)/r: coded over uncoded, both multicast", "ours: (28) over (29), a packet counted once",
		codedNR, codedLoad(codedsgd.LikeForLike, "")},
	{"codedsgd.line", "n(n−r)/(n−1): what r may send to cost no more than one worker alone or SSGD by multicast at every price", "ours: papers/codedsgd TradeOff",
		codedNR, codedLoad(codedsgd.TradeOff, "gradients")},
	{"codedsgd.bound", "(1/r)(1 − r/n), of n·C(n,r) gradients", "ours: the theorem of CSSGD's reference [13]", codedNR, codedLoad(codedsgd.Bound, "")},
	{"codedsgd.compressed", "[C(n−r+t,t+1)(t+1)/t + (r−t)C(n−r+t−1,t)]/n + 1; 0 for r = n", "ours: sum, then code, CSSGD's reference [14]",
		append(slices.Clone(codedNR), optional("t", "depth of the sums; 0: the best", "0")), compressedLoad},
	{"codedsgd.time", "r·T_calculate + (n−r)/((n−1)r)·T_communicate; short: T_communicate/r", "CSSGD §3.2.4",
		append(slices.Clone(codedNR), codedCalc, codedComm, codedForm), of("s", codedTime)},
	{"codedsgd.rstar", "√(n/(n−1)·T_communicate/T_calculate); short: without n/(n−1)", "ours: T_CSSGD of §3.2.4 is least there",
		[]Param{codedN, codedComm, codedCalc, codedForm}, codedStar},
	{"codedsgd.best", "the whole r of the least T_CSSGD", "CSSGD §3.2.4",
		[]Param{codedN, codedComm, codedCalc, codedForm}, of("", func(v Args) *big.Rat {
			_, best := v.codedBest()
			return whole(int64(best))
		})},
	{"codedsgd.rho", "(n−1)/n·r(r−1) to (n−1)/n·r(r+1); short: r(r−1) to r(r+1): T_communicate/T_calculate where r is best",
		"ours: from T_CSSGD", append(slices.Clone(codedNR), codedForm, oneOf("end", "which end", "low", "high")),
		of("", codedRho)},
}

// codedNodes reads n, codedSize r too.
func (v Args) codedNodes() int {
	n := v.count("n", 1) // one node trains too: it holds the one block, and sends nothing
	most("n", n, codedLimit, "")
	return int(n)
}

func (v Args) codedSize() (n, r int) {
	n = v.codedNodes()
	whole := v.count("r", 1)
	most("r", whole, int64(n), "--n ")
	return n, int(whole)
}

// codedLoad makes a formula's function of a function of n and r.
func codedLoad(f func(n, r int) *big.Rat, unit string) func(Args) Answer {
	return of(unit, func(v Args) *big.Rat {
		n, r := v.codedSize()
		x := f(n, r)
		if x == nil {
			refuse("it is not defined for n = %d, r = %d", n, r)
		}
		return x
	})
}

// loopSize reads n and r of an assignment and returns C(μ,r).
func (v Args) loopSize() (n, r int, c *big.Int) {
	n, r = v.codedSize()
	most("n", int64(n), codedsgd.MaxNodes, "")
	return n, r, codedsgd.LoopCombinations(n, r)
}

// large answers with a whole number that a float64 must hold.
func large(x *big.Int, unit string) Answer {
	got := rational(new(big.Rat).SetInt(x), unit)
	if math.IsInf(got.Value, 0) {
		refuse("%s %s are more than a float64 holds", short(x), unit)
	}
	return got
}

func loopCombinations(v Args) Answer {
	_, _, c := v.loopSize()
	return large(c, "combinations")
}

func loopRepeatsOf(v Args) Answer {
	n, r, _ := v.loopSize()
	x := codedsgd.LoopRepeats(n, r)
	if x == nil {
		refuse("for r = n = %d nothing is sent", n)
	}
	return large(x, "times")
}

func accountingKeys() (keys []string) {
	for _, a := range codedsgd.Accountings() {
		keys = append(keys, a.Key)
	}
	return keys
}

func codedAccounting(v Args) Answer {
	a := codedsgd.Accountings()[v.word("accounting")]
	got := codedLoad(a.Load, "gradients")(v)
	got.Text = a.Title + ": " + a.Form
	return got
}

// literalPackets counts the packets of Algorithm 3's printed loop, or says why it is too
// long to count.
func literalPackets(v Args) Answer {
	n, r, each := v.loopSize()
	if each.Cmp(big.NewInt(codedsgd.LoopLimit)) > 0 {
		refuse("not enumerated: %s combinations on each of %d nodes, want at most %d", short(each), n, codedsgd.LoopLimit)
	}
	e, err := codedsgd.Enumerate(n, r)
	if err != nil {
		panic(err) // MaxNodes is its limit
	}
	c, _ := e.Loop()
	got := rational(whole(c.Packets), "packets")
	got.Text = strconv.FormatInt(c.Useful, 10) + " of them useful, of " + strconv.FormatInt(c.Combinations, 10) + " combinations"
	return got
}

// short prints a whole number, a long one by its magnitude.
func short(x *big.Int) string {
	if s := x.String(); len(s) <= 12 {
		return s
	}
	return new(big.Float).SetInt(x).Text('g', 3)
}

func compressedLoad(v Args) Answer {
	n, r := v.codedSize()
	t := v.count("t", 0)
	most("t", t, int64(r), "--r ")
	got := rational(codedsgd.CompressedLoad(n, r, int(t)), "gradients")
	if t == 0 {
		got.Text = "t = " + strconv.Itoa(codedsgd.BestDepth(n, r))
	}
	return got
}

// short reports the form, of which the exact one is none for one node: (19) divides by n − 1.
func (v Args) short(n int) bool {
	if v.word("form") == 0 && n == 1 {
		refuse("it is not defined for n = 1: (19) divides by n − 1")
	}
	return v.word("form") == 1
}

func codedTime(v Args) *big.Rat {
	n, r := v.codedSize()
	v.atLeastZero("tcalc", "tcomm")
	if v.short(n) {
		return codedsgd.ShortBatchTime(n, r, v["tcalc"], v["tcomm"])
	}
	return codedsgd.BatchTime(n, r, v["tcalc"], v["tcomm"])
}

// codedBest reads n and both times and returns n and the best whole r.
func (v Args) codedBest() (n, best int) {
	n = v.codedNodes()
	v.positive("tcalc")
	v.atLeastZero("tcomm")
	if n == 1 {
		return 1, 1 // there is no other
	}
	return n, codedsgd.BestRedundancy(n, v["tcalc"], v["tcomm"], v.word("form") == 1)
}

// codedStar returns r*, a root: only its square is exact.
func codedStar(v Args) Answer {
	n, best := v.codedBest()
	rho, short := quo(v["tcomm"], v["tcalc"]), v.short(n)
	return Answer{Value: codedsgd.RStar(n, rho, short),
		Text: "its square is " + codedsgd.RStarSquared(n, rho, short).RatString() +
			"; the best whole r is " + strconv.Itoa(best)}
}

func codedRho(v Args) *big.Rat {
	n, r := v.codedSize()
	if n == 1 {
		refuse("it is not defined for n = 1: (19) divides by n − 1")
	}
	lo, hi := codedsgd.RhoRange(n, r, v.word("form") == 1)
	if v.word("end") == 1 && hi == nil {
		refuse("r = n = %d is best however large T_communicate/T_calculate is: there is no high end", n)
	} else if v.word("end") == 1 {
		return hi
	}
	return lo
}
