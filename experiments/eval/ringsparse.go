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
		[]Param{needed("n", "number of ranks N"), needed("d", "bytes of the whole layer D"), paramBW}, sparseT},
	{"ringsparse.Ta", "D/B, D being one of the layer's N blocks", "ringsparse, S42 (image lost)", []Param{paramLayer, paramBlocks, paramBW, paramSize}, sparseTa},
	{"ringsparse.Tb", "Tc + Compres(D)/B + Td", "ringsparse, S42 (image lost)", []Param{paramEncoded, paramBW, paramTc, paramTd}, sparseTb},
	{"ringsparse.compress", "compress if Tb < Ta; as printed: if not Ta ≥ Tb", "ringsparse, S42",
		[]Param{paramLayer, paramBlocks, paramBW, paramEncoded, paramTc, paramTd, paramSize, oneOf("rule", "the rule", "corrected", "printed")}, sparseCompress},
	{"ringsparse.choose", "weights if Sw ≥ Sg, else gradients", "ringsparse, S41",
		[]Param{needed("sw", "sparsity of the weight block Sw").as("0.5"), needed("sg", "sparsity of the gradient block Sg").as("0.75"),
			oneOf("tie", "who wins a tie", "weights", "gradients")}, sparseChoose},
	{"ringsparse.zeros", "F = zeros/elements", "ringsparse, S41; F is ours", []Param{needed("zeros", "elements that are +0").as("3"), paramElements}, sparseZeros},
	{"ringsparse.pw", "(k+1)W0 − η(Pg′ + Pg″)", conversion, []Param{paramExchanges, paramEta, paramW0,
		needed("own", "the rank's own gradient Pg′"), needed("received", "partial sum of gradients received Pg″"), paramSign}, sparsePw},
	{"ringsparse.pg", "((k+1)W0 − (Pw′ + Pw″))/η", conversion + " (image lost)", []Param{paramExchanges, paramEta, paramW0,
		needed("own", "the rank's own updated weight Pw′"), needed("received", "partial sum of weights received Pw″"), paramSign}, sparsePg},
	{"ringsparse.final", "ΣW/N, or W0 − ηΣG/N", "ours: the text gives no last step", []Param{needed("n", "number of ranks N"),
		needed("sum", "the reduced block"), oneOf("kind", "what it holds", "weights", "gradients"),
		optional("eta", "learning rate η", "1"), optional("w0", "weight before the step W0", "0")}, sparseFinal},
	{"ringsparse.fillin", "1 − (1−d)^(k+1)", "ours: density after k exchanges of independent patterns", []Param{paramDensity, paramExchanges}, sparseFillIn},
	{"ringsparse.bitmap", "⌈n/8⌉ + 4·d·n", "ours: the patent leaves Compres open", []Param{paramElements, paramDensity}, sparseBitmap},
	{"ringsparse.coo", "8·d·n", "ours: the patent leaves Compres open", []Param{paramElements, paramDensity}, sparseCOO},
	{"ringsparse.all-gather", "(N−1)·size", "ours: the rival that sums nothing on the way",
		[]Param{needed("n", "number of ranks N"), needed("size", "bytes of one rank's sparse gradient")}, sparseAllGather},
	{"ringsparse.conversion-error", "1.001·2⁻²⁴·(5m(m+1)/2 + 3m)·(|W0| + η·g)/η",
		"ours: a bound in float32 of how far the sum of m gradients is off that travels as weights",
		[]Param{needed("m", "contributors m = k+1"), paramEta, paramW0, needed("g", "largest gradient of a rank |g|")}, sparseConversionError},
	{"ringsparse.break-even", "bitmap: 31/32 − B(Tc+Td)/D; coo: (1 − B(Tc+Td)/D)/2: compressing pays below this density",
		"ours: from Ta and Tb", []Param{needed("d", "bytes of the block D"), paramBW, paramTc, paramTd,
			oneOf("codec", "the wire form", "bitmap", "coo")}, sparseBreakEven},
}

func sparseT(v Args) (Answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("d"); err != nil {
		return Answer{}, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return Answer{}, err
	}
	return rational(mul(onTheWire(n), quo(v["d"], v["bandwidth"])), "s")
}

