//go:build unix

package tcp_test

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// A process that stands still keeps its sockets open and says nothing: all
// others name it when the time-out is over.
func TestAStoppedProcessIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	const timeout = 3 * time.Second
	for _, victim := range []int{0, 1} {
		strike(t, victim, timeout, 5*timeout, "silent", func(p *os.Process) error { return p.Signal(syscall.SIGSTOP) })
	}
}
