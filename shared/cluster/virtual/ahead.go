package virtual

import (
	"unsafe"

	"gradsync/shared/cluster/internal/prefetch"
)

// manyRanks is how many ranks no longer fit the caches: what one message touches of each, its rank, its
// thread and stack, is two to three kilobytes.
const manyRanks = 4096

// ahead asks for the memory that the events behind the present one will touch, in the order in which it can
// be found: the packet leads to its receiver, and that to the thread whose turn will come.
func (e *engine) ahead() {
	if p := e.coming(9); p != nil {
		prefetch.Lines(uintptr(unsafe.Pointer(p)), 2)
	}
	if p := e.coming(6); p != nil {
		prefetch.Lines(uintptr(unsafe.Pointer(p.to)), 2)
	}
	if p := e.coming(4); p != nil && p.began >= 0 && p.to.latest != nil {
		prefetch.Lines(uintptr(unsafe.Pointer(p.to.latest)), 2)
		if q, ok := p.to.box.First(); ok {
			prefetch.Lines(uintptr(unsafe.Pointer(q)), 1)
		}
	}
	if p := e.coming(2); p != nil && p.began >= 0 && p.to.latest != nil {
		t := p.to.latest
		prefetch.Lines(uintptr(t.goid), 7)
		prefetch.Lines(t.stack-7*prefetch.Line, 18) // what it will use, and what it has
	}
}

// coming returns the packet of an event that stands n behind the next of the lane that the last one came from, nil
// if there is none.
func (e *engine) coming(n uint32) *packet {
	l := &e.events.lanes[e.events.least]
	if l.len <= n {
		return nil
	}
	who := l.ring[int(l.from+n)&(len(l.ring)-1)].who
	if who >= 0 {
		return nil
	}
	return e.packets[^who]
}
