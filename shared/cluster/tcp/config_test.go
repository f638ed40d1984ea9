package tcp

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/cluster"
)

// Where a rank listens, and what others are told: by default the address of the route to the rendezvous.
func TestDataAddress(t *testing.T) {
	route := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 4242}
	cases := [][3]string{
		{"", "10.0.0.7:0", "10.0.0.7"}, {"192.168.1.2", "192.168.1.2:0", "192.168.1.2"},
		{"192.168.1.2:7100", "192.168.1.2:7100", "192.168.1.2"}, {":7100", "10.0.0.7:7100", "10.0.0.7"},
		{"0.0.0.0:7100", "0.0.0.0:7100", "10.0.0.7"}, {"::1", "[::1]:0", "::1"},
	}
	list := sure(net.Interfaces())(t)
	if i := slices.IndexFunc(list, func(i net.Interface) bool { return i.Flags&net.FlagLoopback != 0 }); i >= 0 {
		if a, err := interfaceAddress(&list[i]); err == nil {
			cases = append(cases, [3]string{list[i].Name, net.JoinHostPort(a, "0"), a}, [3]string{list[i].Name + ":7100", net.JoinHostPort(a, "7100"), a})
		}
	}
	for _, c := range cases {
		listen, advertise, err := (&Config{Listen: c[0]}).dataAddress(route)
		if err != nil || listen != c[1] || advertise != c[2] {
			t.Errorf("Listen %q: %q, told %q, %v; want %q, told %q", c[0], listen, advertise, err, c[1], c[2])
		}
	}
}

// Over another fabric there is nothing to be certified, and nobody survives: who asks for either is told so.
func TestOverRefuses(t *testing.T) {
	for want, cfg := range map[string]Config{
		"certificates are of connections of our own":             {Size: 1, Job: "x", Certs: "certs"},
		"only connections of our own survive the loss of a rank": {Size: 1, Job: "x", Elastic: true},
	} {
		_, err := Over(cfg, nil).Run(context.Background(), func(cluster.Proc) ([]byte, error) { return nil, nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
