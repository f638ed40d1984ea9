package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"gradsync/experiments/eval"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// allReduce is an all-reduce in its two forms.
type allReduce struct {
	sum    func(p cluster.Proc, x []float32) error
	timing func(p cluster.Proc, n int) error
}

// halving returns halving-doubling.
func halving() allReduce {
	return allReduce{
		func(p cluster.Proc, x []float32) error { return collective.HalvingDoubling(p, 1, x) },
		func(p cluster.Proc, n int) error { return collective.HalvingDoublingTiming(p, 1, n) },
	}
}

// twoLevels returns the two-level ring over nodes of perNode ranks.
func twoLevels(perNode int) allReduce {
	return allReduce{
		func(p cluster.Proc, x []float32) error { return collective.Hierarchical(p, 1, perNode, x) },
		func(p cluster.Proc, n int) error { return collective.HierarchicalTiming(p, 1, perNode, n) },
	}
}

// checkSums adds to t whether e leaves Σ_n x_n on each of n ranks. The numbers are whole
// and differ by rank, so their sum is exact in any order.
func checkSums(ctx context.Context, t *tally, what string, n, length int, e allReduce) error {
	got := make([][]float32, n)
	_, err := onRing(ctx, n, func(p cluster.Proc) error {
		x := make([]float32, length)
		for i := range x {
			x[i] = float32((p.Rank() + 1) * (i + 1))
		}
		got[p.Rank()] = x
		return e.sum(p, x)
	})
	for rank, x := range got {
		bad := 0
		for i, v := range x {
			if v != float32(n*(n+1)/2*(i+1)) {
				bad++
			}
		}
		t.add(bad == 0, "%s, N=%d, %d elements: %d wrong at rank %d", what, n, length, bad, rank)
	}
	return err
}

// rivalSums checks both rivals for N ≤ 16, the two-level ring for every division
// of N into nodes.
func rivalSums(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n - 1, n + 1, 131} {
			if err := checkSums(ctx, &t, "halving-doubling", n, length, halving()); err != nil {
				return t, err
			}
			for perNode := 1; perNode <= n; perNode++ {
				if n%perNode != 0 {
					continue
				}
				if err := checkSums(ctx, &t, "two levels", n, length, twoLevels(perNode)); err != nil {
					return t, err
				}
			}
		}
	}
	return t, nil
}

const divisible = 720720 // by every N up to 16; twice that by 32 as well

