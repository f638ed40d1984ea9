package engine_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/race"
	"gradsync/shared/tensor"
)

// host is an engine for buffers of the host: it copies them to a device and back around
// every call. So the suite of engines and the networks' tests run on a device as they are.
type host struct {
	tensor.Device
	calls []*hosted
}

// hosted is a Call of host's: buffers on the device, in the order of one operation's.
type hosted struct {
	call    tensor.Call
	e       tensor.Device
	buffers [16]slot
	n       int
}

// slot is a buffer of the device and whose copy it is.
type slot struct {
	device, host []float32
	out          bool
}

// on begins an operation.
func (h *host) on(c *tensor.Call) *hosted {
	s, ok := c.Scratch.(*hosted)
	if !ok {
		s = &hosted{e: h.Device}
		c.Scratch = s
		h.calls = append(h.calls, s)
	}
	s.n = 0
	return s
}

// in returns the device's copy of a buffer.
func (s *hosted) in(x []float32) []float32 {
	if x == nil {
		return nil
	}
	for i := range s.buffers[:s.n] { // in place
		if b := &s.buffers[i]; &b.host[0] == &x[0] && len(b.host) == len(x) {
			return b.device[:len(x):len(x)]
		}
	}
	b := &s.buffers[s.n]
	s.n++
	if len(b.device) < len(x) {
		if b.device = s.e.Make(&s.call, len(x)); b.device == nil {
			panic(s.e.Settle(&s.call))
		}
	}
	b.host, b.out = x, false
	s.e.Upload(&s.call, b.device, x)
	return b.device[:len(x):len(x)]
}

// out returns it for a buffer that comes back.
func (s *hosted) out(x []float32) []float32 {
	d := s.in(x)
	for i := range s.buffers[:s.n] {
		if b := &s.buffers[i]; x != nil && &b.host[0] == &x[0] {
			b.out = true
		}
	}
	return d
}

// indices reads a buffer as one of int32.
func indices(x []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func values(x []int32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// end brings the outputs back.
func (s *hosted) end() {
	for i := range s.buffers[:s.n] {
		if b := &s.buffers[i]; b.out {
			s.e.Download(&s.call, b.host, b.device[:len(b.host)])
		}
	}
	if err := s.e.Settle(&s.call); err != nil {
		panic(err)
	}
}

func (h *host) Gemm(c *tensor.Call, g tensor.Gemm, a, b, out []float32) {
	s := h.on(c)
	h.Device.Gemm(&s.call, g, s.in(a), s.in(b), s.out(out))
	s.end()
}

func (h *host) ConvForward(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32) {
	s := h.on(c)
	h.Device.ConvForward(&s.call, g, s.in(x), s.in(w), s.in(bias), s.out(y))
	s.end()
}

func (h *host) ConvBackwardData(c *tensor.Call, g tensor.Conv, dy, w, dx []float32) {
	s := h.on(c)
	h.Device.ConvBackwardData(&s.call, g, s.in(dy), s.in(w), s.out(dx))
	s.end()
}

func (h *host) ConvBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	s := h.on(c)
	h.Device.ConvBackwardFilter(&s.call, g, s.in(x), s.in(dy), s.out(dw))
	s.end()
}

func (h *host) LinearForward(c *tensor.Call, g tensor.Linear, x, w, bias, y []float32) {
	s := h.on(c)
	h.Device.LinearForward(&s.call, g, s.in(x), s.in(w), s.in(bias), s.out(y))
	s.end()
}

func (h *host) LinearBackwardData(c *tensor.Call, g tensor.Linear, dy, w, dx []float32) {
	s := h.on(c)
	h.Device.LinearBackwardData(&s.call, g, s.in(dy), s.in(w), s.out(dx))
	s.end()
}

func (h *host) LinearBackwardFilter(c *tensor.Call, g tensor.Linear, x, dy, dw []float32) {
	s := h.on(c)
	h.Device.LinearBackwardFilter(&s.call, g, s.in(x), s.in(dy), s.out(dw))
	s.end()
}

func (h *host) BiasBackward(c *tensor.Call, n, ch, hw int, dy, db []float32) {
	s := h.on(c)
	h.Device.BiasBackward(&s.call, n, ch, hw, s.in(dy), s.out(db))
	s.end()
}

func (h *host) BatchNormForward(c *tensor.Call, g tensor.Norm, x, scale, shift, y, mean, variance []float32) {
	s := h.on(c)
	h.Device.BatchNormForward(&s.call, g, s.in(x), s.in(scale), s.in(shift), s.out(y), s.out(mean), s.out(variance))
	s.end()
}

func (h *host) BatchNormInference(c *tensor.Call, g tensor.Norm, x, scale, shift, mean, variance, y []float32) {
	s := h.on(c)
	h.Device.BatchNormInference(&s.call, g, s.in(x), s.in(scale), s.in(shift), s.in(mean), s.in(variance), s.out(y))
	s.end()
}

func (h *host) BatchNormBackward(c *tensor.Call, g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32) {
	s := h.on(c)
	h.Device.BatchNormBackward(&s.call, g, s.in(x), s.in(y), s.in(dy), s.in(scale), s.in(mean), s.in(variance), s.out(dx), s.out(dscale), s.out(dshift))
	s.end()
}

func (h *host) Add(c *tensor.Call, a, b, y []float32, relu bool) {
	s := h.on(c)
	h.Device.Add(&s.call, s.in(a), s.in(b), s.out(y), relu)
	s.end()
}

func (h *host) ReLU(c *tensor.Call, x, y []float32) {
	s := h.on(c)
	h.Device.ReLU(&s.call, s.in(x), s.out(y))
	s.end()
}

func (h *host) ReLUBackward(c *tensor.Call, y, dy, dx []float32) {
	s := h.on(c)
	h.Device.ReLUBackward(&s.call, s.in(y), s.in(dy), s.out(dx))
	s.end()
}

func (h *host) MaxPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32, arg []int32) {
	s := h.on(c)
	h.Device.MaxPoolForward(&s.call, g, s.in(x), s.out(y), indices(s.out(values(arg))))
	s.end()
}

