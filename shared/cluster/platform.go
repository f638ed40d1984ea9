package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// MaxRanks bounds the workers of a platform, and its nodes: of a file, of one that is made, and
// so of a run in virtual time. Sockets have their own bound, below it, which is that of a
// frame's header.
//
// Source: ours: 100,000 ranks can be simulated, and a count cannot exhaust memory
const MaxRanks = 1 << 17

// Platform describes machines and links apart from the program that runs on
// them. It turns work and bytes into time.
//
// Source: ours: no document states its devices completely
type Platform struct {
	Name     string
	Note     string
	Server   *Host // of a parameter server; nil where there is none
	Workers  []Host
	Decision time.Duration // the server's cost of one synchronisation decision
	// Multicast says that the network copies a broadcast to its receivers: the
	// root's NIC sends it once. Otherwise the root sends one copy per member.
	Multicast bool
	// Nodes are machines that hold several of the workers and share one NIC towards
	// the other machines; none: every host is a machine of its own.
	Nodes []Node `json:",omitempty"`
	// Codecs are the rates that a timed run charges for compression; a run on a real
	// clock measures its own.
	Codecs  []CodecRate  `json:",omitempty"`
	Assumed []Assumption // of Decision and Multicast
}

// Node is a machine of several hosts. A message between two hosts of one node
// passes their own NICs alone. A message to another machine leaves, and enters, at
// the smaller of the host's and the node's bandwidth and holds both NICs so long;
// at this end its latency and overhead are the node's. Messages take the shared
// NIC in the order in which they were sent, or first arrived, and one whose host's
// NIC is busy keeps its turn.
//
// Source: §1.3, the blog's GPUDirect within and InfiniBand between machines
type Node struct {
	Name      string
	Bandwidth float64       // bytes per second of the shared NIC, each direction
	Latency   time.Duration // this end's part of a message's one-way latency
	Overhead  time.Duration // NIC time per message beside its bytes
	Assumed   []Assumption
}

// CodecRate is how fast the hosts of a platform code, in bytes of dense float32
// per second. Beside the codecs' names, "count" is the pass that counts zeros
// and "convert" the one that turns weights into gradients or back; both have an
// Encode rate only.
//
// Source: S42, Tc and Td
type CodecRate struct {
	Name           string
	Encode, Decode float64
	Assumed        []Assumption
}

// Host is one machine. A message of S bytes from a to b occupies a's egress
// for a.Overhead + S/a.Bandwidth, then, from the arrival of its first byte
// a.Latency + b.Latency later, b's ingress for b.Overhead + S/b.Bandwidth; it
// is complete when both have passed it on. Alone on its way it so takes the
// latencies, the overheads and S over the smaller bandwidth.
//
// Source: ours: full-duplex NICs that serialise, as in SimGrid's CM02 without cross traffic
type Host struct {
	Name      string
	FLOPS     float64       // effective floating-point operations per second
	Memory    float64       // bytes per second; 0: memory never limits
	Jitter    float64       // relative standard deviation of a computation's time
	Bandwidth float64       // bytes per second of the NIC, each direction
	Latency   time.Duration // this end's part of a message's one-way latency
	Overhead  time.Duration // NIC time per message beside its bytes
	// Node names the machine that the host is part of; "": it is its own.
	Node string `json:",omitempty"`
	// Slow are the changes of speed in the course of a run, in order of time; none:
	// the host computes at its own speed throughout.
	Slow    []Phase `json:",omitempty"`
	Assumed []Assumption
}

// Assumption says why a value was chosen and how sure its author is.
type Assumption struct {
	Field      string // JSON name of the value
	Value      string // as written, with its unit
	Why        string
	Confidence string // free text, usually "high", "medium" or "low"
}

// Uniform returns a platform of n workers like w, named by their number, and a
// server like server (nil: none).
//
// Source: ours: collectives and tests at any size
func Uniform(n int, w Host, server *Host) *Platform {
	p := &Platform{Name: fmt.Sprintf("uniform%d", n), Workers: make([]Host, n)}
	for i := range p.Workers {
		p.Workers[i] = w
		p.Workers[i].Name = fmt.Sprintf("%s%d", w.Name, i)
		p.Workers[i].Slow = slices.Clone(w.Slow)
	}
	if server != nil {
		s := *server
		s.Slow = slices.Clone(s.Slow)
		p.Server = &s
	}
	return p
}

// Hosts returns the hosts of a run by rank: the server first if withServer,
// then the workers. It is nil if withServer and there is no server.
func (p *Platform) Hosts(withServer bool) []Host {
	if !withServer {
		return slices.Clone(p.Workers)
	}
	if p.Server == nil {
		return nil
	}
	return append([]Host{*p.Server}, p.Workers...)
}

// Clone returns a copy that shares nothing with p.
func (p *Platform) Clone() *Platform {
	c := *p
	c.Assumed = slices.Clone(p.Assumed)
	c.Nodes, c.Codecs = slices.Clone(p.Nodes), slices.Clone(p.Codecs)
	for i := range c.Nodes {
		c.Nodes[i].Assumed = slices.Clone(p.Nodes[i].Assumed)
	}
	for i := range c.Codecs {
		c.Codecs[i].Assumed = slices.Clone(p.Codecs[i].Assumed)
	}
	if p.Server != nil {
		s := *p.Server
		s.Assumed, s.Slow = slices.Clone(s.Assumed), slices.Clone(s.Slow)
		c.Server = &s
	}
	c.Workers = slices.Clone(p.Workers)
	for i := range c.Workers {
		c.Workers[i].Assumed, c.Workers[i].Slow = slices.Clone(p.Workers[i].Assumed), slices.Clone(p.Workers[i].Slow)
	}
	return &c
}

