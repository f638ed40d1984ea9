package cli

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
	paramDensity   = needed("density", "share of elements that are not zero d")
	paramExchanges = needed("k", "exchanges of this block so far, the one just received among them")
	paramEta       = needed("eta", "learning rate η")
	paramW0        = needed("w0", "weight before the step W0")
	paramSign      = oneOf("sign", "W' = W0 − ηg, or as printed", "descent", "printed")
)

const conversion = "ringsparse, S51"

// sparseFormulas are those of the patent.
var sparseFormulas = []evaluable{
	{"ringsparse.T", "2(N−1)/N · D/B", "ringsparse, S13 (image lost)", []param{needed("n", "number of ranks N"), needed("d", "bytes of the whole layer D"), paramBW}, sparseT},
	{"ringsparse.Ta", "D/B, D being one of the layer's N blocks", "ringsparse, S42 (image lost)", []param{paramLayer, paramBlocks, paramBW, paramSize}, sparseTa},
	{"ringsparse.Tb", "Tc + Compres(D)/B + Td", "ringsparse, S42 (image lost)", []param{paramEncoded, paramBW, paramTc, paramTd}, sparseTb},
	{"ringsparse.compress", "compress if Tb < Ta; as printed: if not Ta ≥ Tb", "ringsparse, S42",
		[]param{paramLayer, paramBlocks, paramBW, paramEncoded, paramTc, paramTd, paramSize, oneOf("rule", "the rule", "corrected", "printed")}, sparseCompress},
	{"ringsparse.choose", "weights if Sw ≥ Sg, else gradients", "ringsparse, S41",
		[]param{needed("sw", "sparsity of the weight block Sw"), needed("sg", "sparsity of the gradient block Sg"), oneOf("tie", "who wins a tie", "weights", "gradients")}, sparseChoose},
	{"ringsparse.zeros", "F = zeros/elements", "ringsparse, S41; F is ours", []param{needed("zeros", "elements that are +0"), paramElements}, sparseZeros},
	{"ringsparse.pw", "(k+1)W0 − η(Pg′ + Pg″)", conversion, []param{paramExchanges, paramEta, paramW0,
		needed("own", "the rank's own gradient Pg′"), needed("received", "partial sum of gradients received Pg″"), paramSign}, sparsePw},
	{"ringsparse.pg", "((k+1)W0 − (Pw′ + Pw″))/η", conversion + " (image lost)", []param{paramExchanges, paramEta, paramW0,
		needed("own", "the rank's own updated weight Pw′"), needed("received", "partial sum of weights received Pw″"), paramSign}, sparsePg},
	{"ringsparse.final", "ΣW/N, or W0 − ηΣG/N", "ours: the text gives no last step", []param{needed("n", "number of ranks N"),
		needed("sum", "the reduced block"), oneOf("kind", "what it holds", "weights", "gradients"), optional("eta", "learning rate η", "1"), optional("w0", "weight before the step W0", "0")}, sparseFinal},
	{"ringsparse.fillin", "1 − (1−d)^(k+1)", "ours: density after k exchanges of independent patterns", []param{paramDensity, paramExchanges}, sparseFillIn},
	{"ringsparse.bitmap", "⌈n/8⌉ + 4·d·n", "ours: the patent leaves Compres open", []param{paramElements, paramDensity}, sparseBitmap},
	{"ringsparse.coo", "8·d·n", "ours: the patent leaves Compres open", []param{paramElements, paramDensity}, sparseCOO},
	{"ringsparse.all-gather", "(N−1)·size", "ours: the rival that sums nothing on the way", []param{needed("n", "number of ranks N"), needed("size", "bytes of one rank's sparse gradient")}, sparseAllGather},
	{"ringsparse.conversion-error", "1.001·2⁻²⁴·(5m(m+1)/2 + 3m)·(|W0| + η·g)/η", "ours: a bound in float32 of how far the sum of m gradients is off that travels as weights",
		[]param{needed("m", "contributors m = k+1"), paramEta, paramW0, needed("g", "largest gradient of a rank |g|")}, sparseConversionError},
	{"ringsparse.break-even", "bitmap: 31/32 − B(Tc+Td)/D; coo: (1 − B(Tc+Td)/D)/2: compressing pays below this density", "ours: from Ta and Tb",
		[]param{needed("d", "bytes of the block D"), paramBW, paramTc, paramTd, oneOf("codec", "the wire form", "bitmap", "coo")}, sparseBreakEven},
}

