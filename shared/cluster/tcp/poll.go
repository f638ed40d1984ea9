package tcp

import (
	"errors"
	"os"
	"slices"
	"time"
)

// errAgain is the end of what a direct connection has at the moment.
var errAgain = errors.New("tcp: nothing to read at the moment")

// poll moves what moves at once between this rank and peers, and one more in turn. Else a message costs its receiver what it
// takes to wake a reader, and then the thread.
func (n *node) poll(peers []int) (moved bool) {
	for _, r := range peers {
		if p := n.peers[r]; p != nil {
			moved = p.link.poll() || moved
		}
	}
	if len(n.peers) == 2 {
		return moved
	}
	if r := int(n.turn.Add(1)) % len(n.peers); n.peers[r] != nil && !slices.Contains(peers, r) {
		moved = n.peers[r].link.poll() || moved
	}
	return moved
}

// poll writes and reads what it can without waiting, and reports whether that was anything.
func (l *link) poll() (moved bool) {
	if l.direct == nil {
		return false
	}
	if l.left.Load() {
		moved, _, _ = l.put(false) // an error is the writer's
	}
	if !l.in.TryLock() {
		return moved // whoever has it reads
	}
	some, err := l.pump(true)
	l.in.Unlock()
	if err != nil && !errors.Is(err, errStopped) {
		l.n.blame(l.p.rank, err)
	}
	return moved || some
}

// pump takes what has come of the frames of a direct connection, and reports whether that was anything. An error ends the
// connection; one caller is told which, others get errStopped. The caller holds the lock of l.in. A brief look ends with a
// receive, which may be the one that is waited for: the next message has a better place once its own receive is posted. What
// has been read is taken first: the kernel wakes nobody for it. A brief look takes a read that got little for the last. Who
// sleeps until there is more must have seen that there is nothing, not even the end.
func (l *link) pump(brief bool) (some bool, err error) {
	in := &l.in
	if in.over {
		return false, errStopped
	}
	before := l.direct.total
	l.direct.brief, l.direct.short = brief, false
	for in.ended = false; err == nil && !(brief && in.ended && in.r.Buffered() == 0); {
		err = l.next()
	}
	if some = l.direct.total > before; some && (in.open || in.r.Buffered() > 0) {
		in.since = time.Now()
	}
	if err == nil || errors.Is(err, errAgain) {
		return some, nil
	}
	in.over = true
	return some, err
}

// follow takes the frames of a direct connection until it ends, asleep while there are none that nobody polled.
func (l *link) follow() (err error) {
	done := func() bool {
		l.in.Lock()
		defer l.in.Unlock()
		_, err = l.pump(false)
		return err != nil
	}
	for {
		if e := l.conn.armRead(); e != nil {
			return e
		}
		e := l.direct.untilRead(done)
		switch {
		case err != nil:
			return err
		case !errors.Is(e, os.ErrDeadlineExceeded) || l.silent():
			return e
		}
	}
}

// silent reports whether a frame has begun and nothing came of it for the time-out; if not, it sets the deadline by what
// came last.
func (l *link) silent() bool {
	in, c := &l.in, l.conn
	in.Lock()
	defer in.Unlock()
	if !in.open && in.r.Buffered() == 0 {
		c.read = time.Time{} // the deadline has passed, and the next is due
		return false
	}
	if time.Since(in.since) >= c.limit {
		return true
	}
	c.read = time.Now()
	return c.SetReadDeadline(in.since.Add(c.limit+c.limit/64)) != nil
}

// drain writes what is queued on a direct connection, asleep while the kernel takes nothing from anybody.
func (l *link) drain() (err error) {
	done := func() bool {
		var more bool
		_, more, err = l.put(true)
		return err != nil || !more
	}
	for {
		if e := l.conn.arm(); e != nil {
			return e
		}
		e := l.direct.untilWritten(done)
		switch {
		case err != nil:
			return err
		case e == nil:
			return nil
		case !errors.Is(e, os.ErrDeadlineExceeded) || l.stuck():
			return e
		}
	}
}

// stuck reports whether the kernel took nothing of the rest for the time-out; if it did, stuck sets the deadline by that.
func (l *link) stuck() bool {
	c := l.conn
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.busy {
		return false
	}
	if time.Since(l.wrote) >= c.limit {
		return true
	}
	c.wrote = time.Now()
	return c.SetWriteDeadline(l.wrote.Add(c.limit+c.limit/64)) != nil
}