// WithServerBandwidth returns a copy whose server's NIC carries b bytes/s.
func (p *Platform) WithServerBandwidth(b float64) *Platform {
	c := p.Clone()
	if c.Server != nil {
		c.Server.Bandwidth = b
	}
	return c
}

// WithHosts returns a copy in which change was applied to every host, the
// server included: the sweep over plausible platforms is written with it.
func (p *Platform) WithHosts(change func(h *Host, server bool)) *Platform {
	c := p.Clone()
	if c.Server != nil {
		change(c.Server, true)
	}
	for i := range c.Workers {
		change(&c.Workers[i], false)
	}
	return c
}

// Validate returns an error that names the first value out of its domain.
func (p *Platform) Validate() error {
	if err := CheckName(p.Name); err != nil {
		return fmt.Errorf("cluster: platform: name %w", err)
	}
	if len(p.Workers) == 0 {
		return fmt.Errorf("cluster: platform %q: no workers", p.Name)
	}
	if len(p.Workers) > MaxRanks {
		return fmt.Errorf("cluster: platform %q: %d workers, want at most %d", p.Name, len(p.Workers), MaxRanks)
	}
	if p.Decision < 0 {
		return fmt.Errorf("cluster: platform %q: decision %v is negative", p.Name, p.Decision)
	}
	if p.Server != nil {
		if err := p.Server.validate(); err != nil {
			return fmt.Errorf("cluster: platform %q: server: %w", p.Name, err)
		}
	}
	for i := range p.Workers {
		if err := p.Workers[i].validate(); err != nil {
			return fmt.Errorf("cluster: platform %q: worker %d: %w", p.Name, i, err)
		}
	}
	if err := p.validNodes(); err != nil {
		return fmt.Errorf("cluster: platform %q: %w", p.Name, err)
	}
	if err := validCodecs(p.Codecs); err != nil {
		return fmt.Errorf("cluster: platform %q: codecs: %w", p.Name, err)
	}
	return nil
}

func (h *Host) validate() error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	if err := CheckName(h.Name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	switch {
	case !positive(h.FLOPS):
		return fmt.Errorf("flops = %g flop/s, want > 0", h.FLOPS)
	case h.Memory != 0 && !positive(h.Memory):
		return fmt.Errorf("memory = %g B/s, want > 0, or 0 for no limit", h.Memory)
	case !positive(h.Bandwidth):
		return fmt.Errorf("bandwidth = %g B/s, want > 0", h.Bandwidth)
	case !(h.Jitter >= 0 && h.Jitter <= 10):
		return fmt.Errorf("jitter = %g, want between 0 and 10", h.Jitter)
	case h.Latency < 0:
		return fmt.Errorf("latency = %v is negative", h.Latency)
	case h.Overhead < 0:
		return fmt.Errorf("overhead = %v is negative", h.Overhead)
	}
	return validPhases(h.Slow)
}

// Seconds returns how long w takes on h, without jitter and phases:
//
//	Fixed + max(FLOP/FLOPS, Bytes/Memory)
//
// Source: ours: the roofline model
func (h *Host) Seconds(w Work) float64 {
	t := w.FLOP / h.FLOPS
	if h.Memory > 0 {
		t = max(t, w.Bytes/h.Memory)
	}
	return w.Fixed.Seconds() + t
}

// Duration returns Seconds, rounded to the nanosecond.
func (h *Host) Duration(w Work) time.Duration {
	return time.Duration(math.Round(h.Seconds(w) * 1e9))
}

// DrawJitter draws the factor of one computation from r: log-normal with mean
// 1 and relative standard deviation Jitter,
//
//	exp(σz − σ²/2),  σ² = ln(1 + Jitter²),  z standard normal.
//
// It is rounded to 2⁻²⁰, so that the last bit of a platform's exp does not
// decide virtual time. Without jitter it is 1 and r is not used.
//
// Source: ours: computation times are positive and skewed
func (h *Host) DrawJitter(r *rand.Rand) float64 {
	if h.Jitter == 0 {
		return 1
	}
	variance := math.Log(1 + float64(h.Jitter*h.Jitter))
	z := r.NormFloat64()
	f := math.Exp(float64(math.Sqrt(variance)*z) - variance/2)
	return max(math.Round(f*(1<<20)), 1) / (1 << 20)
}

// SelectHosts returns the hosts of a run by rank, as runtimes agree: the server
// first if withServer, then the first `workers` workers (0: all).
func SelectHosts(p *Platform, withServer bool, workers int) ([]Host, error) {
	if p == nil {
		return nil, fmt.Errorf("cluster: no platform")
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if withServer && p.Server == nil {
		return nil, fmt.Errorf("cluster: platform %q has no server", p.Name)
	}
	if workers < 0 || workers > len(p.Workers) {
		return nil, fmt.Errorf("cluster: %d workers asked of platform %q, which has %d", workers, p.Name, len(p.Workers))
	}
	hosts := p.Hosts(withServer)
	if workers > 0 {
		hosts = hosts[:len(hosts)-len(p.Workers)+workers]
	}
	return hosts, nil
}
