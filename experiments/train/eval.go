package train

import (
	"math"
	"runtime"
	"sync"

	"gradsync/datasets"
)

// evalBatch is how many test images one forward pass takes.
const evalBatch = 100

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

// evaluate is score with the statistics of statistics.
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

// scoreOn is score on the images of either split.
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
			best, nll := judge(logits[i*classes:(i+1)*classes], int(w.labels[i]))
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

// judge returns the arg max of the logits (the lowest index of equals) and
// −log softmax of the label.
func judge(logits []float32, label int) (best int, nll float64) {
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
