package engine

import (
	"errors"
	"fmt"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
)

// Libraries is an Engine that leaves products to cuBLAS, and convolutions and batch norms to
// cuDNN; what is not there our own kernels do. They also keep to themselves what a library
// would not do better: pools, for cuDNN tells no max-pool's choice, which the contract
// wants, and its average pool's gradient asks for buffers that no call has; passes that read
// and write each value once; the loss.
//
// Source: ours: tensor.Device by NVIDIA's libraries
type Libraries struct {
	*Engine
	host       driver.Host
	set        *lib.Set
	tf32       bool
	capability int // the device's major one
	class      string
}

var _ tensor.Device = (*Libraries)(nil)

// WithLibraries loads the kernels on a device, which stays the caller's, to work beside the
// libraries of a set. With tf32 these round the factors of products to TF32, 10 bits of
// fraction. Errors: no library, a device or driver that cannot do it, the driver's.
//
// Source: ours: see Libraries
func WithLibraries(d driver.Driver, s *lib.Set, tf32 bool) (*Libraries, error) {
	host, ok := d.(driver.Host)
	switch {
	case !ok:
		return nil, errors.New("gpu: NVIDIA's libraries work beside NVIDIA's driver alone")
	case s == nil || s.BLAS == nil && s.DNN == nil:
		return nil, errors.New("gpu: there is neither cuBLAS nor cuDNN")
	}
	info := d.Info()
	if tf32 && info.Capability[0] < 8 {
		return nil, fmt.Errorf("gpu: TF32 needs compute capability 8.0 or newer; %s has %d.%d", info.Name, info.Capability[0], info.Capability[1])
	}
	e, err := New(d)
	if err != nil {
		return nil, err
	}
	class := "cuda-lib/" + info.Name + "/" + s.Versions()
	if tf32 {
		class += "/tf32"
	}
	return &Libraries{e, host, s, tf32, info.Capability[0], class}, nil
}

// Class names the card and the libraries' versions: another of either may give other bits.
func (e *Libraries) Class() string { return e.class }

// convolutionRoom is how many bytes of scratch memory a convolution may take.
const convolutionRoom = 256 << 20

// handles are the libraries' of one lane.
type handles struct {
	products *lib.Products
	layers   *lib.Layers
	room     room // of the products
	masked   room // a gradient as a ReLU lets it through
	inverse  room // of each channel: 1/√(variance + eps), then what a call wants besides
	units    room // ones, then as many zeros
	ones     int
}

// close gives back what is open; the lane's streams are idle.
func (h *handles) close(free func(unsafe.Pointer) error) (errs []error) {
	if h.products != nil {
		err := h.products.Close()
		if errs = append(errs, err); err == nil {
			h.products = nil
		}
	}
	if h.layers != nil {
		err := h.layers.Close()
		if errs = append(errs, err); err == nil {
			h.layers = nil
		}
	}
	if h.products != nil || h.layers != nil {
		return errs // their memory too is for the next try
	}
	for _, r := range []*room{&h.room, &h.masked, &h.inverse, &h.units} {
		errs = append(errs, give(&r.at, free))
		r.bytes = 0
	}
	h.ones = 0
	return errs
}

// with returns a Call's lane with the libraries' handles open; nil if that fails or
// something failed before.
func (e *Libraries) with(c *tensor.Call) *lane {
	l := e.lane(c)
	if l == nil {
		return nil
	}
	h := &l.handles
	var err error
	if e.set.BLAS != nil && h.products == nil {
		room := lib.ProductsRoom(e.capability)
		if !l.grow(&h.room, room) {
			return nil
		}
		if h.products, err = e.set.BLAS.Open(e.host, l.compute, h.room.at, room, e.tf32); !l.keep(err) {
			return nil
		}
	}
	if e.set.DNN != nil && h.layers == nil {
		if h.layers, err = e.set.DNN.Open(e.host, l.compute, convolutionRoom, e.tf32); !l.keep(err) {
			return nil
		}
	}
	return l
}

// check remembers an error of a library's; where the device was lost by then, that.
func (l *lane) check(err error) bool {
	if err == nil || l.err != nil {
		return l.err == nil
	}
	var refused *lib.Error
	var lost *driver.Error
	if errors.As(err, &refused) && errors.As(l.driver.Sync(l.compute), &lost) && lost.Lost() {
		err = fmt.Errorf("%w: found by %s", lost, refused.Call)
	}
	return l.keep(err)
}

