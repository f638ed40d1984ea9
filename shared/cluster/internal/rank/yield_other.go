//go:build !linux

package rank

// yieldProcessor does nothing: only on Linux are there networks to poll.
func yieldProcessor() {}
