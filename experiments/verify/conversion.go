package verify

import (
	"context"
	"math/big"

	"gradsync/experiments/eval"
	"gradsync/papers/ringsparse/formula"
)

// conversion compares a formula of S51 with the sum of m = k+1 nodes' terms of the kind that it makes of the other,
// gradients (0) or weights W0 − ηg (1): for one element, exact, small cases first, m from 2 to 16, whole numbers before
// fractions. form says what its printed sign is called, words what the terms are.
func conversion(name string, to int, form, words string) func(context.Context) tally {
	return func(context.Context) (t tally) {
		t.printed = &PrintedForm{Form: form}
		for m := int64(2); m <= 16; m++ {
			for _, w0 := range []*big.Rat{new(big.Rat), one, big.NewRat(-7, 3)} {
				for _, eta := range []*big.Rat{one, big.NewRat(1, 10), big.NewRat(1, 1000)} {
					for pattern := range int64(3) {
						own, received := nodeTerms(m, pattern, w0, eta)
						want, from := add(own[to], received[to]), 1-to
						for sign := range int64(2) {
							got := ok(eval.Exact(name, eval.Args{"k": whole(m - 1), "eta": eta, "w0": w0,
								"own": own[from], "received": received[from], "sign": whole(sign)}))
							record := t.add
							if sign == 1 {
								record = t.asPrinted
							}
							record(got.Cmp(want) == 0, "k = %d, W0 = %s, η = %s, "+words, m-1, w0.RatString(), eta.RatString(),
								own[from].RatString(), received[from].RatString(), got.RatString(), want.RatString())
						}
					}
				}
			}
		}
		return t
	}
}

// nodeTerms returns the gradient and the weight of the last of m nodes, and the sums of the others'. Of pattern 0 no
// node has a gradient, of 1 the last alone.
func nodeTerms(m, pattern int64, w0, eta *big.Rat) (own, received [2]*big.Rat) {
	received = [2]*big.Rat{new(big.Rat), new(big.Rat)}
	for i := range m {
		g := new(big.Rat)
		switch {
		case pattern == 1 && i == m-1:
			g.SetInt64(1)
		case pattern == 2:
			g.SetFrac64(i*i-3, i+2)
		}
		own = [2]*big.Rat{g, sub(w0, mul(eta, g))}
		if i < m-1 {
			received[0].Add(received[0], own[0])
			received[1].Add(received[1], own[1])
		}
	}
	return own, received
}

// The words of both conversions, which end in what they give and what it should be.
const (
	weightWords   = "Pg′ = %s, Pg″ = %s: Pw = %s, the weights sum to %s"
	gradientWords = "Pw′ = %s, Pw″ = %s: Pg = %s, the gradients sum to %s"
)

// conversionFloats compares the float64 forms of the conversions and of their error.
func conversionFloats(_ *tally, compare compareFloat) {
	for k := int64(1); k <= 16; k++ {
		for sign, s := range []int{-1, +1} {
			v := eval.Args{"k": whole(k), "eta": big.NewRat(1, 1024), "w0": big.NewRat(3, 8), "own": big.NewRat(5, 16), "received": big.NewRat(-7, 4),
				"sign": whole(int64(sign))}
			sum := 5./16 - 7./4
			compare("ringsparse.pw", formula.Pw(3./8, 1./1024, sum, int(k)+1, s), 1, v)
			compare("ringsparse.pg", formula.Pg(3./8, 1./1024, sum, int(k)+1, s), 1024, v)
		}
		e := eval.Args{"m": whole(k), "eta": big.NewRat(1, 1024), "w0": big.NewRat(-3, 8), "g": big.NewRat(1, 64)}
		compare("ringsparse.conversion-error", formula.ConversionError(-3./8, 1./1024, 1./64, int(k)), 0, e)
	}
}