// Gemm is cuBLAS's.
func (e *Libraries) Gemm(c *tensor.Call, g tensor.Gemm, a, b, out []float32) {
	if e.set.BLAS == nil {
		e.Engine.Gemm(c, g, a, b, out)
		return
	}
	pa, pb, po := at(a, g.M*g.K), at(b, g.K*g.N), at(out, g.M*g.N)
	if l := e.with(c); l != nil {
		l.check(l.handles.products.Gemm(g, pa, pb, po))
	}
}

// LinearForward is cuBLAS's product with our bias and ReLU.
func (e *Libraries) LinearForward(c *tensor.Call, g tensor.Linear, x, w, bias, y []float32) {
	if e.set.BLAS == nil {
		e.Engine.LinearForward(c, g, x, w, bias, y)
		return
	}
	px, pw, pb, py := at(x, g.N*g.In), at(w, g.In*g.Out), at(bias, g.Out), at(y, g.N*g.Out)
	if l := e.with(c); l != nil && l.check(l.handles.products.Gemm(tensor.Gemm{TransB: true, M: g.N, N: g.Out, K: g.In}, px, pw, py)) {
		l.keep(l.queue.BiasForward(g.N, g.Out, 1, pb, py, g.ReLU))
	}
}

// LinearBackwardData is cuBLAS's product.
func (e *Libraries) LinearBackwardData(c *tensor.Call, g tensor.Linear, dy, w, dx []float32) {
	e.Gemm(c, tensor.Gemm{M: g.N, N: g.In, K: g.Out}, dy, w, dx)
}

// LinearBackwardFilter is cuBLAS's product.
func (e *Libraries) LinearBackwardFilter(c *tensor.Call, g tensor.Linear, x, dy, dw []float32) {
	e.Gemm(c, tensor.Gemm{TransA: true, M: g.Out, N: g.In, K: g.N}, dy, x, dw)
}

// conv does a pass by cuDNN from two inputs to its output, with the first algorithm that it
// does not refuse. done is false where our own kernels have to do it; the lane is nil after
// an error.
func (e *Libraries) conv(c *tensor.Call, g tensor.Conv, room func(*lib.Conv) (int, bool, error),
	run func(k *lib.Conv, first, second, scratch, to unsafe.Pointer) (bool, error), first, second, to unsafe.Pointer) (l *lane, done bool) {
	if l = e.with(c); l == nil {
		return nil, false
	}
	k, err := l.handles.layers.Conv(g)
	for l.check(err) {
		var bytes int
		if bytes, done, err = room(k); !l.check(err) || done && !l.grow(&l.scratch, bytes) {
			break
		}
		if !done {
			return l, false
		}
		if done, err = run(k, first, second, l.scratch.at, to); done {
			return l, true
		}
	}
	return nil, false
}

// ConvForward is cuDNN's, with our bias.
func (e *Libraries) ConvForward(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32) {
	if e.set.DNN == nil {
		e.Engine.ConvForward(c, g, x, w, bias, y)
		return
	}
	nx, nw, ny := lengths(g)
	px, pw, py := at(x, nx), at(w, nw), at(y, ny)
	var pb unsafe.Pointer
	if bias != nil {
		pb = at(bias, g.OutC)
	}
	switch l, done := e.conv(c, g, (*lib.Conv).ForwardRoom, (*lib.Conv).Forward, px, pw, py); {
	case l == nil:
	case !done:
		e.Engine.ConvForward(c, g, x, w, bias, y)
	case bias != nil:
		l.keep(l.queue.BiasForward(g.N, g.OutC, g.OutH()*g.OutW(), pb, py, false))
	}
}

// ConvBackwardData is cuDNN's.
func (e *Libraries) ConvBackwardData(c *tensor.Call, g tensor.Conv, dy, w, dx []float32) {
	if e.set.DNN == nil {
		e.Engine.ConvBackwardData(c, g, dy, w, dx)
		return
	}
	nx, nw, ny := lengths(g)
	pd, pw, px := at(dy, ny), at(w, nw), at(dx, nx)
	if l, done := e.conv(c, g, (*lib.Conv).BackwardDataRoom, (*lib.Conv).BackwardData, pd, pw, px); l != nil && !done {
		e.Engine.ConvBackwardData(c, g, dy, w, dx)
	}
}

// ConvBackwardFilter is cuDNN's.
func (e *Libraries) ConvBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	if e.set.DNN == nil {
		e.Engine.ConvBackwardFilter(c, g, x, dy, dw)
		return
	}
	nx, nw, ny := lengths(g)
	px, pd, pw := at(x, nx), at(dy, ny), at(dw, nw)
	if l, done := e.conv(c, g, (*lib.Conv).BackwardFilterRoom, (*lib.Conv).BackwardFilter, px, pd, pw); l != nil && !done {
		e.Engine.ConvBackwardFilter(c, g, x, dy, dw)
	}
}
