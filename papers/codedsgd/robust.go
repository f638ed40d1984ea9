package codedsgd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gradsync/shared/cluster"
)

// Rules that make one gradient of those of a batch's pieces, its micro-blocks. They are
// given all of them, so nobody can add gradients before sending them.
//
//   - mean: the mean of all pieces; one bad piece moves it anywhere.
//   - median: of each coordinate the median (Yin et al., ICML 2018).
//   - krum: the piece that is nearest to its Q−f−2 nearest others (Blanchard et al., NIPS 2017).
//   - clip: the mean after longer pieces were shortened to the pieces' median norm (norm
//     clipping, Sun et al., 2019; the threshold is ours).
//
// Source: ours: aggregations that want every block's gradient
const (
	Mean   = "mean"
	Median = "median"
	Krum   = "krum"
	Clip   = "clip"
)

// Rules lists what Rule.Name may be, beside "".
//
// Source: ours: aggregations that want every block's gradient
func Rules() []string { return []string{Mean, Median, Krum, Clip} }

// Rule says how the gradients of Q pieces of a batch become one. The zero value is the
// paper's: their sum, in fixed point.
//
// Source: ours: aggregations that want every block's gradient
type Rule struct {
	Name string `json:"name,omitempty"` // ""; one of Rules
	// Bad is f, how many pieces Krum takes to be adversarial: 0 ≤ 2f ≤ Q−3. Other rules
	// have no such number.
	Bad int `json:"bad,omitempty"`
}

// Tolerates returns the largest number of adversarial pieces of Q under which the rule's
// outcome stays near the others', whatever numbers they are, NaN and infinities included: 0
// for the mean, ⌊(Q−3)/2⌋ for Krum, −1 if Q < 3, else ⌊(Q−1)/2⌋. Of the median and Krum that
// is a theorem. Clip's is a bound of ours: with more than half of the norms honest no piece
// counts for more than the longest honest one, which promises no descent.
//
// Source: ours: Q ≥ 2f+3 (Blanchard et al. 2017), breakdown point of a median
func (r Rule) Tolerates(pieces int) int {
	switch r.Name {
	case Krum:
		return max((pieces-1)/2-1, -1)
	case Median, Clip:
		return (pieces - 1) / 2
	}
	return 0
}

// Bounded reports whether Tolerates is only a bound on how far bad pieces move the outcome,
// with no theorem on training: clip's, whose threshold is ours.
//
// Source: ours: norm clipping (Sun et al. 2019) sets its threshold by hand
func (r Rule) Bounded() bool { return r.Name == Clip }

// check returns why the rule cannot aggregate a number of pieces.
func (r Rule) check(pieces int) error {
	switch {
	case r.Name != "" && !slices.Contains(Rules(), r.Name):
		return fmt.Errorf("codedsgd: no rule %q: known are %v", r.Name, Rules())
	case r.Bad != 0 && r.Name != Krum:
		return fmt.Errorf("codedsgd: %d bad pieces are of rule %s, not of %q", r.Bad, Krum, r.Name)
	case r.Name == Krum && (r.Bad < 0 || 2*r.Bad > pieces-3):
		return fmt.Errorf("codedsgd: Krum of %d pieces with %d bad ones, want at least 0 and at most (pieces−3)/2", pieces, r.Bad)
	}
	return nil
}

// Aggregate writes to dst the rule's outcome of Q pieces, each as long as dst, P numbers in
// the same unit. What is not finite is infinitely far: to the median NaN is below all
// numbers, to Krum a piece that has one is at an infinite distance, and clip, which has no
// direction to shorten it to, takes it for 0. So up to Tolerates such pieces leave a finite
// outcome; with more it may hold NaN or infinities, with one of the mean it does. The order of
// the pieces does not matter: median and Krum give the same bits of finite numbers, mean and
// clip the same up to the rounding of sums in float64.
// It returns an error if the rule has no outcome for Q pieces, and panics if one is
// shorter than dst.
//
// Source: ours: aggregations that want every block's gradient
func (r Rule) Aggregate(dst []float32, pieces [][]float32) error {
	if err := r.check(len(pieces)); err != nil {
		return err
	}
	if len(pieces) == 0 {
		return fmt.Errorf("codedsgd: rule %s of no pieces", r.Name)
	}
	switch r.Name {
	case Median:
		medians(dst, pieces)
	case Krum:
		nearest := r.krum(pieces)
		for i := range dst {
			dst[i] = float32(math.NaN())
			if nearest != nil {
				dst[i] = nearest[i] + 0 // equal pieces differ in the sign of a zero
			}
		}
	case Clip:
		weighted(dst, pieces, shares(pieces))
	default:
		ones := make([]float64, len(pieces))
		for i := range ones {
			ones[i] = 1
		}
		weighted(dst, pieces, ones)
	}
	return nil
}

