package exp

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Bar tells how far an experiment is, in parts that cost 1 each.
type Bar struct {
	Env         Env
	Done, Total float64
}

// Step says that one more part is done, and which comes next.
func (b *Bar) Step(what string) {
	b.Done++
	if b.Env.Progress != nil {
		b.Env.Progress(b.Done, b.Total, what)
	}
}

// MeanAndHalf returns the mean of x and the half-width of its 95 % Student
// interval; half is no number for a single value.
func MeanAndHalf(x []float64) (mean, half float64) {
	mean = stat.Mean(x, nil)
	if len(x) < 2 {
		return mean, math.NaN()
	}
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return mean, t * stat.StdDev(x, nil) / math.Sqrt(n)
}

// Interval is mean ± half, nil where one seed has none.
func Interval(mean, half float64) *[2]float64 {
	if math.IsNaN(half) {
		return nil
	}
	return &[2]float64{mean - half, mean + half}
}
