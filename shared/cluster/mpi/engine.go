//go:build linux && (amd64 || arm64) && !nodl

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// small is the longest message of MPI's tag 0: a header and what goes with it.
const small = cluster.HeaderBytes + tcp.Inline

const (
	heads   = 32        // receives that wait for a header
	tags    = 1<<20 - 1 // of bodies, after which a pair of ranks begins again: some fabrics grant MPICH 20 bits
	maxHeld = 1 << 12   // frames of a run that this process has not begun, or four of every rank
)

// engine is the thread that owns MPI. It implements tcp.Fabric.
type engine struct {
	lib        *library
	rank, size int
	host       string
	tags       int

	mu      sync.Mutex
	orders  []order // from other goroutines
	closing bool
	code    int // with which the process ends, once closing

	// Only the thread's:
	jobs     map[uint32]take
	left     map[uint32]bool // jobs that are over
	held     []held
	sent     []int          // bodies, by rank that they went to
	came     []int          // bodies, by rank that they came from
	under    []int          // bytes of bodies on their way, by rank that they go to
	waits    [][]order      // frames of messages that wait for those, in order, by rank
	waiting  int            // how many
	requests []byte         // MPI's handles of ops
	ops      []op           // in flight but for heads
	free     [][]byte       // of small
	scratch  *scratch       // what MPI writes
	head     int            // the next of the receives of headers that will be done
	pin      runtime.Pinner // of the engine's own memory
	large    int            // bodies in flight
}

type take = func(h cluster.Header) (piece []byte, landed func())

// order is a frame to be sent, or a job to be joined or left.
type order struct {
	to    int
	first []byte // header, and the body if it is small
	body  []byte
	sent  func()
	words bool // of a control connection: overtakes messages
	job   uint32
	take  take
	leave bool
}

// op is an MPI request in flight.
type op struct {
	small []byte // to be used again
	body  []byte
	pin   *runtime.Pinner // of body
	sends bool
	to    int // that body goes to, if sends
	done  func()
}

// held is a frame that came before its run began here.
type held struct {
	h     cluster.Header
	piece []byte
}

// scratch is memory that MPI writes to, in one place that does not move.
type scratch struct {
	flag, count int32
	status      [status]byte
	buffers     [heads][small]byte
	requests    [heads][8]byte
	barrier     [8]byte
	indices     [maxOps]int32
	statuses    [maxOps * status]byte
}

// maxOps is how many requests one look asks for.
const maxOps = 64

// status is the bytes of an MPI_Status, or more: 24 of Open MPI, 20 of MPICH, 32 of the standard ABI.
const status = 40

// start opens the library and begins MPI on a thread of its own.
func start(file string) (*World, error) {
	type begun struct {
		w   *World
		err error
	}
	c := make(chan begun)
	procs := runtime.GOMAXPROCS(0)
	go func() {
		runtime.LockOSThread() // for good: when the goroutine ends, so does the thread
		lib, err := load(file)
		if err != nil {
			c <- begun{nil, err}
			return
		}
		e := &engine{lib: lib, tags: tags, jobs: map[uint32]take{}, left: map[uint32]bool{}, scratch: &scratch{}}
		if err := e.begin(); err != nil {
			c <- begun{nil, err}
			return
		}
		runtime.GOMAXPROCS(procs + 1) // what the thread occupies is not the others'
		c <- begun{&World{Rank: e.rank, Size: e.size, Library: lib.name, File: lib.file, procs: procs, engine: e}, nil}
		e.run()
	}()
	b := <-c
	return b.w, b.err
}

