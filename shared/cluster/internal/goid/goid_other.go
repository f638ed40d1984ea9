//go:build !amd64 && !arm64

package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Cheap says that Get costs a nanosecond.
const Cheap = false

// Get returns the running goroutine's number. It costs about five microseconds.
func Get() uint64 {
	var b [40]byte
	s := b[len("goroutine "):runtime.Stack(b[:], false)]
	if i := bytes.IndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	id, _ := strconv.ParseUint(string(s), 10, 64)
	return id
}
