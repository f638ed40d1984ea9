package lib

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"gradsync/shared/tensor"
)

// algorithms is how many cuDNN is asked for at most.
const algorithms = 10

// algorithmInfo is cudnnConvolutionFwdAlgoPerf_t, and its two siblings.
type algorithmInfo struct {
	algorithm, status int32
	_                 float32 // time
	_                 uint64  // memory
	determinism       int32
	math              int32 // its kind of arithmetic
	_                 [3]int32
}

// pass is a direction of a convolution.
type pass int

const (
	forward pass = iota
	backwardData
	backwardFilter
	passes
)

// calls are the functions of each pass.
var calls = [passes]struct{ list, room, run int }{
	{dnnForwardList, dnnForwardRoom, dnnForward}, {dnnDataList, dnnDataRoom, dnnData}, {dnnFilterList, dnnFilterRoom, dnnFilterGradient},
}

// transforms are the algorithms by Fourier's or Winograd's transform. An output's error is
// that of the tile around it, and a NaN is in all of the tile: the contract of engines
// allows neither. They are left out, at a price: PyTorch may use them, and for windows of
// 3×3 Winograd's needs fewer products.
var transforms = [passes][4]int32{forward: {4, 5, 6, 7}, backwardData: {2, 3, 4, 5}, backwardFilter: {2, 4, 5, 6}}

type convKey tensor.Conv

// Conv is a convolution's shape: descriptors, and for each pass the algorithm that cuDNN's
// heuristics put first among those that give the same bits each time, keep to the limit and
// to the kind of arithmetic, transform nothing, and were not refused when they were to run.
//
// Source: ours: cudnnGetConvolution…Algorithm_v7
type Conv struct {
	layers     *Layers
	x, w, y, c uintptr
	chosen     [passes]choice
}

// choice is the algorithms of a pass that may be taken, the best first.
type choice struct {
	known bool
	list  [algorithms]struct {
		algorithm int32
		room      int
	}
	n, at int // how many, and which is the first that was not refused
}

// Conv returns a shape's, made at the first time.
func (l *Layers) Conv(g tensor.Conv) (*Conv, error) {
	if c := l.convs[convKey(g)]; c != nil {
		return c, nil
	}
	if n := max(g.N*g.InC*g.H*g.W, g.N*g.OutC*g.OutH()*g.OutW(), g.OutC*g.Taps()); n > math.MaxInt32 {
		return nil, fmt.Errorf("gpu: a convolution with a tensor of %d values: at most 2147483647 are possible", n)
	}
	c := &Conv{layers: l}
	var err error
	if c.x, err = l.tensor(g.N, g.InC, g.H, g.W); err != nil {
		return nil, err
	}
	if c.y, err = l.tensor(g.N, g.OutC, g.OutH(), g.OutW()); err != nil {
		return nil, err
	}
	if c.w, err = l.create(dnnFilter, dnnDestroyFilter); err != nil {
		return nil, err
	}
	if err = l.do(dnnSetFilter, l.set(c.w, typeFloat, layoutNCHW, uintptr(g.OutC), uintptr(g.InC), uintptr(g.KH), uintptr(g.KW))); err != nil {
		return nil, err
	}
	if c.c, err = l.create(dnnConv, dnnDestroyConv); err != nil {
		return nil, err
	}
	pad, stride := uintptr(g.Pad), uintptr(g.Stride)
	if err = l.do(dnnSetConv, l.set(c.c, pad, pad, stride, stride, 1, 1, crossCorrelation, typeFloat)); err != nil {
		return nil, err
	}
	if err = l.do(dnnSetMath, l.set(c.c, l.math)); err != nil {
		return nil, err
	}
	d := &l.dims
	if err = l.do(dnnOutput, l.set(c.c, c.x, c.w, address(&d[0]), address(&d[1]), address(&d[2]), address(&d[3]))); err != nil {
		return nil, err
	}
	if want := [4]int32{int32(g.N), int32(g.OutC), int32(g.OutH()), int32(g.OutW())}; *d != want {
		return nil, fmt.Errorf("gpu: cuDNN %s makes %v of a convolution whose output is %v", l.lib.Version(), *d, want)
	}
	l.convs[convKey(g)] = c
	return c, nil
}

// ends returns a pass's descriptors in the order of its calls: two inputs and the output,
// with the convolution's before the last.
func (c *Conv) ends(p pass) (a, b, out uintptr) {
	switch p {
	case forward:
		return c.x, c.w, c.y
	case backwardData:
		return c.w, c.y, c.x
	}
	return c.x, c.y, c.w
}

