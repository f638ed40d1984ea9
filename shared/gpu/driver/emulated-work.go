package driver

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gradsync/shared/gpu/ptx"
)

// Load parses the PTX.
func (d *Emulator) Load(text string) (Module, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuModuleLoadData"); err != nil {
		return 0, err
	}
	m, err := ptx.Parse(text)
	if err != nil {
		e := failed("cuModuleLoadData", codeInvalidPTX, "")
		e.Err = err
		return 0, e
	}
	h := Module(d.handle())
	d.modules[h] = &emulatedModule{m, entries(text)}
	d.books.count("modules", 1)
	return h, nil
}

// Unload forgets the module; its functions stay valid until the driver is closed.
func (d *Emulator) Unload(m Module) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuModuleUnload"); err != nil {
		return err
	}
	if d.modules[m] == nil {
		return failed("cuModuleUnload", codeHandle, "no such module")
	}
	delete(d.modules, m)
	d.books.count("modules", -1)
	return nil
}

// Function finds a kernel.
func (d *Emulator) Function(m Module, name string, params ...int) (Func, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuModuleGetFunction"); err != nil {
		return Func{}, err
	}
	at := d.modules[m]
	if at == nil {
		return Func{}, failed("cuModuleGetFunction", codeHandle, "no such module")
	}
	if err := entry(at.entries, name, params); err != nil {
		return Func{}, err
	}
	if len(params) > most {
		return Func{}, failed("cuModuleGetFunction", codeInvalid, fmt.Sprintf("kernel %s has more than %d parameters", name, most))
	}
	h := d.handle()
	d.functions[h] = at.module.Kernel(name)
	return Func{name, h, len(params)}, nil
}

// Launch runs the kernel at once.
func (d *Emulator) Launch(s Stream, f Func, grid, block Dim, cells []uint64) error {
	if err := cellsFit(f, grid, block, cells); err != nil {
		return err
	}
	w := work{call: callLaunch, function: f.handle, grid: ptx.Dim(grid), block: ptx.Dim(block)}
	w.args = copy(w.cells[:], cells)
	return d.do(s, w)
}

func (d *Emulator) launch(w *work) error {
	k := d.functions[w.function]
	if k == nil {
		return failed(callLaunch, codeHandle, "a function of another driver")
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
	e := failed("cuLaunchKernel", code, "")
	e.Err = err
	return e
}

// Stream opens a stream.
func (d *Emulator) Stream() (Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamCreate"); err != nil {
		return 0, err
	}
	s := Stream(d.handle())
	d.streams[s] = &emulatedStream{}
	d.books.count("streams", 1)
	return s, nil
}

// CloseStream closes a stream.
func (d *Emulator) CloseStream(s Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamDestroy"); err != nil {
		return err
	}
	if s == 0 || d.streams[s] == nil {
		return failed("cuStreamDestroy", codeHandle, "no such stream")
	}
	delete(d.streams, s)
	d.books.count("streams", -1)
	return nil
}

// Sync has nothing to wait for.
func (d *Emulator) Sync(s Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamSynchronize"); err != nil {
		return err
	}
	switch at := d.streams[s]; {
	case at == nil:
		return failed("cuStreamSynchronize", codeHandle, "no such stream")
	case at.capturing:
		return failed("cuStreamSynchronize", 900, "the stream is being captured")
	}
	return nil
}

// Event makes a mark.
func (d *Emulator) Event() (Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuEventCreate"); err != nil {
		return 0, err
	}
	e := Event(d.handle())
	d.events[e] = time.Time{}
	d.books.count("events", 1)
	return e, nil
}

// CloseEvent forgets a mark.
func (d *Emulator) CloseEvent(e Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventDestroy", e, 0); err != nil {
		return err
	}
	delete(d.events, e)
	d.books.count("events", -1)
	return nil
}

// mark begins a call about an event and a stream.
func (d *Emulator) mark(call string, e Event, s Stream) error {
	if err := d.enter(call); err != nil {
		return err
	}
	_, ok := d.events[e]
	switch at := d.streams[s]; {
	case !ok:
		return failed(call, codeHandle, "no such event")
	case at == nil:
		return failed(call, codeHandle, "no such stream")
	case at.capturing:
		return failed(call, 900, "a graph holds the work of one stream")
	}
	return nil
}

// Record notes the time.
func (d *Emulator) Record(e Event, s Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventRecord", e, s); err != nil {
		return err
	}
	d.events[e] = time.Now()
	return nil
}

// Wait has nothing to wait for.
func (d *Emulator) Wait(s Stream, e Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuStreamWaitEvent", e, s); err != nil {
		return err
	}
	return nil
}

// SyncEvent has nothing to wait for.
func (d *Emulator) SyncEvent(e Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventSynchronize", e, 0); err != nil {
		return err
	}
	return nil
}

// Elapsed is wall time.
func (d *Emulator) Elapsed(from, to Event) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.mark("cuEventElapsedTime", from, 0); err != nil {
		return 0, err
	}
	a, b := d.events[from], d.events[to]
	if a.IsZero() || b.IsZero() {
		return 0, failed("cuEventElapsedTime", codeHandle, "an event was not recorded")
	}
	return b.Sub(a), nil
}

// Capture begins a graph.
func (d *Emulator) Capture(s Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamBeginCapture"); err != nil {
		return err
	}
	at := d.streams[s]
	if s == 0 || at == nil || at.capturing {
		return failed("cuStreamBeginCapture", codeState, "the stream is the default one, unknown, or being captured")
	}
	at.capturing = true
	return nil
}

// EndCapture ends a graph.
func (d *Emulator) EndCapture(s Stream) (Graph, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuStreamEndCapture"); err != nil {
		return 0, err
	}
	at := d.streams[s]
	if at == nil || !at.capturing {
		return 0, failed("cuStreamEndCapture", codeState, "the stream is not being captured")
	}
	g := Graph(d.handle())
	d.graphs[g], at.captured, at.capturing = at.captured, nil, false
	d.books.count("graphs", 1)
	return g, nil
}

// Replay does a graph's work at once.
func (d *Emulator) Replay(g Graph, s Stream) error { return d.do(s, work{call: callReplay, graph: g}) }

func (d *Emulator) replay(g Graph) error {
	list, ok := d.graphs[g]
	if !ok {
		return failed(callReplay, codeHandle, "no such graph")
	}
	for i := range list {
		if err := d.now(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// CloseGraph forgets a graph.
func (d *Emulator) CloseGraph(g Graph) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuGraphExecDestroy"); err != nil {
		return err
	}
	if _, ok := d.graphs[g]; !ok {
		return failed("cuGraphExecDestroy", codeHandle, "no such graph")
	}
	delete(d.graphs, g)
	d.books.count("graphs", -1)
	return nil
}

// Close ends the device, also a lost one.
func (d *Emulator) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.release != nil {
		d.release()
		d.release = nil
		d.lost = failed("cuCtxSetCurrent", codeNotInit, "the driver is closed")
	}
	return d.books.open()
}
