package ringsparse

import (
	"fmt"
	"math/big"

	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// signCase is one reading of g with one sign of Pw.
type signCase struct {
	Reading, Sign string
	Error         float64 // ‖Pg − Σg‖ / ‖Σg‖ of what the sum of weights says
}

// signErrors turns the sum of four ranks' g into weights with either sign, and asks
// what that says of g under either reading: W′ = W0 − η·g of a gradient, W′ = W0 + η·g
// of a direction of descent.
func signErrors(plan lossPlan, seed uint64) []signCase {
	const m = 4
	c := plan.Cells[0]
	b := newLossBlock(plan, seed)
	sum, exact := make([]float32, plan.Elements), make([]float64, plan.Elements)
	for r := range m {
		b.draw(seed, r, c.Gradient)
		for i, g := range b.g {
			sum[i] += g
			exact[i] += float64(g)
		}
	}
	pw, pg := make([]float32, plan.Elements), make([]float32, plan.Elements)
	var out []signCase
	for _, reading := range []ringsparse.Sign{ringsparse.Descent, ringsparse.Printed} {
		for _, sign := range []ringsparse.Sign{ringsparse.Descent, ringsparse.Printed} {
			ringsparse.ToWeights(pw, b.w0, sum, c.Rate, m, sign)
			ringsparse.ToGradients(pg, b.w0, pw, c.Rate, m, reading)
			x := signCase{Reading: "gradient", Sign: "minus (corrected)", Error: measureLoss(pg, exact, b.zero).Error}
			if reading == ringsparse.Printed {
				x.Reading = "direction of descent"
			}
			if sign == ringsparse.Printed {
				x.Sign = "plus (printed)"
			}
			out = append(out, x)
		}
	}
	return out
}

// rationalSet is what the identities are checked on: random dyadic numbers so short
// that float32 holds every intermediate value, so that what the code computes can be
// compared with rationals for equality.
type rationalSet struct {
	Least int `json:"least_nodes"`
	Most  int `json:"most_nodes"`
	Cases int `json:"cases"` // per number of nodes and seed
}

// identity counts cases of S51 in exact rationals.
type identityCount struct {
	Cases         int
	Minus, Plus   int // Pw = Σ W′ of gradients with that sign
	Directions    int // Pw = Σ W′ of directions of descent with the printed sign
	Back, Without int // Pg = Σ g; and with one W0 less, k from 0
}

// identities sets code beside rationals for every number of nodes.
func identities(set rationalSet, seeds []uint64) (n identityCount) {
	for _, seed := range seeds {
		r := cluster.Stream(seed, 0, "", "conversion rationals")
		short := func() float32 { return float32(r.IntN(1<<11)-1<<10) / 64 }
		for m := set.Least; m <= set.Most; m++ {
			for range set.Cases {
				w0, rate := short(), 1/float64(int(1)<<r.IntN(8))
				var pg float32
				sumG := new(big.Rat)
				for range m {
					g := short()
					pg += g
					sumG.Add(sumG, rational(g))
				}
				n.check(w0, pg, rate, m, sumG)
			}
		}
	}
	return n
}

// check is one case. The sum of all W′ is m·W0 − η·Σg of gradients and m·W0 + η·Σg of
// directions, in rationals.
func (n *identityCount) check(w0, pg float32, rate float64, m int, sumG *big.Rat) {
	n.Cases++
	step := new(big.Rat).Mul(new(big.Rat).SetFloat64(rate), sumG)
	start := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(m)), rational(w0))
	down, up := new(big.Rat).Sub(start, step), new(big.Rat).Add(start, step)
	pw := func(s ringsparse.Sign) *big.Rat {
		out := make([]float32, 1)
		ringsparse.ToWeights(out, []float32{w0}, []float32{pg}, rate, m, s)
		return rational(out[0])
	}
	back := func(m int) *big.Rat {
		out, sum := make([]float32, 1), make([]float32, 1)
		f, _ := down.Float32() // exact by the choice of numbers
		sum[0] = f
		ringsparse.ToGradients(out, []float32{w0}, sum, rate, m, ringsparse.Descent)
		return rational(out[0])
	}
	count := func(into *int, a, b *big.Rat) {
		if a.Cmp(b) == 0 {
			*into++
		}
	}
	count(&n.Minus, pw(ringsparse.Descent), down)
	count(&n.Plus, pw(ringsparse.Printed), down)
	count(&n.Directions, pw(ringsparse.Printed), up)
	count(&n.Back, back(m), sumG)
	count(&n.Without, back(m-1), sumG)
}

func rational(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

// judgeConversion judges P06, as a text, and P07.
func judgeConversion(set rationalSet, n identityCount, signs []signCase) []result.Claim {
	sign, text := fmt.Sprintf("minus right in %d, plus right in %d of %d cases", n.Minus, n.Plus, n.Cases), ""
	switch {
	case n.Minus == n.Cases && n.Plus < n.Cases:
		sign, text = "minus", "an error of the text: "
	case n.Plus == n.Cases && n.Minus < n.Cases:
		sign = "plus"
	}
	cases := fmt.Sprintf("%d cases in exact rationals, every m from %d to %d", n.Cases, set.Least, set.Most)
	return []result.Claim{
		identity("P06", false, sign, text+fmt.Sprintf("%s: with a minus Pw is the sum of all W′ = W0 − η·g in %d of them, with the printed plus in %d, where Σg = 0; if g is the direction of descent the plus is right in %d. The printed sign applied to gradients gives them back with a relative error of %.0f %%", cases, n.Minus, n.Plus, n.Directions, 100*signs[1].Error)),
		identity("P07", n.Back == n.Cases, fmt.Sprintf("Pg = Σg in %d of %d cases", n.Back, n.Cases),
			fmt.Sprintf("%s: Pg is the sum of all g in %d of them; with k counted from 0, one W0 less, in %d, where W0 = 0. In float32 with arbitrary numbers the identity is approximate: see the tables", cases, n.Back, n.Without)),
	}
}
