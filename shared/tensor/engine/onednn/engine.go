//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// The engine is registered only where it works, so that a missing library is one
// unknown name among the engines; Status has the reason. Opening takes a few
// milliseconds.
func init() {
	if e, err := New(); err == nil {
		tensor.Register(Name, func() tensor.Engine { return e })
	}
}

// engine has no state but the library: scratch lives in the Call.
type engine struct {
	lib  *library
	rest tensor.Engine // portable: what oneDNN is not asked for
}

// New opens the library and returns the engine; the error is Status's.
//
// Source: ours: oneDNN behind the seam
func New() (tensor.Engine, error) {
	l, err := opened()
	if err != nil {
		return nil, err
	}
	return &engine{lib: l, rest: portable.New()}, nil
}

func (*engine) Name() string  { return Name }
func (*engine) Class() string { return Name }

func (*engine) Layout() tensor.Layout { return tensor.ImageMajor }

// portable returns the Call of the portable engine behind c.
func (e *engine) portable(c *tensor.Call) *tensor.Call {
	s := e.lib.stateOf(c)
	s.rest.Threads = c.Threads
	return &s.rest
}

func (e *engine) BiasBackward(c *tensor.Call, n, ch, hw int, dy, db []float32) {
	e.rest.BiasBackward(e.portable(c), n, ch, hw, dy, db)
}

func (e *engine) BatchNormForward(c *tensor.Call, g tensor.Norm, x, scale, shift, y, mean, variance []float32) {
	e.rest.BatchNormForward(e.portable(c), g, x, scale, shift, y, mean, variance)
}

func (e *engine) BatchNormInference(c *tensor.Call, g tensor.Norm, x, scale, shift, mean, variance, y []float32) {
	e.rest.BatchNormInference(e.portable(c), g, x, scale, shift, mean, variance, y)
}

func (e *engine) BatchNormBackward(c *tensor.Call, g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32) {
	e.rest.BatchNormBackward(e.portable(c), g, x, y, dy, scale, mean, variance, dx, dscale, dshift)
}

func (e *engine) Add(c *tensor.Call, a, b, y []float32, relu bool) {
	e.rest.Add(e.portable(c), a, b, y, relu)
}

func (e *engine) ReLU(c *tensor.Call, x, y []float32) { e.rest.ReLU(e.portable(c), x, y) }

func (e *engine) ReLUBackward(c *tensor.Call, y, dy, dx []float32) {
	e.rest.ReLUBackward(e.portable(c), y, dy, dx)
}

func (e *engine) MaxPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32, arg []int32) {
	e.rest.MaxPoolForward(e.portable(c), g, x, y, arg)
}

func (e *engine) MaxPoolBackward(c *tensor.Call, g tensor.Pool, dy []float32, arg []int32, dx []float32) {
	e.rest.MaxPoolBackward(e.portable(c), g, dy, arg, dx)
}

func (e *engine) AvgPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32) {
	e.rest.AvgPoolForward(e.portable(c), g, x, y)
}

func (e *engine) AvgPoolBackward(c *tensor.Call, g tensor.Pool, dy, dx []float32) {
	e.rest.AvgPoolBackward(e.portable(c), g, dy, dx)
}

func (e *engine) SoftmaxCrossEntropy(c *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	return e.rest.SoftmaxCrossEntropy(e.portable(c), n, classes, logits, labels, dlogits)
}
