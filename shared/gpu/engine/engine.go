// Package engine is tensor.Device on a GPU: every operation by the kernels of
// shared/gpu/kernels, on whatever device a driver.Driver stands for.
//
// A tensor.Call has a lane: a stream for arithmetic and one for copies to the host, which
// waits for the former by an event, so that a layer's gradient leaves while the layers
// before it are computed. Memory, pinned memory and events stay with the lane until
// Release; a step allocates nothing once they are there.
package engine

import (
	"errors"
	"math"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
)

// Engine does tensor.Device's work on one device. It may be used by several goroutines,
// each with a tensor.Call of its own. Operations never panic on an error of the device:
// Settle returns the first one, a *driver.Error.
//
// Source: ours: see the package
type Engine struct {
	driver    driver.Driver
	set       *kernels.Set
	ungraphed bool
	nccl      *lib.NCCL // nil: nothing sums over devices
}

var _ tensor.Repeater = (*Engine)(nil)

// New loads the kernels on a device, which stays the caller's. The error is the driver's.
func New(d driver.Driver) (*Engine, error) {
	set, err := kernels.Load(d)
	if err != nil {
		return nil, err
	}
	return &Engine{driver: d, set: set}, nil
}

// Kernels returns the loaded kernels, which stay the engine's.
func (e *Engine) Kernels() *kernels.Set { return e.set }

// Close unloads the kernels. Calls must have been released.
func (e *Engine) Close() error { return e.set.Close() }

// Name returns "cuda".
func (*Engine) Name() string { return "cuda" }

// Class returns "cuda": the kernels' bits are the same on every device.
func (*Engine) Class() string { return "cuda" }

// Layout returns tensor.ImageMajor.
func (*Engine) Layout() tensor.Layout { return tensor.ImageMajor }

// workspaces are enough for one to compute while others are between two steps; a full-size
// network's takes hundreds of megabytes.
const workspaces = 3

// Workspaces returns 3.
func (*Engine) Workspaces() int { return workspaces }

// lane holds all that a Call was lent.
type lane struct {
	driver  driver.Driver
	opened  bool
	queue   *kernels.Queue
	compute driver.Stream
	copies  driver.Stream
	ready   driver.Event // of the compute stream, for the copies
	memory  []unsafe.Pointer
	scratch room // a filter gradient's parts
	labels  room
	losses  room // of each image, then their mean
	mean    pinned
	handles handles // of libraries
	loss    float64
	state   state
	passes  map[int]*pass // by key
	pass    *pass         // under way
	upped   int           // copies of it so far
	downed  int
	sent    []parcel
	first   int // of sent that was not received
	last    int // behind the last that was sent
	err     error
}

// room is device memory that grows.
type room struct {
	at    unsafe.Pointer
	bytes int
}

// pinned is the host's memory for copies that nobody waits for.
type pinned struct{ room }

// parcel is one vector on its way to the host.
type parcel struct {
	pinned
	done   driver.Event
	values int
}

// lane returns a Call's, opened, for an operation; nil if that fails, something failed before,
// or a graph has the operation already.
func (e *Engine) lane(c *tensor.Call) *lane {
	l := e.line(c)
	if l == nil || l.state == replayed {
		return nil
	}
	if l.state == counted {
		l.pass.calls++
	}
	return l
}

// line returns a Call's lane, opened; nil if that fails or something failed before.
func (e *Engine) line(c *tensor.Call) *lane {
	l, ok := c.Scratch.(*lane)
	if !ok {
		l = &lane{driver: e.driver}
		c.Scratch = l
	}
	if l.err == nil && !l.opened {
		l.open(e.set)
	}
	if l.err != nil {
		return nil
	}
	return l
}

// open opens what is not open yet.
func (l *lane) open(set *kernels.Set) {
	if l.compute == 0 {
		var err error
		l.compute, err = l.driver.Stream()
		l.keep(err)
	}
	if l.err == nil && l.copies == 0 {
		var err error
		l.copies, err = l.driver.Stream()
		l.keep(err)
	}
	if l.err == nil && l.ready == 0 {
		var err error
		l.ready, err = l.driver.Event()
		l.keep(err)
	}
	if l.err == nil {
		l.queue, l.opened = set.On(l.compute), true
	}
}

// keep remembers the first error and says whether there is none.
func (l *lane) keep(err error) bool {
	if l.err == nil {
		l.err = err
	}
	return l.err == nil
}

