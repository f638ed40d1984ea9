package cluster

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCancelled is the error of a receive that Cancel withdrew.
var ErrCancelled = errors.New("cluster: receive cancelled")

// AbortError is returned by every call once a run has failed, and by the run
// itself. Rank is the rank that failed first, −1 if the run was
// stopped from outside or is in deadlock.
type AbortError struct {
	Rank int
	Addr string // name or address of the rank's host
	Op   string // what failed: "body", "panic", "context", "deadlock" …
	Err  error
}

func (e *AbortError) Error() string {
	if e.Rank < 0 {
		return fmt.Sprintf("cluster: run aborted: %s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("cluster: rank %d (%s) failed: %s: %v", e.Rank, e.Addr, e.Op, e.Err)
}

// Unwrap returns the cause.
func (e *AbortError) Unwrap() error { return e.Err }

// PanicError is a panic of algorithm code, with the stack it happened on.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack)
}

// Unwrap returns the panic's value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Waiter is one thread that waited when nothing could wake it any more.
type Waiter struct {
	Rank   int
	Thread string
	Op     string // "recv", "send", "bcast", "compute", "thread", "sleep"
	Peer   int    // Any for a receive from anybody, −1 where there is no peer
	Tag    Tag
}

func (w Waiter) String() string {
	s := fmt.Sprintf("rank %d", w.Rank)
	if w.Thread != "" {
		s += " thread " + w.Thread
	}
	switch w.Op {
	case "recv", "bcast":
		from := fmt.Sprint("rank ", w.Peer)
		if w.Peer == Any {
			from = "any rank"
		}
		return fmt.Sprintf("%s: %s from %s tag %d", s, w.Op, from, w.Tag)
	case "send":
		return fmt.Sprintf("%s: send to rank %d tag %d", s, w.Peer, w.Tag)
	}
	return s + ": " + w.Op
}

// DeadlockError says that a run ended with waiters: no message, computation or
// deadline was left that could wake them.
type DeadlockError struct {
	Waiters []Waiter // by rank, then in order of thread creation
}

// maxListed bounds the text of a DeadlockError, not its list.
const maxListed = 16

func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster: deadlock: %d waits cannot end", len(e.Waiters))
	for i, w := range e.Waiters {
		if i == maxListed {
			fmt.Fprintf(&b, "; and %d more", len(e.Waiters)-i)
			break
		}
		b.WriteString("; ")
		b.WriteString(w.String())
	}
	return b.String()
}
