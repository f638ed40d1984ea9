package train

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

// processes runs one training as n processes would, each with its own Config.
func processes(t *testing.T, n int, config func(rank int) Config) (out *Outcome, errs []error) {
	t.Helper()
	for range 10 { // somebody else on this machine may take the port since it was chosen
		out, errs = processesOnce(t, n, config)
		if err := errors.Join(errs...); err == nil || !strings.Contains(err.Error(), "address already in use") {
			break
		}
	}
	return out, errs
}

func processesOnce(t *testing.T, n int, config func(rank int) Config) (*Outcome, []error) {
	t.Helper()
	l := oktest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	at := l.Addr().String()
	l.Close()
	outs, errs := make([]*Outcome, n), make([]error, n)
	var group sync.WaitGroup
	for rank := range n {
		group.Go(func() {
			c := config(rank)
			c.Runtime, c.TCP = "tcp", &tcp.Config{Rank: rank, Size: n, Job: t.Name(), Rendezvous: at,
				Host: rank == n-1, Chunk: 1 << 16, Join: 2 * time.Minute, Timeout: 2 * time.Minute}
			outs[rank], errs[rank] = Run(context.Background(), c)
		})
	}
	group.Wait()
	for rank := 1; rank < n; rank++ {
		if outs[rank] != nil {
			t.Errorf("rank %d has an outcome, which is rank 0's", rank)
		}
	}
	return outs[0], errs
}

// Processes give the bits and the bytes of virtual time, to the target as well.
func TestProcessesGiveTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	for _, sync := range []string{"ring", "ringsparse", "cssgd", "bsp"} {
		c := quick(sync)
		c.Platform, c.Workers, c.MaxPushes, c.EvalEvery, c.TargetAccuracy = uneven(3), 3, 60, 12, 0.15
		if sync == "ringsparse" {
			c.RingSparse = &ringsparse.Options{Codec: "bitmap"}
		}
		if sync == "cssgd" {
			c.BatchSize, c.Rate, c.Coded = 12, 0.2, &codedsgd.Options{Redundancy: 2}
		}
		want, ranks := mustRun(t, c), 3
		if sync == "bsp" {
			ranks = 4
		}
		got, errs := processes(t, ranks, func(int) Config { return c })
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if got.ParamsSHA256 != want.ParamsSHA256 || got.Updates != want.Updates || got.Reached == nil || got.Reached.Updates != want.Reached.Updates {
			t.Errorf("%s: %d updates to %.12s, target %+v, in virtual time %d to %.12s, %+v", sync, got.Updates, got.ParamsSHA256, got.Reached,
				want.Updates, want.ParamsSHA256, want.Reached)
		}
		if sync != "bsp" && got.BytesSent != want.BytesSent {
			t.Errorf("%s: %d bytes, in virtual time %d", sync, got.BytesSent, want.BytesSent)
		}
	}
}

