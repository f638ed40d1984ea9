package ringsparse

import (
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// images holds what the tasks of one network on images have in common.
type images struct {
	train.Images
	raw   bool // pixels as v/255, so that black is +0
	batch int
}

func openImages(env exp.Env, c decisionCase) (*images, error) {
	x, err := train.OpenImages(env, model.Spec{Name: c.Model, Width: c.Width, Image: c.Image})
	return &images{x, c.Raw, c.Batch}, err
}

func (s *images) layers() []cluster.Layer {
	var out []cluster.Layer
	for _, l := range s.Model.Layers() {
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length,
			Forward:  cluster.Work{FLOP: float64(s.batch) * float64(l.ForwardFLOP)},
			Backward: cluster.Work{FLOP: float64(s.batch) * float64(l.BackwardFLOP)}})
	}
	return out
}

// imageTask trains one rank on its own images: piece `rank` of every global batch, the
// pieces of one permutation that the seed fixes.
type imageTask struct {
	*images
	rank, ranks   int
	perm          []int
	parts         []cluster.Layer
	params, grads []float32
	space         *model.Workspace
	x             []float32
	labels        []uint8
}

func (s *images) task(seed uint64, rank, ranks int, start []float32) *imageTask {
	c, h, w := s.Model.Input()
	perm := cluster.Stream(seed, -1, "data", "decisions").Perm(s.Set.Train.Len())
	return &imageTask{images: s, rank: rank, ranks: ranks, perm: perm,
		parts: s.layers(), params: append([]float32(nil), start...), grads: make([]float32, len(start)),
		space: s.Model.NewWorkspace(s.Engine, s.batch, 1), x: make([]float32, s.batch*c*h*w), labels: make([]uint8, s.batch)}
}

func (x *imageTask) Layers() []cluster.Layer { return x.parts }
func (x *imageTask) Params() []float32       { return x.params }
func (x *imageTask) Grads() []float32        { return x.grads }

func (x *imageTask) Grad(step int64, done func(int)) (float64, error) {
	indices := make([]int, x.batch)
	for i := range indices {
		indices[i] = x.perm[((int(step)*x.ranks+x.rank)*x.batch+i)%len(x.perm)]
		x.labels[i] = x.Set.Train.Labels[indices[i]]
	}
	if err := x.fill(indices); err != nil {
		return 0, err
	}
	return x.space.Gradient(x.params, x.grads, x.x, x.labels, func(l int, _ []float32) error { done(l); return nil })
}

// fill loads images, normalised unless raw.
func (x *imageTask) fill(indices []int) error {
	c, h, w := x.Model.Input()
	if !x.raw {
		return x.Set.Fill(x.x, &x.Set.Train, indices, c, h, w)
	}
	for i, k := range indices {
		pixels := x.Set.Train.Image(k)
		if len(pixels) != c*h*w {
			return fmt.Errorf("ringsparse: raw images of %d pixels, %s takes %d", len(pixels), x.Model.Name(), c*h*w)
		}
		for j, v := range pixels {
			x.x[i*len(pixels)+j] = float32(v) / 255
		}
	}
	return nil
}
