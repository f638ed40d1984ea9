package eval

import (
	"fmt"
	"math/big"
	"strconv"
)

var (
	paramSize      = oneOf("size", "what D is in Ta, a block of the layer or all of it", "block", "layer")
	paramLayer     = needed("d", "bytes of the layer, which --n ranks cut into blocks of d/n bytes; D is one block, or the layer with --size layer")
	paramBlocks    = optional("n", "number of ranks N, which cut the layer into N blocks; 1: --d is the block itself", "1")
	paramTc        = optional("tc", "seconds of compressing Tc", "0")
	paramTd        = optional("td", "seconds of decompressing Td", "0")
	paramEncoded   = needed("compressed", "bytes of the compressed block, Compres(D)")
	paramElements  = needed("elements", "elements of the block")
	paramDensity   = needed("density", "share of elements that are not zero d").as("0.25")
	paramExchanges = needed("k", "exchanges of this block so far, the one just received among them").as("3")
	paramEta       = needed("eta", "learning rate η")
	paramW0        = needed("w0", "weight before the step W0")
	paramSign      = oneOf("sign", "W' = W0 − ηg, or as printed", "descent", "printed")
)

const conversion = "ringsparse, S51"

// sparseFormulas lists the formulas of the patent.
var sparseFormulas = []Formula{
	{"ringsparse.T", "2(N−1)/N · D/B", "ringsparse, S13 (image lost)",
		[]Param{needed("n", "number of ranks N"), needed("d", "bytes of the whole layer D"), paramBW},
		of("s", func(v Args) *big.Rat {
			n := v.count("n", 1)
			v.atLeastZero("d")
			v.positive("bandwidth")
			return mul(onTheWire(n), quo(v["d"], v["bandwidth"]))
		})},
	{"ringsparse.Ta", "D/B, D being one of the layer's N blocks", "ringsparse, S42 (image lost)",
		[]Param{paramLayer, paramBlocks, paramBW, paramSize}, of("s", Args.direct)},
	{"ringsparse.Tb", "Tc + Compres(D)/B + Td", "ringsparse, S42 (image lost)",
		[]Param{paramEncoded, paramBW, paramTc, paramTd}, of("s", Args.compressed)},
	{"ringsparse.compress", "compress if Tb < Ta; as printed: if not Ta ≥ Tb", "ringsparse, S42",
		[]Param{paramLayer, paramBlocks, paramBW, paramEncoded, paramTc, paramTd, paramSize, oneOf("rule", "the rule", "corrected", "printed")}, sparseCompress},
	{"ringsparse.choose", "weights if Sw ≥ Sg, else gradients", "ringsparse, S41",
		[]Param{needed("sw", "sparsity of the weight block Sw").as("0.5"), needed("sg", "sparsity of the gradient block Sg").as("0.75"),
			oneOf("tie", "who wins a tie", "weights", "gradients")}, sparseChoose},
	{"ringsparse.zeros", "F = zeros/elements", "ringsparse, S41; F is ours",
		[]Param{needed("zeros", "elements that are +0").as("3"), paramElements}, of("", func(v Args) *big.Rat {
			n, zeros := v.count("elements", 1), v.count("zeros", 0)
			most("zeros", zeros, n, "--elements ")
			return big.NewRat(zeros, n)
		})},
	{"ringsparse.pw", "(k+1)W0 − η(Pg′ + Pg″)", conversion,
		[]Param{paramExchanges, paramEta, paramW0, needed("own", "the rank's own gradient Pg′"),
			needed("received", "partial sum of gradients received Pg″"), paramSign}, of("", func(v Args) *big.Rat {
			base := v.nodes()
			steps := mul(v["eta"], add(v["own"], v["received"]))
			if v.word("sign") == 1 {
				return add(base, steps)
			}
			return sub(base, steps)
		})},
	{"ringsparse.pg", "((k+1)W0 − (Pw′ + Pw″))/η", conversion + " (image lost)",
		[]Param{paramExchanges, paramEta, paramW0, needed("own", "the rank's own updated weight Pw′"),
			needed("received", "partial sum of weights received Pw″"), paramSign}, of("", func(v Args) *big.Rat {
			moved := sub(v.nodes(), add(v["own"], v["received"]))
			if v.word("sign") == 1 {
				moved.Neg(moved)
			}
			return quo(moved, v["eta"])
		})},
	{"ringsparse.final", "ΣW/N, or W0 − ηΣG/N", "ours: the text gives no last step",
		[]Param{needed("n", "number of ranks N"), needed("sum", "the reduced block"),
			oneOf("kind", "what it holds", "weights", "gradients"), optional("eta", "learning rate η", "1"),
			optional("w0", "weight before the step W0", "0")}, of("", func(v Args) *big.Rat {
			mean := quo(v["sum"], whole(v.count("n", 1)))
			if v.word("kind") == 0 {
				return mean
			}
			v.positive("eta")
			return sub(v["w0"], mul(v["eta"], mean))
		})},
	{"ringsparse.fillin", "1 − (1−d)^(k+1)", "ours: density after k exchanges of independent patterns",
		[]Param{paramDensity, paramExchanges}, of("", func(v Args) *big.Rat {
			v.share("density")
			k := v.count("k", 0)
			most("k", k, mostExchanges, "")
			return sub(one, power(sub(one, v["density"]), k+1))
		})},
	{"ringsparse.bitmap", "⌈n/8⌉ + 4·d·n", "ours: the patent leaves Compres open",
		[]Param{paramElements, paramDensity}, of("bytes", func(v Args) *big.Rat {
			n, nonzero := v.nonzeros()
			return add(whole(n/8+(n%8+7)/8), mul(whole(4), nonzero))
		})},
	{"ringsparse.coo", "8·d·n", "ours: the patent leaves Compres open",
		[]Param{paramElements, paramDensity}, of("bytes", func(v Args) *big.Rat {
			_, nonzero := v.nonzeros()
			return mul(whole(8), nonzero)
		})},
	{"ringsparse.all-gather", "(N−1)·size", "ours: the rival that sums nothing on the way",
		[]Param{needed("n", "number of ranks N"), needed("size", "bytes of one rank's sparse gradient")},
		of("bytes", func(v Args) *big.Rat {
			n := v.count("n", 1)
			v.atLeastZero("size")
			return mul(whole(n-1), v["size"])
		})},
	{"ringsparse.conversion-error", "1.001·2⁻²⁴·(5m(m+1)/2 + 3m)·(|W0| + η·g)/η",
		"ours: a bound in float32 of how far the sum of m gradients is off that travels as weights",
		[]Param{needed("m", "contributors m = k+1"), paramEta, paramW0, needed("g", "largest gradient of a rank |g|")},
		of("", func(v Args) *big.Rat {
			m := whole(v.count("m", 1))
			v.positive("eta")
			v.atLeastZero("g")
			steps := add(mul(big.NewRat(5, 2), mul(m, add(m, one))), mul(whole(3), m))
			size := quo(add(new(big.Rat).Abs(v["w0"]), mul(v["eta"], v["g"])), v["eta"])
			return mul(mul(big.NewRat(1001, 1000<<24), steps), size)
		})},
	{"ringsparse.break-even", "bitmap: 31/32 − B(Tc+Td)/D; coo: (1 − B(Tc+Td)/D)/2: compressing pays below this density",
		"ours: from Ta and Tb", []Param{needed("d", "bytes of the block D"), paramBW, paramTc, paramTd,
			oneOf("codec", "the wire form", "bitmap", "coo")}, sparseBreakEven},
}

