package collective

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// bitsOf sums two vectors of n elements with r and returns the bits of both ranks' sums. Some elements are NaNs on both ranks,
// each rank's its own.
func bitsOf(t *testing.T, rt cluster.Runtime, r Ring, n int) [][]byte {
	t.Helper()
	out, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) ([]byte, error) {
		x := make([]float32, n)
		g := cluster.Stream(5, p.Rank(), "", "pair")
		for i := range x {
			x[i] = float32(g.NormFloat64())
			if i%7 == 3 {
				x[i] = math.Float32frombits(0x7fc00000 + uint32(2*i+p.Rank()))
			}
		}
		mine := r
		mine.Scratch = &Scratch{}
		for range 2 {
			if err := mine.AllReduce(p, 5, x); err != nil {
				return nil, err
			}
		}
		return vec.AppendBytes(nil, x), nil
	})
	must(t, err)
	return out
}

// Two ranks that exchange their vectors whole, in pieces of any length, end with a ring's bits, in their own memory or packed. Of
// two NaNs the processor takes the first term: there both ranks must have added in the ring's order.
func TestPairIsARing(t *testing.T) {
	native := view
	defer func() { view = native }()
	platform := cluster.Uniform(2, scratchHost, nil)
	lengths := []int{1, 16, 97, 1000, 4099}
	if testing.Short() {
		lengths = lengths[2:3]
	}
	for _, n := range lengths {
		view = native
		want := bitsOf(t, virtual.New(platform, virtual.Config{}), Ring{}, n)
		for _, segment := range []int{0, 1, 16, 60, 333, 5000} {
			if segment == 1 && n > 100 {
				continue // thousands of messages of four bytes say no more
			}
			r := Ring{Segment: segment, Short: n}
			for name, rt := range map[string]cluster.Runtime{"virtual": virtual.New(platform, virtual.Config{}),
				"local": local.New(platform, local.Config{}), "tcp": tcp.Loopback(2, tcp.Config{Chunk: 1000, Timeout: time.Minute})} {
				for _, packed := range []bool{false, true} {
					if view = native; packed {
						view = func([]float32) []byte { return nil }
					}
					for rank, got := range bitsOf(t, rt, r, n) {
						same(t, fmt.Sprintf("%s: %d elements, pieces of %d, packed %v, rank %d", name, n, segment, packed, rank), got, want[rank])
					}
				}
			}
		}
	}
}

// same compares the bits of vectors.
func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d bytes, want %d", what, len(got), len(want))
	}
	for i := 0; i < len(want); i += 4 {
		if g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:]); g != w {
			t.Fatalf("%s: element %d is %#x, want %#x", what, i/4, g, w)
		}
	}
}

// A pair sends its pieces a few at a time, as many bytes as a ring, with its elements or declared.
func TestPairsMessages(t *testing.T) {
	rt := virtual.New(cluster.Uniform(2, scratchHost, nil), virtual.Config{Trace: true})
	run := func(exchange func(r Ring, p cluster.Proc) error) *cluster.Trace {
		_, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) {
			return 0, exchange(Ring{Segment: 30, Short: 100}, p)
		})
		must(t, err)
		return trace
	}
	real := run(func(r Ring, p cluster.Proc) error { return r.AllReduce(p, 5, make([]float32, 100)) })
	if timing := run(func(r Ring, p cluster.Proc) error { return r.AllReduceTiming(p, 5, 100) }); fmt.Sprint(*timing) != fmt.Sprint(*real) {
		t.Errorf("declared bytes make other events:\n%v\n%v", *timing, *real)
	}
	for rank, s := range real.Sent {
		if s.Messages != 4 || s.Bytes != 400 {
			t.Errorf("rank %d sent %d messages of %d bytes, want 4 of 400", rank, s.Messages, s.Bytes)
		}
	}
}

// late is rank 0 of two on a network that takes what is sent when that is waited for, and brings the other's vector in the same
// pieces.
type late struct {
	cluster.Proc
	theirs, taken []byte
	pending, most int // sends that were not waited for
}

// lateReq is a send of late, or a receive.
type lateReq struct {
	cluster.Req
	m    *cluster.Msg
	send bool
}

func (*late) Rank() int { return 0 }
func (*late) Size() int { return 2 }

func (p *late) Irecv(_ int, _ cluster.Tag, m *cluster.Msg) cluster.Req { return &lateReq{m: m} }

func (p *late) Isend(_ int, _ cluster.Tag, m *cluster.Msg) cluster.Req {
	p.pending++
	p.most = max(p.most, p.pending)
	kept := *m
	return &lateReq{m: &kept, send: true}
}

func (p *late) WaitAny(_ time.Duration, reqs ...cluster.Req) (int, error) {
	r := reqs[0].(*lateReq)
	if r.send {
		p.pending--
		p.taken = append(p.taken, r.m.Body...)
		return 0, nil
	}
	n := min(cap(r.m.Body), len(p.theirs))
	r.m.Body = append(r.m.Body[:0], p.theirs[:n]...)
	p.theirs = p.theirs[n:]
	return 0, nil
}

// A sum takes no place of what is still to be sent, and only a few pieces are sent ahead of it.
func TestPairSendsWhatItHad(t *testing.T) {
	x := make([]float32, 1000)
	for i := range x {
		x[i] = float32(i)
	}
	want := vec.AppendBytes(nil, x)
	p := &late{theirs: want}
	must(t, (Ring{Segment: 32, Short: 1000}).AllReduce(p, 5, x))
	same(t, "sent", p.taken, want)
	for i, v := range x {
		if v != float32(2*i) {
			t.Fatalf("element %d is %g, want %d", i, v, 2*i)
		}
	}
	if p.most != underWay || p.pending != 0 {
		t.Errorf("%d pieces under way, %d not waited for, want %d and 0", p.most, p.pending, underWay)
	}
}
