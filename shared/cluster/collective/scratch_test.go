package collective

import (
	"fmt"
	"runtime/debug"
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
	must(t, err)
	return fmt.Sprint(got), trace
}

// Vectors that are sent and received in their own memory, with and without kept buffers, end as those that are packed
// and unpacked: the same bits on every runtime, the same events in virtual time.
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
		r, x := Ring{Scratch: s, Segment: 50}, make([]float32, 400)
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
	must(t, err)
}

// echo is rank 0 of two for one goroutine: the other rank sends back whatever it would receive. Its requests are done at once,
// and those that were freed are used again.
type echo struct {
	cluster.Proc
	sent  []byte // last, by either
	spare []*done
}

// done is a request of an echo that is over.
type done struct{ cluster.Req }

func (*echo) Rank() int { return 0 }

func (*echo) Size() int { return 2 }

func (e *echo) Isend(_ int, _ cluster.Tag, m *cluster.Msg) cluster.Req {
	e.sent = append(e.sent[:0], m.Body...)
	return e.request()
}

func (e *echo) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	into.From, into.Tag = from, tag
	into.Body = append(into.Body[:0], e.sent...)
	return e.request()
}

func (*echo) WaitAny(time.Duration, ...cluster.Req) (int, error) { return 0, nil }

func (e *echo) Free(reqs ...cluster.Req) {
	for _, r := range reqs {
		e.spare = append(e.spare, r.(*done))
	}
}

func (e *echo) request() cluster.Req {
	last := len(e.spare) - 1
	if last < 0 {
		return &done{}
	}
	r := e.spare[last]
	e.spare = e.spare[:last]
	return r
}

// A short vector's all-reduce between two ranks allocates nothing and frees its requests: what it does not allocate, nobody
// collects while the other rank waits. What the runtime allocates is tested in rank (TestFreedRequestsAreUsedAgain) and in tcp
// (TestAShortMessageAllocatesItsRequestsAlone), and counted over all by BenchmarkAShortAllReduce.
func TestAShortAllReduceAllocatesNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, r := range []Ring{{Short: 256}, {Short: 256, Segment: 64}} {
		r.Scratch = &Scratch{}
		x := make([]float32, 256)
		e := &echo{sent: make([]byte, 4*len(x))}
		if r.Segment > 0 {
			e.sent = e.sent[:4*r.Segment]
		}
		if made := testing.AllocsPerRun(100, func() {
			if err := r.AllReduce(e, 1, x); err != nil {
				t.Error(err)
			}
		}); made != 0 {
			t.Errorf("%+v: %v allocations an all-reduce, want 0", r, made)
		}
	}
}

// BenchmarkAShortAllReduce sums 1 KiB of two ranks of one process over tcp.
func BenchmarkAShortAllReduce(b *testing.B) {
	b.ReportAllocs()
	_, _, err := cluster.Run(b.Context(), tcp.Loopback(2, tcp.Config{}), func(p cluster.Proc) (int, error) {
		r, x := Ring{Short: 256, Scratch: &Scratch{}}, make([]float32, 256)
		for range b.N {
			if err := r.AllReduce(p, 1, x); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	must(b, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
