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
func (m *Model) Tensors(v []float32) []safetensors.Tensor { return named(m.params, v) }

// StatTensors names the pieces of a vector of NumStats running statistics as
// PyTorch does. They alias v. With Tensors they are the network's state dict, but
// for num_batches_tracked, which nothing here reads.
//
// Source: ours: --save and --load
func (m *Model) StatTensors(v []float32) []safetensors.Tensor { return named(m.stats, v) }

func named(list []Param, v []float32) []safetensors.Tensor {
	tensors := make([]safetensors.Tensor, 0, len(list))
	for _, p := range list {
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
	return m.SetState(v, nil, tensors)
}

// SetState sets parameters and running statistics together, as SetTensors does; nil
// statistics must not be among the tensors.
//
// Source: ours: --save and --load
func (m *Model) SetState(params, stats []float32, tensors []safetensors.Tensor) error {
	if len(params) != m.length {
		return fmt.Errorf("model: %s has %d parameters, the buffer %d", m.name, m.length, len(params))
	}
	want := slices.Clone(m.params)
	if stats != nil {
		if len(stats) != m.nstats {
			return fmt.Errorf("model: %s has %d statistics, the buffer %d", m.name, m.nstats, len(stats))
		}
		want = append(want, m.stats...)
	}
	byName := map[string]safetensors.Tensor{}
	for _, t := range tensors {
		byName[t.Name] = t
	}
	if len(tensors) != len(want) || len(byName) != len(tensors) {
		return fmt.Errorf("model: %s has %d tensors, the file %d", m.name, len(want), len(tensors))
	}
	for _, p := range want {
		t, ok := byName[p.Name]
		if !ok || !slices.Equal(t.Shape, p.Shape) || len(t.Data) != p.Length {
			return fmt.Errorf("model: %s needs %s of shape %v, the file has shape %v", m.name, p.Name, p.Shape, t.Shape)
		}
	}
	for i, p := range want {
		v := params
		if i >= len(m.params) {
			v = stats
		}
		copy(v[p.Offset:], byName[p.Name].Data)
	}
	return nil
}
