package tcp

import (
	"io"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// counts says that the kernel counts what a connection sent.
const counts = true

// unsent is how many bytes the kernel takes ahead of what it has sent, between processes of one host.
const unsent = 128 << 10

// tune bounds how long the kernel waits for acknowledgements: data lost on a
// dead path is noticed although nobody waits to write more. Between processes of
// one host it asks for cubic: bbr paces what it sends by the rate of a link that
// is not there, and a ring of 4 to 64 MiB loses a quarter of its speed. And it lets little wait there to be sent: megabytes
// of a socket's buffers leave the caches and the processor's own lists of free pages, and a ring of 16 MiB loses a third.
func tune(conn net.Conn, limit time.Duration) {
	_ = socket(conn, func(fd int) {
		if sameHost(conn) {
			_ = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "cubic")
			_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds()))
	})
}

// sameHost reports whether both ends of a connection have one address.
func sameHost(conn net.Conn) bool {
	a, ok := conn.LocalAddr().(*net.TCPAddr)
	b, too := conn.RemoteAddr().(*net.TCPAddr)
	return ok && too && a.IP.Equal(b.IP)
}

// acknowledged returns how many bytes the other end's kernel has acknowledged
// so far, −1 if the kernel does not say.
func acknowledged(conn net.Conn) int64 {
	acked, _ := progress(conn)
	return acked
}

// progress returns the bytes acknowledged, and whether that is all that were
// written.
func progress(conn net.Conn) (acked int64, all bool) {
	acked = -1
	_ = socket(conn, func(fd int) {
		if info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			acked, all = int64(info.Bytes_acked), info.Unacked == 0 && info.Notsent_bytes == 0
		}
	})
	return acked, all
}

// direct is a connection that is read and written without waiting, by whichever goroutine has the time, while
// another one may sleep until there is something to read or room to write. One goroutine at a time reads, and one
// writes.
type direct struct {
	conn net.Conn
	raw  syscall.RawConn

	in        []byte // here, as what follows, that a call allocates nothing
	got       int
	total     int64 // bytes read
	brief     bool  // nothing is left to read after a read that got less than it could take
	short     bool  // the last one did
	readErrno syscall.Errno
	recv      func(fd uintptr)

	out        []unix.Iovec
	put        int
	writeErrno syscall.Errno
	writev     func(fd uintptr)
}

// newDirect returns nil if conn is not TCP itself.
func newDirect(conn net.Conn) *direct {
	c, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	d := &direct{conn: conn, raw: raw}
	// Raw system calls: they do not wait, and around others Go's monitor looks every 20 µs whom it can give this
	// goroutine's processor.
	d.recv = func(fd uintptr) {
		n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&d.in[0])), uintptr(len(d.in)), unix.MSG_DONTWAIT, 0, 0)
		d.got, d.readErrno = int(n), errno
	}
	d.writev = func(fd uintptr) {
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&d.out[0])), uintptr(len(d.out)))
		d.put, d.writeErrno = int(n), errno
	}
	return d
}

// order tells the race detector that what is read was written before: it does not see raw system calls.
var order atomic.Int64

// Read implements io.Reader; errAgain says that there is nothing at the moment.
func (d *direct) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if d.brief && d.short {
		return 0, errAgain
	}
	d.in = b
	err := d.raw.Control(d.recv)
	d.in = nil
	switch order.Load(); {
	case err != nil:
		return 0, err
	case d.readErrno == unix.EAGAIN || d.readErrno == unix.EINTR:
		return 0, errAgain
	case d.readErrno != 0:
		return 0, d.wrong("read", os.NewSyscallError("recvfrom", d.readErrno))
	case d.got == 0:
		return 0, io.EOF
	}
	d.total += int64(d.got)
	d.short = d.got < len(b)
	return d.got, nil
}

// write writes as much of bufs as the kernel takes without waiting and returns what is left, nil if nothing is.
func (d *direct) write(bufs net.Buffers) (rest net.Buffers, n int, err error) {
	d.out = d.out[:0]
	for _, b := range bufs {
		if len(b) > 0 {
			v := unix.Iovec{Base: &b[0]}
			v.SetLen(len(b))
			d.out = append(d.out, v)
		}
	}
	order.Add(1)
	if err = d.raw.Control(d.writev); err != nil {
		return bufs, 0, err
	}
	runtime.KeepAlive(bufs)
	clear(d.out)
	switch {
	case d.writeErrno == unix.EAGAIN || d.writeErrno == unix.EINTR:
		return bufs, 0, nil
	case d.writeErrno != 0:
		return bufs, 0, d.wrong("write", os.NewSyscallError("writev", d.writeErrno))
	}
	n = d.put
	for left := n; len(bufs) > 0; bufs = bufs[1:] {
		if left < len(bufs[0]) {
			bufs[0] = bufs[0][left:]
			return bufs, n, nil
		}
		left -= len(bufs[0])
	}
	return nil, n, nil
}

// wrong words an error as package net does.
func (d *direct) wrong(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: d.conn.LocalAddr(), Addr: d.conn.RemoteAddr(), Err: err}
}

// untilRead sleeps until there is something to read, and again, until done; deadlines and the end of the connection
// are its errors.
func (d *direct) untilRead(done func() bool) error {
	return d.raw.Read(func(uintptr) bool { return done() })
}

// untilWritten is untilRead of room to write.
func (d *direct) untilWritten(done func() bool) error {
	return d.raw.Write(func(uintptr) bool { return done() })
}

// socket calls f with the connection's descriptor.
func socket(conn net.Conn, f func(fd int)) error {
	c, ok := conn.(*net.TCPConn)
	if !ok {
		return net.ErrClosed
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { f(int(fd)) })
}
