package compare

import (
	"fmt"

	"gradsync/experiments/train"
)

// size is the training of a profile. Rate is that of dasp/tuning, found under BSP.
type size struct {
	Batch     int     `json:"batch"`     // b, samples per worker and gradient
	Gradients int64   `json:"gradients"` // of b samples, used by a run of any method
	EvalEvery int64   `json:"eval_every"`
	Images    int     `json:"eval_images"` // test images per evaluation on the way
	Data      string  `json:"data"`
	Rate      float64 `json:"rate"`
	Timed     int64   `json:"timed"`  // rounds by which a synchronous method is timed
	Warmup    int64   `json:"warmup"` // of them left out
}

// model is the network that all methods train and are timed with, whole. It has no
// batch norms, whose statistics would differ with the size of a block.
const model = "lenet5"

// sizeOf were fixed before the first run of any two methods beside each other.
func sizeOf(profile string) size {
	s := size{Batch: 16, Gradients: 960, EvalEvery: 48, Images: 1000, Rate: 0.2, Timed: 40, Warmup: 4}
	switch profile {
	case "ci":
		s.Gradients, s.EvalEvery, s.Images, s.Timed, s.Warmup = 36, 12, 100, 5, 1
	case "standard":
		s.Batch, s.Gradients, s.EvalEvery, s.Data = 32, 1920, 96, "mnist"
	case "paper":
		s.Batch, s.Gradients, s.EvalEvery, s.Data = 64, 9000, 360, "mnist"
	}
	return s
}

// pilotSeed is of the one run that sets the target; no comparison uses it.
const pilotSeed = 1000

// targetRule says in words what targetOf does.
const targetRule = "the mean accuracy of the two evaluations about half of the gradients of one BSP run with a seed outside the comparison, rounded down to a whole per cent"

// targetOf is the target accuracy by targetRule, from the pilot's curve.
func targetOf(curve []train.Point) (float64, error) {
	n := len(curve)
	if n < 2 {
		return 0, fmt.Errorf("compare: a target needs two evaluations, the pilot has %d", n)
	}
	mean := (curve[(n-1)/2].Accuracy + curve[(n-1)/2+1].Accuracy) / 2
	target := float64(int(100*mean+1e-9)) / 100
	if target <= 0 {
		return 0, fmt.Errorf("compare: the pilot's accuracy is %g at half of its gradients", mean)
	}
	return target, nil
}

// config is a run of m on g. Equal samples: a synchronous update uses N·b samples, an
// asynchronous one b with weight 1/N (a group of DASP K·b with 1/K), and all runs use as
// many gradients of b samples.
func (s size) config(m method, g ground, seed uint64) train.Config {
	o := options(workers)
	c := train.Config{Sync: m.Sync, Model: model, Data: s.Data, Platform: g.Platform, Workers: workers, Seed: seed,
		Batch: s.Batch, Rate: s.Rate, Launch: -1, Overhead: -1, MaxPushes: s.Gradients, EvalEvery: s.EvalEvery, EvalImages: s.Images, Options: &o}
	m.configure(&c)
	if m.Server {
		c.Clock = &train.Clock{} // the run's own network: two passes, the same bits
	}
	return c
}

// timing is the timing-only run of the same.
func (s size) timing(m method, g ground, seed uint64) train.Config {
	c := s.config(m, g, seed)
	c.TimingOnly, c.EvalEvery, c.Clock = true, -1, nil
	if !m.Async {
		c.MaxPushes, c.MaxUpdates, c.Warmup = 0, s.Timed, s.Warmup
	}
	return c
}
