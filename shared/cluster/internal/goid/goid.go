// Package goid tells goroutines apart, to catch a Proc in foreign hands.
package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Get returns the running goroutine's number. It costs about a microsecond.
func Get() uint64 {
	var b [40]byte
	s := b[len("goroutine "):runtime.Stack(b[:], false)]
	if i := bytes.IndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	id, _ := strconv.ParseUint(string(s), 10, 64)
	return id
}
