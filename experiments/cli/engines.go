package cli

import (
	"gradsync/experiments/train"
	_ "gradsync/shared/tensor/engine/portable" // engines register themselves; only the command line knows which there are
	"gradsync/shared/tensor/gorgonia"
	"gradsync/shared/tensor/model"
)

func init() {
	train.Backends["gorgonia"] = func(m *model.Model, batch int) (model.Stepper, error) {
		return gorgonia.NewStepper(m, batch)
	}
}
