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
		append(slices.Clone(codedNR), codedCalc, codedComm, codedForm), codedTime},
	{"codedsgd.rstar", "√(n/(n−1)·T_communicate/T_calculate); short: without n/(n−1)", "ours: T_CSSGD of §3.2.4 is least there",
		[]Param{codedN, codedComm, codedCalc, codedForm}, codedStar},
	{"codedsgd.best", "the whole r of the least T_CSSGD", "CSSGD §3.2.4", []Param{codedN, codedComm, codedCalc, codedForm}, codedBest},
	{"codedsgd.rho", "(n−1)/n·r(r−1) to (n−1)/n·r(r+1); short: r(r−1) to r(r+1): T_communicate/T_calculate where r is best",
		"ours: from T_CSSGD", append(slices.Clone(codedNR), codedForm, oneOf("end", "which end", "low", "high")), codedRho},
}

// codedSize reads n and r.
func (v Args) codedSize() (n, r int, err error) {
	if n, err = v.codedNodes(); err != nil {
		return 0, 0, err
	}
	whole, err := v.count("r", 1)
	if err == nil && whole > int64(n) {
		err = inputf("--r is %d, want at most --n %d", whole, n)
	}
	return n, int(whole), err
}

// codedNodes reads n.
func (v Args) codedNodes() (int, error) {
	n, err := v.count("n", 1) // one node trains too: it holds the one block, and sends nothing
	if err == nil && n > codedLimit {
		err = inputf("--n is %d, want at most %d", n, codedLimit)
	}
	return int(n), err
}

// codedLoad makes a formula's function of a function of n and r.
func codedLoad(f func(n, r int) *big.Rat, unit string) func(Args) (Answer, error) {
	return func(v Args) (Answer, error) {
		n, r, err := v.codedSize()
		if err != nil {
			return Answer{}, err
		}
		x := f(n, r)
		if x == nil {
			return Answer{}, inputf("it is not defined for n = %d, r = %d", n, r)
		}
		return rational(x, unit)
	}
}

// loopSize reads n and r of an assignment and returns C(μ,r).
func (v Args) loopSize() (n, r int, c *big.Int, err error) {
	if n, r, err = v.codedSize(); err != nil {
		return 0, 0, nil, err
	}
	if n > codedsgd.MaxNodes {
		return 0, 0, nil, inputf("--n is %d, want at most %d", n, codedsgd.MaxNodes)
	}
	return n, r, codedsgd.LoopCombinations(n, r), nil
}

func loopCombinations(v Args) (Answer, error) {
	_, _, c, err := v.loopSize()
	if err != nil {
		return Answer{}, err
	}
	got, err := rational(new(big.Rat).SetInt(c), "combinations")
	if math.IsInf(got.Value, 0) {
		return Answer{}, inputf("%s combinations are more than a float64 holds", short(c))
	}
	return got, err
}

func loopRepeatsOf(v Args) (Answer, error) {
	n, r, _, err := v.loopSize()
	if err != nil {
		return Answer{}, err
	}
	x := codedsgd.LoopRepeats(n, r)
	if x == nil {
		return Answer{}, inputf("for r = n = %d nothing is sent", n)
	}
	got, err := rational(new(big.Rat).SetInt(x), "times")
	if math.IsInf(got.Value, 0) {
		return Answer{}, inputf("%s times are more than a float64 holds", short(x))
	}
	return got, err
}

func accountingKeys() (keys []string) {
	for _, a := range codedsgd.Accountings() {
		keys = append(keys, a.Key)
	}
	return keys
}

func codedAccounting(v Args) (Answer, error) {
	a := codedsgd.Accountings()[v.word("accounting")]
	got, err := codedLoad(a.Load, "gradients")(v)
	if got.Exact != nil {
		got.Text = a.Title + ": " + a.Form
	}
	return got, err
}