// Work returns what one Aggregate of Q pieces of P numbers costs: every piece read once, and
// Q·log₂Q comparisons for a median of Q, three operations per number and pair for Krum, four
// per number for clip, one for the mean.
//
// Source: ours: counted in Aggregate
func (r Rule) Work(pieces, params int) cluster.Work {
	q := float64(pieces)
	per := q
	switch r.Name {
	case Median:
		per = float64(q * math.Log2(q))
	case Krum:
		per = 3 * q * (q - 1) / 2
	case Clip:
		per = 4 * q
	}
	return cluster.Work{FLOP: float64(per * float64(params)), Bytes: 4 * q * float64(params)}
}

// medians takes the median of each coordinate; of an even number the mean of the middle two.
// NaN comes first.
func medians(dst []float32, pieces [][]float32) {
	column := make([]float32, len(pieces))
	half := len(pieces) / 2
	for i := range dst {
		for k, p := range pieces {
			column[k] = p[i]
		}
		slices.Sort(column)
		middle := column[half]
		if len(pieces)%2 == 0 {
			middle = float32((float64(column[half-1]) + float64(column[half])) / 2)
		}
		dst[i] = middle + 0 // −0 + 0 is 0, whichever zeros stood there
	}
}

// krum returns the piece with the least sum of squared distances to its Q−f−2 nearest
// others; of equal ones the lexicographically smallest, whose place among the pieces does
// not matter. It returns nil if no sum is finite.
func (r Rule) krum(pieces [][]float32) (nearest []float32) {
	squares := make([][]float64, len(pieces))
	for i := range squares {
		squares[i] = make([]float64, len(pieces))
	}
	for i, p := range pieces {
		for j := range i {
			squares[i][j] = square(p, pieces[j])
			squares[j][i] = squares[i][j]
		}
	}
	least := math.Inf(1)
	for i, to := range squares {
		others := slices.Delete(to, i, i+1)
		slices.Sort(others)
		score := 0.0
		for _, d := range others[:len(pieces)-r.Bad-2] {
			score += d
		}
		if !math.IsInf(score, 1) && (nearest == nil || cmp.Or(cmp.Compare(score, least), slices.Compare(pieces[i], nearest)) < 0) {
			nearest, least = pieces[i], score
		}
	}
	return nearest
}

// square returns ‖a−b‖², infinite if a number of one is not finite.
func square(a, b []float32) (sum float64) {
	for i, x := range a {
		d := float64(x) - float64(b[i])
		sum += float64(d * d)
	}
	return orInfinite(sum)
}

// orInfinite returns x, infinity for NaN.
func orInfinite(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// shares returns by how much each piece is shortened to the median of all norms: at most 1,
// and 0 of one that is not finite, unless the median is infinite.
func shares(pieces [][]float32) []float64 {
	norms := make([]float64, len(pieces))
	for i, p := range pieces {
		for _, x := range p {
			norms[i] += float64(float64(x) * float64(x))
		}
		norms[i] = math.Sqrt(orInfinite(norms[i]))
	}
	sorted := slices.Sorted(slices.Values(norms))
	half := len(sorted) / 2
	most := sorted[half]
	if len(sorted)%2 == 0 {
		most = (sorted[half-1] + sorted[half]) / 2
	}
	for i, n := range norms {
		norms[i] = 1
		if n > most {
			norms[i] = most / n
		}
	}
	return norms
}

// weighted writes the mean of the weighted pieces to dst, in float64 and rounded once. A
// piece of weight 0 is 0, finite or not.
func weighted(dst []float32, pieces [][]float32, weights []float64) {
	for i := range dst {
		sum := 0.0
		for k, p := range pieces {
			if weights[k] != 0 {
				sum += float64(weights[k] * float64(p[i]))
			}
		}
		dst[i] = float32(sum / float64(len(pieces)))
	}
}

// Descend takes the step of descent that an aggregated gradient, a mean over samples, gives,
// the same bits for the same gradient. It is made in float64 and rounded once.
//
//	w ← w − η·(g + λ·w)
//
// Source: Eq. (4)
func Descend(w, g []float32, rate, decay float64) {
	for i, x := range g {
		v := float64(w[i])
		w[i] = float32(v - float64(rate*(float64(x)+float64(decay*v))))
	}
}
