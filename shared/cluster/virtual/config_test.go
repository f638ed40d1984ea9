package virtual_test

import (
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

func TestABadConfigurationIsTheRunsError(t *testing.T) {
	p := cluster.Uniform(2, ms, nil)
	broken := p.Clone()
	broken.Workers[1].Bandwidth = 0
	for want, rt := range map[string]cluster.Runtime{
		"has no server":    virtual.New(p, virtual.Config{WithServer: true}),
		"3 workers asked":  virtual.New(p, virtual.Config{Workers: 3}),
		"no platform":      virtual.New(nil, virtual.Config{}),
		"bandwidth = 0 B/": virtual.New(broken, virtual.Config{}),
	} {
		_, err := rt.Run(t.Context(), func(cluster.Proc) ([]byte, error) { return nil, nil })
		if err == nil || !strings.Contains(err.Error(), want) || rt.Size() != 0 {
			t.Errorf("size %d, error %v, want %q", rt.Size(), err, want)
		}
	}
}

func TestRanksAreTheServerAndTheFirstWorkers(t *testing.T) {
	server := ms
	server.Name = "ps"
	rt := virtual.New(cluster.Uniform(5, ms, &server), virtual.Config{WithServer: true, Workers: 2})
	_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		if p.Size() != 3 || p.Rank() == 2 {
			panic("the last worker")
		}
		var m cluster.Msg
		return nil, cluster.Wait(p, p.Irecv(2, 1, &m))
	})
	if rt.Size() != 3 || err == nil || !strings.Contains(err.Error(), "rank 2 (w1)") {
		t.Errorf("size %d, %v", rt.Size(), err)
	}
}

// Work that no clock holds is a programmer's mistake with a clear text.
func TestImpossibleWorkPanics(t *testing.T) {
	for _, w := range []cluster.Work{{FLOP: -1e9}, {FLOP: 1e30}, {Fixed: 60 * 24 * time.Hour}} {
		_, err := virtual.New(cluster.Uniform(1, ms, nil), virtual.Config{}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			return nil, cluster.Compute(p, w, nil)
		})
		if err == nil || !strings.Contains(err.Error(), "of work or transfer") {
			t.Errorf("%+v: %v", w, err)
		}
	}
}

// With Whole a computation without a function ends as it would stage by stage, whatever the jitter;
// with a trace, or with a function, every stage has its own end.
func TestWholeEndsWithTheLastStage(t *testing.T) {
	host := ms
	host.Jitter = 0.3
	ends := func(cfg virtual.Config, f func(done func(int)) error) (first, last time.Duration) {
		_, err := virtual.New(cluster.Uniform(1, host, nil), cfg).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			stages := p.Start(f, cluster.Work{FLOP: 1e6}, cluster.Work{Fixed: time.Millisecond / 3}, cluster.Work{FLOP: 1e7})
			if err := cluster.Wait(p, stages[0]); err != nil {
				return nil, err
			}
			first = p.Now()
			err := cluster.Wait(p, stages[2])
			last = p.Now()
			return nil, err
		})
		must(t, err)
		return first, last
	}
	made := func(done func(int)) error {
		for i := range 3 {
			done(i)
		}
		return nil
	}
	begin, end := ends(virtual.Config{}, nil)
	if first, last := ends(virtual.Config{Whole: true}, nil); first != end || last != end {
		t.Errorf("in one: %v, %v, want %v", first, last, end)
	}
	if first, last := ends(virtual.Config{Whole: true, Trace: true}, nil); first != begin || last != end {
		t.Errorf("with a trace: %v, %v, want %v, %v", first, last, begin, end)
	}
	if first, last := ends(virtual.Config{Whole: true}, made); first != begin || last != end {
		t.Errorf("with a function: %v, %v, want %v, %v", first, last, begin, end)
	}
}
