package collective_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// link is CLUSTER's reference link: α = 50 µs, 1.25 GB/s.
var link = cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}

// distinct returns a buffer whose sums depend on their order.
func distinct(rank, n int) []float32 {
	x := make([]float32, n)
	r := cluster.Stream(7, rank, "", "test")
	for i := range x {
		x[i] = float32(r.NormFloat64()) * float32(math.Pow(10, float64(rank%5)))
	}
	return x
}

func TestNaiveExchangeSumsInRankOrder(t *testing.T) {
	const length = 123
	for n := 1; n <= 9; n++ {
		want := distinct(0, length)
		for r := 1; r < n; r++ {
			vec.AddTo(want, distinct(r, length))
		}
		for root := range n {
			rt := virtual.New(cluster.Uniform(n, link, nil), virtual.Config{})
			got, trace, err := cluster.Run(context.Background(), rt, func(p cluster.Proc) ([]float32, error) {
				x := distinct(p.Rank(), length)
				return x, collective.NaiveExchange(p, 3, root, x)
			})
			must(t, err)
			for rank := range got {
				if fmt.Sprint(got[rank]) != fmt.Sprint(want) {
					t.Fatalf("N=%d root %d rank %d differs", n, root, rank)
				}
			}
			// (N−1)·K to the root, and back.
			if got := float64(trace.Sent[root].Bytes); got != formula.NaiveRootBytes(n, 4*length) || trace.BodyBytes() != int64(2*got) {
				t.Fatalf("N=%d: root sent %g bytes, all %d", n, got, trace.BodyBytes())
			}
		}
	}
}

// −0 + −0 is −0: a sum that began at +0 would lose the sign.
func TestExchangesKeepNegativeZero(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	for name, exchange := range exchanges {
		rt := virtual.New(cluster.Uniform(3, link, nil), virtual.Config{})
		got, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (bool, error) {
			x := []float32{minus, minus, minus, minus}
			err := exchange(p, x)
			return math.Signbit(float64(x[0])) && math.Signbit(float64(x[3])), err
		})
		if err != nil || !got[0] || !got[1] || !got[2] {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

var exchanges = map[string]func(cluster.Proc, []float32) error{
	"ring":             func(p cluster.Proc, x []float32) error { return collective.RingAllReduce(p, 1, x) },
	"naive":            func(p cluster.Proc, x []float32) error { return collective.NaiveExchange(p, 1, 0, x) },
	"naive last":       func(p cluster.Proc, x []float32) error { return collective.NaiveExchange(p, 1, p.Size()-1, x) },
	"ring in pieces":   func(p cluster.Proc, x []float32) error { return collective.Ring{Segment: 17}.AllReduce(p, 1, x) },
	"ring of whole":    func(p cluster.Proc, x []float32) error { return collective.Ring{Short: 2000}.AllReduce(p, 1, x) },
	"halving-doubling": func(p cluster.Proc, x []float32) error { return collective.HalvingDoubling(p, 1, x) },
	"hierarchical":     func(p cluster.Proc, x []float32) error { return collective.Hierarchical(p, 1, perNode(p), x) },
	"gather":           func(p cluster.Proc, x []float32) error { return collective.NaiveGather(p, 1, p.Size()/2, x) },
	"halves": func(p cluster.Proc, x []float32) error {
		if _, _, err := (collective.Ring{}).ReduceScatter(p, 1, x); err != nil {
			return err
		}
		return collective.Ring{}.AllGather(p, 1, x)
	},
}

// perNode makes two nodes of an even number of ranks, else one.
func perNode(p cluster.Proc) int {
	if p.Size()%2 == 0 {
		return p.Size() / 2
	}
	return p.Size()
}

func TestEveryRuntimeGivesTheSameBits(t *testing.T) {
	for name, exchange := range exchanges {
		for _, n := range []int{1, 2, 5, 8} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				p := cluster.Uniform(n, link, nil)
				clustertest.CheckSameBits(t, func(p cluster.Proc) ([]byte, error) {
					x := distinct(p.Rank(), 1003)
					for range 3 {
						if err := exchange(p, x); err != nil {
							return nil, err
						}
						vec.Scale(1/float32(p.Size()), x)
					}
					return vec.AppendBytes(nil, x), nil
				}, virtual.New(p, virtual.Config{Seed: 1}), local.New(p, local.Config{Seed: 1}), tcp.Loopback(n, tcp.Config{Seed: 1, Chunk: 1 << 20, Timeout: time.Minute}))
			})
		}
	}
}

// The timing-only forms are the same events: same instants, same bytes.
func TestTimingFormsSendTheSameMessages(t *testing.T) {
	pieces := collective.Ring{Order: []int{5, 2, 0, 4, 3, 1}, Segment: 9}
	whole := collective.Ring{Order: []int{5, 2, 0, 4, 3, 1}, Short: 2000}
	forms := []struct {
		name         string
		real, timing func(p cluster.Proc, n int) error
	}{
		{"ring", func(p cluster.Proc, n int) error { return collective.RingAllReduce(p, 1, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return collective.RingAllReduceTiming(p, 1, n) }},
		{"naive", func(p cluster.Proc, n int) error { return collective.NaiveExchange(p, 1, 2, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return collective.NaiveExchangeTiming(p, 1, 2, n) }},
		{"gather", func(p cluster.Proc, n int) error { return collective.NaiveGather(p, 1, 2, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return collective.NaiveGatherTiming(p, 1, 2, n) }},
		{"pieces", func(p cluster.Proc, n int) error { return pieces.AllReduce(p, 1, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return pieces.AllReduceTiming(p, 1, n) }},
		{"whole", func(p cluster.Proc, n int) error { return whole.AllReduce(p, 1, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return whole.AllReduceTiming(p, 1, n) }},
		{"halving-doubling", func(p cluster.Proc, n int) error { return collective.HalvingDoubling(p, 1, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return collective.HalvingDoublingTiming(p, 1, n) }},
		{"hierarchical", func(p cluster.Proc, n int) error { return collective.Hierarchical(p, 1, 3, distinct(p.Rank(), n)) },
			func(p cluster.Proc, n int) error { return collective.HierarchicalTiming(p, 1, 3, n) }},
	}
	for _, f := range forms {
		for _, length := range []int{0, 3, 1001} {
			trace := func(body func(cluster.Proc, int) error) string {
				rt := virtual.New(cluster.Uniform(6, link, nil), virtual.Config{Trace: true})
				_, tr, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) { return 0, body(p, length) })
				must(t, err)
				return fmt.Sprint(*tr)
			}
			if trace(f.real) != trace(f.timing) {
				t.Errorf("%s of %d elements: timing-only events differ", f.name, length)
			}
		}
	}
}

// The chunks cover n elements in order, lengths differ by one at most.
func TestChunksCoverTheVector(t *testing.T) {
	for n := range 50 {
		for parts := 1; parts <= 17; parts++ {
			next := 0
			for c := range parts {
				lo, hi := collective.Chunk(n, parts, c)
				if l2, h2 := collective.Chunk(n, parts, c-parts); lo != next || hi-lo < n/parts || hi-lo > n/parts+1 || l2 != lo || h2 != hi {
					t.Fatalf("chunk %d/%d of %d: [%d, %d) after %d", c, parts, n, lo, hi, next)
				}
				next = hi
			}
			if next != n {
				t.Fatalf("%d chunks of %d end at %d", parts, n, next)
			}
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
