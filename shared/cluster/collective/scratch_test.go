package collective

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

var scratchHost = cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}

// exchanged runs rings of several lengths after one another, each rank with one
// scratch if kept, and returns every rank's sums and the trace.
func exchanged(t *testing.T, rt cluster.Runtime, segment int, kept bool) (string, *cluster.Trace) {
	t.Helper()
	got, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) ([][]float32, error) {
		r := Ring{Segment: segment}
		if kept {
			r.Scratch = &Scratch{}
		}
		var out [][]float32
		for i, n := range []int{100, 7, 0, 1003, 100, 2} {
			x := make([]float32, n)
			g := cluster.Stream(3, p.Rank(), "", fmt.Sprint(i))
			for j := range x {
				x[j] = float32(g.NormFloat64())
			}
			if err := r.AllReduce(p, 5, x); err != nil {
				return nil, err
			}
			out = append(out, append([]float32{}, x...))
			// Halves alone, of the sums, in the same buffers.
			if _, _, err := r.ReduceScatter(p, 6, x); err != nil {
				return nil, err
			}
			if err := r.AllGather(p, 7, x); err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got), trace
}

// Vectors that are sent and received in their own memory, with and without kept
// buffers, end as those that are packed and unpacked: the same bits on every
// runtime, the same events in virtual time.
func TestInPlaceIsPacked(t *testing.T) {
	native := view
	defer func() { view = native }()
	if native([]float32{1}) == nil {
		t.Skip("this machine's words are not the wire's: everything is packed")
	}
	most := 4
	if testing.Short() {
		most = 2
	}
	for n := 1; n <= most; n++ {
		platform := cluster.Uniform(n, scratchHost, nil)
		for _, segment := range []int{0, 1, 10} {
			view = func([]float32) []byte { return nil }
			packed, events := exchanged(t, virtual.New(platform, virtual.Config{Trace: true}), segment, false)
			view = native
			for _, kept := range []bool{false, true} {
				got, trace := exchanged(t, virtual.New(platform, virtual.Config{Trace: true}), segment, kept)
				if got != packed {
					t.Fatalf("N=%d segment %d kept %v: sums differ", n, segment, kept)
				}
				if fmt.Sprint(*trace) != fmt.Sprint(*events) {
					t.Fatalf("N=%d segment %d kept %v: events differ", n, segment, kept)
				}
				for name, rt := range map[string]cluster.Runtime{"local": local.New(platform, local.Config{}),
					"tcp": tcp.Loopback(n, tcp.Config{Chunk: 64, Timeout: time.Minute})} {
					if segment == 1 && name == "tcp" {
						continue // a thousand frames of four bytes each way say no more
					}
					if got, _ := exchanged(t, rt, segment, kept); got != packed {
						t.Fatalf("%s: N=%d segment %d kept %v: sums differ", name, n, segment, kept)
					}
				}
			}
		}
	}
}

// A kept buffer is used again: by exchanges that need no more, it is not made anew.
func TestScratchIsKept(t *testing.T) {
	rt := virtual.New(cluster.Uniform(2, scratchHost, nil), virtual.Config{})
	_, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) {
		s := &Scratch{}
		r := Ring{Scratch: s, Segment: 50}
		x := make([]float32, 400)
		if err := r.AllReduce(p, 1, x); err != nil {
			return 0, err
		}
		buf, in := &s.buf[0], &s.in[0]
		if want := 4 * 50 * 4; len(s.buf) != want { // the pieces of one chunk that are added
			return 0, fmt.Errorf("%d bytes of buffer, want %d", len(s.buf), want)
		}
		for _, n := range []int{400, 10, 399} {
			if err := r.AllReduce(p, 1, x[:n]); err != nil {
				return 0, err
			}
		}
		if buf != &s.buf[0] || in != &s.in[0] {
			return 0, fmt.Errorf("rank %d made its buffers anew", p.Rank())
		}
		return 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A short vector's all-reduce between two ranks allocates nothing: what it does not allocate, nobody collects while the other rank
// waits. Elsewhere than on Linux a goroutine of its own writes what was sent, and needs a copy of it.
func TestAShortAllReduceAllocatesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux does the sender's own thread write: run this there")
	}
	const steps = 500
	_, _, err := cluster.Run(t.Context(), tcp.Loopback(2, tcp.Config{}), func(p cluster.Proc) (int, error) {
		r, x := Ring{Short: 256, Scratch: &Scratch{}}, make([]float32, 256)
		run := func() error {
			for range steps {
				if err := r.AllReduce(p, 1, x); err != nil {
					return err
				}
			}
			return nil
		}
		if err := run(); err != nil {
			return 0, err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := run(); err != nil {
			return 0, err
		}
		runtime.ReadMemStats(&after)
		if made := after.Mallocs - before.Mallocs; made > steps/4 { // of both ranks; the race detector drops some of what is kept
			return 0, fmt.Errorf("rank %d: %d allocations in %d all-reduces", p.Rank(), made, steps)
		}
		return 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
