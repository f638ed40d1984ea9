//go:build unix

package tcp_test

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// A process that stands still keeps its sockets open and says nothing: all
// others name it within the time-out and a tenth.
func TestAStoppedProcessIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	const timeout = 3 * time.Second // a loaded machine may take a tenth of it to tell
	for _, victim := range []int{0, 1} {
		strike(t, victim, timeout, timeout+timeout/10, "silent", func(p *os.Process) error { return p.Signal(syscall.SIGSTOP) })
	}
}
