package bench

import "gradsync/shared/tensor/model"

// Network builds a job's network.
func Network(j Job) (*model.Model, error) {
	return model.Build(model.Spec{Name: j.Model, Width: j.Width, Image: j.Image})
}
