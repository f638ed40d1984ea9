package tcp

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// counts says that the kernel counts what a connection sent.
const counts = true

// tune bounds how long the kernel waits for acknowledgements: data lost on a
// dead path is noticed although nobody waits to write more. Between processes of
// one host it asks for cubic: bbr paces what it sends by the rate of a link that
// is not there, and a ring of 4 to 64 MiB loses a quarter of its speed.
func tune(conn net.Conn, limit time.Duration) {
	_ = socket(conn, func(fd int) {
		if sameHost(conn) {
			_ = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "cubic")
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

// nonblocking returns a function that writes as much of bufs as the kernel takes
// without waiting and returns what is left, nil if nothing is.
func nonblocking(conn net.Conn) func(net.Buffers) net.Buffers {
	c, ok := conn.(*net.TCPConn)
	if !ok {
		return leave
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return leave
	}
	var bufs net.Buffers // here, that a call allocates nothing
	var n int
	write := func(fd uintptr) bool {
		n, _ = unix.Writev(int(fd), bufs)
		return true
	}
	return func(all net.Buffers) net.Buffers {
		bufs, n = all, 0
		_ = raw.Write(write)
		for len(bufs) > 0 && n >= len(bufs[0]) {
			n -= len(bufs[0])
			bufs = bufs[1:]
		}
		rest := bufs
		if bufs = nil; len(rest) == 0 {
			return nil
		}
		if n > 0 {
			rest[0] = rest[0][n:]
		}
		return rest
	}
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
