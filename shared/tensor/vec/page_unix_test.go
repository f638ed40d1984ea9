//go:build unix

package vec

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// TestNothingBehindTheBuffersIsRead: buffers end where a page begins that may
// not be touched, so a kernel that reads or writes a byte too far is killed.
func TestNothingBehindTheBuffersIsRead(t *testing.T) {
	page := os.Getpagesize()
	atEnd := func(size int) []byte {
		m, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		must(t, err)
		t.Cleanup(func() { _ = syscall.Munmap(m) })
		must(t, syscall.Mprotect(m[page:], syscall.PROT_NONE))
		return m[page-size : page : page]
	}
	view := func(n int) []float32 {
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(atEnd(4*n)))), n)
	}
	eachSet(t, func(t *testing.T) {
		for n := 1; n <= 3*block; n++ {
			v := newVectors(n, uint64(n))
			a, b, coded := view(n), view(n), atEnd(len(v.coded))
			copy(a, v.a)
			copy(b, v.b)
			copy(coded, v.coded)
			wire := AppendBitmap(coded[:0], b)
			AddTo(a, b)
			must(t, FromBitmap(a, wire))
			four := atEnd(4 * n)
			q := make([]int32, n)
			QuantiseRange(q, a, 9)
			AppendInt32(four[:0], q)
			must(t, AddInt32Bytes(q, four))
			// 16 rows of columns elements.
			from, to := view(block*n), view(block*n)
			Transpose(to, block, from, n, block, n)
		}
	})
}
