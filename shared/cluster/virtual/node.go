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
	fixed             float64 // overhead in seconds
	node              *nic    // taken with the host's own; nil within a node and for a host that is its own machine
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
// Hosts of one kind share their ports with like, the rank before it.
func (r *rank) attach(m *machine, like *rank) {
	h := r.host
	near := port{bandwidth: h.Bandwidth, latency: h.Latency, overhead: h.Overhead, fixed: h.Overhead.Seconds()}
	far := near
	if m != nil {
		far = port{
			bandwidth: min(h.Bandwidth, m.Bandwidth), latency: m.Latency,
			overhead: m.Overhead, fixed: m.Overhead.Seconds(), node: &m.nic,
		}
	}
	r.near, r.far = share(like.near, near), share(like.far, far)
}

// share returns p in the memory of one that equals it, if there is.
func share(like *port, p port) *port {
	if like != nil && *like == p {
		return like
	}
	return &p
}

// beside reports whether a peer is in the same node, as messages between hosts of one node pass near ports.
func (r *rank) beside(peer *rank) bool {
	return r.far.node != nil && r.far.node == peer.far.node
}

// besideAll reports whether one transmission to several peers stays within the node.
func (r *rank) besideAll(peers []*rank) bool {
	for _, p := range peers {
		if !r.beside(p) {
			return false
		}
	}
	return true
}

// port returns the way within the node, or to other machines.
func (r *rank) port(near bool) *port {
	if near {
		return r.near
	}
	return r.far
}

// leave claims r and its port for sending size bytes, after all that claimed them before.
func (e *engine) leave(r *rank, pt *port, size int) (begin, end int64) {
	begin = max(e.now, r.nic.egress)
	if pt.node != nil {
		begin = max(begin, pt.node.egress)
	}
	end = e.later(begin, pt.fixed+float64(size)/pt.bandwidth)
	r.nic.egress = end
	if pt.node != nil {
		pt.node.egress = end
	}
	return begin, end
}

// enter claims r and its port for receiving size bytes.
func (e *engine) enter(r *rank, pt *port, size int) (begin, end int64) {
	begin = max(e.now, r.nic.ingress)
	if pt.node != nil {
		begin = max(begin, pt.node.ingress)
	}
	end = e.later(begin, pt.fixed+float64(size)/pt.bandwidth)
	r.nic.ingress = end
	if pt.node != nil {
		pt.node.ingress = end
	}
	return begin, end
}
