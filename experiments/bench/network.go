package bench

import (
	"fmt"

	"gradsync/experiments/train"
	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
)

// Network builds a job's network. The error is that of a network that does not
// exist, or of a batch that one of its batch norms cannot take.
func Network(j Job) (*model.Model, error) {
	m, err := model.Build(model.Spec{Name: j.Model, Width: j.Width, Image: j.Image})
	if err != nil {
		return nil, err
	}
	return m, walk(m, func(s model.Step, in, _ layer.Shape) error {
		if _, norm := s.Layer.(layer.BatchNorm); norm && j.Batch == 1 && in.H == 1 && in.W == 1 {
			return fmt.Errorf("bench: --batch 1: %s, layer %s: one image of 1×1 has no variance, a batch of at least 2 has", m.Name(), s.Name)
		}
		return nil
	})
}

// walk calls visit on every layer with the shapes of its (first) input and its
// output, in forward order, until an error.
func walk(m *model.Model, visit func(s model.Step, in, out layer.Shape) error) error {
	c, h, w := m.Input()
	image, outs := layer.Shape{C: c, H: h, W: w}, []layer.Shape{}
	for i, s := range m.Steps() {
		from, in := i-1, image
		if len(s.Inputs) > 0 {
			from = s.Inputs[0]
		}
		if from >= 0 {
			in = outs[from]
		}
		out, err := s.Layer.Out(in)
		if err != nil {
			return err
		}
		if err := visit(s, in, out); err != nil {
			return err
		}
		outs = append(outs, out)
	}
	return nil
}

// Memory is about how many bytes one contender's buffers take: operands, or of a
// network weights, gradients, images and what the backward pass reads of the
// forward pass. The error is that of Network.
func (j Job) Memory() (float64, error) {
	switch j.Kind {
	case KindGemm:
		m, n, k := float64(j.M), float64(j.N), float64(j.K)
		return 4 * (m*k + k*n + m*n), nil
	case KindVec, KindCoded:
		return 4 * float64(j.Bytes), nil // four operands, or a layer, its sum and what makes them
	}
	m, err := Network(j)
	if err != nil {
		return 0, err
	}
	c, h, w := m.Input()
	image, weights := size(layer.Shape{C: c, H: h, W: w}), 0.0
	err = walk(m, func(s model.Step, _, out layer.Shape) error {
		if len(s.Layer.Params()) > 0 {
			image += size(out)
		}
		return nil
	})
	for _, l := range m.Layers() {
		weights += float64(l.Length)
	}
	return float64(j.Concurrent) * 4 * (2*weights + float64(j.Batch)*image), err
}

// size counts elements, also where an int would overflow.
func size(s layer.Shape) float64 { return float64(s.C) * float64(s.H) * float64(s.W) }

// CheckMemory refuses a job whose contenders together take more than so many
// bytes of memory; 0 is unknown and refuses nothing. All of them are alive at
// once. It counts those that are sure to run: neither libraries, which may not
// be installed, nor backends, which may not take the network.
func (j Job) CheckMemory(contenders []string, machine float64) error {
	each, err := j.Memory()
	if err != nil {
		return err
	}
	n := 0
	for _, name := range contenders {
		if _, backend := train.Backends[name]; !backend && name != PyTorch && name != OpenBLAS {
			n++
		}
	}
	n = max(n, 1)
	if need := each * float64(n); machine > 0 && need > machine {
		return fmt.Errorf("bench: the buffers of %s take some %.1f GiB, this machine has %.1f GiB: make the case smaller, or choose fewer by --engine",
			count(n, "contender"), need/(1<<30), machine/(1<<30))
	}
	return nil
}
