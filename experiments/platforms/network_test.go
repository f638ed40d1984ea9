package platforms

import (
	"testing"
	"time"
)

// The networks differ from the reference in what their names say and in nothing
// else, and every changed value has its own reason.
func TestNetworks(t *testing.T) {
	base, err := Load("homogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	variants, err := Networks()
	if err != nil {
		t.Fatal(err)
	}
	if len(variants) != 6 {
		t.Fatalf("%d networks, want three sets of links before two servers", len(variants))
	}
	gbit := map[string][]float64{
		EqualLinks: {10, 10, 10, 10, 10, 10}, RemoteWorker: {10, 10, 10, 10, 10, 10}, UnequalLinkSet: {25, 10, 10, 5, 2.5, 1},
	}
	server := map[string]float64{"100 Gb/s": 100, "10 Gb/s": 10}
	for _, v := range variants {
		p := v.Platform
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if got := 8 * p.Server.Bandwidth / 1e9; got != server[v.Link] {
			t.Errorf("%s: the server has %g Gb/s", v.Name, got)
		}
		for i, h := range p.Workers {
			want := base.Workers[i].Latency
			if v.Workers == RemoteWorker && i == len(p.Workers)-1 {
				want = 20 * time.Millisecond
			}
			if got := 8 * h.Bandwidth / 1e9; got != gbit[v.Workers][i] || h.Latency != want {
				t.Errorf("%s: worker %d has %g Gb/s and %v", v.Name, i, got, h.Latency)
			}
			if h.FLOPS != base.Workers[i].FLOPS || h.Memory != base.Workers[i].Memory || h.Jitter != base.Workers[i].Jitter {
				t.Errorf("%s: worker %d is another device than the reference's", v.Name, i)
			}
			reasons(t, v.Name, h.Assumed, map[string]bool{"flops": true, "bandwidth": true, "latency": true})
			for _, a := range h.Assumed {
				if a.Field == "bandwidth" && v.Workers == UnequalLinkSet && a.Value == "10 Gb/s" && h.Bandwidth != 1.25e9 {
					t.Errorf("%s: worker %d keeps the reason of another bandwidth", v.Name, i)
				}
			}
		}
	}
	if again, _ := Load("homogeneous6"); again.Workers[5].Bandwidth != 1.25e9 || again.Workers[5].Latency != base.Workers[5].Latency {
		t.Error("Networks changed the reference")
	}
}
