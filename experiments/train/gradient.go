package train

import (
	"fmt"

	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// GradConfig asks for one gradient.
type GradConfig struct {
	Name            string // of the model
	Load            string // safetensors; "": fresh parameters of Seed
	Seed            uint64
	Data, DataDir   string
	Engine, Backend string
	From, To        int // training images From … To−1, in the set's order
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
func Gradient(g GradConfig) (*Grad, error) {
	m, err := model.New(g.Name)
	if err != nil {
		return nil, input(err)
	}
	n := g.To - g.From
	if n < 1 || n > 1<<16 {
		return nil, input(fmt.Errorf("train: a gradient of %d images, want 1 to 65,536", n))
	}
	c := Config{Model: g.Name, Data: g.Data, DataDir: g.DataDir, Engine: g.Engine, Backend: g.Backend, Batch: n, Threads: 1}
	set(&c.Engine, "portable")
	set(&c.Backend, "native")
	s, err := openShared(c, m)
	if err != nil {
		return nil, err
	}
	if all := s.set.Train.Len(); g.To > all {
		return nil, input(fmt.Errorf("train: images %d to %d, %s has %d", g.From, g.To-1, s.set.Name, all))
	}
	params := make([]float32, m.NumParams())
	m.Init(params, cluster.Stream(g.Seed, -1, "data", "init"))
	if g.Load != "" {
		if err := LoadParams(g.Load, m, params); err != nil {
			return nil, err
		}
	}
	w, err := s.pool.borrow()
	if err != nil {
		return nil, err
	}
	indices := make([]int, n)
	for i := range indices {
		indices[i] = g.From + i
	}
	if err := w.fill(s.set, &s.set.Train, indices); err != nil {
		return nil, err
	}
	out := &Grad{Model: m, Grads: make([]float32, m.NumParams()), ParamsSHA256: ParamsHash(params), Data: dataOf(s.set, m), Engine: s.engine}
	out.Loss, err = w.stepper.Gradient(params, out.Grads, w.x, w.labels, nil)
	return out, err
}
