package emulated

import (
	"errors"
	"strings"
	"time"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/internal/ptx"
)

// Load parses the PTX.
func (d *device) Load(text string) (driver.Module, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuModuleLoadData"); err != nil {
		return 0, err
	}
	m, err := ptx.Parse(text)
	if err != nil {
		e := driver.Failed("cuModuleLoadData", codeInvalidPTX, "")
		e.Err = err
		return 0, e
	}
	h := driver.Module(d.handle())
	d.modules[h] = m
	return h, nil
}

// Unload forgets the module; its functions stay valid until the driver is closed.
func (d *device) Unload(m driver.Module) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuModuleUnload"); err != nil {
		return err
	}
	delete(d.modules, m)
	return nil
}

// Function finds a kernel.
func (d *device) Function(m driver.Module, name string, _ ...int) (driver.Func, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuModuleGetFunction"); err != nil {
		return driver.Func{}, err
	}
	h := d.handle()
	d.functions[h] = d.modules[m].Kernel(name)
	return driver.Func{Handle: h}, nil
}

// Launch runs the kernel at once.
func (d *device) Launch(s driver.Stream, f driver.Func, grid, block driver.Dim, cells []uint64) error {
	w := work{call: callLaunch, function: f.Handle, grid: ptx.Dim(grid), block: ptx.Dim(block)}
	w.args = copy(w.cells[:], cells)
	return d.do(s, w)
}

func (d *device) launch(w *work) error {
	k := d.functions[w.function]
	if k == nil {
		return driver.Failed(callLaunch, codeHandle, "a function of another driver")
	}
	stats, err := k.Launch(d.memory, w.grid, w.block, w.cells[:w.args], ptx.Options{Workers: d.options.Workers, Watch: d.options.Watch})
	d.instructions += stats.Instructions
	return faulted(err)
}

// faulted gives a kernel's fault the code that a card would.
func faulted(err error) error {
	if err == nil {
		return nil
	}
	code := codeInvalid
	var f *ptx.Fault
	if errors.As(err, &f) {
		switch {
		case strings.Contains(f.What, "misaligned"):
			code = codeMisaligned
		case strings.Contains(f.What, "in no allocation"):
			code = codeAddress
		default:
			code = codeLaunch
		}
	}
	e := driver.Failed("cuLaunchKernel", code, "")
	e.Err = err
	return e
}

// Stream opens a stream.
func (d *device) Stream() (driver.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamCreate"); err != nil {
		return 0, err
	}
	s := driver.Stream(d.handle())
	d.streams[s] = &stream{}
	return s, nil
}

// CloseStream closes a stream.
func (d *device) CloseStream(s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamDestroy"); err != nil {
		return err
	}
	if s == 0 || d.streams[s] == nil {
		return driver.Failed("cuStreamDestroy", codeHandle, "no such stream")
	}
	delete(d.streams, s)
	return nil
}

// Sync has nothing to wait for.
func (d *device) Sync(s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamSynchronize"); err != nil {
		return err
	}
	switch at := d.streams[s]; {
	case at == nil:
		return driver.Failed("cuStreamSynchronize", codeHandle, "no such stream")
	case at.capturing:
		return driver.Failed("cuStreamSynchronize", codeCapturing, "the stream is being captured")
	}
	return nil
}

// Event makes a mark.
func (d *device) Event() (driver.Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuEventCreate"); err != nil {
		return 0, err
	}
	e := driver.Event(d.handle())
	d.events[e] = time.Time{}
	return e, nil
}

// CloseEvent forgets a mark.
func (d *device) CloseEvent(e driver.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventDestroy", e, 0); err != nil {
		return err
	}
	delete(d.events, e)
	return nil
}

// mark begins a call about an event and a stream.
func (d *device) mark(call string, e driver.Event, s driver.Stream) error {
	if err := d.enter(call); err != nil {
		return err
	}
	_, ok := d.events[e]
	switch at := d.streams[s]; {
	case !ok:
		return driver.Failed(call, codeHandle, "no such event")
	case at == nil:
		return driver.Failed(call, codeHandle, "no such stream")
	case at.capturing:
		return driver.Failed(call, codeCapturing, "a graph holds the work of one stream")
	}
	return nil
}

// Record notes the time.
func (d *device) Record(e driver.Event, s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventRecord", e, s); err != nil {
		return err
	}
	d.events[e] = time.Now()
	return nil
}

// Wait has nothing to wait for.
func (d *device) Wait(s driver.Stream, e driver.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuStreamWaitEvent", e, s); err != nil {
		return err
	}
	return nil
}

// SyncEvent has nothing to wait for.
func (d *device) SyncEvent(e driver.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventSynchronize", e, 0); err != nil {
		return err
	}
	return nil
}

// Elapsed is wall time.
func (d *device) Elapsed(from, to driver.Event) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventElapsedTime", from, 0); err != nil {
		return 0, err
	}
	a, b := d.events[from], d.events[to]
	if a.IsZero() || b.IsZero() {
		return 0, driver.Failed("cuEventElapsedTime", codeHandle, "an event was not recorded")
	}
	return b.Sub(a), nil
}

// Capture begins a graph.
func (d *device) Capture(s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamBeginCapture"); err != nil {
		return err
	}
	at := d.streams[s]
	if s == 0 || at == nil || at.capturing {
		return driver.Failed("cuStreamBeginCapture", codeState, "the stream is the default one, unknown, or being captured")
	}
	at.capturing = true
	return nil
}

// EndCapture ends a graph.
func (d *device) EndCapture(s driver.Stream) (driver.Graph, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamEndCapture"); err != nil {
		return 0, err
	}
	at := d.streams[s]
	if at == nil || !at.capturing {
		return 0, driver.Failed("cuStreamEndCapture", codeState, "the stream is not being captured")
	}
	g := driver.Graph(d.handle())
	d.graphs[g], at.captured, at.capturing = at.captured, nil, false
	return g, nil
}

// Replay does a graph's work at once.
func (d *device) Replay(g driver.Graph, s driver.Stream) error {
	return d.do(s, work{call: callReplay, graph: g})
}

func (d *device) replay(g driver.Graph) error {
	list, ok := d.graphs[g]
	if !ok {
		return driver.Failed(callReplay, codeHandle, "no such graph")
	}
	for i := range list {
		if err := d.now(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// CloseGraph forgets a graph.
func (d *device) CloseGraph(g driver.Graph) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuGraphExecDestroy"); err != nil {
		return err
	}
	if _, ok := d.graphs[g]; !ok {
		return driver.Failed("cuGraphExecDestroy", codeHandle, "no such graph")
	}
	delete(d.graphs, g)
	return nil
}

// Close ends the device, also a lost one.
func (d *device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.release != nil {
		d.release()
		d.release = nil
		d.lost = driver.Failed("cuCtxSetCurrent", codeNotInit, "the driver is closed")
	}
	return nil
}
