package train

import "math"

// bestImages is on how many training images, the first ones, the loss is taken that
// chooses the best parameters.
const bestImages = 1000

// Best is what Config.Best chose by: the step with the least loss on the first
// 1,000 training images.
type Best struct {
	Updates int64   `json:"updates"`
	Loss    float64 `json:"loss"`
}

// keep copies params if none before them had so small a loss (Algorithm 1 of
// codedsgd, step 8). It costs no time of the run's clock.
func (r *runner) keep(p Point, params []float32) error {
	s := r.shared
	stats, err := s.statistics(params)
	if err != nil {
		return err
	}
	_, loss, err := s.scoreOn(&s.set.Train, params, stats, bestImages)
	if err != nil {
		return err
	}
	if r.best.params == nil || loss < r.best.Loss || math.IsNaN(r.best.Loss) {
		r.best.Best = Best{Updates: p.Updates, Loss: loss}
		r.best.params = append(r.best.params[:0], params...)
	}
	return nil
}
