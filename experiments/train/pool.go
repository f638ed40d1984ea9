package train

import (
	"fmt"

	"gradsync/datasets"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// shared is what the tasks of all ranks have in common.
type shared struct {
	model  *model.Model
	layers []cluster.Layer
	set    *datasets.Set
	batch  int
	engine string // what computes, and its bit class
	pool   *pool  // mini-batches
	eval   *pool  // test batches
}

// workspace is a stepper with its input buffers.
type workspace struct {
	stepper model.Stepper
	c, h, w int
	x       []float32
	labels  []uint8
}

// fill loads the images of indices.
func (w *workspace) fill(set *datasets.Set, split *datasets.Split, indices []int) error {
	n := len(indices) * w.c * w.h * w.w
	if n > cap(w.x) || len(indices) > cap(w.labels) {
		return fmt.Errorf("train: %d images in a workspace for %d", len(indices), cap(w.labels))
	}
	w.x, w.labels = w.x[:n], w.labels[:len(indices)]
	for i, k := range indices {
		w.labels[i] = split.Labels[k]
	}
	return set.Fill(w.x, split, indices, w.c, w.h, w.w)
}

// pool lends workspaces: as many exist as were ever borrowed at once, which is
// about one per core, not one per rank. A workspace carries nothing from one
// borrower to the next but memory.
type pool struct {
	idle chan *workspace
	make func() (*workspace, error)
}

// maxIdle bounds the workspaces kept; more are left to the collector.
const maxIdle = 64

func newPool(m *model.Model, batch int, stepper func(batch int) (model.Stepper, error)) *pool {
	c, h, w := m.Input()
	return &pool{idle: make(chan *workspace, maxIdle), make: func() (*workspace, error) {
		s, err := stepper(batch)
		if err != nil {
			return nil, err
		}
		return &workspace{stepper: s, c: c, h: h, w: w,
			x: make([]float32, batch*c*h*w), labels: make([]uint8, batch)}, nil
	}}
}

func (p *pool) borrow() (*workspace, error) {
	select {
	case w := <-p.idle:
		return w, nil
	default:
		return p.make()
	}
}

func (p *pool) giveBack(w *workspace) {
	select {
	case p.idle <- w:
	default:
	}
}
