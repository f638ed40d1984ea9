package tcp

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
)

// inMemory is the host of a network in this process's memory: whoever waits on it alone waits by the clock of a bubble
// (testing/synctest), which stands while anybody has something to do and else jumps to the next time-out. However slow a
// machine is, nobody's time is over there before all have done what they can.
const inMemory = "127.77.77.77"

var (
	lobbies sync.Map     // by address
	numbers atomic.Int32 // of the ports in memory: no two are ever alike
)

func init() {
	listen, dial := listenTCP, dialTCP
	listenTCP = func(network, address string) (net.Listener, error) {
		if !strings.HasPrefix(address, inMemory+":") {
			return listen(network, address)
		}
		return listenInMemory(strings.TrimSuffix(address, ":0"))
	}
	dialTCP = func(d *net.Dialer, ctx context.Context, network, address string) (net.Conn, error) {
		if !strings.HasPrefix(address, inMemory+":") {
			return dial(d, ctx, network, address)
		}
		return dialInMemory(address)
	}
}

// AddressInMemory returns an address in memory that nobody listens at.
func AddressInMemory() string { return newAddress().String() }

func newAddress() *net.TCPAddr {
	return &net.TCPAddr{IP: net.ParseIP(inMemory), Port: int(numbers.Add(1))}
}

// WithoutWaiting runs f in a bubble, where waiting on memory takes no time.
func WithoutWaiting(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// lobby is a listener in memory.
type lobby struct {
	hall
	at *net.TCPAddr
}

// listenInMemory listens at an address, with a new port where it has none.
func listenInMemory(address string) (net.Listener, error) {
	at := newAddress()
	if address != inMemory {
		var err error
		if at, err = net.ResolveTCPAddr("tcp", address); err != nil {
			return nil, err
		}
	}
	l := &lobby{hall: hall{conns: make(chan net.Conn, 4096)}, at: at}
	lobbies.Store(at.String(), l)
	return l, nil
}

func (l *lobby) Addr() net.Addr { return l.at }

func (l *lobby) Close() error {
	lobbies.Delete(l.at.String())
	return l.hall.Close()
}

func dialInMemory(address string) (net.Conn, error) {
	l, ok := lobbies.Load(address)
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	a, b := net.Pipe()
	here, there := newAddress(), l.(*lobby).at
	l.(*lobby).enter(&end{b, there, here})
	return &end{a, here, there}, nil
}

// end is an end of a connection in memory, which knows its addresses.
type end struct {
	net.Conn
	here, there *net.TCPAddr
}

func (e *end) LocalAddr() net.Addr  { return e.here }
func (e *end) RemoteAddr() net.Addr { return e.there }