// literalPackets counts the packets of Algorithm 3's printed loop, or says why it is too
// long to count.
func literalPackets(v Args) (Answer, error) {
	n, r, each, err := v.loopSize()
	if err != nil {
		return Answer{}, err
	}
	if each.Cmp(big.NewInt(codedsgd.LoopLimit)) > 0 {
		return Answer{}, inputf("not enumerated: %s combinations on each of %d nodes, want at most %d", short(each), n, codedsgd.LoopLimit)
	}
	e, err := codedsgd.Enumerate(n, r)
	if err != nil {
		return Answer{}, err
	}
	c, _ := e.Loop()
	got, err := rational(whole(c.Packets), "packets")
	got.Text = strconv.FormatInt(c.Useful, 10) + " of them useful, of " + strconv.FormatInt(c.Combinations, 10) + " combinations"
	return got, err
}

// short prints a whole number, a long one by its magnitude.
func short(x *big.Int) string {
	if s := x.String(); len(s) <= 12 {
		return s
	}
	return new(big.Float).SetInt(x).Text('g', 3)
}

func compressedLoad(v Args) (Answer, error) {
	n, r, err := v.codedSize()
	if err != nil {
		return Answer{}, err
	}
	t, err := v.count("t", 0)
	if err != nil {
		return Answer{}, err
	}
	if t > int64(r) {
		return Answer{}, inputf("--t is %d, want at most --r %d", t, r)
	}
	got, err := rational(codedsgd.CompressedLoad(n, r, int(t)), "gradients")
	if t == 0 {
		got.Text = "t = " + strconv.Itoa(codedsgd.BestDepth(n, r))
	}
	return got, err
}

func codedTime(v Args) (Answer, error) {
	n, r, err := v.codedSize()
	if err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("tcalc", "tcomm"); err != nil {
		return Answer{}, err
	}
	if v.word("form") == 1 {
		return rational(codedsgd.ShortBatchTime(n, r, v["tcalc"], v["tcomm"]), "s")
	}
	if n == 1 {
		return Answer{}, noRatio()
	}
	return rational(codedsgd.BatchTime(n, r, v["tcalc"], v["tcomm"]), "s")
}

// codedBest reads n and both times and returns n and the best whole r.
func (v Args) codedBest() (n, best int, err error) {
	if n, err = v.codedNodes(); err != nil {
		return 0, 0, err
	}
	if err := v.positive("tcalc"); err != nil {
		return 0, 0, err
	}
	if err := v.atLeastZero("tcomm"); err != nil {
		return 0, 0, err
	}
	if n == 1 {
		return 1, 1, nil // there is no other
	}
	return n, codedsgd.BestRedundancy(n, v["tcalc"], v["tcomm"], v.word("form") == 1), nil
}

// noRatio refuses one node where (19) is part of the formula.
func noRatio() error { return inputf("it is not defined for n = 1: (19) divides by n − 1") }

// codedStar returns r*, a root: only its square is exact.
func codedStar(v Args) (Answer, error) {
	n, best, err := v.codedBest()
	if err != nil {
		return Answer{}, err
	}
	if n == 1 && v.word("form") == 0 {
		return Answer{}, noRatio()
	}
	rho, short := quo(v["tcomm"], v["tcalc"]), v.word("form") == 1
	return Answer{Value: codedsgd.RStar(n, rho, short),
		Text: "its square is " + codedsgd.RStarSquared(n, rho, short).RatString() + "; the best whole r is " + strconv.Itoa(best)}, nil
}

func codedBest(v Args) (Answer, error) {
	_, best, err := v.codedBest()
	if err != nil {
		return Answer{}, err
	}
	return rational(whole(int64(best)), "")
}

func codedRho(v Args) (Answer, error) {
	n, r, err := v.codedSize()
	if err != nil {
		return Answer{}, err
	}
	if n == 1 {
		return Answer{}, noRatio()
	}
	lo, hi := codedsgd.RhoRange(n, r, v.word("form") == 1)
	switch {
	case v.word("end") == 0:
		return rational(lo, "")
	case hi == nil:
		return Answer{}, inputf("r = n = %d is best however large T_communicate/T_calculate is: there is no high end", n)
	}
	return rational(hi, "")
}
