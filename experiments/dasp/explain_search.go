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
