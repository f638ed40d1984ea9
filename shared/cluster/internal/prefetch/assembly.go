//go:build amd64 || arm64

package prefetch

// Lines asks for n ≥ 1 lines from address p on.
func Lines(p uintptr, n int)
