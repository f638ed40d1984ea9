package tcp

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Between processes of one host connections use cubic where there is one, and
// give up on acknowledgements after the time-out.
func TestTune(t *testing.T) {
	ln := sure(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	conn := sure(net.Dial("tcp", ln.Addr().String()))(t)
	defer conn.Close()
	tune(conn, 3*time.Second)
	var name string
	var limit int
	if err := socket(conn, func(fd int) {
		name, _ = unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
		limit, _ = unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
	}); err != nil {
		t.Fatal(err)
	}
	list, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
	if strings.Contains(string(list), "cubic") && strings.TrimRight(name, "\x00\n") != "cubic" {
		t.Errorf("congestion control %q of %q", name, list)
	}
	if limit != 3000 {
		t.Errorf("user time-out %d ms", limit)
	}
}
