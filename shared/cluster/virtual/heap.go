package virtual

// event wakes a thread or moves a packet on, at an instant in picoseconds. It holds no pointer, so that the
// collector passes queues by.
type event struct {
	at  int64
	seq uint64
	who int32  // index of a thread, or ^index of a packet
	gen uint32 // of the thread's wait; a wait that has ended makes it stale
}

func (a *event) before(b *event) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// heap is a 4-ary min-heap of events by (time, sequence): half the depth of a
// binary one, and no interface calls as in container/heap.
type heap struct{ ev []event }

func (h *heap) push(e event) {
	h.ev = append(h.ev, e)
	i := len(h.ev) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h.ev[parent]) {
			break
		}
		h.ev[i] = h.ev[parent]
		i = parent
	}
	h.ev[i] = e
}

// pop returns the first event of a heap that has one.
func (h *heap) pop() event {
	top, last := h.ev[0], len(h.ev)-1
	e := h.ev[last]
	h.ev = h.ev[:last]
	if last == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= last {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, last); c++ {
			if h.ev[c].before(&h.ev[least]) {
				least = c
			}
		}
		if !h.ev[least].before(&e) {
			break
		}
		h.ev[i] = h.ev[least]
		i = least
	}
	h.ev[i] = e
	return top
}
