package dasp

import "slices"

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
