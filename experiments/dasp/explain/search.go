package explain

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/shared/cluster"
)

// evaluator measures the ratios of laboratories by short runs, each made once.
type evaluator struct {
	ctx    context.Context
	costs  map[string]setup.FullSize
	want   [stated18]demand
	pushes int64
	warmup int64

	known      map[runKey]means
	seen       extents
	candidates int
	runs       int
}

func newEvaluator(ctx context.Context, all map[string]setup.FullSize, pushes, warmup int64) *evaluator {
	return &evaluator{ctx: ctx, costs: all, want: demands(), pushes: pushes, warmup: warmup, known: map[runKey]means{}}
}

// fullSizes returns the full sizes of the paper's three networks, by name.
func fullSizes() map[string]setup.FullSize {
	out := map[string]setup.FullSize{}
	for _, name := range setup.Models {
		out[name] = setup.FullSizeOf(name)
	}
	return out
}

// runKey holds everything that decides a run. It has a method's parameters only where the method
// reads them, and the compute times only in their cluster.
type runKey struct {
	platform, model, method string
	hardware                hardware
	times                   [6]float64
	options                 [3]float64
}

// keyOf returns the key of a run in laboratory l.
func keyOf(l laboratory, platform, model, method string) runKey {
	k := runKey{platform: platform, model: model, method: method, hardware: l.Hardware}
	if platform == setup.Heterogeneous {
		k.times = l.Times
	}
	switch o := l.Options; method {
	case "ssp":
		k.options = [3]float64{float64(o.Staleness)}
	case "dssp":
		k.options = [3]float64{float64(o.Lower), float64(o.Upper)}
	case "dasp":
		k.options = [3]float64{float64(o.Smin), float64(o.Smax), o.Alpha}
	}
	return k
}

// labRun is a run to make in a laboratory.
type labRun struct {
	key runKey
	lab laboratory
}

// ratios returns the ratios of every laboratory for the demands of m. All processors make the runs;
// the results come back in the order of the requests.
func (e *evaluator) ratios(labs []laboratory, m mask) ([]ratios, error) {
	var jobs []labRun
	asked := map[runKey]bool{}
	need := func(l laboratory, d demand, method string) {
		k := keyOf(l, d.Platform, d.Model, method)
		if _, ok := e.known[k]; !ok && !asked[k] {
			asked[k] = true
			jobs = append(jobs, labRun{k, l})
		}
	}
	for _, l := range labs {
		for i, d := range e.want {
			if m[i] {
				need(l, d, "dasp")
				need(l, d, d.Against)
			}
		}
	}
	if err := e.run(jobs); err != nil {
		return nil, err
	}
	out := make([]ratios, len(labs))
	for j, l := range labs {
		for i, d := range e.want {
			if !m[i] {
				continue
			}
			ours, base := e.known[keyOf(l, d.Platform, d.Model, "dasp")], e.known[keyOf(l, d.Platform, d.Model, d.Against)]
			for k := range meanings {
				if base[k] > 0 {
					out[j][k][i] = ours[k] / base[k]
				}
			}
		}
		e.seen.add(&out[j])
	}
	e.candidates += len(labs)
	return out, nil
}

// run makes jobs on all processors.
func (e *evaluator) run(jobs []labRun) error {
	found, errs := make([]means, len(jobs)), make([]error, len(jobs))
	var group sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for w := range n {
		group.Go(func() {
			for i := w; i < len(jobs); i += n {
				if errs[i] = e.ctx.Err(); errs[i] == nil {
					found[i], errs[i] = e.runOne(jobs[i])
				}
			}
		})
	}
	group.Wait()
	for i, j := range jobs {
		if errs[i] != nil {
			return errs[i]
		}
		e.known[j.key] = found[i]
	}
	e.runs += len(jobs)
	return nil
}

// runOne makes a run in one stage.
func (e *evaluator) runOne(j labRun) (means, error) {
	cfg := j.lab.config(j.key.platform, j.key.method, j.key.model, searchSeed)
	cfg.MaxPushes, cfg.Warmup = e.pushes, e.warmup
	log, err := e.costs[j.key.model].InOneStage(e.ctx, cfg)
	if err != nil {
		return means{}, err
	}
	return meansOfLog(log, cfg.Warmup), nil
}

// decoded returns the ratios of the laboratories at points.
func (e *evaluator) decoded(points [][]float64, m mask) ([]ratios, error) {
	return e.ratios(kit.Map(points, decode), m)
}

// objective returns a function that computes the loss by one meaning over the demands of m.
func (e *evaluator) objective(meaning int, m mask) objective {
	return func(points [][]float64) ([]float64, error) {
		found, err := e.decoded(points, m)
		return kit.Map(found, func(r ratios) float64 { return loss(r[meaning], e.want, m) }), err
	}
}

// searchSeed seeds the search's draws and the runs that it scores. The final fits run with all seeds
// of the result.
const searchSeed = 0

// fit is the end of a search.
type fit struct {
	X    []float64
	Loss float64
	// Population holds the last points of an evolution, best first: it may go on from there.
	Population [][]float64
}

// objective scores points; smaller is better.
type objective func(points [][]float64) ([]float64, error)

// evolve runs a differential evolution (Storn and Price, 1997, with the difference of Zhang and
// Sanderson's JADE, 2009). In each generation a trial is made for every point i,
//
//	v = x_i + F·(x_good − x_i) + F·(x_p − x_q),  F uniform in [0.3, 0.9]
//
// and the better of the two stays. x_good is drawn from the best fifth, and a coordinate is taken
// from v with probability 0.7. Half of the trials move the coordinates of one group only (hardware,
// compute times, thresholds), which takes fewer runs. Trials that leave [0, 1] are reflected. A
// generation is scored as a whole, so the number of processors changes nothing.
func (score objective) evolve(stream string, population [][]float64, generations int) (fit, error) {
	r := cluster.Stream(searchSeed, 0, stream, "dasp/explain/evolve")
	points := kit.Map(population, slices.Clone)
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

// trial returns the trial for point i; good is x_good.
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

// ranked returns the indices of losses, the least first; equal losses keep their order.
func ranked(found []float64) []int {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found[a], found[b]) })
	return order
}

// bestOf returns the n points of least loss, in that order; equal losses keep theirs.
func bestOf(points [][]float64, found []float64, n int) [][]float64 {
	return kit.Map(ranked(found)[:min(n, len(found))], func(i int) []float64 { return points[i] })
}

// least returns the index of the smallest number, the first of equals.
func least(x []float64) int {
	best := 0
	for i := range x {
		if x[i] < x[best] {
			best = i
		}
	}
	return best
}

// polish runs a coordinate descent from start: on each axis in turn it tries a step down and up, and
// keeps the best of the three points. A round without gain halves the step, which begins at a
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

// slack returns, by axis, the smallest and largest value to which that parameter alone can be moved
// from x, in steps of a 32nd, 16th, … half of its range, before the loss grows by a tenth.
func (score objective) slack(x []float64) ([]extent, error) {
	first, err := score([][]float64{x})
	if err != nil {
		return nil, err
	}
	best := fit{X: x, Loss: first[0]}
	steps := []float64{1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}
	out := make([]extent, len(best.X))
	for a, u := range best.X {
		out[a] = extent{u, u}
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
				out[a] = extent{min(out[a].Lo, y[a]), max(out[a].Hi, y[a])}
				if y[a] == 0 || y[a] == 1 {
					break
				}
			}
		}
		out[a] = extent{axes[a].value(out[a].Lo), axes[a].value(out[a].Hi)}
	}
	return out, nil
}
