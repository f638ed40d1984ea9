package cli

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// exchange is an all-reduce in its two forms.
type exchange struct {
	sum    func(p cluster.Proc, x []float32) error
	timing func(p cluster.Proc, n int) error
}

func halving() exchange {
	return exchange{
		func(p cluster.Proc, x []float32) error { return collective.HalvingDoubling(p, 1, x) },
		func(p cluster.Proc, n int) error { return collective.HalvingDoublingTiming(p, 1, n) },
	}
}

func twoLevels(perNode int) exchange {
	return exchange{
		func(p cluster.Proc, x []float32) error { return collective.Hierarchical(p, 1, perNode, x) },
		func(p cluster.Proc, n int) error { return collective.HierarchicalTiming(p, 1, perNode, n) },
	}
}

// checkSums adds whether e leaves Σ_n x_n on each of n ranks: the numbers are
// whole, no two ranks' alike, and exact in any order.
func checkSums(ctx context.Context, t *tally, what string, n, length int, e exchange) error {
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

// rivalBytes counts what the busiest rank sends.
func rivalBytes(ctx context.Context) (t tally, err error) {
	count := func(n int, e exchange) (most int64, err error) {
		out, err := onRing(ctx, n, func(p cluster.Proc) error { return e.timing(p, divisible) })
		if err != nil {
			return 0, err
		}
		for _, s := range out.Trace.Sent {
			most = max(most, s.Bytes)
		}
		return most, nil
	}
	compare := func(name string, n int, got int64, v values) error {
		want, err := exactRat(name, v)
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
		if err := compare("halving-doubling.bytes", n, got, values{"n": whole(int64(n)), "k": whole(4 * divisible)}); err != nil {
			return t, err
		}
		for perNode := 1; perNode <= n; perNode++ {
			if n%perNode != 0 {
				continue
			}
			if got, err = count(n, twoLevels(perNode)); err != nil {
				return t, err
			}
			v := values{"nodes": whole(int64(n / perNode)), "per-node": whole(int64(perNode)), "k": whole(4 * divisible)}
			if err := compare("hierarchical.bytes", n, got, v); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// rivalSeconds compares with virtual time; the two-level ring on nodes that share
// one NIC of their own.
func rivalSeconds(ctx context.Context) (t tally, err error) {
	t.within = true
	check := func(name string, n int, got time.Duration, v values) error {
		want, err := exactly(name, v)
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
		v := values{"n": whole(int64(n)), "k": whole(4 * divisible), "bandwidth": whole(125e7), "latency": big.NewRat(1, 20000)}
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
			v := values{"nodes": whole(int64(nodes)), "per-node": whole(int64(perNode)), "k": whole(8 * divisible), "bandwidth": whole(10e9),
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
