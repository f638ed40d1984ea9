package cli

import (
	"context"
	"fmt"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/vec"
)

// moved is what one message carried: a chunk and whose contributions it holds,
// one bit per rank.
type moved struct {
	peer, chunk int
	holds       uint32
}

// watched is a Proc that reads what is sent and received. The vector of rank n has
// two numbers per chunk c, 2^n and c: sums of both are exact for N ≤ 16, the
// first tells the contributors, the second, over their count, the chunk.
type watched struct {
	cluster.Proc
	sent, received []moved
	into           map[cluster.Req]*cluster.Msg
	bad            error
}

func (w *watched) read(peer int, body []byte) moved {
	var x [2]float32
	if err := vec.FromBytes(x[:], body); err != nil && w.bad == nil {
		w.bad = fmt.Errorf("verify: rank %d, message with %d: %w", w.Rank(), peer, err)
	}
	m := moved{peer: peer, holds: uint32(x[0])}
	if n := ones(m.holds); n > 0 {
		m.chunk = int(x[1]) / n
	}
	return m
}

func ones(bits uint32) (n int) {
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}

func (w *watched) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	w.sent = append(w.sent, w.read(to, m.Body))
	return w.Proc.Isend(to, tag, m)
}

func (w *watched) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	r := w.Proc.Irecv(from, tag, into)
	w.into[r] = into
	return r
}

func (w *watched) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	i, err := w.Proc.WaitAny(until, reqs...)
	if err == nil && i >= 0 && w.into[reqs[i]] != nil {
		m := w.into[reqs[i]]
		w.received = append(w.received, w.read(m.From, m.Body))
		delete(w.into, reqs[i])
	}
	return i, err
}

// ringSchedule holds every message of every ring up to N = 16 against the blog's
// two loops: at step i of the first, rank n sends chunk n−i, then of i+1
// contributions, and receives chunk n−i−1; of the second it sends chunk n+1−i and
// receives n−i, both of all N.
func ringSchedule(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		ranks := make([]*watched, n)
		_, err := onRing(ctx, n, func(p cluster.Proc) error {
			x := make([]float32, 2*n)
			for c := range n {
				x[2*c], x[2*c+1] = float32(uint32(1)<<p.Rank()), float32(c)
			}
			w := &watched{Proc: p, into: map[cluster.Req]*cluster.Msg{}}
			ranks[p.Rank()] = w
			if err := collective.RingAllReduce(w, 1, x); err != nil {
				return err
			}
			return w.bad
		})
		if err != nil {
			return t, err
		}
		for rank, w := range ranks {
			t.add(len(w.sent) == 2*(n-1) && len(w.received) == 2*(n-1), "N=%d, rank %d: sent %d, received %d", n, rank, len(w.sent), len(w.received))
			for i := range min(len(w.sent), len(w.received), 2*(n-1)) {
				out, in := blogStep(n, rank, i)
				t.add(w.sent[i] == out, "N=%d, rank %d, exchange %d: sent %+v, the blog says %+v", n, rank, i, w.sent[i], out)
				t.add(w.received[i] == in, "N=%d, rank %d, exchange %d: received %+v, the blog says %+v", n, rank, i, w.received[i], in)
			}
		}
	}
	return t, nil
}

// blogStep is exchange i of rank n by the blog: what it sends, what it receives.
func blogStep(ranks, n, i int) (out, in moved) {
	mod := func(a int) int { return (a%ranks + ranks) % ranks }
	all := uint32(1)<<ranks - 1
	out, in = moved{peer: mod(n + 1)}, moved{peer: mod(n - 1)}
	if i >= ranks-1 {
		i -= ranks - 1
		out.chunk, out.holds = mod(n+1-i), all
		in.chunk, in.holds = mod(n-i), all
		return out, in
	}
	out.chunk, in.chunk = mod(n-i), mod(n-i-1)
	for k := range i + 1 { // the chunk's first rank has its number, and so on round the ring
		out.holds |= 1 << mod(n-k)
		in.holds |= 1 << mod(n-1-k)
	}
	return out, in
}
