package virtual_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
)

// boxes returns ranks 0, 1 in node a, 2, 3 in node b, and 4 by itself. The hosts' NICs carry 1,000 bytes per
// millisecond and the nodes' b bytes per second, with 1 ms of latency at each node's end and 0.5 ms at a host's.
func boxes(b float64) *cluster.Platform {
	p := cluster.Uniform(5, ms, nil)
	for i, name := range []string{"a", "b"} {
		p.Nodes = append(p.Nodes, cluster.Node{Name: name, Bandwidth: b, Latency: time.Millisecond})
		p.Workers[2*i].Node, p.Workers[2*i+1].Node = name, name
	}
	return p
}

// flows makes each pair's first send 2,000 bytes to its second; a rank ends when all it sends and receives has ended.
func flows(pairs ...[2]int) func(cluster.Proc) error {
	return func(p cluster.Proc) error {
		var reqs []cluster.Req
		for _, f := range pairs {
			if p.Rank() == f[0] {
				reqs = append(reqs, p.Isend(f[1], 1, &cluster.Msg{Declared: 2000}))
			}
			if p.Rank() == f[1] {
				reqs = append(reqs, p.Irecv(f[0], 1, &cluster.Msg{}))
			}
		}
		return cluster.Wait(p, reqs...)
	}
}

// By hand, nodes' NICs at 500 bytes per millisecond: 2,000 bytes take 4 ms there
// and 2 ms within a node; α is 2 ms between nodes and 1 ms within.
func TestHostsOfANodeShareItsNIC(t *testing.T) {
	const slow = 0.5e6
	for _, c := range []struct {
		name  string
		b     float64
		pairs [][2]int
		want  []float64
	}{
		{"one flow between nodes", slow, [][2]int{{0, 2}}, []float64{4, 0, 6}},
		{"two flows take turns", slow, [][2]int{{0, 2}, {1, 3}}, []float64{4, 8, 6, 10}},
		{"both directions at once", slow, [][2]int{{0, 2}, {3, 1}}, []float64{4, 6, 6, 4}},
		{"flows within nodes do not", slow, [][2]int{{0, 1}, {1, 0}, {2, 3}}, []float64{3, 3, 2, 3}},
		{"nor beside one that leaves", slow, [][2]int{{0, 1}, {1, 2}}, []float64{2, 4, 6}},
		// Rank 1's turn at the node's NIC is after rank 0's, which waits for its own.
		{"a turn is kept", slow, [][2]int{{0, 1}, {0, 2}, {1, 3}}, []float64{6, 10, 8, 12}},
		// Rank 4 is nearer, α = 1.5 ms: its first byte comes first.
		{"incast from two machines", slow, [][2]int{{0, 2}, {4, 3}}, []float64{4, 0, 9.5, 5.5, 2}},
		// The host is slower than its node and holds the node's NIC all the time.
		{"a slow host", 10e6, [][2]int{{0, 2}, {1, 3}}, []float64{2, 4, 4, 6}},
		// 500 bytes per millisecond out, 1,000 in; the last byte follows 1.5 ms later.
		{"to a host by itself", slow, [][2]int{{0, 4}}, []float64{4, 0, 0, 0, 5.5}},
		{"from a host by itself", slow, [][2]int{{4, 0}}, []float64{5.5, 0, 0, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, ends(t, boxes(c.b), flows(c.pairs...)), c.want...) })
	}
}

// By hand: 0.25 ms of overhead at each node's NIC, none within.
func TestOverheadOfANode(t *testing.T) {
	p := boxes(0.5e6)
	for i := range p.Nodes {
		p.Nodes[i].Overhead = 250 * time.Microsecond
	}
	want(t, ends(t, p, flows([2]int{0, 2}, [2]int{1, 3})), 4.25, 8.5, 4.25+2+0.25, 8.5+2+0.25)
	want(t, ends(t, p, flows([2]int{0, 1})), 2, 3)
}

// By hand: a multicast that also leaves the node is sent once, at the node's
// speed: 4 ms. Rank 1 has it α = 1.5 ms later; ranks 2 and 3 take turns at 4 ms.
func TestMulticastOutOfANode(t *testing.T) {
	p := boxes(0.5e6)
	p.Multicast = true
	group := []int{0, 1, 2, 3}
	want(t, ends(t, p, func(p cluster.Proc) error {
		if p.Rank() == 4 {
			return nil
		}
		m := cluster.Msg{}
		if p.Rank() == 0 {
			m.Body = bytes.Repeat([]byte{1}, 2000)
		}
		return cluster.Wait(p, p.Ibcast(group, 0, 1, &m))
	}), 4, 5.5, 6, 10)
}

// A node of one host is that host, if its NIC is no slower.
func TestNodesOfOneHostAreTheFlatModel(t *testing.T) {
	run := func(p *cluster.Platform) string { return said(t, p, 3) }
	host := ms
	host.Jitter, host.Overhead = 0.2, 3*time.Microsecond
	flat := cluster.Uniform(7, host, nil)
	nodes := flat.Clone()
	for i := range nodes.Workers {
		name := fmt.Sprint("n", i)
		nodes.Nodes = append(nodes.Nodes, cluster.Node{Name: name, Bandwidth: 1e6 + 1e5*float64(i), Latency: host.Latency, Overhead: host.Overhead})
		nodes.Workers[i].Node = name
	}
	if run(flat) != run(nodes) {
		t.Error("nodes of one host each change a time, a byte or a bit")
	}
	nodes.Nodes[3].Bandwidth = 0.9e6
	if run(flat) == run(nodes) {
		t.Error("a node's slower NIC changes nothing")
	}
}

// The two-level ring on nodes is its closed form: each node's rings share the
// NIC, and hide each other's latency once their messages fill it.
func TestHierarchicalTimeIsTheClosedForm(t *testing.T) {
	for _, shape := range [][2]int{{5, 8}, {2, 2}, {3, 1}, {1, 4}, {4, 3}} {
		for _, piece := range []int{50, 50_000} { // elements: 0.04 µs and 33 µs between nodes, α = 3 µs there
			m, g := shape[0], shape[1]
			p := cluster.Uniform(m*g, cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 10e9, Latency: time.Microsecond}, nil)
			for k := range m {
				p.Nodes = append(p.Nodes, cluster.Node{Name: fmt.Sprint("n", k), Bandwidth: 6e9, Latency: 1500 * time.Nanosecond})
				for i := range g {
					p.Workers[k*g+i].Node = p.Nodes[k].Name
				}
			}
			length := piece * m * g
			got, _, err := cluster.Run(t.Context(), virtual.New(p, virtual.Config{Headerless: true}), func(p cluster.Proc) (time.Duration, error) {
				err := collective.HierarchicalTiming(p, 1, g, length)
				return p.Now(), err
			})
			must(t, err)
			want := formula.HierarchicalTime(m, g, 4*float64(length), 2e-6, 10e9, 3e-6, 6e9)
			if d := maxOf(got).Seconds() - want; math.Abs(d) > 2e-9 {
				t.Errorf("%d nodes of %d, pieces of %d: %v, closed form %.9f s", m, g, piece, maxOf(got), want)
			}
		}
	}
}
