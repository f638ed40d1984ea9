package cli

import "math/big"

// mostExchanges bounds the power of fill-in, which is exact.
const mostExchanges = 4096

func sparseFillIn(v values) (answer, error) {
	if err := v.share("density"); err != nil {
		return answer{}, err
	}
	k, err := v.count("k", 0)
	if err != nil {
		return answer{}, err
	}
	if k > mostExchanges {
		return answer{}, usagef("eval: --k is %d, want at most %d", k, mostExchanges)
	}
	return rational(sub(one, power(sub(one, v["density"]), k+1)), "")
}

// power is x^n for n ≥ 0.
func power(x *big.Rat, n int64) *big.Rat {
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), e, nil), new(big.Int).Exp(x.Denom(), e, nil))
}

// nonzeros is d·n, after the checks of both wire forms.
func (v values) nonzeros() (n int64, nonzero *big.Rat, err error) {
	if n, err = v.count("elements", 0); err != nil {
		return 0, nil, err
	}
	if err = v.share("density"); err != nil {
		return 0, nil, err
	}
	return n, mul(v["density"], whole(n)), nil
}

func sparseBitmap(v values) (answer, error) {
	n, nonzero, err := v.nonzeros()
	if err != nil {
		return answer{}, err
	}
	bits := n / 8
	if n%8 > 0 {
		bits++
	}
	return rational(add(whole(bits), mul(whole(4), nonzero)), "bytes")
}

func sparseCOO(v values) (answer, error) {
	_, nonzero, err := v.nonzeros()
	if err != nil {
		return answer{}, err
	}
	return rational(mul(whole(8), nonzero), "bytes")
}

// sparseBreakEven solves Tb < Ta for the density; what lies below 0 no density
// meets.
func sparseBreakEven(v values) (answer, error) {
	if err := v.positive("d", "bandwidth"); err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("tc", "td"); err != nil {
		return answer{}, err
	}
	lost := quo(mul(v["bandwidth"], add(v["tc"], v["td"])), v["d"])
	density := sub(big.NewRat(31, 32), lost)
	if v.word("codec") == 1 {
		density = quo(sub(one, lost), whole(2))
	}
	a, err := rational(density, "")
	a.text = "compressing pays below this density"
	if density.Sign() <= 0 {
		a.text = "compressing never pays"
	}
	return a, err
}

func sparseAllGather(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("size"); err != nil {
		return answer{}, err
	}
	return rational(mul(whole(n-1), v["size"]), "bytes")
}

// sparseConversionError bounds |Pg − Σg| of one element in float32.
func sparseConversionError(v values) (answer, error) {
	contributors, err := v.count("m", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("eta"); err != nil {
		return answer{}, err
	}
	if err := v.atLeastZero("g"); err != nil {
		return answer{}, err
	}
	m := whole(contributors)
	steps := add(mul(big.NewRat(5, 2), mul(m, add(m, one))), mul(whole(3), m))
	size := quo(add(new(big.Rat).Abs(v["w0"]), mul(v["eta"], v["g"])), v["eta"])
	return rational(mul(mul(big.NewRat(1001, 1000<<24), steps), size), "")
}
