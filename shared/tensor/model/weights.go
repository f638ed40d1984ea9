package model

import (
	"fmt"
	"slices"

	"gradsync/shared/tensor/safetensors"
)

// Tensors names the pieces of a vector of NumParams values (parameters or
// gradients) as PyTorch does. They alias v.
//
// Source: ours: --save and --load
func (m *Model) Tensors(v []float32) []safetensors.Tensor {
	tensors := make([]safetensors.Tensor, 0, len(m.params))
	for _, p := range m.params {
		tensors = append(tensors, safetensors.Tensor{Name: p.Name, Shape: p.Shape, Data: v[p.Offset : p.Offset+p.Length]})
	}
	return tensors
}

// SetTensors copies named tensors, in any order, into a vector of NumParams
// values. It fails, and leaves v as it was, unless exactly the network's names
// are there with the network's shapes.
//
// Source: ours: --save and --load
func (m *Model) SetTensors(v []float32, tensors []safetensors.Tensor) error {
	if len(v) != m.length {
		return fmt.Errorf("model: %s has %d parameters, the buffer %d", m.name, m.length, len(v))
	}
	byName := map[string]safetensors.Tensor{}
	for _, t := range tensors {
		byName[t.Name] = t
	}
	if len(tensors) != len(m.params) || len(byName) != len(tensors) {
		return fmt.Errorf("model: %s has %d tensors, the file %d", m.name, len(m.params), len(tensors))
	}
	for _, p := range m.params {
		t, ok := byName[p.Name]
		if !ok || !slices.Equal(t.Shape, p.Shape) || len(t.Data) != p.Length {
			return fmt.Errorf("model: %s needs %s of shape %v, the file has shape %v", m.name, p.Name, p.Shape, t.Shape)
		}
	}
	for _, p := range m.params {
		copy(v[p.Offset:], byName[p.Name].Data)
	}
	return nil
}
