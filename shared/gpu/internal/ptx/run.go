package ptx

import (
	"fmt"
	"runtime"
	"sync"
)

// Options says how a launch is run.
//
// Source: ours: a watch costs time
type Options struct {
	Workers int // goroutines; 0: one per CPU
	// Watch finds threads that touch the same word of global memory, one of them writing.
	// Barriers alone put a launch's threads in order, and the kernels of this repository
	// use them for shared memory only. A watched launch runs on one goroutine.
	Watch bool
}

// Stats counts the instructions of a launch.
//
// Source: ours: how fast the interpreter is
type Stats struct {
	Instructions int64 // times threads
}

// block is a goroutine's state while it runs blocks of one launch.
type block struct {
	kernel *Kernel
	at     Dim
	args   []uint64
	live   []*region
	near   []*region // per access to global memory: where it was last
	watch  uint64    // the launch's number above those of threads; 0: nobody watches

	threads, firstThread uint64 // of a block; threads in the blocks before this one

	shared []byte
	wrote  []uint32
	read   []uint32
	epoch  uint32
	warps  []warp
}

// pool keeps blocks and launches for the next ones, which allocate nothing then.
type pool struct {
	mu       sync.Mutex
	free     []*block
	launches []*launch
}

// Launch runs a grid of blocks. Every argument is a cell of 64 bits, the value in its low
// bytes. The error is the *Fault of the first block in order, or says which argument of
// Launch does not fit.
//
// Source: ours: cuLaunchKernel
func (k *Kernel) Launch(m *Memory, grid, shape Dim, args []uint64, o Options) (Stats, error) {
	blocks := grid.count()
	switch {
	case len(args) != len(k.Params):
		return Stats{}, fmt.Errorf("ptx: kernel %s takes %d arguments, not %d", k.Name, len(k.Params), len(args))
	case blocks == 0 || shape.count() == 0 || shape.count() > 1024 || grid.Y > 65535 || grid.Z > 65535:
		return Stats{}, fmt.Errorf("ptx: kernel %s: no card runs a grid of %v blocks of %v threads", k.Name, grid, shape)
	case k.Block != (Dim{}) && shape != k.Block:
		return Stats{}, fmt.Errorf("ptx: kernel %s is compiled for blocks of %v threads, not %v", k.Name, k.Block, shape)
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	l := k.idle.launch(k)
	l.grid, l.shape, l.args, l.live, l.blocks, l.firstBad = grid, shape, args, *m.live.Load(), blocks, blocks
	if l.watch = 0; o.Watch {
		l.watch = m.watched()
		workers = 1
	}
	if workers = min(workers, blocks); workers == 1 {
		l.work()
	} else {
		l.running.Add(workers)
		for range workers {
			go l.worker()
		}
		l.running.Wait()
	}
	stats, err := l.stats, l.bad()
	k.idle.giveLaunch(l)
	return stats, err
}

// launch holds the part of a launch that its goroutines share.
type launch struct {
	kernel      *Kernel
	grid, shape Dim
	args        []uint64
	live        []*region
	watch       uint64
	blocks      int
	running     sync.WaitGroup
	worker      func() // work in a goroutine

	mu       sync.Mutex
	next     int
	firstBad int // blocks are handed out in order, so all before the first bad one run
	fault    *Fault
	stats    Stats
}

// launch returns one that is not in use.
func (p *pool) launch(k *Kernel) *launch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.launches) - 1; last >= 0 {
		l := p.launches[last]
		p.launches = p.launches[:last]
		return l
	}
	l := &launch{kernel: k}
	l.worker = func() {
		defer l.running.Done()
		l.work()
	}
	return l
}

// giveLaunch takes one back, without what it referred to.
func (p *pool) giveLaunch(l *launch) {
	l.args, l.live, l.next, l.fault, l.stats = nil, nil, 0, nil, Stats{}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.launches) < idleBlocks {
		p.launches = append(p.launches, l)
	}
}

func (l *launch) bad() error {
	if l.fault == nil {
		return nil
	}
	return l.fault
}

