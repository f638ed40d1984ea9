//go:build !linux

package tcp

import (
	"net"
	"time"
)

const counts = false

func tune(net.Conn, time.Duration) {}

func acknowledged(net.Conn) int64 { return -1 }

// direct is for systems on which connections are read and written without waiting: there are none here.
type direct struct {
	total        int64
	brief, short bool
}

func newDirect(net.Conn) *direct { return nil }

func (*direct) Read([]byte) (int, error) { return 0, errAgain }

func (*direct) write(bufs net.Buffers) (net.Buffers, int, error) { return bufs, 0, nil }

func (*direct) untilRead(func() bool) error { return nil }

func (*direct) untilWritten(func() bool) error { return nil }

func progress(net.Conn) (acked int64, all bool) { return -1, true }
