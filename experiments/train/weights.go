package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
)

// SaveParams writes v, parameters or gradients of m, as a safetensors file with
// PyTorch's names and layouts.
func SaveParams(path string, m *model.Model, v []float32) error {
	return write(path, safetensors.File{Tensors: m.Tensors(v)})
}

// SaveState writes params and, unless nil, stats, the running statistics of the batch norms: a state
// dict that PyTorch loads with strict=True. It lacks the integer num_batches_tracked, which PyTorch
// fills in and, at its default momentum, never reads. The metadata name the network; width is
// Config.Width.
func SaveState(path string, m *model.Model, width float64, params, stats []float32) error {
	tensors := m.Tensors(params)
	if stats != nil {
		tensors = append(tensors, m.StatTensors(stats)...)
	}
	return write(path, safetensors.File{Tensors: tensors, Metadata: metadata(m, width)})
}

func write(path string, f safetensors.File) error {
	if err := safetensors.Write(path, f); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// metadata names the network that parameters belong to. The side of the images is in no tensor's
// shape, and parameters of another side load and are worth little.
func metadata(m *model.Model, width float64) map[string]string {
	if width == 0 {
		width = 1
	}
	_, side, _ := m.Input()
	return map[string]string{"model": m.Name(), "width": strconv.FormatFloat(width, 'g', -1, 64), "image": strconv.Itoa(side)}
}

// checkMetadata refuses a file that says to be of another network. A file that
// does not say, of PyTorch or of gradients, passes.
func checkMetadata(path string, got, want map[string]string) error {
	for k := range want {
		if _, ok := got[k]; !ok {
			return nil
		}
	}
	name := func(m map[string]string) string {
		return fmt.Sprintf("%s of width %s on %s×%s images", m["model"], m["width"], m["image"], m["image"])
	}
	if a, b := name(got), name(want); a != b {
		return input(fmt.Errorf("train: %s holds %s, not %s", path, a, b))
	}
	return nil
}

// LoadState reads a file of SaveParams, of SaveState, or of PyTorch with the same modules, into
// params and stats. With stats nil it ignores running statistics; else the file must have them. A
// file whose metadata name another network, width or side is an InputError.
func LoadState(path string, m *model.Model, width float64, params, stats []float32) error {
	f, err := safetensors.Read(path)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if err := checkMetadata(path, f.Metadata, metadata(m, width)); err != nil {
		return err
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