// room returns how many bytes of scratch memory a pass needs; ok is false if cuDNN has no
// algorithm that will do, or none that it did not refuse.
func (c *Conv) room(p pass) (bytes int, ok bool, err error) {
	at := &c.chosen[p]
	if !at.known {
		if err := c.choose(p); err != nil {
			return 0, false, err
		}
	}
	if at.at == at.n {
		return 0, false, nil
	}
	return at.list[at.at].room, true, nil
}

// choose asks cuDNN for a pass's algorithms.
func (c *Conv) choose(p pass) error {
	l, at := c.layers, &c.chosen[p]
	a, b, out := c.ends(p)
	l.out[0], at.n = 0, 0
	if err := l.do(calls[p].list, l.set(l.handle(), a, b, c.c, out, algorithms, address(&l.out), address(&l.list[0]))); err != nil {
		return err
	}
	n := min(int(uint32(l.out[0])), algorithms)
	// Those of our descriptors' arithmetic first: how fast others are is not said.
	for _, ours := range [...]bool{true, false} {
		for _, info := range l.list[:n] {
			if (uintptr(info.math) == l.math) != ours || !takes(p, &info) || at.has(info.algorithm) {
				continue
			}
			// The list's memory is that of its own kind of arithmetic, which may not be ours.
			l.out[0] = 0
			err := l.do(calls[p].room, l.set(l.handle(), a, b, c.c, out, uintptr(info.algorithm), address(&l.out)))
			if err != nil && !unfit(err) {
				return err
			}
			if err == nil && l.out[0] <= uint64(l.limit) {
				at.list[at.n].algorithm, at.list[at.n].room = info.algorithm, int(l.out[0])
				at.n++
			}
		}
	}
	at.known = true
	return nil
}

// has says whether an algorithm is among those that may be taken.
func (at *choice) has(algorithm int32) bool {
	for _, other := range at.list[:at.n] {
		if other.algorithm == algorithm {
			return true
		}
	}
	return false
}

// takes says whether an algorithm of cuDNN's list will do for a pass. Those for tensor cores
// alone do not run with our descriptors, which ask for other arithmetic.
func takes(p pass, info *algorithmInfo) bool {
	return info.status == 0 && info.determinism == deterministic && (info.math == mathDefault || info.math == mathFull) &&
		!slices.Contains(transforms[p][:], info.algorithm)
}

// unfit says that an error means no more than that an algorithm cannot do a shape:
// CUDNN_STATUS_BAD_PARAM…, CUDNN_STATUS_NOT_SUPPORTED….
func unfit(err error) bool {
	if err == nil {
		return false // and nothing was allocated
	}
	var e *Error
	return errors.As(err, &e) && e.Code >= 2000 && e.Code < 4000
}

// ForwardRoom returns how many bytes of scratch memory Forward needs; ok is false if cuDNN
// has none that may be taken.
func (c *Conv) ForwardRoom() (bytes int, ok bool, err error) { return c.room(forward) }

// BackwardDataRoom does ForwardRoom for BackwardData.
func (c *Conv) BackwardDataRoom() (bytes int, ok bool, err error) { return c.room(backwardData) }

// BackwardFilterRoom does ForwardRoom for BackwardFilter.
func (c *Conv) BackwardFilterRoom() (bytes int, ok bool, err error) { return c.room(backwardFilter) }

// run queues a pass from two inputs to its output. ok is false, and no more was done, if
// cuDNN refused the algorithm, which it may do though it named it: then the next one's room
// is to be asked for.
func (c *Conv) run(p pass, first, second, scratch, to unsafe.Pointer) (ok bool, err error) {
	l, at := c.layers, &c.chosen[p]
	a, b, out := c.ends(p)
	with := &at.list[at.at]
	err = l.do(calls[p].run, l.set(l.handle(), address(&l.one), a, uintptr(first), b, uintptr(second), c.c, uintptr(with.algorithm),
		uintptr(scratch), uintptr(with.room), address(&l.zero), out, uintptr(to)))
	if unfit(err) {
		at.at++
		return false, nil
	}
	return err == nil, err
}

// Forward queues y = x ∗ w; scratch holds ForwardRoom bytes. Where ok is false without an
// error, ForwardRoom has another answer now.
func (c *Conv) Forward(x, w, scratch, y unsafe.Pointer) (ok bool, err error) {
	return c.run(forward, x, w, scratch, y)
}

// BackwardData queues dx from dy; see Forward.
func (c *Conv) BackwardData(dy, w, scratch, dx unsafe.Pointer) (ok bool, err error) {
	return c.run(backwardData, w, dy, scratch, dx)
}

// BackwardFilter queues dw from x and dy; see Forward.
func (c *Conv) BackwardFilter(x, dy, scratch, dw unsafe.Pointer) (ok bool, err error) {
	return c.run(backwardFilter, x, dy, scratch, dw)
}
