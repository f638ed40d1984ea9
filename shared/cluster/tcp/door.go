package tcp

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// maxGreetings is how many connections of a listener may be open that have not
// introduced themselves, or as many as there are ranks, if these are more; and how
// many refused ones may be on the way out.
const maxGreetings = 256

// lastWord is how long after the end of a run a refused connection may stay to hear why.
const lastWord = 50 * time.Millisecond

// The pauses after an Accept that failed: doubled from the first to the last.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// door holds the connections of a listener that have not introduced themselves.
type door struct {
	ranks  int // of the job
	mu     sync.Mutex
	open   []net.Conn // oldest first
	closed bool
}

// enter takes a connection in, or closes it and says no once the door is closed.
// Where too many are open the oldest goes: who belongs to the job speaks at once,
// and comes again if it was not heard.
func (d *door) enter(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = conn.Close()
		return false
	}
	if len(d.open) >= max(maxGreetings, d.ranks) {
		_ = d.open[0].Close()
		d.open = slices.Delete(d.open, 0, 1)
	}
	d.open = append(d.open, conn)
	return true
}

// leave lets a connection go that was heard, and reports whether it was still here: one
// that had to make room is closed, and comes again.
func (d *door) leave(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.open, conn)
	if i >= 0 {
		d.open = slices.Delete(d.open, i, i+1)
	}
	return i >= 0
}

// close closes all that are open and all that come.
func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, conn := range d.open {
		_ = conn.Close()
	}
	d.open = nil
}

// acceptAll hands every connection to greet until the listener closes or over is
// closed. Any other error of Accept, as too many open files, is waited out.
func acceptAll(ln net.Listener, over <-chan struct{}, greet func(net.Conn)) {
	wait := firstPause
	for {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			wait = firstPause
			greet(conn)
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait = min(2*wait, lastPause)
		case <-over:
			timer.Stop()
			return
		}
	}
}

// hear calls read, which waits for an introduction on conn, and ends it after
// limit however many bytes drip in.
func hear(conn net.Conn, limit time.Duration, read func() error) error {
	timer := time.AfterFunc(limit, func() { _ = conn.Close() })
	err := read()
	if !timer.Stop() {
		return fmt.Errorf("tcp: no introduction within %v", limit)
	}
	return err
}