// grow gives a room that many bytes; what it held is lost.
func (l *lane) grow(r *room, bytes int) bool {
	return l.enlarge(r, bytes, l.driver.Alloc, l.driver.Free)
}

// pin does grow for the host's memory.
func (l *lane) pin(p *pinned, bytes int) bool {
	return l.enlarge(&p.room, bytes, l.driver.Pinned, l.driver.FreePinned)
}

func (l *lane) enlarge(r *room, bytes int, take func(int) (unsafe.Pointer, error), free func(unsafe.Pointer) error) bool {
	if l.err != nil || r.bytes >= bytes {
		return l.err == nil
	}
	if r.at != nil {
		// Work that was queued may still use it, and so may graphs.
		if !l.keep(l.driver.Sync(l.compute)) || !l.keep(first(l.forget())) || !l.keep(free(r.at)) {
			return false
		}
		*r = room{}
	}
	at, err := take(bytes)
	if l.keep(err) {
		*r = room{at, bytes}
	}
	return l.err == nil
}

// bytes of n float32.
func bytes(n int) int { return 4 * n }

// at returns the address of a buffer of at least n values; it panics if that is shorter.
func at[T any](x []T, n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x[:n])) }

// Make allocates memory that Release gives back.
func (e *Engine) Make(c *tensor.Call, n int) []float32 {
	l := e.lane(c)
	if l == nil {
		return nil
	}
	p, err := l.driver.Alloc(bytes(n))
	if !l.keep(err) {
		return nil
	}
	l.memory = append(l.memory, p)
	return unsafe.Slice((*float32)(p), n)
}

// Upload copies from the host.
func (e *Engine) Upload(c *tensor.Call, dst, src []float32) {
	if l := e.line(c); l != nil && len(src) > 0 {
		l.upload(at(dst, len(src)), at(src, len(src)), bytes(len(src)))
	}
}

// Download copies to the host.
func (e *Engine) Download(c *tensor.Call, dst, src []float32) {
	if l := e.lane(c); l != nil {
		l.keep(l.driver.Download(l.compute, at(dst, len(src)), at(src, len(src)), bytes(len(src))))
	}
}

// Copy copies on the device.
func (e *Engine) Copy(c *tensor.Call, dst, src []float32) {
	if l := e.lane(c); l != nil {
		l.keep(l.driver.Copy(l.compute, at(dst, len(src)), at(src, len(src)), bytes(len(src))))
	}
}

// Send lets the stream of copies wait for the arithmetic queued so far, and copy into
// pinned memory.
func (e *Engine) Send(c *tensor.Call, src []float32) {
	l := e.line(c)
	if l == nil {
		return
	}
	switch l.state {
	case captured, replayed:
		l.send(at(src, len(src)), bytes(len(src)))
		return
	case counted:
		l.pass.down = append(l.pass.down, staged{size: bytes(len(src))})
		l.pass.bytes += bytes(len(src))
	}
	l.leave(src, nil)
}

// leave does Send; ranks, if not nil, sum the vector before, on the same stream.
func (l *lane) leave(src []float32, ranks *lib.Ranks) {
	if l.last == len(l.sent) {
		l.sent = append(l.sent, parcel{})
	}
	p, n := &l.sent[l.last], bytes(len(src))
	if !l.pin(&p.pinned, n) {
		return
	}
	if p.done == 0 {
		var err error
		if p.done, err = l.driver.Event(); !l.keep(err) {
			return
		}
	}
	p.values = len(src)
	if l.keep(l.driver.Record(l.ready, l.compute)) && l.keep(l.driver.Wait(l.copies, l.ready)) &&
		(ranks == nil || l.check(ranks.AllReduce(l.copies, at(src, len(src)), len(src)))) &&
		l.keep(l.driver.Download(l.copies, p.at, at(src, len(src)), n)) && l.keep(l.driver.Record(p.done, l.copies)) {
		l.last++
	}
}

var errNothingSent = errors.New("gpu: there is nothing to receive")

// Receive waits for one copy's event.
func (e *Engine) Receive(c *tensor.Call, dst []float32) error {
	l := e.line(c)
	if l == nil {
		return c.Scratch.(*lane).err
	}
	if l.state == delivered {
		if from := l.next(l.pass.down, &l.downed, bytes(len(dst))); from != nil {
			copy(dst, unsafe.Slice((*float32)(from), len(dst)))
		}
		return l.err
	}
	if l.first == l.last || l.sent[l.first].values != len(dst) {
		l.keep(errNothingSent)
		return l.err
	}
	p := &l.sent[l.first]
	l.first++
	if l.keep(l.driver.SyncEvent(p.done)) {
		copy(dst, unsafe.Slice((*float32)(p.at), len(dst)))
	}
	if l.first == l.last {
		l.first, l.last = 0, 0
	}
	return l.err
}

