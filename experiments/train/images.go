package train

import (
	"cmp"
	"fmt"

	"gradsync/datasets"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// Images hold a network, the engine that computes its gradients, and its images, for an
// experiment that trains step by step by itself.
type Images struct {
	Model  *model.Model
	Engine tensor.Engine
	Made   string // the engine's name and its bit class
	Set    *datasets.Set
}

// OpenImages finds the engine of env, builds the network and opens what the documents train
// it on.
func OpenImages(env exp.Env, spec model.Spec) (x Images, err error) {
	if x.Engine, err = tensor.Lookup(cmp.Or(env.Engine, "portable")); err != nil {
		return x, fmt.Errorf("train: %w", err)
	}
	if x.Model, err = model.Build(spec); err != nil {
		return x, fmt.Errorf("train: %w", err)
	}
	x.Made = fmt.Sprintf("%s (bit class %s)", x.Engine.Name(), x.Engine.Class())
	x.Set, err = OpenData("", env.DataDir, spec.Name)
	return x, err
}

// Data describes the images as they are, before a network's form.
func (x Images) Data() *result.Data {
	return &result.Data{Name: x.Set.Name, Origin: x.Set.Origin, Train: x.Set.Train.Len(), Test: x.Set.Test.Len(), SHA256: x.Set.SHA256, Note: x.Set.Note}
}

// Start draws the first parameters.
func (x Images) Start(seed uint64) []float32 {
	w := make([]float32, x.Model.NumParams())
	x.Model.Init(w, cluster.Stream(seed, -1, "data", "init"))
	return w
}
