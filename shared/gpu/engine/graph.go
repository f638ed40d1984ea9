package engine

import (
	"errors"
	"math"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/tensor"
)

// state says what a lane does with the operations of a pass.
type state int

const (
	plain     state = iota // they are queued
	counted                // and counted, to see whether a graph pays
	captured               // they become a graph's
	replayed               // they are in the graph already
	delivered              // the graph is done, its results are fetched
)

// pass is one that may come again.
type pass struct {
	counted bool
	calls   int      // of operations
	bytes   int      // that are copied between host and device
	up      []staged // in the order of the operations
	down    []staged
	graph   driver.Graph // 0: none
	whole   bool         // the graph has all of the pass
	never   bool         // the driver has no graphs
}

// staged is pinned memory that a graph copies from or to.
type staged struct {
	pinned
	size int
}

// callBytes is how many bytes a bus copies (25 GB/s) in the time that the host takes for a
// kernel's launch (4 µs). A graph saves the launches, and with them that a layer's gradient
// leaves while others are computed: it is for many kernels over few parameters.
const callBytes = 100_000

func (p *pass) pays() bool { return !p.never && p.calls*callBytes > p.bytes }

// Graphs says whether passes that come again may become graphs, where that pays: so it is
// unless told otherwise, before the first Call. The bits are the same.
func (e *Engine) Graphs(on bool) { e.ungraphed = !on }

// Repeat begins a pass. The first of a key is counted, the second one captured.
func (e *Engine) Repeat(c *tensor.Call, key int) {
	l := e.line(c)
	if l == nil || e.ungraphed {
		return
	}
	p := l.passes[key]
	if p == nil {
		p = new(pass)
		if l.passes == nil {
			l.passes = map[int]*pass{}
		}
		l.passes[key] = p
	}
	l.pass, l.upped, l.downed = p, 0, 0
	switch {
	case p.whole:
		l.state = replayed
	case !p.counted:
		l.state, p.calls, p.bytes, p.up, p.down = counted, 0, 0, p.up[:0], p.down[:0]
	case p.pays() && l.keep(give(&p.graph, l.driver.CloseGraph)) && l.stage(p):
		err := l.driver.Capture(l.compute)
		if unsupported(err) {
			p.never = true
		} else if l.keep(err) {
			l.state = captured
		}
	}
}

// unsupported says that a driver has no graphs.
func unsupported(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Unsupported()
}

// stage makes the pinned memory of a pass.
func (l *lane) stage(p *pass) bool {
	for _, list := range [][]staged{p.up, p.down} {
		for i := range list {
			if !l.pin(&list[i].pinned, list[i].size) {
				return false
			}
		}
	}
	return true
}

// Repeated ends a pass: what was captured is done now.
func (e *Engine) Repeated(c *tensor.Call) float64 {
	l, ok := c.Scratch.(*lane)
	if !ok {
		return math.NaN()
	}
	switch p := l.pass; l.state {
	case counted:
		p.counted = l.err == nil
		l.state = plain
	case captured:
		l.state = plain
		var err error
		if p.graph, err = l.driver.EndCapture(l.compute); err != nil {
			p.graph, _ = l.driver.EndCapture(l.compute) // the stream may still be captured
		}
		if p.whole = l.keep(err) && l.same(p); p.whole {
			l.replay(p)
		}
	case replayed:
		l.replay(p)
	}
	if l.err != nil {
		return math.NaN()
	}
	return l.loss
}

// same says whether a pass had as many copies as before.
func (l *lane) same(p *pass) bool {
	if l.upped != len(p.up) || l.downed != len(p.down) {
		l.keep(errOther)
	}
	return l.err == nil
}

// replay does a graph and waits for it.
func (l *lane) replay(p *pass) {
	l.state = delivered
	if !l.same(p) {
		return
	}
	l.downed = 0
	if l.keep(l.driver.Replay(p.graph, l.compute)) && l.keep(l.driver.Sync(l.compute)) {
		l.loss = *(*float64)(l.mean.at)
	}
}

var errOther = errors.New("gpu: a pass that comes again has other operations than before")

// next returns the pinned memory for the next copy of that many bytes in a list, nil after
// an error.
func (l *lane) next(list []staged, i *int, size int) unsafe.Pointer {
	if *i >= len(list) || list[*i].size != size {
		l.keep(errOther)
		return nil
	}
	*i++
	return list[*i-1].at
}

// upload copies n bytes to the device. Those of a graph come from pinned memory, in which
// they are left each time.
func (l *lane) upload(dst, src unsafe.Pointer, n int) {
	switch l.state {
	case captured, replayed:
		from := l.next(l.pass.up, &l.upped, n)
		if from == nil {
			return
		}
		copy(unsafe.Slice((*byte)(from), n), unsafe.Slice((*byte)(src), n))
		if l.state == captured {
			l.keep(l.driver.Upload(l.compute, dst, from, n))
		}
		return
	case counted:
		l.pass.up = append(l.pass.up, staged{size: n})
		l.pass.bytes += n
	}
	l.keep(l.driver.Upload(l.compute, dst, src, n))
}

// send does Send for a graph, in which no other stream takes part.
func (l *lane) send(src unsafe.Pointer, n int) {
	if to := l.next(l.pass.down, &l.downed, n); to != nil && l.state == captured {
		l.keep(l.driver.Download(l.compute, to, src, n))
	}
}

// forget closes all graphs: memory that they use is to move.
func (l *lane) forget() (errs []error) {
	for _, p := range l.passes {
		p.whole = false
		errs = append(errs, give(&p.graph, l.driver.CloseGraph))
	}
	return errs
}

// clearPasses gives back what passes hold.
func (l *lane) clearPasses() []error {
	errs := l.forget()
	if first(errs) != nil {
		return errs
	}
	for _, p := range l.passes {
		for _, list := range [][]staged{p.up, p.down} {
			for i := range list {
				s := &list[i]
				err := give(&s.at, l.driver.FreePinned)
				if errs = append(errs, err); err == nil {
					s.bytes = 0
				}
			}
		}
	}
	if first(errs) == nil {
		l.passes, l.pass = nil, nil
	}
	return errs
}
