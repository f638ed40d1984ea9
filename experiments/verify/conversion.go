package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gradsync/experiments/eval"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// nodeSums holds m nodes' terms of one element, all exact: W0, η, and the sums of the
// nodes' gradients and of their weights W0 + sη·g. own… are the last node's terms,
// received and partW the sums of the other nodes' gradients and weights.
type nodeSums struct {
	m              int64
	w0, eta        *big.Rat
	sumG, sumW     *big.Rat
	ownG, received *big.Rat // of gradients
	ownW, partW    *big.Rat // of weights
	what           string
}

// everySum visits small cases first: m from 2 to 16, whole numbers before fractions. s is
// the sign of W′ = W0 + sη·g.
func everySum(s int64, visit func(b nodeSums) error) error {
	for m := int64(2); m <= 16; m++ {
		for _, w0 := range []*big.Rat{new(big.Rat), one, big.NewRat(-7, 3)} {
			for _, eta := range []*big.Rat{one, big.NewRat(1, 10), big.NewRat(1, 1000)} {
				for pattern := range int64(3) {
					b := nodeSums{m: m, w0: w0, eta: eta, sumG: new(big.Rat), sumW: new(big.Rat), received: new(big.Rat), partW: new(big.Rat)}
					for i := range m {
						g := new(big.Rat) // pattern 0: no node has a gradient
						switch {
						case pattern == 1 && i == m-1:
							g.SetInt64(1)
						case pattern == 2:
							g.SetFrac64(i*i-3, i+2)
						}
						w := add(w0, mul(mul(whole(s), eta), g))
						if i == m-1 {
							b.ownG, b.ownW = g, w
						} else {
							b.received.Add(b.received, g)
							b.partW.Add(b.partW, w)
						}
						b.sumG.Add(b.sumG, g)
						b.sumW.Add(b.sumW, w)
					}
					b.what = fmt.Sprintf("k = %d, W0 = %s, η = %s", m-1, w0.RatString(), eta.RatString())
					if err := visit(b); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// pw converts gradients into weights; sign 1 is the printed one.
func (b nodeSums) pw(sign int64) (*big.Rat, error) {
	return eval.Exact("ringsparse.pw", eval.Args{"k": whole(b.m - 1), "eta": b.eta, "w0": b.w0, "own": b.ownG, "received": b.received, "sign": whole(sign)})
}

// pg converts weights into gradients; sign 1 is the printed one.
func (b nodeSums) pg(sign int64) (*big.Rat, error) {
	return eval.Exact("ringsparse.pg", eval.Args{"k": whole(b.m - 1), "eta": b.eta, "w0": b.w0, "own": b.ownW, "received": b.partW, "sign": whole(sign)})
}

// weightsOfGradients compares pw with the sum of the weights.
func weightsOfGradients(context.Context) (t tally, err error) {
	err = everySum(-1, func(b nodeSums) error {
		got, err := b.pw(0)
		if err != nil {
			return err
		}
		t.add(got.Cmp(b.sumW) == 0, "%s: Pw = %s, the weights sum to %s", b.what, got.RatString(), b.sumW.RatString())
		if got, err = b.pw(1); err != nil {
			return err
		}
		t.asPrinted(got.Cmp(b.sumW) == 0, "%s, Pg′ = %s, Pg″ = %s: Pw = %s, the weights sum to %s", b.what, b.ownG.RatString(), b.received.RatString(),
			got.RatString(), b.sumW.RatString())
		return nil
	})
	return t, err
}

// gradientsOfWeights compares pg with the sum of the gradients.
func gradientsOfWeights(context.Context) (t tally, err error) {
	t.printed = &PrintedForm{Form: "with the printed sign"}
	err = everySum(-1, func(b nodeSums) error {
		got, err := b.pg(0)
		if err != nil {
			return err
		}
		t.add(got.Cmp(b.sumG) == 0, "%s: Pg = %s, the gradients sum to %s", b.what, got.RatString(), b.sumG.RatString())
		if got, err = b.pg(1); err != nil {
			return err
		}
		t.asPrinted(got.Cmp(b.sumG) == 0, "%s, Pw′ = %s, Pw″ = %s: Pg = %s, the gradients sum to %s", b.what, b.ownW.RatString(), b.partW.RatString(),
			got.RatString(), b.sumG.RatString())
		return nil
	})
	return t, err
}

// exchangesCounted compares k = m−1 with k = m−2, its value if the first exchange has the
// number 0.
func exchangesCounted(context.Context) (t tally, err error) {
	t.printed = &PrintedForm{Form: "counted from 0"}
	err = everySum(-1, func(b nodeSums) error {
		got, err := b.pw(0)
		if err != nil {
			return err
		}
		t.add(got.Cmp(b.sumW) == 0, "%s: Pw = %s, the weights sum to %s", b.what, got.RatString(), b.sumW.RatString())
		short := sub(mul(whole(b.m-1), b.w0), mul(b.eta, b.sumG)) // (k+1)·W0, k = m−2
		t.asPrinted(short.Cmp(b.sumW) == 0, "%d nodes, k = %d, W0 = %s, gradients that sum to %s: Pw = %s, the weights sum to %s", b.m, b.m-2, b.w0.RatString(),
			b.sumG.RatString(),
			short.RatString(), b.sumW.RatString())
		return nil
	})
	return t, err
}

// printedDirection checks the printed sign where g is the direction of descent.
func printedDirection(context.Context) (t tally, err error) {
	err = everySum(+1, func(b nodeSums) error {
		w, err := b.pw(1)
		if err != nil {
			return err
		}
		g, err := b.pg(1)
		if err != nil {
			return err
		}
		t.add(w.Cmp(b.sumW) == 0 && g.Cmp(b.sumG) == 0, "%s: Pw = %s of %s, Pg = %s of %s", b.what, w.RatString(), b.sumW.RatString(), g.RatString(),
			b.sumG.RatString())
		return nil
	})
	return t, err
}

// bothEnds compares the last step from weights with the last step from gradients.
func bothEnds(context.Context) (t tally, err error) {
	err = everySum(-1, func(b nodeSums) error {
		w, err := eval.Exact("ringsparse.final", eval.Args{"n": whole(b.m), "sum": b.sumW, "kind": whole(0), "eta": b.eta, "w0": b.w0})
		if err != nil {
			return err
		}
		g, err := eval.Exact("ringsparse.final", eval.Args{"n": whole(b.m), "sum": b.sumG, "kind": whole(1), "eta": b.eta, "w0": b.w0})
		if err != nil {
			return err
		}
		t.add(w.Cmp(g) == 0, "%s: %s from weights, %s from gradients", b.what, w.RatString(), g.RatString())
		return nil
	})
	return t, err
}

// conversionBound sends m seeded gradients as weights, sums them in the order of a ring,
// and converts the sum back.
func conversionBound(context.Context) (t tally, err error) {
	t.within = true
	const length = 400
	for m := 2; m <= 16; m++ {
		for _, eta := range []float64{0.1, 1e-3} {
			for _, scale := range []float64{1e-2, 1e-4} {
				r := cluster.Stream(uint64(m), 0, "", fmt.Sprint("verify conversion ", eta, scale))
				w0, g := make([]float32, length), make([]float32, length)
				local, sum, back := make([]float32, length), make([]float32, length), make([]float32, length)
				exact, largest := make([]float64, length), make([]float64, length)
				for i := range w0 {
					w0[i] = float32(0.05 * r.NormFloat64())
				}
				for node := range m {
					for i := range g {
						g[i] = float32(scale * r.NormFloat64())
						exact[i] += float64(g[i])
						largest[i] = max(largest[i], math.Abs(float64(g[i])))
					}
					if node == 0 {
						ringsparse.LocalStep(sum, w0, g, eta, ringsparse.Descent)
						continue
					}
					ringsparse.LocalStep(local, w0, g, eta, ringsparse.Descent)
					vec.AddTo(sum, local)
				}
				ringsparse.ToGradients(back, w0, sum, eta, m, ringsparse.Descent)
				for i := range back {
					bound := formula.ConversionError(float64(w0[i]), eta, largest[i], m)
					t.add(math.Abs(float64(back[i])-exact[i]) <= bound, "m=%d, η=%g, W0=%g: %g back of %g, bound %g", m, eta, w0[i], back[i], exact[i], bound)
				}
			}
		}
	}
	return t, nil
}
