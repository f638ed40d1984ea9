//go:build amd64 || arm64

package goid

// Cheap says that Get costs a nanosecond.
const Cheap = true

// Get returns the address of the runtime's record of the running goroutine: no
// two goroutines that live have the same. It costs a nanosecond, where asking
// runtime.Stack costs ten microseconds and more, the deeper the stack.
func Get() uint64
