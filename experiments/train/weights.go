package train

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
)

// SaveParams writes v, parameters or gradients of m, as a safetensors file with
// PyTorch's names and layouts.
func SaveParams(path string, m *model.Model, v []float32) error { return SaveState(path, m, v, nil) }

// SaveState writes parameters and, unless nil, the running statistics of the
// batch norms: a state dict that PyTorch loads with strict=True. It lacks
// num_batches_tracked, which is an integer that nothing reads at PyTorch's
// default momentum and that PyTorch fills in.
func SaveState(path string, m *model.Model, params, stats []float32) error {
	tensors := m.Tensors(params)
	if stats != nil {
		tensors = append(tensors, m.StatTensors(stats)...)
	}
	if err := safetensors.Write(path, safetensors.File{Tensors: tensors}); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// LoadState reads what SaveParams, SaveState, or PyTorch with the same modules,
// wrote. With stats nil running statistics may be in the file and are not
// wanted; else they must be there.
func LoadState(path string, m *model.Model, params, stats []float32) error {
	f, err := safetensors.Read(path)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	tensors := slices.DeleteFunc(f.Tensors, func(t safetensors.Tensor) bool { return strings.HasSuffix(t.Name, ".num_batches_tracked") })
	given := slices.ContainsFunc(tensors, func(t safetensors.Tensor) bool { return strings.HasSuffix(t.Name, ".running_mean") })
	switch {
	case stats != nil && m.NumStats() > 0 && !given:
		return fmt.Errorf("train: %s: no running statistics of the batch norms", path)
	case stats == nil && given:
		stats = make([]float32, m.NumStats())
	}
	if err := m.SetState(params, stats, tensors); err != nil {
		return fmt.Errorf("train: %s: %w", path, err)
	}
	return nil
}
