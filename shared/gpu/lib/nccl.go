package lib

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"gradsync/shared/gpu/driver"
)

// Functions of NCCL.
const (
	ncclVersionOf = iota
	ncclName
	ncclLast
	ncclID
	ncclInit
	ncclAllReduce
	ncclDestroy
	ncclAbort
)

var ncclSymbols = []string{
	"ncclGetVersion", "ncclGetErrorString", "?ncclGetLastError", "ncclGetUniqueId", "ncclCommInitRank", "ncclAllReduce", "ncclCommDestroy", "ncclCommAbort",
}

// Values of nccl.h.
const (
	ncclIDBytes = 128 // NCCL_UNIQUE_ID_BYTES
	ncclFloat32 = 7
	ncclSum     = 0
)

// ncclHints say what a user can do about a ncclResult_t.
var ncclHints = map[int]string{
	1: "a call of CUDA failed inside; NCCL_DEBUG=WARN says which",
	2: "a socket, shared memory or the network failed; NCCL_DEBUG=WARN says which, NCCL_SOCKET_IFNAME chooses the network",
	3: "NCCL_DEBUG=WARN says more",
	5: "each rank needs a device of its own, and all the same NCCL",
	6: "another rank has ended or lost the network: its own error says why",
}

// ncclMajor is the one version that this package speaks.
const ncclMajor = 2

// NCCL is NVIDIA's library of sums over devices, opened.
//
// Source: ours: libnccl of version 2
type NCCL struct {
	*opened
	version version
}

// FindNCCL opens NCCL where Find looks. The error is one line, "NCCL: none (…)".
//
// Source: ours: libraries found at run time
func FindNCCL(folders []string) (*NCCL, error) { return findNCCL(machine(), folders) }

func findNCCL(m surroundings, folders []string) (*NCCL, error) {
	if m.env(Variable) == "none" {
		return nil, fmt.Errorf("NCCL: none (%s=none)", Variable)
	}
	n, err := openNCCL(m.folders(folders))
	if err != nil {
		return nil, fmt.Errorf("NCCL: none (%w)", err)
	}
	return n, nil
}

func openNCCL(folders []string) (*NCCL, error) {
	handle, path, err := open(folders, []string{"libnccl.so.2"})
	if err != nil {
		return nil, err
	}
	o, err := load(handle, path, ncclSymbols)
	if err != nil {
		return nil, err
	}
	n, f := &NCCL{opened: o}, newFrame()
	if code := f.call(o.address[ncclVersionOf], f.set(address(&f.out))); code != 0 {
		return nil, n.failed(ncclVersionOf, code)
	}
	if n.version = libraryVersion(int(uint32(f.out[0]))); n.version.major != ncclMajor {
		return nil, fmt.Errorf("%s is NCCL %s; this program speaks NCCL %d", path, n.Version(), ncclMajor)
	}
	return n, nil
}

// Version returns "2.28.3": a patch too may sum in another order.
func (n *NCCL) Version() string {
	return fmt.Sprintf("%d.%d.%d", n.version.major, n.version.minor, n.version.patch)
}

// Path returns the opened file.
func (n *NCCL) Path() string { return n.path }

// failed makes an error of a code, with what NCCL says about it.
func (n *NCCL) failed(f, code int) *Error {
	name := n.name(ncclName, code)
	if n.address[ncclLast] != 0 {
		if more := strings.Join(strings.Fields(cString(invoke(n.address[ncclLast], []uintptr{0}))), " "); more != "" {
			name += ": " + more
		}
	}
	return &Error{Library: "NCCL " + n.Version(), Call: ncclSymbols[f], Code: code, Name: name, Hint: ncclHints[code]}
}

// do calls a function with a frame's first count arguments, in a device's context.
func (n *NCCL) do(h driver.Host, f *frame, function, count int) error {
	if err := h.Enter(); err != nil {
		return err
	}
	defer h.Leave() // NCCL keeps an error's text for the thread that asked
	if code := f.call(n.address[function], count); code != 0 {
		return n.failed(function, code)
	}
	return nil
}

// NewGroup makes the name of a group, which one rank tells the others.
func (n *NCCL) NewGroup(h driver.Host) ([]byte, error) {
	f := newFrame()
	if err := n.do(h, f, ncclID, f.set(address(&f.message))); err != nil {
		return nil, err
	}
	return append([]byte(nil), f.message[:ncclIDBytes]...), nil
}

// Join makes a device a rank of a group, from 0. It returns when all ranks have joined, or
// when one of them could not.
func (n *NCCL) Join(h driver.Host, group []byte, rank, ranks int) (*Ranks, error) {
	if len(group) != ncclIDBytes {
		return nil, fmt.Errorf("gpu: NCCL: a group's name of %d bytes, want %d", len(group), ncclIDBytes)
	}
	r := &Ranks{lib: n, host: h, frame: newFrame()}
	if err := h.Enter(); err != nil {
		return nil, err
	}
	defer h.Leave()
	copy(r.message[:], group)
	if code := r.initRank(n.address[ncclInit], rank, ranks); code != 0 {
		return nil, n.failed(ncclInit, code)
	}
	r.handle = uintptr(r.out[0])
	return r, nil
}

// Ranks is one device's place among those of a group. Sums are one goroutine's; Abort may come
// from another.
//
// Source: ours: ncclComm_t
type Ranks struct {
	lib  *NCCL
	host driver.Host

	mu     sync.Mutex
	handle uintptr // 0: given back
	*frame
}

// AllReduce queues that n values on the device become their sum over all ranks, who all call
// it in the same order with as many. NCCL chooses the order of summation; all ranks get the
// same bits.
func (r *Ranks) AllReduce(s driver.Stream, values unsafe.Pointer, n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handle == 0 {
		return errLeft
	}
	return r.lib.do(r.host, r.frame, ncclAllReduce,
		r.set(uintptr(values), uintptr(values), uintptr(n), ncclFloat32, ncclSum, r.handle, uintptr(s)))
}

var errLeft = fmt.Errorf("gpu: NCCL: this rank has left its group")

// Close leaves the group when its sums are done; after an error Abort is left.
func (r *Ranks) Close() error { return r.leave(ncclDestroy) }

// Abort leaves the group at once: sums under way end without a result.
func (r *Ranks) Abort() error { return r.leave(ncclAbort) }

func (r *Ranks) leave(how int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handle == 0 {
		return nil
	}
	err := r.lib.do(r.host, r.frame, how, r.set(r.handle))
	if err == nil {
		r.handle = 0
	}
	return err
}

// idWords are a group's name as words.
func (f *frame) idWords() *[ncclIDBytes / 8]uintptr {
	return (*[ncclIDBytes / 8]uintptr)(unsafe.Pointer(&f.message))
}
