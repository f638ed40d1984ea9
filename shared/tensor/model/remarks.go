package model

import (
	"fmt"

	"gradsync/shared/tensor/layer"
)

// Remarks says, a line each, which max-pools pass a map of 1×1 through, where
// PyTorch's refuse it; nil where none does.
//
// Source: ours: what a network made for larger images does on small ones
func (m *Model) Remarks() []string {
	shapes := make([]layer.Shape, len(m.steps))
	var remarks []string
	for i, s := range m.steps {
		from, in := i-1, m.input
		if s.Inputs != nil {
			from = s.Inputs[0]
		}
		if from >= 0 {
			in = shapes[from]
		}
		shapes[i], _ = s.Layer.Out(in) // build has asked it, and refused an error
		pool, ok := s.Layer.(layer.MaxPool)
		if !ok || in.H > 1 || in.W > 1 {
			continue
		}
		remarks = append(remarks, fmt.Sprintf("%s at %d×%d: a %d×%[4]d max-pool (layer %d of %d) meets a 1×1 map and passes it through",
			m.name, m.input.H, m.input.W, pool.Size, i+1, len(m.steps)))
	}
	return remarks
}
