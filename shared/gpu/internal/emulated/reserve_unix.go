//go:build unix

package emulated

import (
	"syscall"
	"unsafe"
)

// reserve returns addresses that the host can neither read nor write: whoever follows a
// pointer to device memory is stopped at once.
func reserve() (base, end uint64, release func()) {
	for size := 1 << 38; size >= 1<<32; size /= 4 {
		if m, err := syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|noReserve); err == nil {
			at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m))))
			return at, at + uint64(size), func() { _ = syscall.Munmap(m) }
		}
	}
	return fixedBase, fixedEnd, func() {}
}
