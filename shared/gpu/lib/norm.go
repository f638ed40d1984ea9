package lib

import (
	"unsafe"

	"gradsync/shared/tensor"
)

type normKey struct{ n, c, hw int }

// Norm is a batch norm's shape.
//
// Source: ours: cudnnBatchNormalization…, spatial
type Norm struct {
	layers *Layers
	x, p   uintptr // images, and a channel's parameters
}

// HasNorms says whether this build can call cuDNN's batch norms: they take doubles.
const HasNorms = hasDoubles

// Norm returns a shape's, made at the first time.
func (l *Layers) Norm(g tensor.Norm) (*Norm, error) {
	key := normKey{g.N, g.C, g.HW}
	if n := l.norms[key]; n != nil {
		return n, nil
	}
	n := &Norm{layers: l}
	var err error
	if n.x, err = l.tensor(g.N, g.C, g.HW, 1); err != nil {
		return nil, err
	}
	if n.p, err = l.tensor(1, g.C, 1, 1); err != nil {
		return nil, err
	}
	l.norms[key] = n
	return n, nil
}

// Forward queues y and, of each channel, the mean, 1/√(variance + eps) and the unbiased
// variance; unbiased and spare, which is scratch memory of as many values, must hold numbers.
func (n *Norm) Forward(eps float32, x, scale, shift, y, mean, inverse, unbiased, spare unsafe.Pointer) error {
	l := n.layers
	// cuDNN moves running statistics by a factor, of 1 here: so they are the batch's.
	return l.doubled(dnnNormForward, 1, float64(eps), l.handle(), normSpatial, address(&l.one), address(&l.zero), n.x, uintptr(x), n.x, uintptr(y),
		n.p, uintptr(scale), uintptr(shift), uintptr(spare), uintptr(unbiased), uintptr(mean), uintptr(inverse))
}

// Backward queues dx, dscale and dshift; dx must not be dy.
func (n *Norm) Backward(eps float32, x, dy, scale, mean, inverse, dx, dscale, dshift unsafe.Pointer) error {
	l := n.layers
	return l.doubled(dnnNormBackward, float64(eps), 0, l.handle(), normSpatial, address(&l.one), address(&l.zero), address(&l.one), address(&l.zero),
		n.x, uintptr(x), n.x, uintptr(dy), n.x, uintptr(dx), n.p, uintptr(scale), uintptr(dscale), uintptr(dshift), uintptr(mean), uintptr(inverse))
}
