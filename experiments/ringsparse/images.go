package ringsparse

import (
	"fmt"

	"gradsync/datasets"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// images holds what the tasks of one network on images have in common.
type images struct {
	model      *model.Model
	engine     tensor.Engine
	engineName string
	set        *datasets.Set
	raw        bool // pixels as v/255, so that black is +0
	batch      int
}

// openImages finds the engine, the network and its data set.
func openImages(engineName, dataDir string, c decisionCase) (*images, error) {
	if engineName == "" {
		engineName = "portable"
	}
	engine, err := tensor.Lookup(engineName)
	if err != nil {
		return nil, fmt.Errorf("ringsparse: %w", err)
	}
	m, err := model.Build(model.Spec{Name: c.Model, Width: c.Width, Image: c.Image})
	if err != nil {
		return nil, fmt.Errorf("ringsparse: %w", err)
	}
	set, err := train.OpenData("", dataDir, c.Model)
	if err != nil {
		return nil, err
	}
	return &images{model: m, engine: engine, set: set, raw: c.Raw, batch: c.Batch,
		engineName: fmt.Sprintf("%s (bit class %s)", engine.Name(), engine.Class())}, nil
}

func (s *images) data() *result.Data {
	return &result.Data{Name: s.set.Name, Origin: s.set.Origin, Train: s.set.Train.Len(), Test: s.set.Test.Len(), SHA256: s.set.SHA256,
		Note: s.set.Note}
}

func (s *images) layers() []cluster.Layer {
	var out []cluster.Layer
	for _, l := range s.model.Layers() {
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length,
			Forward:  cluster.Work{FLOP: float64(s.batch) * float64(l.ForwardFLOP)},
			Backward: cluster.Work{FLOP: float64(s.batch) * float64(l.BackwardFLOP)}})
	}
	return out
}

func (s *images) start(seed uint64) []float32 {
	w := make([]float32, s.model.NumParams())
	s.model.Init(w, cluster.Stream(seed, -1, "data", "init"))
	return w
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
	c, h, w := s.model.Input()
	perm := cluster.Stream(seed, -1, "data", "decisions").Perm(s.set.Train.Len())
	return &imageTask{images: s, rank: rank, ranks: ranks, perm: perm,
		parts: s.layers(), params: append([]float32(nil), start...), grads: make([]float32, len(start)),
		space: s.model.NewWorkspace(s.engine, s.batch, 1), x: make([]float32, s.batch*c*h*w), labels: make([]uint8, s.batch)}
}

func (x *imageTask) Layers() []cluster.Layer { return x.parts }
func (x *imageTask) Params() []float32       { return x.params }
func (x *imageTask) Grads() []float32        { return x.grads }

func (x *imageTask) Grad(step int64, done func(int)) (float64, error) {
	indices := make([]int, x.batch)
	for i := range indices {
		indices[i] = x.perm[((int(step)*x.ranks+x.rank)*x.batch+i)%len(x.perm)]
		x.labels[i] = x.set.Train.Labels[indices[i]]
	}
	if err := x.fill(indices); err != nil {
		return 0, err
	}
	return x.space.Gradient(x.params, x.grads, x.x, x.labels, func(l int, _ []float32) error { done(l); return nil })
}

// fill loads images, normalised unless raw.
func (x *imageTask) fill(indices []int) error {
	c, h, w := x.model.Input()
	if !x.raw {
		return x.set.Fill(x.x, &x.set.Train, indices, c, h, w)
	}
	for i, k := range indices {
		pixels := x.set.Train.Image(k)
		if len(pixels) != c*h*w {
			return fmt.Errorf("ringsparse: raw images of %d pixels, %s takes %d", len(pixels), x.model.Name(), c*h*w)
		}
		for j, v := range pixels {
			x.x[i*len(pixels)+j] = float32(v) / 255
		}
	}
	return nil
}
