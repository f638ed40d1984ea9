package virtual_test

import (
	"fmt"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/virtual"
)

// throttled returns ms, whose computation takes 5 times as long from 10 to 20 ms.
func throttled() cluster.Host {
	h := ms
	h.Slow = []cluster.Phase{{At: 10 * time.Millisecond, Factor: 5}, {At: 20 * time.Millisecond, Factor: 1}}
	return h
}

// The contract holds on hosts whose speed changes, also while a test runs.
func TestConformanceWithPhases(t *testing.T) {
	clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime {
		h := clustertest.Host
		h.Slow = []cluster.Phase{{At: 0, Factor: 3}, {At: 500 * time.Microsecond, Factor: 0.5}, {At: 2 * time.Millisecond, Factor: 2}}
		return virtual.New(cluster.Uniform(n, h, nil), virtual.Config{Seed: seed, Trace: true})
	})
}

// By hand: rank 0 computes 8 + 4 + 1 ms of work. 8 ms undisturbed; of the next 4, two are done by 10 ms and two take
// the 10 ms at a fifth of the speed; the last begins at 20 ms. Rank 1 posts the three as stages of one computation: the
// same instants. Rank 2's host has no phases: 13 ms.
func TestPhasesDecideWhenStagesEnd(t *testing.T) {
	p := cluster.Uniform(3, throttled(), nil)
	p.Workers[2].Slow = nil
	work := func(n float64) cluster.Work { return cluster.Work{FLOP: n * 1e6} } // ms at 1e9 flop/s
	got := make([]string, 3)
	ends(t, p, func(p cluster.Proc) error {
		note := func() { got[p.Rank()] += fmt.Sprint(p.Now(), " ") }
		if p.Rank() == 1 {
			for _, r := range p.Start(nil, work(8), work(4), work(1)) {
				if err := cluster.Wait(p, r); err != nil {
					return err
				}
				note()
			}
			return nil
		}
		for _, n := range []float64{8, 4, 1} {
			if err := cluster.Compute(p, work(n), nil); err != nil {
				return err
			}
			note()
		}
		return nil
	})
	for rank, want := range []string{"8ms 20ms 21ms ", "8ms 20ms 21ms ", "8ms 12ms 13ms "} {
		if got[rank] != want {
			t.Errorf("rank %d: stages end at %s, want %s", rank, got[rank], want)
		}
	}
}

// The device is one queue: what is posted while it is busy begins when it is
// free, at the speed of that instant. Messages are not slowed.
func TestPhasesSlowTheDeviceAlone(t *testing.T) {
	p := cluster.Uniform(2, throttled(), nil)
	want(t, ends(t, p, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Declared: 12000})) // 12 ms of NIC
		}
		var m cluster.Msg
		reqs := p.Start(nil, cluster.Work{FLOP: 9e6})                 // 0 to 9 ms
		reqs = append(reqs, p.Start(nil, cluster.Work{FLOP: 2e6})...) // 9 to 10, then a fifth: 15 ms
		if err := cluster.Wait(p, p.Irecv(1, 1, &m)); err != nil {    // 13 ms
			return err
		}
		if got := p.Now(); got != 13*time.Millisecond {
			t.Errorf("12,000 bytes take %v, want 13ms", got)
		}
		return cluster.Wait(p, reqs...)
	}), 15, 12)
}

// Jitter is drawn as without phases and multiplies the work, before the phases stretch it: where the factor is 1
// nothing changes, where it is 2 throughout every instant doubles.
func TestPhasesStretchWorkWithItsJitter(t *testing.T) {
	instants := func(factor float64) (out []time.Duration) {
		h := ms
		h.Jitter = 0.3
		if factor > 0 {
			h.Slow = []cluster.Phase{{At: 0, Factor: factor}}
		}
		ends(t, cluster.Uniform(1, h, nil), func(p cluster.Proc) error {
			for range 50 {
				if err := cluster.Compute(p, cluster.Work{FLOP: 1e6}, nil); err != nil {
					return err
				}
				out = append(out, p.Now())
			}
			return nil
		})
		return out
	}
	plain, same, twice := instants(0), instants(1), instants(2)
	for i := range plain {
		if same[i] != plain[i] {
			t.Fatalf("computation %d ends at %v with a phase of factor 1, at %v without", i, same[i], plain[i])
		}
		if d := twice[i] - 2*plain[i]; d < -100 || d > 100 { // nanoseconds of roundings
			t.Fatalf("computation %d ends at %v at half the speed, at %v at full", i, twice[i], plain[i])
		}
	}
}
