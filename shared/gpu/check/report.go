package check

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// Report is all that a machine with a GPU tells of it, a file of JSON.
type Report struct {
	Version   string    `json:"version"` // gradsync's
	Date      string    `json:"date"`    // day, UTC
	Platform  string    `json:"platform"`
	Cards     []string  `json:"cards"`     // a line each; the first one is checked
	Libraries []string  `json:"libraries"` // found, or why not
	Kernels   []Outcome `json:"kernels"`
	LeNet5    Outcome   `json:"lenet5"`
	Sum       *Outcome  `json:"sum,omitempty"` // over two cards
	NoSum     string    `json:"no_sum,omitempty"`
	Steps     []Step    `json:"steps,omitempty"`
	NoPyTorch string    `json:"no_pytorch,omitempty"`
	Right     bool      `json:"right"` // by Judge
}

// Step is a training step of a network at batch 64 on the card, in milliseconds, the median of several.
type Step struct {
	Model   string  `json:"model"`
	Ours    float64 `json:"gradsync_ms"`
	PyTorch float64 `json:"pytorch_ms,omitempty"`
}

// Judge sets Right: whether every bit and sum is right; speed is not judged.
func (r *Report) Judge() {
	wrong := func(o Outcome) bool { return !o.OK() }
	r.Right = len(r.Kernels) > 0 && !slices.ContainsFunc(r.Kernels, wrong) && r.LeNet5.OK() && (r.Sum == nil || r.Sum.OK())
}

// TimeStep returns the median time of a training step of a network on an engine, after one that is not timed: at least
// three, and no more than fit into patience.
func TimeStep(e tensor.Engine, name string, batch int, patience time.Duration) (median time.Duration, err error) {
	m, err := model.Build(model.Spec{Name: name})
	if err != nil {
		return 0, err
	}
	r := rand.New(rand.NewPCG(5, 6))
	params, grads := make([]float32, m.NumParams()), make([]float32, m.NumParams())
	m.Init(params, r)
	c, h, w := m.Input()
	x, labels := make([]float32, batch*c*h*w), make([]uint8, batch)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	space := m.NewWorkspace(e, batch, 1)
	defer func() { err = errors.Join(err, space.Close()) }()
	if stats := make([]float32, m.NumStats()); len(stats) > 0 {
		m.InitStats(stats)
		space.SetStats(stats)
	}
	sgd := optim.SGD{Rate: 1e-4}
	var all []time.Duration
	for begun := time.Now(); len(all) < 4 || time.Since(begun) < patience; {
		start := time.Now()
		if _, err := space.Gradient(params, grads, x, labels, nil); err != nil {
			return 0, err
		}
		sgd.Step(params, grads)
		all = append(all, time.Since(start))
	}
	all = all[1:]
	slices.Sort(all)
	return all[len(all)/2], nil
}