func sparseT(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("d"); err != nil {
		return answer{}, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return answer{}, err
	}
	return rational(mul(onTheWire(n), quo(v["d"], v["bandwidth"])), "s")
}

// direct is Ta.
func (v values) direct() (*big.Rat, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return nil, err
	}
	if err := v.atLeastZero("d"); err != nil {
		return nil, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return nil, err
	}
	ta := quo(v["d"], v["bandwidth"])
	if v.word("size") == 0 {
		ta.Quo(ta, whole(n))
	}
	return ta, nil
}

// compressed is Tb.
func (v values) compressed() (*big.Rat, error) {
	if err := v.atLeastZero("compressed", "tc", "td"); err != nil {
		return nil, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return nil, err
	}
	return add(add(v["tc"], v["td"]), quo(v["compressed"], v["bandwidth"])), nil
}

func sparseTa(v values) (answer, error) {
	ta, err := v.direct()
	if err != nil {
		return answer{}, err
	}
	return rational(ta, "s")
}

func sparseTb(v values) (answer, error) {
	tb, err := v.compressed()
	if err != nil {
		return answer{}, err
	}
	return rational(tb, "s")
}

// sparseCompress is 1 for "compress", 0 for "send directly".
func sparseCompress(v values) (answer, error) {
	ta, err := v.direct()
	if err != nil {
		return answer{}, err
	}
	tb, err := v.compressed()
	if err != nil {
		return answer{}, err
	}
	costs := fmt.Sprintf(": Ta %s s, Tb %s s", decimal(ta), decimal(tb))
	compress := tb.Cmp(ta) < 0
	if v.word("rule") == 1 {
		compress = ta.Cmp(tb) < 0
	}
	if compress {
		return answer{value: 1, exact: whole(1), text: "compress" + costs}, nil
	}
	return answer{value: 0, exact: new(big.Rat), text: "send directly" + costs}, nil
}

// decimal prints a rational in a few digits.
func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// sparseChoose is 0 for weights and 1 for gradients.
func sparseChoose(v values) (answer, error) {
	if err := v.share("sw"); err != nil {
		return answer{}, err
	}
	if err := v.share("sg"); err != nil {
		return answer{}, err
	}
	order := v["sw"].Cmp(v["sg"])
	alone := ""
	if order == 0 {
		alone = ", by the tie rule alone"
	}
	if order > 0 || order == 0 && v.word("tie") == 0 {
		return answer{value: 0, exact: new(big.Rat), text: "weights" + alone}, nil
	}
	return answer{value: 1, exact: whole(1), text: "gradients" + alone}, nil
}

func sparseZeros(v values) (answer, error) {
	n, err := v.count("elements", 1)
	if err != nil {
		return answer{}, err
	}
	zeros, err := v.count("zeros", 0)
	if err != nil {
		return answer{}, err
	}
	if zeros > n {
		return answer{}, usagef("eval: --zeros is %d, want at most --elements %d", zeros, n)
	}
	return rational(big.NewRat(zeros, n), "")
}

// nodes is (k+1)·W0, which both conversions hold, after the checks they share.
func (v values) nodes() (*big.Rat, error) {
	k, err := v.count("k", 1)
	if err != nil {
		return nil, err
	}
	if err := v.positive("eta"); err != nil {
		return nil, err
	}
	return mul(add(whole(k), one), v["w0"]), nil
}

func sparsePw(v values) (answer, error) {
	base, err := v.nodes()
	if err != nil {
		return answer{}, err
	}
	steps := mul(v["eta"], add(v["own"], v["received"]))
	if v.word("sign") == 1 {
		return rational(add(base, steps), "")
	}
	return rational(sub(base, steps), "")
}

func sparsePg(v values) (answer, error) {
	base, err := v.nodes()
	if err != nil {
		return answer{}, err
	}
	moved := sub(base, add(v["own"], v["received"]))
	if v.word("sign") == 1 {
		moved.Neg(moved)
	}
	return rational(quo(moved, v["eta"]), "")
}

func sparseFinal(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	mean := quo(v["sum"], whole(n))
	if v.word("kind") == 0 {
		return rational(mean, "")
	}
	if err := v.positive("eta"); err != nil {
		return answer{}, err
	}
	return rational(sub(v["w0"], mul(v["eta"], mean)), "")
}
