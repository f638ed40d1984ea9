package prefetch

import (
	"testing"
	"unsafe"
)

// No address faults: memory of one's own and none.
func TestNoAddressFaults(t *testing.T) {
	mine := make([]byte, 4*Line)
	for _, p := range []uintptr{uintptr(unsafe.Pointer(&mine[0])), 0, 1, ^uintptr(0) - 100, 1 << 62} {
		Lines(p, 5)
	}
}