func (h *host) MaxPoolBackward(c *tensor.Call, g tensor.Pool, dy []float32, arg []int32, dx []float32) {
	s := h.on(c)
	h.Device.MaxPoolBackward(&s.call, g, s.in(dy), indices(s.in(values(arg))), s.out(dx))
	s.end()
}

func (h *host) AvgPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32) {
	s := h.on(c)
	h.Device.AvgPoolForward(&s.call, g, s.in(x), s.out(y))
	s.end()
}

func (h *host) AvgPoolBackward(c *tensor.Call, g tensor.Pool, dy, dx []float32) {
	s := h.on(c)
	h.Device.AvgPoolBackward(&s.call, g, s.in(dy), s.out(dx))
	s.end()
}

func (h *host) SoftmaxCrossEntropy(c *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	s := h.on(c)
	loss := h.Device.SoftmaxCrossEntropy(&s.call, n, classes, s.in(logits), labels, s.out(dlogits))
	s.end()
	return loss
}

// close gives back what all Calls were lent.
func (h *host) close() error {
	var errs []error
	for _, c := range h.calls {
		errs = append(errs, h.Release(&c.call))
	}
	return errors.Join(errs...)
}

// open returns an engine on a device, both closed at the test's end, when nothing may be left.
func open(t testing.TB, d driver.Driver) *engine.Engine {
	t.Helper()
	e := sure(engine.New(d))(t)
	t.Cleanup(func() { must(t, errors.Join(e.Close(), d.Close())) })
	return e
}

func openFake(t testing.TB, o fake.Options) driver.Driver {
	t.Helper()
	return faketest.Open(t, faketest.Library(t, o))
}

// notInRace skips a long test of one goroutine in make race; make test-long has it under the race detector.
func notInRace(t *testing.T) {
	t.Helper()
	if race.Enabled && testing.Short() {
		t.Skip("one goroutine, and long under the race detector: make test-long has it")
	}
}

// onDevices runs f on the fake drivers and on this machine's card, which is skipped in one line
// where there is none and nobody requires it.
func onDevices(t *testing.T, f func(t *testing.T, d driver.Driver)) {
	onFakes(t, f)
	t.Run("card", func(t *testing.T) { f(t, faketest.Card(t)) })
}

// onFakes runs f on the fake driver and on the lazy one.
func onFakes(t *testing.T, f func(t *testing.T, d driver.Driver)) {
	for _, lazy := range []bool{false, true} {
		t.Run(fmt.Sprintf("lazy=%t", lazy), func(t *testing.T) { f(t, openFake(t, fake.Options{Lazy: lazy})) })
	}
}

// notLazy skips the lazy driver's turn of a test of seconds unless GRADSYNC_LONG is set: the suite and LeNet-5
// run on it, and kernels and host's calls are the fake's.
func notLazy(t *testing.T) {
	t.Helper()
	if strings.HasSuffix(t.Name(), "lazy=true") && os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("takes seconds: make test-long has it")
	}
}