// Processes that are not of one training say what differs, all of them.
func TestProcessesOfDifferentTrainingsAreRefused(t *testing.T) {
	_, errs := processes(t, 2, func(rank int) Config {
		c := quick("ring")
		c.Platform, c.Workers, c.Batch = uneven(2), 2, 4+rank
		return c
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "flags differ") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	for want, change := range map[string]func(*runner){
		"":                        func(r *runner) { r.cfg.Engine, r.cfg.Load, r.cfg.Threads = "x", "y", 2 },
		"flags differ":            func(r *runner) { r.cfg.RingSparse = &ringsparse.Options{Threshold: 1} },
		"data differ":             func(r *runner) { r.out.Data = &result.Data{SHA256: "b"} },
		"engine differ":           func(r *runner) { r.out.Engine = "portable" },
		"first parameters differ": func(r *runner) { r.init = []float32{1, 3} },
	} {
		rt := virtual.New(uneven(3), virtual.Config{Workers: 3})
		_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			r := &runner{cfg: quick("ringsparse"), out: &Outcome{Engine: "asm", Data: &result.Data{SHA256: "a"}}, init: []float32{1, 2}}
			if p.Rank() == 2 {
				change(r)
			}
			return nil, r.sameRun(p)
		})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What compressing costs in virtual time is the platform's: its codecs' rates, its
// slowest link, of nodes too, and time passes for it.
func TestVirtualTimeChargesThePlatformsRates(t *testing.T) {
	run := func(change func(p *cluster.Platform)) *Outcome {
		c := quick("ringsparse")
		c.TimingOnly, c.Density, c.Data, c.EvalEvery, c.RingSparse = true, 0.05, "", 0, &ringsparse.Options{Codecs: []string{"bitmap"}}
		c.Platform = uneven(3)
		c.Platform.Codecs = []cluster.CodecRate{{Name: "bitmap", Encode: 1e12, Decode: 1e12}}
		if change != nil {
			change(c.Platform)
		}
		return mustRun(t, c)
	}
	share := func(o *Outcome) float64 {
		return float64(o.RingSparse.Totals.Sent.Bytes) / float64(o.RingSparse.Totals.Sent.DenseBytes)
	}
	free := run(nil)
	if s := share(free); s > 0.5 || free.RingSparse.Density != 0.05 || free.RingSparse.Bandwidth != 1.25e9 {
		t.Errorf("free codec: %g of the dense bytes, %+v", s, free.RingSparse)
	}
	if dear := run(func(p *cluster.Platform) { p.Codecs[0].Encode = 1e6 }); share(dear) != 1 {
		t.Errorf("a codec of 1 MB/s is used: %g of the dense bytes", share(dear))
	}
	counting := run(func(p *cluster.Platform) {
		p.Codecs = append(p.Codecs, cluster.CodecRate{Name: "count", Encode: 1e8})
	})
	if !(*counting.VirtualSeconds > 1.05**free.VirtualSeconds) || share(counting) != share(free) {
		t.Errorf("counting at 100 MB/s takes no time: %g s, free %g s", *counting.VirtualSeconds, *free.VirtualSeconds)
	}
	node := run(func(p *cluster.Platform) {
		p.Nodes = []cluster.Node{{Name: "a", Bandwidth: 1e6}}
		p.Workers[0].Node = "a"
	})
	if node.RingSparse.Bandwidth != 1e6 {
		t.Errorf("B is %g, the slowest link has 1e6", node.RingSparse.Bandwidth)
	}
}

// weighed is a policy that once, amid the run, asks how much memory is held.
type weighed struct {
	dasp.Policy
	at, pushes int
	held       uint64
}

func (w *weighed) Step(e dasp.Event) []dasp.Action {
	if e.Kind == dasp.EventPush {
		if w.pushes++; w.pushes == w.at {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			w.held = m.HeapAlloc
		}
	}
	return w.Policy.Step(e)
}

// A worker of a run that is only timed holds as much for a network of many layers as for one layer, also while it
// computes: else 100,000 of them do not fit.
func TestWorkersHoldNothingPerLayer(t *testing.T) {
	const workers = 200
	held := map[int]uint64{}
	for _, layers := range []int{1, 200} {
		bsp, err := rivals.New("bsp", rivals.Defaults(workers))
		if err != nil {
			t.Fatal(err)
		}
		policy := &weighed{Policy: bsp, at: workers + 1} // the first of the second round: the others compute
		job := dasp.Job{Policy: func() dasp.Policy { return policy }, MaxPushes: 3 * workers, Rate: 1,
			Layers: slices.Repeat([]cluster.Layer{{Length: 1, Forward: cluster.Work{FLOP: 1e9}, Backward: cluster.Work{FLOP: 1e9}}}, layers)}
		r := &runner{cfg: Config{Runtime: "virtual", Platform: rounded(workers), Workers: workers, TimingOnly: true}}
		rt, err := r.runtime(true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			_, err := dasp.Run(p, job)
			return nil, err
		}); err != nil {
			t.Fatal(err)
		}
		held[layers] = policy.held
	}
	if more := int64(held[200]-held[1]) / workers; more > 1<<10 {
		t.Errorf("%d bytes a worker more with 200 layers than with one", more)
	}
}
