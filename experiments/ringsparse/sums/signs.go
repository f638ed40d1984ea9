package sums

import (
	"math/big"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// signCase is one reading of g with one sign of Pw.
type signCase struct {
	Reading, Sign string
	Error         float64 // ‖Pg − Σg‖ / ‖Σg‖ of what the sum of weights says
}

// signRanks is the number of ranks whose sum is turned with either sign.
const signRanks = 4

// signErrors turns the sum of four ranks' g into weights with either sign, and asks
// what that says of g under either reading: W′ = W0 − η·g of a gradient, W′ = W0 + η·g
// of a direction of descent.
func signErrors(plan lossPlan, seed uint64) []signCase {
	c := plan.Points[0]
	b := newLossBlock(plan, seed)
	sum, exact := make([]float32, plan.Elements), make([]float64, plan.Elements)
	for r := range signRanks {
		b.draw(seed, r, c.Gradient)
		for i, g := range b.g {
			sum[i] += g
			exact[i] += float64(g)
		}
	}
	pw, pg := make([]float32, plan.Elements), make([]float32, plan.Elements)
	var out []signCase
	both := []ringsparse.Sign{ringsparse.Descent, ringsparse.Printed}
	for i, reading := range []string{"gradient", "direction"} {
		for k, sign := range []string{"minus", "plus"} {
			ringsparse.ToWeights(pw, b.w0, sum, c.Rate, signRanks, both[k])
			ringsparse.ToGradients(pg, b.w0, pw, c.Rate, signRanks, both[i])
			out = append(out, signCase{reading, sign, measureLoss(pg, exact, b.zero).Error})
		}
	}
	return out
}

func signFrame(signs []signCase) result.Frame {
	return kit.Rows("sign", "reading:reading sign:sign error", signs, func(s signCase) []any { return []any{s.Reading, s.Sign, s.Error} })
}

// rationalSet holds what the identities are checked on: random dyadic numbers so short that
// float32 holds every intermediate value, so that what the code computes can be compared with
// rationals for equality.
type rationalSet struct {
	Least int `json:"least_nodes"`
	Most  int `json:"most_nodes"`
	Cases int `json:"cases"` // per number of nodes and seed
}

// identityCount counts cases of S51 in exact rationals.
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

// check counts one case. The sum of all W′ is m·W0 − η·Σg of gradients and m·W0 + η·Σg of
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

// rationalFrame returns the frame with a row per formula, and what it is set beside.
func rationalFrame(n identityCount) result.Frame {
	rows := [][]any{{"pw-minus", "gradients", n.Minus}, {"pw-plus", "gradients", n.Plus}, {"pw-plus", "directions", n.Directions},
		{"pg", "sum", n.Back}, {"pg-without", "sum", n.Without}}
	head := "formula:formula against:against equal cases"
	return kit.As(result.Modelled, kit.Rows("identities", head, rows, func(r []any) []any { return append(r, n.Cases) }))
}

// judgeConversion judges P06, as a text, and P07.
func judgeConversion(set rationalSet, n identityCount, signs []signCase) []result.Claim {
	sign := claims.Identity(false, result.Because("P06-both", "minus", n.Minus, "plus", n.Plus, "cases", n.Cases))
	switch {
	case n.Minus == n.Cases && n.Plus < n.Cases:
		sign = claims.Identity(false, result.Because("P06-minus"))
		sign.Notes = append(sign.Notes, result.Because("text-error"))
	case n.Plus == n.Cases && n.Minus < n.Cases:
		sign = claims.Identity(true, result.Reason{})
	}
	back := claims.Identity(n.Back == n.Cases, result.Because("P07-found", "equal", n.Back, "cases", n.Cases))
	sign.Notes = append(sign.Notes, result.Because("P06", "cases", n.Cases, "least", set.Least, "most", set.Most, "minus", n.Minus, "plus", n.Plus,
		"directions", n.Directions, "error", 100*signs[1].Error))
	back.Notes = []result.Reason{result.Because("P07", "cases", n.Cases, "least", set.Least, "most", set.Most, "back", n.Back, "without", n.Without)}
	return []result.Claim{claims.Verdict("P06", sign), claims.Verdict("P07", back)}
}