// mostExchanges bounds the power of fill-in, which is exact.
const mostExchanges = 4096

// direct computes Ta, compressed Tb.
func (v Args) direct() *big.Rat {
	n := v.count("n", 1)
	v.atLeastZero("d")
	v.positive("bandwidth")
	if v.word("size") == 1 {
		n = 1
	}
	return quo(v["d"], mul(v["bandwidth"], whole(n)))
}

func (v Args) compressed() *big.Rat {
	v.atLeastZero("compressed", "tc", "td")
	v.positive("bandwidth")
	return add(add(v["tc"], v["td"]), quo(v["compressed"], v["bandwidth"]))
}

// sparseCompress answers 1 for "compress", 0 for "send directly".
func sparseCompress(v Args) Answer {
	ta, tb := v.direct(), v.compressed()
	compress := tb.Cmp(ta) < 0
	if v.word("rule") == 1 {
		compress = ta.Cmp(tb) < 0
	}
	decimal := func(r *big.Rat) string { f, _ := r.Float64(); return strconv.FormatFloat(f, 'g', 6, 64) }
	costs := fmt.Sprintf(": Ta %s s, Tb %s s", decimal(ta), decimal(tb))
	if compress {
		return Answer{Value: 1, Exact: whole(1), Text: "compress" + costs}
	}
	return Answer{Exact: new(big.Rat), Text: "send directly" + costs}
}

// sparseChoose answers 0 for weights, 1 for gradients.
func sparseChoose(v Args) Answer {
	v.share("sw")
	v.share("sg")
	order, alone := v["sw"].Cmp(v["sg"]), ""
	if order == 0 {
		alone = ", by the tie rule alone"
	}
	if order > 0 || order == 0 && v.word("tie") == 0 {
		return Answer{Exact: new(big.Rat), Text: "weights" + alone}
	}
	return Answer{Value: 1, Exact: whole(1), Text: "gradients" + alone}
}

// nodes returns (k+1)·W0, a term of both conversions, after the checks they share.
func (v Args) nodes() *big.Rat {
	k := v.count("k", 1)
	v.positive("eta")
	return mul(add(whole(k), one), v["w0"])
}

// power returns x^n for n ≥ 0.
func power(x *big.Rat, n int64) *big.Rat {
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), e, nil), new(big.Int).Exp(x.Denom(), e, nil))
}

// nonzeros returns n and d·n, after the checks of both wire forms.
func (v Args) nonzeros() (n int64, nonzero *big.Rat) {
	n = v.count("elements", 0)
	v.share("density")
	return n, mul(v["density"], whole(n))
}

// sparseBreakEven solves Tb < Ta for the density. A solution of 0 or less means that
// compressing never pays.
func sparseBreakEven(v Args) Answer {
	v.positive("d", "bandwidth")
	v.atLeastZero("tc", "td")
	lost := quo(mul(v["bandwidth"], add(v["tc"], v["td"])), v["d"])
	density := sub(big.NewRat(31, 32), lost)
	if v.word("codec") == 1 {
		density = quo(sub(one, lost), whole(2))
	}
	a := rational(density, "")
	if a.Text = "compressing pays below this density"; density.Sign() <= 0 {
		a.Text = "compressing never pays"
	}
	return a
}
