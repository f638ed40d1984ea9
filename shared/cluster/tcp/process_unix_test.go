//go:build unix

package tcp_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stands is the time-out of processes of which one stands still. The others give signs of life five times in it: however
// many processes a machine has, it does not keep one from running for so long.
const stands = 12 * time.Second

// A process that stands still keeps its sockets open and says nothing: all others name it when the time-out is over.
func TestAStoppedProcessIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	for _, victim := range []int{0, 1} {
		t.Run(fmt.Sprint("rank ", victim), func(t *testing.T) {
			t.Parallel()
			strike(t, victim, stands, "silent", func(p *os.Process) error { return p.Signal(syscall.SIGSTOP) })
		})
	}
}

// A process that stands still is lost when the time-out is over, and the others go on. When it moves again its run ends
// and names itself.
func TestSurvivorsOfAStoppedProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	procs, _ := outlive(t, "", 3, stands, func(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }, 0)
	must(t, procs[0].cmd.Process.Signal(syscall.SIGCONT))
	if got := procs[0].line(t); !strings.Contains(got, "rank 0 ") && !strings.Contains(got, "rendezvous") {
		t.Errorf("the stopped one says %s", got)
	} else {
		t.Log(got)
	}
}
