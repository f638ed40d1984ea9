package ring

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// straight is the line through the throughputs from 2 GPUs on.
type straight struct{ Slope, R2 float64 }

func fitLine(points []point) straight {
	var x, y []float64
	for _, p := range points {
		if p.GPUs >= 2 {
			mean, _ := exp.MeanAndHalf(p.throughput(p.Overlap))
			x, y = append(x, float64(p.GPUs)), append(y, mean)
		}
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return straight{Slope: b, R2: stat.RSquared(x, y, nil, a, b)}
}

// at is the point of n GPUs; every plan has 1, 2, 10, 16 and 40.
func at(points []point, n int) point {
	for _, p := range points {
		if p.GPUs == n {
			return p
		}
	}
	panic(fmt.Sprintf("ring: no point of %d GPUs", n))
}

// leastR2 is the part of B17's criterion that is no tolerance.
const leastR2 = 0.99

// judgeScaling judges B01, B02, B10 and B13–B18.
func judgeScaling(s stack, points []point, wide []spread) []result.Claim {
	seeds := len(points[0].Overlap)
	one, forty := at(points, 1), at(points, blogGPUs)
	ours := "the number of parameters is the blog's; the layers are ours, chosen to come to it, as the blog does not list its own"
	single, singleHalf := exp.MeanAndHalf(milliseconds(one.Overlap))
	out := []result.Claim{
		claims.Judge("B01", claims.Evidence{Value: s.params(), Differs: []string{input}, Note: ours}),
		claims.Judge("B02", claims.Evidence{Value: 4 * float64(s.params()) / 1e9, Differs: []string{input}, Note: ours}),
		claims.Judge("B10", claims.Evidence{Value: float64(forty.Overlap[0].Bytes) / 1e9, Note: "counted at one GPU of 40, in one iteration, as sent; as much is received. 2.4 GB is the limit for many GPUs"}),
		claims.Judge("B13", claims.Evidence{Value: 1e3 * forty.Exchange, Note: fmt.Sprintf("one all-reduce of %.3f GB on 40 GPUs in virtual time, nothing else running; the blog divides 2.4 GB by 6 GB/s", 4*float64(s.params())/1e9)}),
		claims.Judge("B15", claims.Evidence{Value: single, CI95: exp.Interval(single, singleHalf), Seeds: seeds, Differs: []string{input}, Note: "the work of our layers is scaled so that one GPU takes the blog's 370 ms; what is off is jitter"}),
		judgeIteration(forty, wide, seeds), judgeSaved(forty, wide, seeds), judgeLinear(points, seeds), judgeConstant(points),
	}
	return out
}

// inRange reports whether x lies in a claim's "a-b", and the sentence for it.
func inRange(id string, x float64) (bool, string) {
	c, _ := claims.Get(id)
	var lo, hi float64
	if _, err := fmt.Sscanf(c.Value, "%g-%g", &lo, &hi); err != nil {
		panic("ring: " + id + " is no range: " + err.Error())
	}
	switch {
	case x < lo:
		return false, fmt.Sprintf("%.0f %s below the range", lo-x, c.Unit)
	case x > hi:
		return false, fmt.Sprintf("%.0f %s above the range", x-hi, c.Unit)
	}
	return true, "inside the range"
}

// overStacks says what the other distributions give in milliseconds, and which lie in
// the claim's range.
func overStacks(id string, wide []spread, of func(spread) float64) string {
	least, most := rangeOf(wide, of)
	var inside []string
	for _, s := range wide {
		x := 1e3 * of(s)
		if in, _ := inRange(id, x); in {
			inside = append(inside, s.Stack.Title)
		}
	}
	which := "none of them is inside the range"
	if len(inside) > 0 {
		which = "inside the range: " + strings.Join(inside, "; ")
	}
	return fmt.Sprintf("over %d distributions of the parameters, without jitter, %.0f to %.0f ms; %s", len(wide), least, most, which)
}

// rangeOf is the least and the most of the distributions, in milliseconds.
func rangeOf(wide []spread, of func(spread) float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, s := range wide {
		least, most = math.Min(least, 1e3*of(s)), math.Max(most, 1e3*of(s))
	}
	return least, most
}

// withRange is a time of the reference beside the range of all distributions, as the
// layers are a guess.
func withRange(mean float64, wide []spread, of func(spread) float64) string {
	least, most := rangeOf(wide, of)
	return fmt.Sprintf("%.0f ms (%.0f to %.0f over %d distributions)", mean, least, most, len(wide))
}

// byBounds begins the note of a range.
const byBounds = "the claim is a range and is judged by its bounds: "

func judgeIteration(forty point, wide []spread, seeds int) result.Claim {
	mean, half := exp.MeanAndHalf(milliseconds(forty.Overlap))
	plain, _ := exp.MeanAndHalf(milliseconds(forty.Plain))
	ok, where := inRange("B14", mean)
	with := func(s spread) float64 { return s.Overlap }
	return claims.Judge("B14", claims.Evidence{Value: withRange(mean, wide, with), CI95: exp.Interval(mean, half), Holds: &ok, Seeds: seeds,
		Note: byBounds + fmt.Sprintf("%s, with overlap; without it an iteration takes %.0f ms. Computation is scaled to the blog's 370 ms, links are as stated; %s", where, plain, overStacks("B14", wide, with))})
}

func judgeSaved(forty point, wide []spread, seeds int) result.Claim {
	mean, half := exp.MeanAndHalf(forty.saved())
	with, _ := exp.MeanAndHalf(milliseconds(forty.Overlap))
	ok, where := inRange("B16", mean)
	saved := func(s spread) float64 { return s.Plain - s.Overlap }
	return claims.Judge("B16", claims.Evidence{Value: withRange(mean, wide, saved), CI95: exp.Interval(mean, half), Holds: &ok, Seeds: seeds,
		Note: byBounds + fmt.Sprintf("%s: the same iteration without overlap minus the one with it; by the blog's own arithmetic, 370 + 400 − %.0f ms, it is %.0f ms. How much overlaps depends on where the parameters are, which the blog does not say: %s", where, with, 770-with, overStacks("B16", wide, saved))})
}

func judgeLinear(points []point, seeds int) result.Claim {
	line := fitLine(points)
	t16, _ := exp.MeanAndHalf(milliseconds(at(points, 16).Overlap))
	t40, _ := exp.MeanAndHalf(milliseconds(at(points, blogGPUs).Overlap))
	one, _ := exp.MeanAndHalf(milliseconds(at(points, 1).Overlap))
	ok := line.R2 >= leastR2 && t40 <= (1+claims.Tolerance("B17"))*t16
	speedup := blogGPUs * one / t40
	return holds("B17", ok, seeds, fmt.Sprintf("R² = %.4f; %.1f times one GPU", line.R2, speedup),
		fmt.Sprintf("a straight line, but not the ideal one: 40 GPUs do %.1f times the work of one, %.0f %% efficiency, the blog's own numbers give 53 to 57 %%; an iteration at 40 GPUs takes %+.1f %% against 16; %s", speedup, 100*speedup/blogGPUs, 100*(t40/t16-1), edgeOf(points)))
}

// judgeConstant judges B18 by the all-reduce alone, on equal links.
func judgeConstant(points []point) result.Claim {
	two, worst, ten := at(points, 2).Equal, 0.0, at(points, 10)
	for _, p := range points {
		if p.GPUs >= 2 {
			worst = math.Max(worst, p.Equal)
		}
	}
	last := points[len(points)-1]
	ok := worst <= (1+claims.Tolerance("B18"))*two
	return holds("B18", ok, 0, fmt.Sprintf("×%.2f from 2 to %d GPUs", last.Equal/two, last.GPUs),
		fmt.Sprintf("%.0f ms at N = 2 and %.0f ms at most, on equal links of 6 GB/s without latency: 2(N−1)/N is 1 at N = 2 and tends to 2. The cost is bounded, and it is nearly constant among many: from %d to %d GPUs it grows by %.1f %%, a single reducer's by %.0f %%", 1e3*two, 1e3*worst, ten.GPUs, last.GPUs, 100*(last.Equal/ten.Equal-1), 100*(float64(last.GPUs-1)/float64(ten.GPUs-1)-1)))
}
