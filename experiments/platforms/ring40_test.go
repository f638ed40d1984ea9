package platforms

import (
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
)

// The blog's cluster: 5 nodes of 8 equal GPUs, 10 GB/s within and 6 GB/s between.
func TestRing40(t *testing.T) {
	p, err := Load("ring40")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Nodes) != 5 || len(p.Workers) != 40 || p.Server != nil {
		t.Fatalf("%d nodes, %d workers, server %v", len(p.Nodes), len(p.Workers), p.Server)
	}
	for i, n := range p.Nodes {
		if n.Bandwidth != 6e9 {
			t.Errorf("node %d: %g B/s", i, n.Bandwidth)
		}
		reasons(t, n.Name, n.Assumed, map[string]bool{"bandwidth": true, "latency": true, "overhead": true})
	}
	for i, h := range p.Workers {
		if h.Node != p.Nodes[i/8].Name || h.Bandwidth != 10e9 || h.FLOPS != p.Workers[0].FLOPS {
			t.Errorf("worker %d: %+v", i, h)
		}
	}
}

// By the blog: a gradient of 1.2 GB takes some 400 ms, for InfiniBand is the limit
// of a ring through adjacent GPUs, 2·39/40·1.2 GB over 6 GB/s. A ring that goes to
// another node at every step has eight times that on each card.
func TestRing40TakesTheBlogs400Milliseconds(t *testing.T) {
	p, err := Load("ring40")
	if err != nil {
		t.Fatal(err)
	}
	interleaved := make([]int, 40)
	for i := range interleaved {
		interleaved[i] = i%5*8 + i/5
	}
	for _, c := range []struct {
		order []int
		flows float64 // through each node's card
	}{{nil, 1}, {interleaved, 8}} {
		out, err := virtual.New(p, virtual.Config{}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			return nil, collective.Ring{Order: c.order}.AllReduceTiming(p, 1, 300e6)
		})
		if err != nil {
			t.Fatal(err)
		}
		want := c.flows * formula.RingTime(40, 1.2e9, 0, 6e9)
		if s := out.Elapsed.Seconds(); s < want || s > 1.01*want {
			t.Errorf("%g flows per card: %.4f s, want %.4f s and at most 1 %% for latency", c.flows, s, want)
		}
	}
}
