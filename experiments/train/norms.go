package train

import (
	"fmt"

	"gradsync/shared/tensor/model"
)

// The images of which the running statistics of batch norms are estimated.
const (
	statImages = 256
	statBatch  = 64
)

// NormStatistics describes how the running statistics of batch norms were estimated, in evaluations
// and in saved checkpoints.
type NormStatistics struct {
	Images int    `json:"images"`
	Batch  int    `json:"batch"`
	Choice string `json:"choice"`
}

// normed is a Stepper that networks with batch norms need; model.Workspace is
// one.
type normed interface {
	model.Stepper
	SetStats(stats []float32)
	Observe(params, x []float32, n int, momentum float32) error
	InferenceGradient(params, grads, x []float32, labels []uint8) (loss float64, err error)
}

// statIndices returns statImages training images at even distances over the set, the same for
// every seed, method and evaluation; all images of a smaller set.
func statIndices(all int) []int {
	n := min(statImages, all)
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i * all / n
	}
	return indices
}

// statistics estimates the running statistics of the batch norms for params; nil
// for a network without any.
//
// They do not travel with the parameters: workers push gradients, and what the
// server holds is no worker's average of the past. So every evaluation estimates
// them anew for the parameters that it evaluates: the mean over mini-batches of
// statBatch of the images of statIndices (PyTorch's momentum=None). A last
// mini-batch that is not full is dropped, unless it is the only one.
func (s *shared) statistics(params []float32) ([]float32, error) {
	n := s.model.NumStats()
	if n == 0 {
		return nil, nil
	}
	w, err := s.eval.borrow()
	if err != nil {
		return nil, err
	}
	defer s.eval.giveBack(w)
	stats := make([]float32, n)
	s.model.InitStats(stats)
	norms := w.stepper.(normed) // openShared has looked
	norms.SetStats(stats)
	defer norms.SetStats(nil)
	indices := statIndices(s.set.Train.Len())
	for k := 0; len(indices) > 0; k++ {
		size := min(statBatch, len(indices))
		if size < statBatch && k > 0 {
			break
		}
		if err := w.fill(s.set, &s.set.Train, indices[:size]); err != nil {
			return nil, err
		}
		if err := norms.Observe(params, w.x, size, 1/float32(k+1)); err != nil {
			return nil, err
		}
		indices = indices[size:]
	}
	return stats, nil
}

// normStatistics describes what statistics does; nil for a network without batch
// norms.
func (s *shared) normStatistics() *NormStatistics {
	if s.model.NumStats() == 0 {
		return nil
	}
	return &NormStatistics{Images: len(statIndices(s.set.Train.Len())), Batch: statBatch,
		Choice: "training images at even distances over the set, for the parameters evaluated"}
}

// checkBatch refuses a mini-batch of one image where a batch norm would see one
// value per channel, before a worker meets it.
func (s *shared) checkBatch() error {
	if s.batch > 1 || s.model.NumStats() == 0 {
		return nil
	}
	w, err := s.pool.borrow()
	if err != nil {
		return err
	}
	defer s.pool.giveBack(w)
	norms := w.stepper.(normed) // openShared has looked
	norms.SetStats(make([]float32, s.model.NumStats()))
	defer norms.SetStats(nil)
	return norms.Observe(make([]float32, s.model.NumParams()), w.x, 1, 1)
}

// checkNorms refuses a backend that has no statistics for a network that needs
// them.
func checkNorms(m *model.Model, stepper func(batch int) (model.Stepper, error), name string) error {
	if m.NumStats() == 0 {
		return nil
	}
	s, err := stepper(1)
	if err != nil {
		return err
	}
	_, ok := s.(normed)
	if err := closeStepper(s); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("train: %s has batch norms, and %s keeps no running statistics", m.Name(), name)
	}
	return nil
}
