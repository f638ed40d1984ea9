package ptx

import "fmt"

// A shadow of shared memory holds per word who wrote and who read it last, and between
// which barriers: the count of barriers (above) and the thread's number plus one.
const (
	threadBits = 11
	threadMask = 1<<threadBits - 1
	several    = threadMask // more threads than one have read the word
	maxEpoch   = 1<<(32-threadBits) - 1
)

// sharedAt returns the bytes of shared memory that a thread accesses; it faults when the
// address is in no variable, and when another thread touches the word too without a
// barrier between, one of both writing.
func (w *warp) sharedAt(lane int, address, bytes uint64, store bool) []byte {
	b := w.block
	valid := b.kernel.shared
	if address >= uint64(4*len(valid)) || address+bytes > uint64(4*len(valid)) {
		w.fault(lane, fmt.Sprintf("shared address %#x is in no variable", address))
	}
	me, now := uint32(w.first+lane+1), b.epoch<<threadBits
	for at := address / 4; 4*at < address+bytes; at++ {
		if !valid[at] {
			w.fault(lane, fmt.Sprintf("shared address %#x is in no variable", address))
		}
		// A word that was written before the last barrier and that this thread, or several, have read since: nothing is new.
		wrote, read := b.wrote[at], b.read[at]
		if store || wrote == 0 || wrote >= now || read != now|me && read != now|several {
			b.touch(w, lane, at, store)
		}
	}
	return b.shared[address:][:bytes]
}

// touch checks an access against the shadow and notes it.
func (b *block) touch(w *warp, lane int, at uint64, store bool) {
	me, now := uint32(w.first+lane+1), b.epoch<<threadBits
	wrote, read := b.wrote[at], b.read[at]
	if wrote&^threadMask == now && wrote&threadMask != me {
		w.fault(lane, fmt.Sprintf("shared-memory race with the write of thread %d: no barrier between", wrote&threadMask-1))
	}
	if store {
		if read&^threadMask == now && read&threadMask != me {
			who := "several threads"
			if read&threadMask != several {
				who = fmt.Sprintf("thread %d", read&threadMask-1)
			}
			w.fault(lane, "shared-memory race with the read of "+who+": no barrier between")
		}
		b.wrote[at] = now | me
		return
	}
	switch {
	case wrote == 0:
		w.fault(lane, fmt.Sprintf("shared address %#x is read before it is written", 4*at))
	case read&^threadMask != now:
		b.read[at] = now | me
	case read&threadMask != me:
		b.read[at] = now | several
	}
}

// A word of global memory that a watched launch touched holds the launch's number above
// the number of the thread, of all blocks, plus one.
const globalBits = 40

// watched prepares all memory for a launch that is watched, and returns its number.
func (m *Memory) watched() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs++
	for _, r := range *m.live.Load() {
		if words := (len(r.data) + 3) / 4; r.wrote == nil {
			r.wrote, r.read = make([]uint64, words), make([]uint64, words)
		}
	}
	return m.runs << globalBits
}

// touchGlobal faults when another thread of the launch touched a word too, one of both
// writing.
func (w *warp) touchGlobal(lane int, r *region, from, bytes uint64, store bool) {
	const number = 1<<globalBits - 1 // of a thread; the largest stands for several
	b := w.block
	me := b.watch | b.firstThread + uint64(w.first+lane) + 1
	other := func(v uint64) bool { return v&^number == b.watch && v != me }
	fault := func(what string, v uint64) {
		who := "several threads"
		if n := v&number - 1; n != number-1 {
			who = fmt.Sprintf("thread %d of block %d", n%b.threads, n/b.threads)
		}
		w.fault(lane, "race in global memory with the "+what+" of "+who)
	}
	for at := from / 4; 4*at < from+bytes; at++ {
		if v := r.wrote[at]; other(v) {
			fault("write", v)
		}
		switch v := r.read[at]; {
		case store && other(v):
			fault("read", v)
		case store:
			r.wrote[at] = me
		case other(v):
			r.read[at] = b.watch | number
		default:
			r.read[at] = me
		}
	}
}

// pass notes that all threads have passed a barrier.
func (b *block) pass() {
	if b.epoch++; b.epoch < maxEpoch {
		return
	}
	for i, v := range b.wrote { // numbers are used up: what was written stays so, and is old
		if b.wrote[i], b.read[i] = 0, 0; v != 0 {
			b.wrote[i] = 1
		}
	}
	b.epoch = 1
}

// reset makes shared memory anew for a block: all bits set, nothing written.
func (b *block) reset() {
	for i := range b.shared {
		b.shared[i] = 0xff
	}
	clear(b.wrote)
	clear(b.read)
	b.epoch = 1
}
