package dasp

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gradsync/shared/cluster"
)

// searchSeed seeds the search's draws and the runs that it scores; the final
// fits run with all of the result's seeds.
const searchSeed = 0

// fit is where a search ended.
type fit struct {
	X    []float64 `json:"x"`
	Loss float64   `json:"loss"`
}

// evolve is differential evolution (Storn and Price, 1997): in each generation
// every point i is set against a trial
//
//	v = x_i + F·(x_best − x_i) + F·(x_p − x_q),  F uniform in [0.3, 0.9]
//
// of which a coordinate is taken with probability 0.7, and the better one stays.
// Half of the trials move the coordinates of one group only (hardware, compute
// times, thresholds), whose runs are fewer. Trials that leave [0, 1] are
// reflected. A generation is scored as a whole, so the number of processors
// changes nothing.
func (e *evaluator) evolve(stream string, meaning int, m mask, population [][]float64, generations int) (fit, error) {
	r := cluster.Stream(searchSeed, 0, stream, "dasp/explain/evolve")
	points := clones(population)
	found, err := e.losses(points, meaning, m)
	if err != nil {
		return fit{}, err
	}
	for range generations {
		best := least(found)
		trials := make([][]float64, len(points))
		for i := range points {
			trials[i] = trial(r, points, i, best)
		}
		tried, err := e.losses(trials, meaning, m)
		if err != nil {
			return fit{}, err
		}
		for i := range points {
			if tried[i] <= found[i] {
				points[i], found[i] = trials[i], tried[i]
			}
		}
	}
	best := least(found)
	return fit{points[best], found[best]}, nil
}

func trial(r *rand.Rand, points [][]float64, i, best int) []float64 {
	x := slices.Clone(points[i])
	p, q := points[r.IntN(len(points))], points[r.IntN(len(points))]
	from, to := group(r, len(x))
	f := 0.3 + float64(0.6*r.Float64())
	sure := from + r.IntN(to-from)
	for a := from; a < to; a++ {
		if u := r.Float64(); u >= 0.7 && a != sure {
			continue
		}
		x[a] = reflected(x[a] + float64(f*(points[best][a]-x[a])) + float64(f*(p[a]-q[a])))
	}
	return x
}

// group draws the axes that a trial may move: all of them, or one group.
func group(r *rand.Rand, free int) (from, to int) {
	ends := []int{0, firstTime, firstOption}
	if free > firstOption {
		ends = append(ends, free)
	}
	if r.IntN(2) == 0 {
		return 0, free
	}
	g := r.IntN(len(ends) - 1)
	return ends[g], ends[g+1]
}

// reflected folds u into [0, 1].
func reflected(u float64) float64 {
	if u < 0 {
		u = -u
	}
	if u > 1 {
		u = 2 - u
	}
	return min(max(u, 0), 1)
}

// polish is coordinate descent: each axis in turn a step down and up, the better
// of the three is kept; a round without gain halves the step, which begins at a
// sixteenth.
func (e *evaluator) polish(start []float64, meaning int, m mask, rounds int) (fit, error) {
	best := fit{X: slices.Clone(start)}
	first, err := e.losses([][]float64{start}, meaning, m)
	if err != nil {
		return best, err
	}
	best.Loss = first[0]
	step := 1.0 / 16
	for range rounds {
		before := best.Loss
		for a := range best.X {
			pair := [][]float64{slices.Clone(best.X), slices.Clone(best.X)}
			pair[0][a], pair[1][a] = max(pair[0][a]-step, 0), min(pair[1][a]+step, 1)
			found, err := e.losses(pair, meaning, m)
			if err != nil {
				return best, err
			}
			if i := least(found); found[i] < best.Loss {
				best = fit{pair[i], found[i]}
			}
		}
		if best.Loss == before {
			step /= 2
		}
	}
	return best, nil
}

// best returns the n points of least loss, in that order; equals keep theirs.
func bestOf(points [][]float64, found []float64, n int) [][]float64 {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case found[a] < found[b]:
			return -1
		case found[a] > found[b]:
			return 1
		}
		return 0
	})
	var out [][]float64
	for _, i := range order[:min(n, len(order))] {
		out = append(out, points[i])
	}
	return out
}

func clones(points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, x := range points {
		out[i] = slices.Clone(x)
	}
	return out
}

// least is the index of the smallest, the first of equals.
func least(x []float64) int {
	best := 0
	for i := range x {
		if x[i] < x[best] {
			best = i
		}
	}
	return best
}

// streamName keeps the draws of one search apart from those of all others.
func streamName(s space, meaning int, sub subset) string {
	return fmt.Sprintf("%s/%s/%s", s.Key, meanings[meaning], sub.Key)
}

// slack is, by axis, the smallest and largest value to which that parameter
// alone can be moved, in steps of a 32nd, 16th, … half of its range, before the
// loss grows by a tenth.
func (e *evaluator) slack(best fit, meaning int, m mask) ([]span, error) {
	steps := []float64{1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}
	out := make([]span, len(best.X))
	for a, u := range best.X {
		out[a] = span{u, u}
		for _, sign := range []float64{-1, 1} {
			for _, step := range steps {
				x := slices.Clone(best.X)
				x[a] = min(max(u+sign*step, 0), 1)
				found, err := e.losses([][]float64{x}, meaning, m)
				if err != nil {
					return nil, err
				}
				if found[0] > 1.1*best.Loss {
					break
				}
				out[a] = span{min(out[a].Lo, x[a]), max(out[a].Hi, x[a])}
				if x[a] == 0 || x[a] == 1 {
					break
				}
			}
		}
		out[a] = span{axes[a].value(out[a].Lo), axes[a].value(out[a].Hi)}
	}
	return out, nil
}