func (l *launch) work() {
	b := l.kernel.take(l)
	for {
		l.mu.Lock()
		i := l.next
		l.next++
		stop := i >= l.blocks || l.fault != nil
		l.mu.Unlock()
		if stop {
			break
		}
		b.firstThread = uint64(i * l.shape.count())
		if f := b.run(l.grid.at(i)); f != nil {
			l.mu.Lock()
			if i < l.firstBad {
				l.firstBad, l.fault = i, f
			}
			l.mu.Unlock()
		}
	}
	l.mu.Lock()
	for i := range b.warps {
		l.stats.Instructions += b.warps[i].ran
	}
	l.mu.Unlock()
	l.kernel.give(b)
}

// take returns a block with registers set up for a launch.
func (k *Kernel) take(l *launch) *block {
	threads := l.shape.count()
	n := (threads + warpSize - 1) / warpSize
	k.idle.mu.Lock()
	var b *block
	if last := len(k.idle.free) - 1; last >= 0 && len(k.idle.free[last].warps) == n {
		b, k.idle.free = k.idle.free[last], k.idle.free[:last]
	}
	k.idle.mu.Unlock()
	if b == nil {
		size := len(k.shared)
		b = &block{kernel: k, near: make([]*region, k.sites), shared: make([]byte, 4*size), wrote: make([]uint32, size), read: make([]uint32, size),
			warps: make([]warp, n)}
	}
	b.args, b.live, b.watch, b.threads = l.args, l.live, l.watch, uint64(threads)
	clear(b.near)
	for i := range b.warps {
		b.warps[i].prepare(b, i*warpSize, min(threads-i*warpSize, warpSize), l)
	}
	return b
}

// idleBlocks is how many blocks and launches a kernel keeps.
const idleBlocks = 8

func (k *Kernel) give(b *block) {
	b.args, b.live = nil, nil
	clear(b.near)
	k.idle.mu.Lock()
	defer k.idle.mu.Unlock()
	if len(k.idle.free) < idleBlocks {
		k.idle.free = append(k.idle.free, b)
	}
}

// prepare fills the registers that stay as they are during a launch.
func (w *warp) prepare(b *block, first, threads int, l *launch) {
	k := l.kernel
	if w.words == nil {
		w.words, w.longs, w.preds = make([]words, k.words), make([]longs, k.longs), make([]uint32, k.preds)
		w.local = make([]byte, 4*warpSize*len(k.local))
	}
	w.block, w.first, w.full, w.ran = b, first, uint32(1<<threads-1), 0
	for i := range warpSize {
		t := l.shape.at(first + i)
		w.words[tidX][i], w.words[tidY][i], w.words[tidZ][i] = t.X, t.Y, t.Z
	}
	w.fill(ntidX, l.shape)
	w.fill(nctaidX, l.grid)
	for _, c := range k.consts {
		for i := range warpSize {
			if c.wide {
				w.longs[c.at][i] = c.bits
			} else {
				w.words[c.at][i] = uint32(c.bits)
			}
		}
	}
}

// fill writes three registers from at on.
func (w *warp) fill(at int, d Dim) {
	for i := range warpSize {
		w.words[at][i], w.words[at+1][i], w.words[at+2][i] = d.X, d.Y, d.Z
	}
}

// run executes one block: every warp to the next barrier, then all go on.
func (b *block) run(at Dim) (fault *Fault) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *Fault:
			fault = f
		default:
			panic(f)
		}
	}()
	b.at = at
	b.reset()
	for i := range b.warps {
		b.warps[i].fill(ctaidX, at)
		b.warps[i].start()
	}
	for {
		var waits, ended *warp
		for i := range b.warps {
			w := &b.warps[i]
			if w.state != done {
				w.state = running
				w.run(b.kernel.code)
			}
			if w.state == done {
				if ended == nil {
					ended = w
				}
			} else if waits == nil {
				waits = w
			}
		}
		if waits == nil {
			return nil
		}
		b.agree(waits, ended)
		b.pass()
	}
}

// agree faults unless all warps wait at the barrier at which one does.
func (b *block) agree(waits, ended *warp) {
	for i := range b.warps {
		if w := &b.warps[i]; w.state == waiting && w.pc != waits.pc {
			w.pc--
			w.fault(0, "divergent barrier: other threads of the block wait at another one")
		}
	}
	if ended != nil {
		waits.pc--
		waits.fault(0, fmt.Sprintf("divergent barrier: thread %d has returned without it", ended.first))
	}
}
