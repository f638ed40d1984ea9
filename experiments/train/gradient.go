package train

import (
	"fmt"

	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// GradConfig describes one gradient to compute.
type GradConfig struct {
	Name            string // of the model
	Width           float64
	Image           int
	Load            string // safetensors; "": fresh parameters of Seed
	Seed            uint64
	Data, DataDir   string
	Engine, Backend string
	From, To        int // training images From … To−1, in the set's order
	// EvalMode lets batch norms normalise by the running statistics that Load
	// holds, fresh ones without it, as PyTorch does after model.eval().
	EvalMode bool
}

// Grad is the gradient of a mean loss.
type Grad struct {
	Model        *model.Model
	Grads        []float32
	Loss         float64
	ParamsSHA256 string
	Data         *result.Data
	Engine       string
}

// Gradient computes the mean-loss gradient of training images From … To−1.
func Gradient(g GradConfig) (out *Grad, err error) {
	n := g.To - g.From
	if n < 1 || n > 1<<16 {
		return nil, input(fmt.Errorf("train: a gradient of %d images, want 1 to 65,536", n))
	}
	c := Config{Model: g.Name, Width: g.Width, Image: g.Image, Data: g.Data, DataDir: g.DataDir, Engine: g.Engine, Backend: g.Backend, Batch: n, Threads: 1}
	set(&c.Engine, "portable")
	set(&c.Backend, "native")
	if err := c.Follow(); err != nil {
		return nil, err
	}
	m, err := c.network()
	if err != nil {
		return nil, input(err)
	}
	s, err := openShared(c, m)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := s.close(); err == nil {
			err = e
		}
	}()
	if all := s.set.Train.Len(); g.To > all {
		return nil, input(fmt.Errorf("train: images %d to %d, %s has %d", g.From, g.To-1, s.set.Name, all))
	}
	if !g.EvalMode {
		if err := s.checkBatch(); err != nil {
			return nil, input(err)
		}
	}
	params := make([]float32, m.NumParams())
	m.Init(params, cluster.Stream(g.Seed, -1, "data", "init"))
	var stats []float32
	if g.EvalMode {
		stats = make([]float32, m.NumStats())
		m.InitStats(stats)
	}
	if g.Load != "" {
		if err := LoadState(g.Load, m, c.Width, params, stats); err != nil {
			return nil, err
		}
	}
	w, err := s.pool.borrow()
	if err != nil {
		return nil, err
	}
	defer s.pool.giveBack(w)
	indices := make([]int, n)
	for i := range indices {
		indices[i] = g.From + i
	}
	if err := w.fill(s.set, &s.set.Train, indices); err != nil {
		return nil, err
	}
	out = &Grad{Model: m, Grads: make([]float32, m.NumParams()), ParamsSHA256: ParamsHash(params), Data: dataOf(s.set, m), Engine: s.engine}
	if g.EvalMode && m.NumStats() > 0 { // without batch norms both modes are one
		norms := w.stepper.(normed) // openShared has looked
		norms.SetStats(stats)
		out.Loss, err = norms.InferenceGradient(params, out.Grads, w.x, w.labels)
	} else {
		out.Loss, err = w.stepper.Gradient(params, out.Grads, w.x, w.labels, nil)
	}
	return out, err
}
