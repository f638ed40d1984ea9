package local_test

import (
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/local"
)

// Emulated computation lasts at least the platform's time: 3 × 4 ms in order
// on one device, also if f is quick; without emulation it need not.
func TestEmulateTakesThePlatformsTime(t *testing.T) {
	rt := local.New(cluster.Uniform(2, clustertest.Host, nil), local.Config{Emulate: true})
	out, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		w := cluster.Work{FLOP: 4e6} // at 1e9 flop/s
		quick := func(done func(int)) error { done(0); done(1); return nil }
		reqs := append(p.Start(quick, w, w), p.Start(nil, w)...)
		for i, r := range reqs {
			if err := cluster.Wait(p, r); err != nil {
				return nil, err
			}
			if want := time.Duration(i+1) * 4 * time.Millisecond; p.Now() < want {
				t.Errorf("rank %d stage %d ended at %v, before %v", p.Rank(), i, p.Now(), want)
			}
		}
		return nil, nil
	})
	if err != nil || out.Elapsed < 12*time.Millisecond {
		t.Fatalf("%v after %v", err, out.Elapsed)
	}
}

// Emulation honours phases: 2 ms of work at a tenth of the speed lasts 20 ms,
// and at its own speed again, from 20 ms on, 2 ms more.
func TestEmulateHonoursPhases(t *testing.T) {
	h := clustertest.Host
	h.Slow = []cluster.Phase{{At: 0, Factor: 10}, {At: 20 * time.Millisecond, Factor: 1}}
	rt := local.New(cluster.Uniform(1, h, nil), local.Config{Emulate: true})
	_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		w := cluster.Work{FLOP: 1e6} // 1 ms at 1e9 flop/s
		for i, r := range p.Start(nil, w, w, w, w) {
			if err := cluster.Wait(p, r); err != nil {
				return nil, err
			}
			want := []time.Duration{10, 20, 21, 22}[i] * time.Millisecond
			if now := p.Now(); now < want-time.Microsecond { // the sleep's roundings
				t.Errorf("stage %d ended at %v, want %v", i, now, want)
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A failure ends a long emulated computation at once.
func TestAFailureEndsEmulatedWork(t *testing.T) {
	rt := local.New(cluster.Uniform(2, clustertest.Host, nil), local.Config{Emulate: true})
	begin := time.Now()
	_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		if p.Rank() == 0 {
			panic("enough")
		}
		return nil, cluster.Compute(p, cluster.Work{Fixed: time.Hour}, nil)
	})
	if err == nil || time.Since(begin) > time.Minute {
		t.Fatalf("%v after %v", err, time.Since(begin))
	}
}

func TestABadConfigurationIsTheRunsError(t *testing.T) {
	p := cluster.Uniform(2, clustertest.Host, nil)
	for _, rt := range []cluster.Runtime{
		local.New(p, local.Config{WithServer: true}), local.New(p, local.Config{Workers: 3}),
		local.New(nil, local.Config{}),
	} {
		if _, err := rt.Run(t.Context(), func(cluster.Proc) ([]byte, error) { return nil, nil }); err == nil || rt.Size() != 0 {
			t.Errorf("size %d, error %v", rt.Size(), err)
		}
	}
}