// direct computes Ta.
func (v Args) direct() (*big.Rat, error) {
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

// compressed computes Tb.
func (v Args) compressed() (*big.Rat, error) {
	if err := v.atLeastZero("compressed", "tc", "td"); err != nil {
		return nil, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return nil, err
	}
	return add(add(v["tc"], v["td"]), quo(v["compressed"], v["bandwidth"])), nil
}

func sparseTa(v Args) (Answer, error) {
	ta, err := v.direct()
	if err != nil {
		return Answer{}, err
	}
	return rational(ta, "s")
}

func sparseTb(v Args) (Answer, error) {
	tb, err := v.compressed()
	if err != nil {
		return Answer{}, err
	}
	return rational(tb, "s")
}

// sparseCompress answers 1 for "compress", 0 for "send directly".
func sparseCompress(v Args) (Answer, error) {
	ta, err := v.direct()
	if err != nil {
		return Answer{}, err
	}
	tb, err := v.compressed()
	if err != nil {
		return Answer{}, err
	}
	costs := fmt.Sprintf(": Ta %s s, Tb %s s", decimal(ta), decimal(tb))
	compress := tb.Cmp(ta) < 0
	if v.word("rule") == 1 {
		compress = ta.Cmp(tb) < 0
	}
	if compress {
		return Answer{Value: 1, Exact: whole(1), Text: "compress" + costs}, nil
	}
	return Answer{Value: 0, Exact: new(big.Rat), Text: "send directly" + costs}, nil
}

// decimal prints a rational in a few digits.
func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// sparseChoose answers 0 for weights, 1 for gradients.
func sparseChoose(v Args) (Answer, error) {
	if err := v.share("sw"); err != nil {
		return Answer{}, err
	}
	if err := v.share("sg"); err != nil {
		return Answer{}, err
	}
	order := v["sw"].Cmp(v["sg"])
	alone := ""
	if order == 0 {
		alone = ", by the tie rule alone"
	}
	if order > 0 || order == 0 && v.word("tie") == 0 {
		return Answer{Value: 0, Exact: new(big.Rat), Text: "weights" + alone}, nil
	}
	return Answer{Value: 1, Exact: whole(1), Text: "gradients" + alone}, nil
}

func sparseZeros(v Args) (Answer, error) {
	n, err := v.count("elements", 1)
	if err != nil {
		return Answer{}, err
	}
	zeros, err := v.count("zeros", 0)
	if err != nil {
		return Answer{}, err
	}
	if zeros > n {
		return Answer{}, inputf("--zeros is %d, want at most --elements %d", zeros, n)
	}
	return rational(big.NewRat(zeros, n), "")
}

// nodes returns (k+1)·W0, a term of both conversions, after the checks they share.
func (v Args) nodes() (*big.Rat, error) {
	k, err := v.count("k", 1)
	if err != nil {
		return nil, err
	}
	if err := v.positive("eta"); err != nil {
		return nil, err
	}
	return mul(add(whole(k), one), v["w0"]), nil
}

func sparsePw(v Args) (Answer, error) {
	base, err := v.nodes()
	if err != nil {
		return Answer{}, err
	}
	steps := mul(v["eta"], add(v["own"], v["received"]))
	if v.word("sign") == 1 {
		return rational(add(base, steps), "")
	}
	return rational(sub(base, steps), "")
}

func sparsePg(v Args) (Answer, error) {
	base, err := v.nodes()
	if err != nil {
		return Answer{}, err
	}
	moved := sub(base, add(v["own"], v["received"]))
	if v.word("sign") == 1 {
		moved.Neg(moved)
	}
	return rational(quo(moved, v["eta"]), "")
}

func sparseFinal(v Args) (Answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return Answer{}, err
	}
	mean := quo(v["sum"], whole(n))
	if v.word("kind") == 0 {
		return rational(mean, "")
	}
	if err := v.positive("eta"); err != nil {
		return Answer{}, err
	}
	return rational(sub(v["w0"], mul(v["eta"], mean)), "")
}

// mostExchanges bounds the power of fill-in, which is exact.
const mostExchanges = 4096

func sparseFillIn(v Args) (Answer, error) {
	if err := v.share("density"); err != nil {
		return Answer{}, err
	}
	k, err := v.count("k", 0)
	if err != nil {
		return Answer{}, err
	}
	if k > mostExchanges {
		return Answer{}, inputf("--k is %d, want at most %d", k, mostExchanges)
	}
	return rational(sub(one, power(sub(one, v["density"]), k+1)), "")
}

// power returns x^n for n ≥ 0.
func power(x *big.Rat, n int64) *big.Rat {
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), e, nil), new(big.Int).Exp(x.Denom(), e, nil))
}

// nonzeros returns n and d·n, after the checks of both wire forms.
func (v Args) nonzeros() (n int64, nonzero *big.Rat, err error) {
	if n, err = v.count("elements", 0); err != nil {
		return 0, nil, err
	}
	if err = v.share("density"); err != nil {
		return 0, nil, err
	}
	return n, mul(v["density"], whole(n)), nil
}

func sparseBitmap(v Args) (Answer, error) {
	n, nonzero, err := v.nonzeros()
	if err != nil {
		return Answer{}, err
	}
	bits := n / 8
	if n%8 > 0 {
		bits++
	}
	return rational(add(whole(bits), mul(whole(4), nonzero)), "bytes")
}

func sparseCOO(v Args) (Answer, error) {
	_, nonzero, err := v.nonzeros()
	if err != nil {
		return Answer{}, err
	}
	return rational(mul(whole(8), nonzero), "bytes")
}

// sparseBreakEven solves Tb < Ta for the density. A solution of 0 or less means that
// compressing never pays.
func sparseBreakEven(v Args) (Answer, error) {
	if err := v.positive("d", "bandwidth"); err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("tc", "td"); err != nil {
		return Answer{}, err
	}
	lost := quo(mul(v["bandwidth"], add(v["tc"], v["td"])), v["d"])
	density := sub(big.NewRat(31, 32), lost)
	if v.word("codec") == 1 {
		density = quo(sub(one, lost), whole(2))
	}
	a, err := rational(density, "")
	a.Text = "compressing pays below this density"
	if density.Sign() <= 0 {
		a.Text = "compressing never pays"
	}
	return a, err
}

func sparseAllGather(v Args) (Answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("size"); err != nil {
		return Answer{}, err
	}
	return rational(mul(whole(n-1), v["size"]), "bytes")
}

// sparseConversionError bounds |Pg − Σg| of one element in float32.
func sparseConversionError(v Args) (Answer, error) {
	contributors, err := v.count("m", 1)
	if err != nil {
		return Answer{}, err
	}
	if err := v.positive("eta"); err != nil {
		return Answer{}, err
	}
	if err := v.atLeastZero("g"); err != nil {
		return Answer{}, err
	}
	m := whole(contributors)
	steps := add(mul(big.NewRat(5, 2), mul(m, add(m, one))), mul(whole(3), m))
	size := quo(add(new(big.Rat).Abs(v["w0"]), mul(v["eta"], v["g"])), v["eta"])
	return rational(mul(mul(big.NewRat(1001, 1000<<24), steps), size), "")
}
