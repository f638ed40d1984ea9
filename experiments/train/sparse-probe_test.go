package train

import (
	"math"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// On a clock that is taken for a real one, the probe of ringsparse sends four messages of 1 MiB; on a slow link, of any
// of the ranks, two. What it finds is the link's rate, as far as messages of 1 MiB show it, and it counts what it sent.
func TestTheProbeOfRingSparseEndsEarlyOnASlowLink(t *testing.T) {
	for _, c := range []struct {
		rates []float64 // of each rank's NIC, bytes/s
		sent  []int64   // MiB
	}{
		{[]float64{1e9, 1e9, 1e9}, []int64{4, 4, 4}},
		{[]float64{1e6, 1e6, 1e6}, []int64{2, 2, 2}},
		{[]float64{1e9, 1e6, 1e9}, nil}, // who waits for the slow one ends early, too
	} {
		platform := cluster.Uniform(len(c.rates), cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1, Latency: time.Microsecond}, nil)
		for i, b := range c.rates {
			platform.Workers[i].Bandwidth = b
		}
		run := &runner{cfg: Config{Runtime: "local", Platform: platform}}
		sent, found := make([]int64, len(c.rates)), make([]float64, len(c.rates))
		out, err := virtual.New(platform, virtual.Config{}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			x := &replica{runner: run, p: p}
			var o ringsparse.Options
			err := x.bandwidth(&o)
			sent[p.Rank()], found[p.Rank()] = x.end.Probe>>20, o.Bandwidth
			return nil, err
		})
		if err != nil {
			t.Fatal(c.rates, err)
		}
		var sum int64
		for i := range sent {
			sum += sent[i] << 20
			if c.sent != nil && sent[i] != c.sent[i] || sent[i] < 2 || sent[i] > 4 {
				t.Errorf("%v: rank %d sent %d MiB, want %v", c.rates, i, sent[i], c.sent)
			}
			if c.sent != nil && math.Abs(found[i]/c.rates[i]-1) > 0.02 {
				t.Errorf("%v: rank %d found %g B/s", c.rates, i, found[i])
			}
		}
		if got := out.Trace.BodyBytes(); got != sum {
			t.Errorf("%v: %d bytes were sent, %d counted", c.rates, got, sum)
		}
	}
}
