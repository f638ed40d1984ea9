package train

import (
	"encoding/json"
	"math"
	"runtime"
	"sync"

	"gradsync/datasets"
)

// evalBatch is how many test images one forward pass takes: whole lanes of engine asm, and no
// more than statistics needs, for ResNet-18's activations of 64 images are 300 MB.
const evalBatch = statBatch

// Point is one evaluation of the global model during training.
type Point struct {
	Pushes   int64   `json:"pushes"`
	Updates  int64   `json:"updates"`
	Seconds  float64 `json:"seconds"` // of the run's clock
	Accuracy float64 `json:"accuracy"`
	// Loss is the mean cross-entropy over the test images: not finite, and null in
	// JSON, where it or a parameter is not, which is a diverged run.
	Loss float64 `json:"loss"`
}

// evaluate scores params with the running statistics that statistics estimates.
func (s *shared) evaluate(params []float32, n int) (accuracy, loss float64, err error) {
	stats, err := s.statistics(params)
	if err != nil {
		return 0, 0, err
	}
	return s.score(params, stats, n)
}

// score returns the share of the first n test images that params classify
// rightly, and the mean cross-entropy, NaN if a parameter is not finite. Batch
// norms normalise by stats. The sums run in the order of the images.
func (s *shared) score(params, stats []float32, n int) (accuracy, loss float64, err error) {
	return s.scoreOn(&s.set.Test, params, stats, n)
}

// scoreOn does what score does, on the images of either split.
func (s *shared) scoreOn(split *datasets.Split, params, stats []float32, n int) (accuracy, loss float64, err error) {
	if all := split.Len(); n <= 0 || n > all {
		n = all
	}
	w, err := s.eval.borrow()
	if err != nil {
		return 0, 0, err
	}
	defer s.eval.giveBack(w)
	if norms, ok := w.stepper.(normed); ok {
		norms.SetStats(stats)
		defer norms.SetStats(nil)
	}
	right := 0
	indices := make([]int, 0, evalBatch)
	for from := 0; from < n; from += evalBatch {
		indices = indices[:0]
		for i := from; i < min(from+evalBatch, n); i++ {
			indices = append(indices, i)
		}
		if err := w.fill(s.set, split, indices); err != nil {
			return 0, 0, err
		}
		logits, err := w.stepper.Logits(params, w.x, len(indices))
		if err != nil {
			return 0, 0, err
		}
		classes := len(logits) / len(indices)
		for i := range indices {
			best, nll := classify(logits[i*classes:(i+1)*classes], int(w.labels[i]))
			loss += nll
			if best == int(w.labels[i]) {
				right++
			}
		}
	}
	if !allFinite(params) { // it need not reach the logits
		loss = math.NaN()
	}
	return float64(right) / float64(n), loss / float64(n), nil
}

// classify returns the arg max of the logits (the lowest index of equals) and
// −log softmax of the label.
func classify(logits []float32, label int) (best int, nll float64) {
	for i, z := range logits {
		if z > logits[best] {
			best = i
		}
	}
	top := float64(logits[best])
	var sum float64
	for _, z := range logits {
		sum += math.Exp(float64(z) - top)
	}
	return best, math.Log(sum) - (float64(logits[label]) - top)
}

// curve collects evaluations at no cost of virtual time. With wait false they
// run beside the training, on copies of the parameters; the outcome is the same.
type curve struct {
	s      *shared
	images int
	wait   bool

	slots  chan struct{}
	group  sync.WaitGroup
	mu     sync.Mutex
	points []Point
	err    error
}

func newCurve(s *shared, images int, wait bool) *curve {
	return &curve{s: s, images: images, wait: wait, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// add evaluates params as p. With wait it returns the accuracy and the loss.
func (c *curve) add(p Point, params []float32) (accuracy, loss float64, err error) {
	c.mu.Lock()
	at := len(c.points)
	c.points = append(c.points, p)
	err = c.err
	c.mu.Unlock()
	if err != nil {
		return 0, 0, err
	}
	if c.wait {
		return c.finish(at, params)
	}
	params = append([]float32(nil), params...)
	c.slots <- struct{}{} // bounds the copies
	c.group.Go(func() {
		defer func() { <-c.slots }()
		_, _, _ = c.finish(at, params) // kept in c.err
	})
	return 0, 0, nil
}

func (c *curve) finish(at int, params []float32) (accuracy, loss float64, err error) {
	accuracy, loss, err = c.s.evaluate(params, c.images)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	c.points[at].Accuracy, c.points[at].Loss = accuracy, loss
	return accuracy, loss, err
}

// close waits for the evaluations under way and returns all.
func (c *curve) close() ([]Point, error) {
	c.group.Wait()
	return c.points, c.err
}

// bestImages is on how many training images, the first ones, the loss is taken that
// chooses the best parameters.
const bestImages = 1000

// Best holds the step that Config.Best chose: the one with the least loss on the first 1,000
// training images.
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

// Divergence is the first evaluation that found the loss or a parameter not finite.
type Divergence struct {
	Pushes  int64 `json:"pushes"`
	Updates int64 `json:"updates"`
}

// diverged finds the first evaluation whose loss is not finite.
func diverged(points []Point) *Divergence {
	for _, p := range points {
		if !finite(p.Loss) {
			return &Divergence{p.Pushes, p.Updates}
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func allFinite(params []float32) bool {
	for _, p := range params {
		if !finite(float64(p)) {
			return false
		}
	}
	return true
}

// plainPoint is a Point without its methods.
type plainPoint Point

// pointJSON is a Point whose loss is null where JSON has no number for it.
type pointJSON struct {
	plainPoint
	Loss *float64 `json:"loss"`
}

// MarshalJSON writes null for a loss that is not finite.
func (p Point) MarshalJSON() ([]byte, error) {
	return json.Marshal(pointJSON{plainPoint(p), unless(!finite(p.Loss), p.Loss)})
}

// UnmarshalJSON reads null as a loss of NaN.
func (p *Point) UnmarshalJSON(raw []byte) error {
	var j pointJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*p = Point(j.plainPoint)
	p.Loss = math.NaN()
	if j.Loss != nil {
		p.Loss = *j.Loss
	}
	return nil
}
