package train

import (
	"fmt"

	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
)

// SaveParams writes v, parameters or gradients of m, as a safetensors file with
// PyTorch's names and layouts.
func SaveParams(path string, m *model.Model, v []float32) error {
	if err := safetensors.Write(path, safetensors.File{Tensors: m.Tensors(v)}); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// LoadParams reads what SaveParams, or PyTorch with the same modules, wrote.
func LoadParams(path string, m *model.Model, v []float32) error {
	f, err := safetensors.Read(path)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if err := m.SetTensors(v, f.Tensors); err != nil {
		return fmt.Errorf("train: %s: %w", path, err)
	}
	return nil
}
