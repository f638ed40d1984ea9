package timing

import (
	"context"
	"math"
	"testing"
	"time"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// By hand, 3 nodes with links of 1 GB/s, so a medium of 3 GB/s: 3,000 bytes hold it
// for 1 µs. Three multicasts handed over at once end after 1, 2 and 3 µs and are heard
// by all; a unicast takes as long as a multicast; a second of silence costs nothing.
func TestMedium(t *testing.T) {
	p := cluster.Uniform(3, cluster.Host{FLOPS: 1e9, Bandwidth: 1e9, Latency: 0}, nil)
	p.Multicast = true
	m, q := newMedium(p, true, 3)
	group := []int{0, 1, 2}
	got, _, err := cluster.Run(t.Context(), virtual.New(q, virtual.Config{Headerless: true}), func(p cluster.Proc) ([]time.Duration, error) {
		p = m.attach(p)
		var ends []time.Duration
		var reqs []cluster.Req
		for root := range 3 {
			reqs = append(reqs, p.Ibcast(group, root, 1, &cluster.Msg{Declared: 3000}))
		}
		for _, r := range reqs {
			if err := cluster.Wait(p, r); err != nil {
				return nil, err
			}
			ends = append(ends, p.Now())
		}
		if p.Rank() == 0 {
			if err := cluster.Wait(p, p.Isend(1, 2, &cluster.Msg{Declared: 3000})); err != nil {
				return nil, err
			}
		} else if p.Rank() == 1 {
			if err := cluster.Wait(p, p.Irecv(0, 2, &cluster.Msg{})); err != nil {
				return nil, err
			}
		}
		return append(ends, p.Now()), nil
	})
	oktest.Nil(t, err)
	for rank, ends := range got {
		for i, want := range []time.Duration{1000, 2000, 3000, 4000} {
			if i == 3 && rank == 2 {
				want = 3000
			}
			if d := ends[i] - want; d < -1 || d > 1 {
				t.Errorf("rank %d, end %d at %v, want %v", rank, i, ends[i], want)
			}
		}
	}
}

// A ring on a medium carries 2(n−1) gradients one after the other; on a switch the
// links work at once and it takes 2(n−1)/n. The compute is that of its share.
func TestRingTimes(t *testing.T) {
	s := Config{Net: setup.DNN, Nodes: 4, Exchange: Exchange{Method: Ring, NoOverlap: true}, Ideal: true, Steps: 1}
	layers, _ := Layers(setup.DNN, 4)
	bytes, link := 4*float64(Elements(layers)), setup.Platform().Workers[0].Bandwidth
	for _, shared := range []bool{false, true} {
		s.Shared = shared
		it := oktest.Must(Run(t.Context(), exp.Env{}, s))(t)
		// Both media have n·link together: on the medium the capacity is the links', and so is the time.
		if want := it.Compute + 2*3*bytes/(4*link); math.Abs(it.Seconds-want) > 1e-3*want {
			t.Errorf("shared %v: %g s, want %g", shared, it.Seconds, want)
		}
		if it.Bytes != 2*3*bytes || it.Delivered != it.Bytes || it.Packets != 3*2*3*4 {
			t.Errorf("shared %v: %+v, want %g bytes in %d messages", shared, it, 6*bytes, 3*2*3*4)
		}
	}
}

func TestTimeIsMadeOnce(t *testing.T) {
	memo := kittest.Memo{}
	env, x := exp.Env{Memo: memo}, Exchange{Method: Ring}
	first, err := Run(t.Context(), env, Config{Net: setup.DNN, Nodes: 2, Exchange: x})
	if err != nil || len(memo) != 1 {
		t.Fatalf("%v, %d kept", err, len(memo))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := Run(ended, env, Config{Net: setup.DNN, Nodes: 2, Exchange: x}); err != nil || again != first {
		t.Errorf("again %+v (%v), want %+v", again, err, first)
	}
	if _, err := Run(ended, env, Config{Net: setup.DNN, Nodes: 3, Exchange: x}); err == nil {
		t.Error("another number of nodes was timed after the command had ended")
	}
	if _, err := Run(t.Context(), env, Config{Net: setup.DNN, Nodes: 2, Exchange: Exchange{Method: "none"}}); err == nil || len(memo) != 1 {
		t.Errorf("an unknown method: %v, %d kept", err, len(memo))
	}
}

// What a node computes in an iteration, by hand: 160 samples, twice that at r = 2, of
// 6 FLOP per weight (784·512 + 512·512 + 512·8), at 5 GFLOP/s.
func TestComputeIsByHand(t *testing.T) {
	layers, _ := Layers(setup.DNN, 8)
	if w := SampleWork(layers); w.FLOP != 6*(784*512+512*512+512*8) {
		t.Errorf("a sample takes %g FLOP", w.FLOP)
	}
	if n := Elements(layers); n != 785*512+513*512+513*8 {
		t.Errorf("%d parameters", n)
	}
}

// On four nodes a medium of eight links carries everything in half the time, and no less of
// it; as many micro-blocks of as many batches send as much per batch on any number of nodes.
func TestVariantsOn(t *testing.T) {
	s := Config{Net: setup.DNN, Nodes: 4, Exchange: Exchange{Method: Ring, NoOverlap: true}, Ideal: true, Steps: 1, Shared: true}
	all := oktest.Must(Run(t.Context(), exp.Env{}, s))(t)
	s.Links = setup.Anchor
	eight, err := Run(t.Context(), exp.Env{}, s)
	if err != nil || math.Abs((eight.Seconds-all.Compute)/(all.Seconds-all.Compute)-0.5) > 1e-6 || eight.Bytes != all.Bytes {
		t.Errorf("%+v on eight links, %+v on four, %v", eight, all, err)
	}
	for n, want := range map[int]Config{
		4:  {Net: setup.CNN, Nodes: 4, Exchange: Exchange{Method: Coded(3).Method, Redundancy: 3, NoOverlap: true}, Shared: true, Links: 8, Micro: 840, Grow: 15},
		10: {Net: setup.CNN, Nodes: 10, Exchange: Exchange{Method: Coded(3).Method, Redundancy: 3, NoOverlap: true}, Shared: true, Links: 8, Micro: 2520, Grow: 45},
	} {
		if got := EvenVariants[1].On(setup.CNN, n, Coded(3)); got.Micro != want.Micro || got.Grow != want.Grow || got.Links != want.Links ||
			got.Exchange != want.Exchange || !got.Shared {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := Judged.On(setup.CNN, 8, Coded(4)); got.Micro != 280 || got.Grow != 5 || got.Links != 0 {
		t.Errorf("of four copies on eight nodes: %+v", got)
	}
	if got := Judged.On(setup.CNN, 8, Coded(3)); got.Micro != 0 || got.Grow != 0 {
		t.Errorf("of three: %+v", got)
	}
	for _, n := range []int{2, 4} {
		it, err := Run(t.Context(), exp.Env{}, EvenVariants[1].On(setup.DNN, n, Multicast))
		layers, _ := Layers(setup.DNN, n)
		if want := 56 * 4 * float64(Elements(layers)); err != nil || math.Abs(it.Bytes-want) > 1e-9*want {
			t.Errorf("%d nodes: %g bytes per batch, want %g, %v", n, it.Bytes, want, err)
		}
	}
}
