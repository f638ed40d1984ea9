package ptx

import (
	"fmt"
	"math/bits"
)

const allLanes = 1<<warpSize - 1

// warp is 32 threads and their registers.
type warp struct {
	block *block
	first int    // its first thread
	full  uint32 // threads it has at all
	words []words
	longs []longs
	preds []uint32
	local []byte // of all threads, one behind the other

	stand          // the threads that go on
	others []stand // those that wait for them, the last to go on first
	act    uint32  // threads that go on and for which an instruction's guard holds
	state  state
	ran    int64 // thread instructions

	spare     words // results while not all threads are active
	spareLong longs
}

// stand is threads at an address. They go on until the one at which all ways from their
// last branch meet; there others have the same threads among theirs.
type stand struct {
	pc   int
	mask uint32
	meet int
}

type state uint8

const (
	running state = iota
	waiting       // at the barrier pc stands behind
	done
)

// longest is how many thread instructions a warp may run: a loop without an end stops.
const longest = 1 << 33

// word returns where an instruction writes, keep takes it over for the active threads.
func (w *warp) word(at int) *words {
	if w.act == allLanes {
		return &w.words[at]
	}
	return &w.spare
}

func (w *warp) keep(at int) {
	if w.act == allLanes {
		return
	}
	o := &w.words[at]
	for m := w.act; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % warpSize
		o[i] = w.spare[i]
	}
}

func (w *warp) long(at int) *longs {
	if w.act == allLanes {
		return &w.longs[at]
	}
	return &w.spareLong
}

func (w *warp) keepLong(at int) {
	if w.act == allLanes {
		return
	}
	o := &w.longs[at]
	for m := w.act; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % warpSize
		o[i] = w.spareLong[i]
	}
}

func (w *warp) setPred(at int, v uint32) { w.preds[at] = w.preds[at]&^w.act | v&w.act }

// fault ends the kernel.
func (w *warp) fault(lane int, what string) {
	in := &w.block.kernel.code[w.pc]
	panic(&Fault{w.block.kernel.Name, in.line, in.text, what, w.block.at, w.first + lane})
}

// whole faults unless all threads of the warp are active.
func (w *warp) whole(what string) {
	if w.act != allLanes {
		w.fault(bits.TrailingZeros32(^w.act)%warpSize, fmt.Sprintf("%s reached by %d of 32 threads of the warp", what, bits.OnesCount32(w.act)))
	}
}

// start puts all threads before the first instruction, their registers 0: what a block
// computes does not hang on the one that ran before it.
func (w *warp) start() {
	k := w.block.kernel
	clear(w.preds)
	for _, p := range k.always {
		w.preds[p] = allLanes
	}
	clear(w.words[specials:k.begin[0]])
	clear(w.longs[:k.begin[1]])
	for i := range w.local {
		w.local[i] = 0xff
	}
	w.stand, w.others, w.state = stand{0, w.full, len(k.code)}, w.others[:0], running
}

// run executes until the warp waits at a barrier or has returned.
func (w *warp) run(code []instruction) {
	for {
		for w.pc == w.meet {
			w.next()
		}
		in := &code[w.pc]
		w.act = w.mask
		if in.guard >= 0 {
			p := w.preds[in.guard]
			if in.negate {
				p = ^p
			}
			w.act &= p
		}
		w.ran += int64(bits.OnesCount32(w.mask))
		switch in.kind {
		case plain:
			if w.act != 0 {
				in.run(w)
			}
			w.pc++
		case branch:
			w.branch(in)
		case exit:
			if w.leave(); w.mask == 0 {
				w.state = done
				return
			}
		case wait:
			if w.act != w.full {
				missing := bits.TrailingZeros32(w.full &^ w.act)
				w.fault(missing, fmt.Sprintf("divergent barrier: reached by %d of %d threads of the warp", bits.OnesCount32(w.act), bits.OnesCount32(w.full)))
			}
			w.pc++
			w.state = waiting
			return
		}
	}
}

// branch sends the active threads to an address. Where only some take it, these go on
// first, then the rest, then all together from where both ways meet.
func (w *warp) branch(in *instruction) {
	if in.target <= w.pc && w.ran > longest {
		w.fault(bits.TrailingZeros32(w.mask), fmt.Sprintf("no end after %d instructions", int64(longest)))
	}
	rest := w.mask &^ w.act
	switch {
	case w.act == 0:
		w.pc++
		return
	case rest == 0:
		w.pc = in.target
		return
	}
	if w.meet != in.meet { // otherwise those who wait there wait for these threads too
		w.others = append(w.others, stand{in.meet, w.mask, w.meet})
	}
	w.others = append(w.others, stand{w.pc + 1, rest, in.meet})
	w.stand = stand{in.target, w.act, in.meet}
}

// next goes on with the threads that waited last.
func (w *warp) next() {
	last := len(w.others) - 1
	for i := range w.local {
		w.local[i] = 0xff
	}
	w.stand, w.others = w.others[last], w.others[:last]
}

// leave takes the active threads out of the program.
func (w *warp) leave() {
	w.mask &^= w.act
	w.pc++
	for i := range w.others {
		w.others[i].mask &^= w.act
	}
	for w.mask == 0 && len(w.others) > 0 {
		w.next()
	}
}