// begin initialises MPI and posts the receives of headers.
func (e *engine) begin() error {
	l, s := e.lib, e.scratch
	e.pin.Pin(s)
	l.call(initThread, 0, 0, number(int(l.funneled)), address(&s.flag))
	if s.flag < l.funneled {
		return fmt.Errorf("mpi: %s grants the level of threads %d, want MPI_THREAD_FUNNELED, %d", l.name, s.flag, l.funneled)
	}
	number := func(f function) int {
		l.call(f, l.world, address(&s.count))
		return int(s.count)
	}
	e.rank, e.size = number(commRank), number(commSize)
	e.sent, e.came, e.under, e.waits = make([]int, e.size), make([]int, e.size), make([]int, e.size), make([][]order, e.size)
	l.call(processorName, address(&s.buffers[0][0]), address(&s.count))
	e.host = string(s.buffers[0][:s.count])
	for i := range heads {
		e.receiveHead(i)
	}
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(nap/10), 0, 0, 0) // or a short sleep is twice as long
	return nil
}

func (e *engine) receiveHead(i int) {
	e.lib.call(irecv, address(&e.scratch.buffers[i][0]), small, e.lib.bytes, number(int(e.lib.anySource)), 0, e.lib.world, address(&e.scratch.requests[i][0]))
}

// Host implements tcp.Fabric.
func (e *engine) Host() string { return e.host }

// Join implements tcp.Fabric.
func (e *engine) Join(job uint32, take func(h cluster.Header) ([]byte, func())) {
	e.order(order{job: job, take: take})
}

// Leave implements tcp.Fabric.
func (e *engine) Leave(job uint32) { e.order(order{job: job, leave: true}) }

// Send implements tcp.Fabric.
func (e *engine) Send(to int, h *cluster.Header, body []byte, sent func()) {
	o := order{to: to, first: h.Append(e.buffer()), words: h.Flags&cluster.FlagControl != 0}
	if len(body) <= tcp.Inline {
		o.first = append(o.first, body...)
		body = nil
		if sent != nil {
			defer sent()
		}
	} else {
		o.sent = sent
	}
	o.body = body
	e.order(o)
}

func (e *engine) order(o order) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.orders = append(e.orders, o)
}

// buffer returns empty memory for a message of tag 0.
func (e *engine) buffer() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if last := len(e.free) - 1; last >= 0 {
		b := e.free[last]
		e.free = e.free[:last]
		return b
	}
	return make([]byte, 0, small)
}

// exit ends MPI, and then the process: with 0 once every process does the same and nothing is on its way, else all of
// them, at once but for what is on its way to them.
func (e *engine) exit(code int) {
	e.mu.Lock()
	e.closing, e.code = true, code
	e.mu.Unlock()
	if code != 0 {
		time.Sleep(3 * grace)
		os.Exit(code) // the thread, which ends the process, is stuck in MPI
	}
	select {}
}

// grace is how long one that failed waits until what it has sent is taken: who is gone takes nothing. It waits for told
// at least: MPICH's launcher ends at an abort without passing on what it has not read of a rank's output.
const (
	grace = time.Second
	told  = grace / 4
)

// The pauses of the thread while nothing happens: at first it lets other threads run between two looks, then it sleeps.
// runtime.Gosched is none of them: of a goroutine that has a thread of its own it is two switches of threads.
const (
	looks     = 200
	moreLooks = 20000 // while a body is on its way, which moves only while MPI is asked
	nap       = 50 * time.Microsecond
	moreNaps  = 1000 // after which a nap is four times as long: a look wakes a core
)

// run works until close.
func (e *engine) run() {
	idle := 0
	var failed time.Time
	for {
		orders, closing, code := e.take()
		for i := range orders {
			e.do(&orders[i])
		}
		busy := e.receive()
		busy = e.complete() || busy || len(orders) > 0
		e.follow()
		if code != 0 && failed.IsZero() {
			failed = time.Now()
		}
		switch {
		case code != 0 && (len(e.ops) == 0 && time.Since(failed) > told || time.Since(failed) > grace):
			purego.SyscallN(e.lib.address[abort], e.lib.world, number(code))
			os.Exit(code)
		case busy:
			idle = 0
			runtime.Gosched() // whom it woke runs sooner
		case closing && code == 0 && len(e.ops) == 0 && e.waiting == 0:
			e.end()
			return
		}
		idle++
		e.pause(idle)
	}
}

