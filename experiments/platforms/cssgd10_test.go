package platforms

import (
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The paper's ten nodes and ASGD's one server more, equal, on one network.
func TestCSSGD10(t *testing.T) {
	p, err := Load("cssgd10")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Workers) != 10 || p.Server == nil || len(p.Nodes) != 0 || len(p.Codecs) != 0 {
		t.Fatalf("%d workers, server %v, %d machines of several, %d rates", len(p.Workers), p.Server, len(p.Nodes), len(p.Codecs))
	}
	for _, h := range p.Hosts(true) {
		if h.FLOPS != 5e9 || h.Bandwidth != 1e9/8 || h.Latency != p.Server.Latency || h.Overhead != p.Server.Overhead {
			t.Errorf("%s: %+v, want 5 GFLOP/s and 1 Gb/s as all", h.Name, h)
		}
	}
}

// The network copies: what one node sends to nine leaves its link once, and is
// with all of them when it would be with one.
func TestCSSGD10Multicasts(t *testing.T) {
	p, err := Load("cssgd10")
	if err != nil {
		t.Fatal(err)
	}
	const size = 1_250_000 // 10 ms at 1 Gb/s
	var elapsed [2]float64
	for i, nodes := range []int{2, 10} {
		group := make([]int, nodes)
		for k := range group {
			group[k] = k
		}
		out, err := virtual.New(p, virtual.Config{Workers: nodes}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			return nil, cluster.Wait(p, p.Ibcast(group, 0, 0, &cluster.Msg{Declared: size}))
		})
		if err != nil {
			t.Fatal(err)
		}
		if s := out.Trace.Sent[0]; s.Messages != 1 || s.Bytes != size {
			t.Errorf("%d nodes: sent %d messages of %d bytes, want one of %d", nodes, s.Messages, s.Bytes, size)
		}
		elapsed[i] = out.Elapsed.Seconds()
	}
	if elapsed[0] < 0.010 || elapsed[0] > 0.0102 || elapsed[1] != elapsed[0] {
		t.Errorf("%.6f s to one and %.6f s to nine, want the same 10 ms", elapsed[0], elapsed[1])
	}
}
