package tcp

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"time"

	"gradsync/shared/cluster"
)

// Config says which rank of which job this process is, and how it reaches the
// others.
//
// Source: ours: what a launcher has to tell each process
type Config struct {
	Rank, Size int
	// Job names the run: processes of another job are refused.
	Job string
	// Rendezvous is host:port where the ranks find each other. Exactly one
	// process, of whatever rank, has Host set and listens there.
	Rendezvous string
	Host       bool
	// Listen is where this process takes data connections: an address with or
	// without a port, or the name of an interface. "": the address that the route
	// to the rendezvous uses.
	Listen string
	// Chunk is the largest piece that a frame of this rank carries, in bytes; 0: 1 MiB.
	Chunk int
	// Certs is a folder that MakeCerts made: then every connection is TLS 1.3, and both
	// ends show the certificate of the rank that they are. "": in the clear, which only
	// loopback may be.
	Certs string
	// Insecure lets connections be in the clear off loopback: whoever can read the
	// network reads all gradients, and who writes to it can join.
	Insecure bool
	// Timeout is how long a peer may be silent before it counts as lost, MinTimeout at least; 0: 10 s.
	Timeout time.Duration
	// Join is how long the ranks wait for each other at the start; 0: Timeout.
	Join time.Duration
	Seed uint64
	// Trace records spans; traffic is always counted.
	Trace bool
	// Hosts name the ranks in errors, and give the speeds that Emulate needs; nil:
	// a rank's data address names it.
	Hosts []cluster.Host
	// Emulate makes a computation last at least its host's modelled time.
	Emulate bool
	// Elastic lets a run that has begun go on without the ranks it loses, unless the rendezvous is lost with one:
	// each Proc is a cluster.Survivor. All processes of a job agree on it.
	Elastic bool

	id   *identity                              // this rank's, of Certs; nil: not read yet, so no connection
	host *identity                              // the rendezvous's, if it is here; as id
	poll int                                    // 1: ranks of one process poll, too; −1: nobody does: tests want both
	wrap func(peer int, conn net.Conn) net.Conn // tests put faults into data connections
}

// MaxSize is the most ranks of a job: a frame's header has 16 bits for one.
//
// Source: ours: the bound that launch tells before it starts a process
const MaxSize = 1 << 16

// MinTimeout is the least Config.Timeout, of which signs of life take fractions.
//
// Source: ours: shorter silences are the scheduler's
const MinTimeout = 10 * time.Millisecond

const (
	defaultTimeout = 10 * time.Second
	defaultChunk   = 1 << 20
	maxChunk       = 16 << 20
)

// checked returns c with its defaults filled in.
func (c Config) checked() (Config, error) {
	switch {
	case c.Size < 1 || c.Size > MaxSize:
		return c, fmt.Errorf("tcp: size %d, want 1 to %d", c.Size, MaxSize)
	case c.Rank < 0 || c.Rank >= c.Size:
		return c, fmt.Errorf("tcp: rank %d of %d ranks", c.Rank, c.Size)
	case cluster.CheckName(c.Job) != nil:
		return c, fmt.Errorf("tcp: name of the job: %w", cluster.CheckName(c.Job))
	case c.Chunk < 0 || c.Chunk > maxChunk:
		return c, fmt.Errorf("tcp: chunk of %d bytes, want 1 to %d, or 0 for %d", c.Chunk, maxChunk, defaultChunk)
	case c.Certs != "" && c.Insecure:
		return c, errors.New("tcp: certificates and --insecure: want one of the two")
	case c.Timeout < 0 || c.Join < 0:
		return c, fmt.Errorf("tcp: time-outs %v and %v, want ≥ 0", c.Timeout, c.Join)
	case c.Timeout > 0 && c.Timeout < MinTimeout:
		return c, fmt.Errorf("tcp: time-out %v, want %v at least, or 0 for %v", c.Timeout, MinTimeout, defaultTimeout)
	case c.Hosts != nil && len(c.Hosts) != c.Size:
		return c, fmt.Errorf("tcp: %d hosts named for %d ranks", len(c.Hosts), c.Size)
	case c.Emulate && c.Hosts == nil:
		return c, fmt.Errorf("tcp: emulation needs the hosts' speeds")
	}
	if c.Certs == "" {
		c.id, c.host = plain, plain
	}
	if c.Chunk == 0 {
		c.Chunk = defaultChunk
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.Join == 0 {
		c.Join = c.Timeout
	}
	host, _, err := net.SplitHostPort(c.Rendezvous)
	if err != nil {
		return c, fmt.Errorf("tcp: rendezvous %q: %w", c.Rendezvous, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return c, fmt.Errorf("tcp: rendezvous %q: want an address that the other processes can reach", c.Rendezvous)
	}
	return c, nil
}

// name returns a rank's name in errors: its host's, or else addr.
func (c *Config) name(rank int, addr string) string {
	if rank >= 0 && rank < len(c.Hosts) && c.Hosts[rank].Name != "" {
		return c.Hosts[rank].Name
	}
	return addr
}

// anotherJob is all that a process of another job is told.
const anotherJob = "another job"

// sameJob compares two names of jobs in a time that does not tell how much of
// them agrees.
func sameJob(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// jobHash returns the job as frames carry it.
func jobHash(job string) uint32 { return cluster.Checksum(0, []byte(job)) }

// beat returns the pause between signs of life.
func (c *Config) beat() time.Duration { return c.Timeout / 5 }

// dataAddress says where this process listens for data, given the local end of
// its connection to the rendezvous, and which address others are told.
func (c *Config) dataAddress(local net.Addr) (listen, advertise string, err error) {
	route, _, err := net.SplitHostPort(local.String())
	if err != nil {
		return "", "", fmt.Errorf("tcp: local address %v: %w", local, err)
	}
	host, port := c.Listen, "0"
	if h, p, err := net.SplitHostPort(c.Listen); err == nil {
		host, port = h, p
	}
	if ifi, err := net.InterfaceByName(host); host != "" && err == nil {
		if host, err = interfaceAddress(ifi); err != nil {
			return "", "", err
		}
	}
	if host == "" {
		host = route
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort(host, port), route, nil
	}
	return net.JoinHostPort(host, port), host, nil
}

// interfaceAddress returns an interface's first address, IPv4 before IPv6.
func interfaceAddress(ifi *net.Interface) (string, error) {
	addrs, err := ifi.Addrs()
	if err != nil {
		return "", fmt.Errorf("tcp: interface %s: %w", ifi.Name, err)
	}
	for _, v4 := range []bool{true, false} {
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && (n.IP.To4() != nil) == v4 && !n.IP.IsLinkLocalUnicast() {
				return n.IP.String(), nil
			}
		}
	}
	return "", fmt.Errorf("tcp: interface %s has no address", ifi.Name)
}
