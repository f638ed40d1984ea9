package tensor

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Engine does the arithmetic of a network: everything a layer computes goes
// through it, so that a faster engine changes speed and nothing else.
//
// All buffers are float32. Matrices are row-major, filters [out][in][kh][kw],
// linear weights [out][in]; batches of images (x, y, dx, dy) are laid out as
// Layout says and are Layout().Len(n, size) long. Every method overwrites its
// outputs completely; outputs must not overlap inputs unless the method says
// so. NaN propagates. For one engine the result bits depend on the arguments
// alone: neither on Call.Threads nor on GOMAXPROCS.
//
// Methods panic on buffers that are too short: that is a programmer's mistake.
//
// Source: ours: the seam between networks and arithmetic
type Engine interface {
	// Name returns the word by which --engine selects the engine.
	Name() string
	// Class names the bit class: two engines of one class give the same bits.
	Class() string
	// Layout is how this engine wants batches.
	Layout() Layout

	// Gemm computes out = op(a)·op(b) of plain matrices, see the type Gemm.
	Gemm(c *Call, g Gemm, a, b, out []float32)

	// ConvForward computes y = x ∗ w + bias (cross-correlation, as PyTorch); a
	// nil bias is none.
	ConvForward(c *Call, g Conv, x, w, bias, y []float32)
	// ConvBackwardData computes dx from dy.
	ConvBackwardData(c *Call, g Conv, dy, w, dx []float32)
	// ConvBackwardFilter computes dw from x and dy, summed over the batch.
	ConvBackwardFilter(c *Call, g Conv, x, dy, dw []float32)

	// LinearForward computes y = x·wᵀ + bias, then ReLU if g.ReLU.
	LinearForward(c *Call, g Linear, x, w, bias, y []float32)
	// LinearBackwardData computes dx = dy·w.
	LinearBackwardData(c *Call, g Linear, dy, w, dx []float32)
	// LinearBackwardFilter computes dw = dyᵀ·x, summed over the batch.
	LinearBackwardFilter(c *Call, g Linear, x, dy, dw []float32)

	// BiasBackward sums dy of n images over the images and the hw pixels of each
	// of ch channels.
	BiasBackward(c *Call, n, ch, hw int, dy, db []float32)

	// BatchNormForward normalises by the batch's own statistics, then ReLU if
	// g.ReLU:
	//
	//	y = scale·(x − mean)·invstd + shift,  invstd = 1/√(variance + Eps)
	//
	// and writes each channel's mean and variance, biased (divided by N·HW).
	BatchNormForward(c *Call, g Norm, x, scale, shift, y, mean, variance []float32)
	// BatchNormInference normalises by the given mean and variance instead.
	BatchNormInference(c *Call, g Norm, x, scale, shift, mean, variance, y []float32)
	// BatchNormBackward computes dx, dscale and dshift through the batch
	// statistics of the forward pass. With g.ReLU y tells where dy passes; without
	// it y may be nil. dx and dy may be the same buffer.
	BatchNormBackward(c *Call, g Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32)

	// Add computes y = a + b, then ReLU if relu; y may be a or b.
	Add(c *Call, a, b, y []float32, relu bool)
	// ReLU computes y = max(x, 0); x and y may be the same buffer.
	ReLU(c *Call, x, y []float32)
	// ReLUBackward computes dx = dy where y > 0, else 0 (NaN where y is NaN);
	// dy and dx may be the same buffer.
	ReLUBackward(c *Call, y, dy, dx []float32)

	// MaxPoolForward writes each window's maximum and, in arg, its index within
	// the input plane: the first maximum, or the last NaN if there is one. arg is
	// laid out like y.
	MaxPoolForward(c *Call, g Pool, x, y []float32, arg []int32)
	// MaxPoolBackward adds each dy to the dx its window chose.
	MaxPoolBackward(c *Call, g Pool, dy []float32, arg []int32, dx []float32)
	// AvgPoolForward writes each window's mean.
	AvgPoolForward(c *Call, g Pool, x, y []float32)
	// AvgPoolBackward spreads each dy evenly over its window.
	AvgPoolBackward(c *Call, g Pool, dy, dx []float32)

	// SoftmaxCrossEntropy returns the mean loss of n×classes logits, a batch of n
	// images of size classes, and writes its gradient; labels must be below
	// classes.
	SoftmaxCrossEntropy(c *Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64
}

// Call is lent to an engine by one caller: how many threads a call may use, and
// the scratch memory the engine keeps between calls. One Call serves one
// goroutine and one engine; the zero value runs on one thread. Scratch grows with
// every new shape and batch size it meets (tens of KiB each) and holds on to the
// last buffers it was given: it is for a workspace's handful of shapes, and goes
// when the Call goes.
//
// Source: ours: no allocation per step after warm-up
type Call struct {
	Threads int
	Scratch any // the engine's own; others leave it alone
}

// Gemm says which product: out[M][N] = op(a)·op(b) with op(a) of shape [M][K]
// and op(b) of shape [K][N]. TransA means a is stored as [K][M], TransB that b
// is stored as [N][K]. M, N and K are at least 1.
//
// Source: ours: the BLAS convention without strides
type Gemm struct {
	TransA, TransB bool
	M, N, K        int
}

// Conv is the geometry of a two-dimensional convolution.
//
// Source: ours: PyTorch's Conv2d without dilation and groups
type Conv struct {
	N           int // images
	InC, H, W   int
	OutC        int
	KH, KW      int
	Stride, Pad int
}

// OutH returns the output height.
func (g Conv) OutH() int { return (g.H+2*g.Pad-g.KH)/g.Stride + 1 }

// OutW returns the output width.
func (g Conv) OutW() int { return (g.W+2*g.Pad-g.KW)/g.Stride + 1 }

// Taps returns the length of one output's sum: InC·KH·KW.
func (g Conv) Taps() int { return g.InC * g.KH * g.KW }

// Linear is the geometry of a fully connected layer.
//
// Source: ours: PyTorch's nn.Linear, with a ReLU behind it if asked
type Linear struct {
	N, In, Out int
	ReLU       bool
}

// Norm is the geometry of a batch normalisation: N images of C channels with HW
// pixels each.
//
// Source: ours: PyTorch's nn.BatchNorm2d, with a ReLU behind it if asked
type Norm struct {
	N, C, HW int
	Eps      float32
	ReLU     bool
}

// Pool is the geometry of a max- or average pool without padding; a border that does not
// fill a window is dropped, as in PyTorch's default.
//
// Source: ours: PyTorch's MaxPool2d and AvgPool2d
type Pool struct {
	N, C, H, W   int
	Size, Stride int
}

// OutH returns the output height.
func (g Pool) OutH() int { return (g.H-g.Size)/g.Stride + 1 }

// OutW returns the output width.
func (g Pool) OutW() int { return (g.W-g.Size)/g.Stride + 1 }

var registry = struct {
	sync.Mutex
	open map[string]func() Engine
}{open: map[string]func() Engine{}}

// Register makes an engine known by name; engines call it from init. What open
// returns is nil where the engine cannot run. It panics when the name is taken.
func Register(name string, open func() Engine) {
	registry.Lock()
	defer registry.Unlock()
	if _, taken := registry.open[name]; taken {
		panic(fmt.Sprintf("tensor: engine %q is registered twice", name))
	}
	registry.open[name] = open
}

// Unregister makes an engine unknown again: its device is given back.
func Unregister(name string) {
	registry.Lock()
	defer registry.Unlock()
	delete(registry.open, name)
}

// Lookup opens the engine of that name; the error lists the names there are.
func Lookup(name string) (Engine, error) {
	registry.Lock()
	open := registry.open[name]
	registry.Unlock()
	if open != nil {
		if e := open(); e != nil {
			return e, nil
		}
	}
	return nil, fmt.Errorf("tensor: no engine %q: known are %s", name, strings.Join(Engines(), ", "))
}

// Engines lists the registered names of engines that can run, sorted.
func Engines() []string {
	registry.Lock()
	defer registry.Unlock()
	names := make([]string, 0, len(registry.open))
	for name, open := range registry.open {
		if open() != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