// pause waits before the idle-th look at nothing in a row.
func (e *engine) pause(idle int) {
	if idle < looks || e.large > 0 && idle < moreLooks {
		_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		return
	}
	length := nap
	if idle > looks+moreNaps {
		length *= 4
	}
	t := unix.NsecToTimespec(int64(length))
	// Raw: else Go's monitor looks every 20 µs whom it can give this thread's processor.
	_, _, _ = syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}

func (e *engine) take() (orders []order, closing bool, code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	orders, closing, code = e.orders, e.closing, e.code
	e.orders = nil
	return orders, closing, code
}

// do carries out an order.
func (e *engine) do(o *order) {
	switch {
	case o.leave:
		delete(e.jobs, o.job)
		e.left[o.job] = true
		return
	case o.take != nil:
		e.jobs[o.job] = o.take
		rest := e.held[:0]
		for _, f := range e.held {
			if f.h.Job == o.job {
				e.hand(o.take, f.h, f.piece)
			} else {
				rest = append(rest, f)
			}
		}
		e.held = rest
		return
	}
	if !o.words && (len(e.waits[o.to]) > 0 || o.body != nil && e.under[o.to] > window) {
		e.waits[o.to] = append(e.waits[o.to], *o)
		e.waiting++
		return
	}
	e.send(o)
}

// window is how many bytes of bodies are on their way to a rank before the next waits: MPI hurries none of them, and
// what says that this rank lives would wait behind all.
const window = 32 << 20

// follow sends what waited for bodies that have arrived.
func (e *engine) follow() {
	for to := 0; to < len(e.waits) && e.waiting > 0; to++ {
		for q := e.waits[to]; len(q) > 0 && e.under[to] <= window; q = e.waits[to] {
			o := q[0]
			q[0] = order{}
			e.waits[to] = q[1:]
			e.waiting--
			e.send(&o)
		}
	}
}

// send gives a frame to MPI.
func (e *engine) send(o *order) {
	at := e.issue(op{small: o.first})
	e.lib.call(isend, address(&o.first[0]), number(len(o.first)), e.lib.bytes, number(o.to), 0, e.lib.world, at)
	if o.body != nil {
		at := e.issue(op{body: o.body, done: o.sent, sends: true, to: o.to})
		e.under[o.to] += len(o.body)
		e.lib.call(isend, address(&o.body[0]), number(len(o.body)), e.lib.bytes, number(o.to), number(1+e.sent[o.to]%e.tags), e.lib.world, at)
		e.sent[o.to]++
	}
}

// issue notes an operation that begins and returns where its handle goes.
func (e *engine) issue(o op) uintptr {
	o.pin = new(runtime.Pinner)
	if o.body != nil {
		o.pin.Pin(&o.body[0])
		e.large++
	} else {
		o.pin.Pin(&o.small[0])
	}
	at := len(e.requests)
	e.ops = append(e.ops, o)
	e.requests = append(e.requests, make([]byte, e.lib.request)...)
	return address(&e.requests[at])
}

// receive takes the headers that have come, in the order of their receives, which is that of their senders.
func (e *engine) receive() (busy bool) {
	s := e.scratch
	for {
		i := e.head
		e.lib.call(test, address(&s.requests[i][0]), address(&s.flag), address(&s.status[0]))
		if s.flag == 0 {
			return busy
		}
		busy = true
		h, err := cluster.ParseHeader(s.buffers[i][:])
		if err != nil {
			panic("mpi: a message of this program begins with no header: " + err.Error())
		}
		e.arrive(h, s.buffers[i][cluster.HeaderBytes:])
		e.receiveHead(i)
		e.head = (i + 1) % heads
	}
}

