package collective_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// carried describes one message: its peer, its chunk and whose contributions it holds, one bit per rank.
type carried struct {
	peer, chunk int
	holds       uint32
}

// watched is a Proc that reads every message sent and received. The vector of rank n has two numbers per chunk c, 2^n
// and c. Sums of both are exact for N ≤ 16: the first names the contributors, the second divided by their count the chunk.
type watched struct {
	cluster.Proc
	t              *testing.T
	sent, received []carried
	into           map[cluster.Req]*cluster.Msg
}

// read reads the body of a message to or from peer.
func (w *watched) read(peer int, body []byte) carried {
	var x [2]float32
	if err := vec.FromBytes(x[:], body); err != nil {
		w.t.Errorf("rank %d, message with %d: %v", w.Rank(), peer, err)
	}
	m := carried{peer: peer, holds: uint32(x[0])}
	if n := bits.OnesCount32(m.holds); n > 0 {
		m.chunk = int(x[1]) / n
	}
	return m
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

// The blog's two loops, message by message, for N ≤ 16: at step i of the first, rank n sends chunk n−i, a sum of i+1
// contributions, and receives n−i−1; of the second, it sends chunk n+1−i and receives n−i, sums of all N.
func TestTheRingIsTheBlogsLoops(t *testing.T) {
	for n := 1; n <= 16; n++ {
		rt := virtual.New(cluster.Uniform(n, link, nil), virtual.Config{})
		_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			x := make([]float32, 2*n)
			for c := range n {
				x[2*c], x[2*c+1] = float32(uint32(1)<<p.Rank()), float32(c)
			}
			w := &watched{Proc: p, t: t, into: map[cluster.Req]*cluster.Msg{}}
			if err := collective.RingAllReduce(w, 1, x); err != nil {
				return nil, err
			}
			var sent, received []carried
			for i := range 2 * (n - 1) {
				out, in := blogStep(n, p.Rank(), i)
				sent, received = append(sent, out), append(received, in)
			}
			if fmt.Sprint(w.sent, w.received) != fmt.Sprint(sent, received) {
				t.Errorf("N=%d, rank %d: sent %v, received %v, the blog says %v, %v", n, p.Rank(), w.sent, w.received, sent, received)
			}
			return nil, nil
		})
		must(t, err)
	}
}

// blogStep returns the messages that rank n sends and receives in exchange i by the blog.
func blogStep(ranks, n, i int) (out, in carried) {
	mod := func(a int) int { return (a%ranks + ranks) % ranks }
	all := uint32(1)<<ranks - 1
	out, in = carried{peer: mod(n + 1)}, carried{peer: mod(n - 1)}
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