// Settle waits for both streams.
func (e *Engine) Settle(c *tensor.Call) error {
	l, ok := c.Scratch.(*lane)
	if !ok {
		return nil
	}
	for _, s := range []driver.Stream{l.compute, l.copies} {
		if s != 0 {
			l.keep(l.driver.Sync(s))
		}
	}
	err := l.err
	l.err, l.first, l.last, l.state = nil, 0, 0, plain
	return err
}

// Release gives back memory, events and streams; what could not be given back is kept for
// the next try.
func (e *Engine) Release(c *tensor.Call) error {
	l, ok := c.Scratch.(*lane)
	if !ok {
		return nil
	}
	errs := []error{e.Settle(c)}
	errs = append(errs, l.clearPasses()...)
	errs = append(errs, l.handles.close(l.driver.Free)...)
	left := l.memory[:0]
	for _, p := range l.memory {
		if err := l.driver.Free(p); err != nil {
			errs, left = append(errs, err), append(left, p)
		}
	}
	l.memory = left
	for _, r := range []*room{&l.scratch, &l.labels, &l.losses} {
		errs = append(errs, give(&r.at, l.driver.Free))
		r.bytes = 0
	}
	errs = append(errs, give(&l.mean.at, l.driver.FreePinned))
	l.mean.bytes = 0
	for i := range l.sent {
		p := &l.sent[i]
		errs = append(errs, give(&p.at, l.driver.FreePinned), give(&p.done, l.driver.CloseEvent))
		p.bytes = 0
	}
	errs = append(errs, give(&l.ready, l.driver.CloseEvent), give(&l.copies, l.driver.CloseStream), give(&l.compute, l.driver.CloseStream))
	l.opened = false
	if err := first(errs); err != nil {
		return err
	}
	c.Scratch = nil
	return nil
}

// give gives one thing back, and forgets it if that went well.
func give[T comparable](what *T, back func(T) error) error {
	var none T
	if *what == none {
		return nil
	}
	err := back(*what)
	if err == nil {
		*what = none
	}
	return err
}

// first returns the first error there is: what follows one is seldom news.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// SoftmaxCrossEntropy waits for the loss, which is NaN after an error.
func (e *Engine) SoftmaxCrossEntropy(c *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	z, y, d := at(logits, n*classes), at(labels, n), at(dlogits, n*classes)
	l := e.line(c)
	if l == nil {
		return math.NaN()
	}
	if l.state == replayed {
		l.upload(l.labels.at, y, n)
		return math.NaN() // Repeated has it
	}
	l.loss = math.NaN()
	if !l.grow(&l.labels, n) || !l.grow(&l.losses, 8*(n+1)) || !l.pin(&l.mean, 8) {
		return math.NaN()
	}
	mean := unsafe.Add(l.losses.at, 8*n)
	if l.upload(l.labels.at, y, n); l.err != nil || !l.keep(l.queue.SoftmaxCrossEntropy(n, classes, z, l.labels.at, d, l.losses.at, mean)) ||
		!l.keep(l.driver.Download(l.compute, l.mean.at, mean, 8)) || l.state == captured || !l.keep(l.driver.Sync(l.compute)) {
		return math.NaN()
	}
	l.loss = *(*float64)(l.mean.at)
	return l.loss
}

// BatchNormBlend moves running statistics.
func (e *Engine) BatchNormBlend(c *tensor.Call, running, batch []float32, momentum float32, factor float64) {
	n := len(running)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.BatchNormBlend(n, at(running, n), at(batch, n), float64(momentum), factor))
	}
}

// Update moves parameters.
func (e *Engine) Update(c *tensor.Call, params, velocity, gradient []float32, rate, momentum, decay float32, first bool) {
	n := len(params)
	var v unsafe.Pointer
	if momentum != 0 {
		v = at(velocity, n)
	}
	if l := e.lane(c); l != nil {
		l.keep(l.queue.Update(n, at(params, n), v, at(gradient, n), rate, momentum, decay, first))
	}
}
