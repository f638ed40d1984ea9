package ringsparse

import (
	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// images holds what the tasks of one network on images have in common.
type images struct {
	train.Images
	batch int
}

// openImages opens what a case trains on; raw pixels are v/255, so that black is +0.
func openImages(env exp.Env, c decisionCase) (*images, error) {
	x, err := train.OpenImages(env, model.Spec{Name: c.Model, Width: c.Width, Image: c.Image})
	if c.Raw && err == nil {
		x.Set = x.Set.Unnormalised()
	}
	return &images{x, c.Batch}, err
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
	vectors
	rank, ranks int
	perm        []int
	space       *model.Workspace
	x           []float32
	labels      []uint8
}

func (s *images) task(seed uint64, rank, ranks int, start []float32) *imageTask {
	c, h, w := s.Model.Input()
	perm := cluster.Stream(seed, -1, "data", "decisions").Perm(s.Set.Train.Len())
	return &imageTask{images: s, vectors: newVectors(s.layers(), start), rank: rank, ranks: ranks, perm: perm,
		space: s.Model.NewWorkspace(s.Engine, s.batch, 1), x: make([]float32, s.batch*c*h*w), labels: make([]uint8, s.batch)}
}

func (x *imageTask) Grad(step int64, done func(int)) (float64, error) {
	indices := make([]int, x.batch)
	for i := range indices {
		indices[i] = x.perm[((int(step)*x.ranks+x.rank)*x.batch+i)%len(x.perm)]
		x.labels[i] = x.Set.Train.Labels[indices[i]]
	}
	c, h, w := x.Model.Input()
	if err := x.Set.Fill(x.x, &x.Set.Train, indices, c, h, w); err != nil {
		return 0, err
	}
	return x.space.Gradient(x.params, x.grads, x.x, x.labels, func(l int, _ []float32) error { done(l); return nil })
}