// rivalBytes counts the bytes that the busiest rank sends.
func rivalBytes(ctx context.Context) (t tally, err error) {
	count := func(n int, e allReduce) (most int64, err error) {
		out, err := onRing(ctx, n, func(p cluster.Proc) error { return e.timing(p, divisible) })
		if err != nil {
			return 0, err
		}
		for _, s := range out.Trace.Sent {
			most = max(most, s.Bytes)
		}
		return most, nil
	}
	compare := func(name string, n int, got int64, v eval.Args) error {
		want, err := eval.Exact(name, v)
		if err == nil {
			t.add(want.Cmp(whole(got)) == 0, "%s, N=%d: the busiest rank sent %d bytes, the formula gives %s", name, n, got, want.RatString())
		}
		return err
	}
	for n := 1; n <= 16; n++ {
		got, err := count(n, halving())
		if err != nil {
			return t, err
		}
		if err := compare("halving-doubling.bytes", n, got, eval.Args{"n": whole(int64(n)), "k": whole(4 * divisible)}); err != nil {
			return t, err
		}
		for perNode := 1; perNode <= n; perNode++ {
			if n%perNode != 0 {
				continue
			}
			if got, err = count(n, twoLevels(perNode)); err != nil {
				return t, err
			}
			v := eval.Args{"nodes": whole(int64(n / perNode)), "per-node": whole(int64(perNode)), "k": whole(4 * divisible)}
			if err := compare("hierarchical.bytes", n, got, v); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// rivalSeconds compares the formulas with virtual time. In the two-level ring the ranks of
// a node share one NIC towards the other nodes.
func rivalSeconds(ctx context.Context) (t tally, err error) {
	t.within = true
	check := func(name string, n int, got time.Duration, v eval.Args) error {
		want, err := eval.Float(name, v)
		if err == nil {
			t.add(math.Abs(got.Seconds()-want) <= 1e-6*want+1e-9, "%s, N=%d: %g s, the formula gives %g s", name, n, got.Seconds(), want)
		}
		return err
	}
	for n := 1; n <= 16; n++ {
		out, err := onRing(ctx, n, func(p cluster.Proc) error { return halving().timing(p, divisible) })
		if err != nil {
			return t, err
		}
		v := eval.Args{"n": whole(int64(n)), "k": whole(4 * divisible), "bandwidth": whole(125e7), "latency": big.NewRat(1, 20000)}
		if err := check("halving-doubling.seconds", n, out.Elapsed, v); err != nil {
			return t, err
		}
	}
	for nodes := 1; nodes <= 5; nodes++ {
		for _, perNode := range []int{1, 2, 4, 8} {
			out, err := onNodes(ctx, nodes, perNode, func(p cluster.Proc) error { return twoLevels(perNode).timing(p, 2*divisible) })
			if err != nil {
				return t, err
			}
			v := eval.Args{"nodes": whole(int64(nodes)), "per-node": whole(int64(perNode)), "k": whole(8 * divisible), "bandwidth": whole(10e9),
				"latency": big.NewRat(1, 100000), "node-bandwidth": whole(6e9), "node-latency": big.NewRat(1, 20000)}
			if err := check("hierarchical.seconds", nodes*perNode, out.Elapsed, v); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// onNodes runs body on nodes of perNode ranks each: 10 GB/s and 10 µs within a
// node, 6 GB/s and 50 µs between nodes, no headers.
func onNodes(ctx context.Context, nodes, perNode int, body func(cluster.Proc) error) (cluster.Outcome, error) {
	platform := even(nodes * perNode)
	for k := range nodes {
		node := cluster.Node{Name: fmt.Sprint("node", k), Bandwidth: 6e9, Latency: 25 * time.Microsecond}
		platform.Nodes = append(platform.Nodes, node)
		for i := range perNode {
			host := &platform.Workers[k*perNode+i]
			host.Node, host.Bandwidth, host.Latency = node.Name, 10e9, 5*time.Microsecond
		}
	}
	rt := virtual.New(platform, virtual.Config{Headerless: true})
	return rt.Run(ctx, func(p cluster.Proc) ([]byte, error) { return nil, body(p) })
}

// carried describes one message: its peer, its chunk and whose contributions it holds,
// one bit per rank.
type carried struct {
	peer, chunk int
	holds       uint32
}

// watchedProc is a Proc that reads every message sent and received. The vector of rank n
// has two numbers per chunk c, 2^n and c. Sums of both are exact for N ≤ 16: the first
// names the contributors, the second divided by their count names the chunk.
type watchedProc struct {
	cluster.Proc
	sent, received []carried
	into           map[cluster.Req]*cluster.Msg
	bad            error
}

// read reads the body of a message to or from peer.
func (w *watchedProc) read(peer int, body []byte) carried {
	var x [2]float32
	if err := vec.FromBytes(x[:], body); err != nil && w.bad == nil {
		w.bad = fmt.Errorf("verify: rank %d, message with %d: %w", w.Rank(), peer, err)
	}
	m := carried{peer: peer, holds: uint32(x[0])}
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

func (w *watchedProc) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	w.sent = append(w.sent, w.read(to, m.Body))
	return w.Proc.Isend(to, tag, m)
}

func (w *watchedProc) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	r := w.Proc.Irecv(from, tag, into)
	w.into[r] = into
	return r
}

func (w *watchedProc) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	i, err := w.Proc.WaitAny(until, reqs...)
	if err == nil && i >= 0 && w.into[reqs[i]] != nil {
		m := w.into[reqs[i]]
		w.received = append(w.received, w.read(m.From, m.Body))
		delete(w.into, reqs[i])
	}
	return i, err
}

// ringSchedule compares every message of every ring up to N = 16 with the blog's two
// loops. At step i of the first, rank n sends chunk n−i, a sum of i+1 contributions, and
// receives chunk n−i−1; of the second, it sends chunk n+1−i and receives n−i, sums of all N.
func ringSchedule(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		ranks := make([]*watchedProc, n)
		_, err := onRing(ctx, n, func(p cluster.Proc) error {
			x := make([]float32, 2*n)
			for c := range n {
				x[2*c], x[2*c+1] = float32(uint32(1)<<p.Rank()), float32(c)
			}
			w := &watchedProc{Proc: p, into: map[cluster.Req]*cluster.Msg{}}
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
