//go:build !linux

package tcp

import (
	"net"
	"time"
)

const counts = false

func tune(net.Conn, time.Duration) {}

func acknowledged(net.Conn) int64 { return -1 }

func nonblocking(net.Conn) func(net.Buffers) net.Buffers { return leave }

func progress(net.Conn) (acked int64, all bool) { return -1, true }
