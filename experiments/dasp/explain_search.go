package dasp

import (
	"cmp"
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
	// Population is where an evolution may go on from, best first.
	Population [][]float64 `json:"population,omitempty"`
}

// objective scores points; smaller is better.
type objective func(points [][]float64) ([]float64, error)

// objective is the loss by one meaning over the demands of m.
func (e *evaluator) objective(meaning int, m mask) objective {
	return func(points [][]float64) ([]float64, error) { return e.losses(points, meaning, m) }
}

// evolve is differential evolution (Storn and Price, 1997, with the difference
// of Zhang and Sanderson's JADE, 2009): in each generation every point i is set
// against a trial
//
//	v = x_i + F·(x_good − x_i) + F·(x_p − x_q),  F uniform in [0.3, 0.9]
//
// with x_good drawn from the best fifth, of which a coordinate is taken with
// probability 0.7, and the better one stays. Half of the trials move the
// coordinates of one group only (hardware, compute times, thresholds), whose
// runs are fewer. Trials that leave [0, 1] are reflected. A generation is scored
// as a whole, so the number of processors changes nothing.
func (score objective) evolve(stream string, population [][]float64, generations int) (fit, error) {
	r := cluster.Stream(searchSeed, 0, stream, "dasp/explain/evolve")
	points := clones(population)
	found, err := score(points)
	if err != nil {
		return fit{}, err
	}
	for range generations {
		good := bestOf(points, found, max(len(points)/5, 2))
		trials := make([][]float64, len(points))
		for i := range points {
			trials[i] = trial(r, points, i, good[r.IntN(len(good))])
		}
		tried, err := score(trials)
		if err != nil {
			return fit{}, err
		}
		for i := range points {
			if tried[i] <= found[i] {
				points[i], found[i] = trials[i], tried[i]
			}
		}
	}
	return fit{X: points[least(found)], Loss: slices.Min(found), Population: bestOf(points, found, len(points))}, nil
}

func trial(r *rand.Rand, points [][]float64, i int, good []float64) []float64 {
	x := slices.Clone(points[i])
	p, q := points[r.IntN(len(points))], points[r.IntN(len(points))]
	from, to := group(r, len(x))
	f := 0.3 + float64(0.6*r.Float64())
	sure := from + r.IntN(to-from)
	for a := from; a < to; a++ {
		if u := r.Float64(); u >= 0.7 && a != sure {
			continue
		}
		x[a] = reflected(x[a] + float64(f*(good[a]-x[a])) + float64(f*(p[a]-q[a])))
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
func (score objective) polish(start []float64, rounds int) (fit, error) {
	best := fit{X: slices.Clone(start)}
	first, err := score([][]float64{start})
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
			found, err := score(pair)
			if err != nil {
				return best, err
			}
			if i := least(found); found[i] < best.Loss {
				best = fit{X: pair[i], Loss: found[i]}
			}
		}
		if best.Loss == before {
			step /= 2
		}
	}
	return best, nil
}

// bestOf returns the n points of least loss, in that order; equals keep theirs.
func bestOf(points [][]float64, found []float64, n int) [][]float64 {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found[a], found[b]) })
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

// slack is, by axis, the smallest and largest value to which that parameter
// alone can be moved from x, in steps of a 32nd, 16th, … half of its range,
// before the loss grows by a tenth.
func (score objective) slack(x []float64) ([]span, error) {
	first, err := score([][]float64{x})
	if err != nil {
		return nil, err
	}
	best := fit{X: x, Loss: first[0]}
	steps := []float64{1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}
	out := make([]span, len(best.X))
	for a, u := range best.X {
		out[a] = span{u, u}
		for _, sign := range []float64{-1, 1} {
			for _, step := range steps {
				y := slices.Clone(x)
				y[a] = min(max(u+sign*step, 0), 1)
				found, err := score([][]float64{y})
				if err != nil {
					return nil, err
				}
				if found[0] > 1.1*best.Loss {
					break
				}
				out[a] = span{min(out[a].Lo, y[a]), max(out[a].Hi, y[a])}
				if y[a] == 0 || y[a] == 1 {
					break
				}
			}
		}
		out[a] = span{axes[a].value(out[a].Lo), axes[a].value(out[a].Hi)}
	}
	return out, nil
}
