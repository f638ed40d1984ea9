package virtual

import (
	"time"

	"gradsync/shared/cluster"
)

// nic is when a network card is free again in each direction.
type nic struct{ egress, ingress int64 }

// port is a way that a rank's messages leave and enter its host.
type port struct {
	bandwidth         float64
	latency, overhead time.Duration
	host, node        *nic // taken together; node is nil within a node and for a host that is its own machine
}

// machine is a node and the card that its hosts share.
type machine struct {
	cluster.Node
	nic nic
}

func machines(nodes []cluster.Node) map[string]*machine {
	m := make(map[string]*machine, len(nodes))
	for _, n := range nodes {
		m[n.Name] = &machine{Node: n}
	}
	return m
}

// attach connects r to its node, nil if it has none, as cluster.Node describes.
func (r *rank) attach(m *machine) {
	h := &r.host
	r.near = port{bandwidth: h.Bandwidth, latency: h.Latency, overhead: h.Overhead, host: &r.nic}
	r.far = r.near
	if m != nil {
		r.far = port{bandwidth: min(h.Bandwidth, m.Bandwidth), latency: m.Latency, overhead: m.Overhead, host: &r.nic, node: &m.nic}
	}
}

// toward returns the port for messages to or from a peer.
func (r *rank) toward(peer *rank) *port {
	if r.far.node != nil && r.far.node == peer.far.node {
		return &r.near
	}
	return &r.far
}

// towardAll returns the port for one transmission to several peers.
func (r *rank) towardAll(peers []*rank) *port {
	for _, p := range peers {
		if r.toward(p) == &r.far {
			return &r.far
		}
	}
	return &r.near
}

// leave claims pt for sending size bytes, after all that claimed it before.
func (e *engine) leave(pt *port, size int) (begin, end int64) {
	begin = max(e.now, pt.host.egress)
	if pt.node != nil {
		begin = max(begin, pt.node.egress)
	}
	end = e.later(begin, pt.overhead.Seconds()+float64(size)/pt.bandwidth)
	pt.host.egress = end
	if pt.node != nil {
		pt.node.egress = end
	}
	return begin, end
}

// enter claims pt for receiving size bytes.
func (e *engine) enter(pt *port, size int) (begin, end int64) {
	begin = max(e.now, pt.host.ingress)
	if pt.node != nil {
		begin = max(begin, pt.node.ingress)
	}
	end = e.later(begin, pt.overhead.Seconds()+float64(size)/pt.bandwidth)
	pt.host.ingress = end
	if pt.node != nil {
		pt.node.ingress = end
	}
	return begin, end
}