// arrive finds the run of a frame, whose piece stands in inline if it is small.
func (e *engine) arrive(h cluster.Header, inline []byte) {
	take := e.jobs[h.Job]
	if h.Piece <= tcp.Inline {
		piece := inline[:h.Piece]
		if take != nil {
			e.hand(take, h, piece)
		} else if !e.left[h.Job] && h.Flags&cluster.FlagControl != 0 && len(e.held) < max(maxHeld, 4*e.size) {
			e.held = append(e.held, held{h, append([]byte(nil), piece...)})
		}
		return
	}
	var piece []byte
	var landed func()
	if take != nil {
		piece, landed = take(h)
	}
	if piece == nil {
		piece = make([]byte, h.Piece) // it must go somewhere
	}
	at := e.issue(op{body: piece, done: landed})
	e.lib.call(irecv, address(&piece[0]), number(len(piece)), e.lib.bytes, number(h.From), number(1+e.came[h.From]%e.tags), e.lib.world, at)
	e.came[h.From]++
}

// hand hands in a frame whose piece is here.
func (e *engine) hand(take take, h cluster.Header, piece []byte) {
	place, landed := take(h)
	copy(place, piece)
	if landed != nil {
		landed()
	}
}

// complete ends the operations that are done.
func (e *engine) complete() (busy bool) {
	l, s := e.lib, e.scratch
	for from := 0; from < len(e.ops); {
		n := min(len(e.ops)-from, maxOps)
		l.call(testsome, number(n), address(&e.requests[from*l.request]), address(&s.count), address(&s.indices[0]), address(&s.statuses[0]))
		if s.count <= 0 { // none, or MPI_UNDEFINED
			from += n
			continue
		}
		busy = true
		done := make([]func(), 0, s.count)
		for _, i := range s.indices[:s.count] {
			o := &e.ops[from+int(i)]
			done = append(done, o.done)
			e.recycle(o)
		}
		e.remove(from, n)
		for _, f := range done {
			if f != nil {
				f()
			}
		}
		from += n - len(done)
	}
	return busy
}

// recycle gives an operation's memory back.
func (e *engine) recycle(o *op) {
	o.pin.Unpin()
	o.pin = nil
	if o.body != nil {
		e.large--
		if o.sends {
			e.under[o.to] -= len(o.body)
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.free) < 256 {
		e.free = append(e.free, o.small[:0])
	}
}

// remove forgets those of n operations that are done.
func (e *engine) remove(from, n int) {
	w, to := e.lib.request, from
	for i := from; i < len(e.ops); i++ {
		if i < from+n && e.ops[i].pin == nil {
			continue
		}
		e.ops[to] = e.ops[i]
		copy(e.requests[to*w:(to+1)*w], e.requests[i*w:])
		to++
	}
	clear(e.ops[to:])
	e.ops, e.requests = e.ops[:to], e.requests[:to*w]
}

// end ends MPI with all others, and the process. What they still send is taken and dropped until all are here.
func (e *engine) end() {
	l, s := e.lib, e.scratch
	l.call(ibarrier, l.world, address(&s.barrier[0]))
	for idle := 0; ; idle++ {
		if e.receive() || e.complete() {
			idle = 0
		}
		if l.call(test, address(&s.barrier[0]), address(&s.flag), address(&s.status[0])); s.flag != 0 {
			break
		}
		e.pause(idle)
	}
	for i := range heads {
		r := address(&s.requests[i][0])
		l.call(cancel, r)
		for s.flag = 0; s.flag == 0; {
			l.call(test, r, address(&s.flag), address(&s.status[0]))
		}
	}
	l.call(finalize)
	// Go's own exit leaves out what C has to do at the end, without which MPICH 5 tells its launcher nothing.
	if c, err := purego.Dlsym(purego.RTLD_DEFAULT, "exit"); err == nil {
		purego.SyscallN(c, 0)
	}
	os.Exit(0)
}
