package multiverse

import (
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
)

// question is a claim that every reading answers.
type question struct {
	ID    string
	Of    setup.Reduction // of D01 to D18; else empty
	Place int             // among D01 to D18, −1 for others
	find  func(m measured, r reading) string
	// values returns the numbers that the claim states, as m has them; nil: it states none.
	values func(m measured) []float64
	judged bool // its verdict is taken here
}

// reductions lists D01 to D18 in their order.
func reductions() []setup.Reduction {
	return slices.Concat(setup.Reductions(setup.Homogeneous), setup.Reductions(setup.Heterogeneous))
}

// places returns the cluster, network and rival of D01 to D18 by their place in a measured reading.
func places(i int) (c, n, rival int) {
	red := reductions()[i]
	return i / 9, slices.Index(setup.Models, red.Model), slices.Index(setup.Methods, red.Against)
}

// questions lists all claims that readings answer, in the order of the paper.
func questions() (out []question) {
	for i, red := range reductions() {
		c, n, k := places(i)
		out = append(out, question{ID: red.ID, Of: red, Place: i, judged: true,
			find: func(m measured, _ reading) string { return m.less(c, n, own, k, 0) },
			values: func(m measured) []float64 {
				return []float64{100 * (1 - math.Exp(m.logRatio(c, n, own, k)))}
			}})
	}
	out = append(out, question{ID: "D39", Place: -1, judged: true, find: func(m measured, _ reading) string { return m.ordered() }})
	for i := range 6 {
		c, n := i/3, i%3
		out = append(out, question{ID: fmt.Sprintf("D%d", 42+i), Place: -1, judged: true,
			find: func(m measured, _ reading) string {
				return claims.Every(m.less(c, n, own, 0, 0), m.less(c, n, 2, 0, 0), m.less(c, n, 3, 0, 0))
			},
			values: func(m measured) (xs []float64) {
				for _, k := range []int{own, 2, 3} {
					xs = append(xs, math.Exp(m.logRatio(c, n, k, 0)))
				}
				return xs
			}})
	}
	return append(out, question{ID: "D56", Place: -1, judged: true, find: func(m measured, _ reading) string { return m.leastAffected() }},
		question{ID: "D59", Place: -1, find: func(m measured, _ reading) string { return claims.Whether(m.Bounded) }})
}

// logs returns ln(T_k/T_rival) per seed.
func (m measured) logs(c, n, k, rival int) kit.Sample {
	out := make(kit.Sample, len(m.Times[c][n][k]))
	for s, t := range m.Times[c][n][k] {
		out[s] = math.Log(t / m.Times[c][n][rival][s])
	}
	return out
}

// logRatio returns the mean of logs.
func (m measured) logRatio(c, n, k, rival int) float64 { return m.logs(c, n, k, rival).Mean().Value }

// same reports whether two methods' runs were the same in every seed, as far as it is known: of DASP
// and another.
func (m measured) same(c, n, k, rival int) bool {
	return k == own && m.Same[c][n][rival] || rival == own && m.Same[c][n][k]
}

// less finds whether method k takes less time than rival, slack being how much more in logarithms
// still counts as a tie; without slack a tie does not count.
func (m measured) less(c, n, k, rival int, slack float64) string {
	if m.same(c, n, k, rival) {
		return claims.NoCase
	}
	e := m.logs(c, n, k, rival).Mean()
	if slack > 0 {
		return claims.AtMost(e.CI, slack)
	}
	switch e.Against(0) {
	case "below":
		return claims.Holds
	case "above":
		return claims.Differs
	}
	return claims.Undecided
}

// tie is setup.SameTime in logarithms.
var tie = math.Log(1 + setup.SameTime)

// ordered finds D39.
func (m measured) ordered() string {
	var parts []string
	for c := range clusters {
		for n := range setup.Models {
			for _, k := range []int{2, 3, own} {
				parts = append(parts, m.less(c, n, asp, k, tie), m.less(c, n, k, 0, tie))
			}
		}
	}
	return claims.Every(parts...)
}

// leastAffected finds D56: DASP's time on unequal workers over that on equal ones is at most BSP's,
// SSP's and DSSP's.
func (m measured) leastAffected() string {
	var parts []string
	for n := range setup.Models {
		for _, k := range []int{0, 2, 3} {
			if m.Same[0][n][k] && m.Same[1][n][k] {
				continue
			}
			slowdown := m.logs(1, n, own, k).Minus(m.logs(0, n, own, k))
			parts = append(parts, claims.AtMost(slowdown.CI, tie))
		}
	}
	return claims.Every(parts...)
}

// vector returns the 18 logarithms of DASP's time over a rival's, D01 to D18.
func (m measured) vector() (v [18]float64) {
	for i := range v {
		c, n, k := places(i)
		v[i] = m.logRatio(c, n, own, k)
	}
	return v
}

// medoid returns the place of the vector with the least sum of Euclidean distances to the others of
// at, which names them with repeats, and the sums. Ties go to the first; it is −1 of none.
func medoid(vectors [][18]float64, at []int) (best int, sums []float64) {
	best = -1
	sums = make([]float64, len(at))
	least := math.Inf(1)
	for i, a := range at {
		for _, b := range at {
			d := 0.0
			for x := range vectors[a] {
				gap := vectors[a][x] - vectors[b][x]
				d += float64(gap * gap)
			}
			sums[i] += math.Sqrt(d)
		}
		if sums[i] < least {
			least, best = sums[i], a
		}
	}
	return best, sums
}

// quantile returns the q-quantile of xs, sorted, linear between ranks; no number of none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// The sizes of a stated value among the readings' values.
const (
	reached    = "reached"
	atTheEdge  = "edge"
	outOfReach = "out-of-reach"
)

// sizeOf returns where stated lies among sorted values; "" of fewer than leastSized.
func sizeOf(stated float64, sorted []float64) string {
	n := len(sorted)
	switch {
	case n < leastSized:
		return ""
	case stated < sorted[0] || stated > sorted[n-1]:
		return outOfReach
	case stated < quantile(sorted, (1-central)/2) || stated > quantile(sorted, (1+central)/2):
		return atTheEdge
	}
	return reached
}
