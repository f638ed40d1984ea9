package verify

import (
	"context"
	"math"
	"math/big"
	"time"

	"gradsync/experiments/eval"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
)

// ringChecks compares bytes and seconds with what is counted. That exchanges sum, and in which order, is tested in
// shared/cluster/collective.
func ringChecks() []check {
	return []check{
		{"ring.bytes", "2(N−1)K/N sent by each rank, 2(N−1)K by all, counted for N ≤ 16", ringCounted},
		{"ring.seconds", "2(N−1)(α + K/(N·B)) = virtual time of the ring, N ≤ 16, to 1e-6 and the clock's nanosecond", ringTimed},
		{"ring.formula", "shared/cluster/formula = eval's exact rationals, N ≤ 64", ringFormula},
		{"ring.naive", "(N−1)K into and out of the one reducer, counted for N ≤ 16", naiveCounted},
		{"ring.naive-seconds", "α + (N−1)K/B to gather, twice that both ways = virtual time, N ≤ 16", naiveTimed},
		{"ring.rivals-bytes", "their busiest rank sends what the formulas say, counted for N ≤ 16", rivalBytes},
		{"ring.rivals-formula", "shared/cluster/formula = eval's exact rationals for both and the reducer, N ≤ 64", rivalFormulaFloats},
	}
}

// even returns a platform of n equal hosts; α is twice a host's latency.
func even(n int) *cluster.Platform {
	return cluster.Uniform(n, cluster.Host{Name: "r", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}, nil)
}

// onRing runs body on n ranks of a network without frame headers.
func onRing(ctx context.Context, n int, body func(cluster.Proc) error) cluster.Outcome {
	rt := virtual.New(even(n), virtual.Config{Headerless: true})
	return ok(rt.Run(ctx, func(p cluster.Proc) ([]byte, error) { return nil, body(p) }))
}

// ringCounted counts the bytes that each rank and all ranks send.
func ringCounted(ctx context.Context) (t tally) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n, n + 1, 5*n + 3, 61706, 720720} { // 720,720 is divisible by every N
			out := onRing(ctx, n, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 1, length) })
			k := int64(4 * length)
			t.add(out.Trace.BodyBytes() == 2*int64(n-1)*k, "N=%d, K=%d: all ranks sent %d bytes", n, k, out.Trace.BodyBytes())
			if length%n != 0 {
				continue
			}
			for rank, s := range out.Trace.Sent {
				t.add(s.Bytes == 2*int64(n-1)*k/int64(n), "N=%d, K=%d: rank %d sent %d bytes", n, k, rank, s.Bytes)
			}
		}
	}
	return t
}

// ringTimed compares the ring's seconds with virtual time.
func ringTimed(ctx context.Context) (t tally) {
	t.within = true
	for n := 1; n <= 16; n++ {
		for _, length := range []int{n, 720720, 25 * 720720} {
			out := onRing(ctx, n, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 1, length) })
			want := 2 * float64(n-1) * (50e-6 + 4*float64(length)/float64(n)/1.25e9)
			got := out.Elapsed.Seconds()
			t.add(math.Abs(got-want) <= 1e-6*want+1e-9, "N=%d, K=%d: %g s, the formula gives %g s", n, 4*length, got, want)
		}
	}
	return t
}

// ringFormula compares the formulas that pages and playground compute in float64 with
// eval's exact ones.
func ringFormula(context.Context) (t tally) {
	t.within = true
	for n := int64(1); n <= 64; n++ {
		for _, k := range []int64{1, 61706 * 4, 1_200_000_000} {
			v := eval.Args{"n": big.NewRat(n, 1), "k": big.NewRat(k, 1), "bandwidth": big.NewRat(6e9, 1), "latency": big.NewRat(1, 20000)}
			for name, got := range map[string]float64{"ring.bytes": formula.RingBytes(int(n), float64(k)),
				"ring.seconds": formula.RingTime(int(n), float64(k), 1./20000, 6e9), "naive.seconds": formula.NaiveGatherTime(int(n), float64(k), 0, 6e9)} {
				want := ok(eval.Float(name, v))
				t.add(math.Abs(got-want) <= 1e-14*want, "%s, N=%d, K=%d: %g, exactly %g", name, n, k, got, want)
			}
		}
	}
	return t
}

// naiveCounted counts the bytes into and out of the single reducer.
func naiveCounted(ctx context.Context) (t tally) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{1, 61706} {
			out := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 1, 0, length) })
			k := int64(4 * length)
			t.add(out.Trace.Sent[0].Bytes == int64(n-1)*k, "N=%d, K=%d: the reducer sent %d bytes", n, k, out.Trace.Sent[0].Bytes)
			for rank, s := range out.Trace.Sent[1:] {
				t.add(s.Bytes == k, "N=%d, K=%d: rank %d sent %d bytes", n, k, rank+1, s.Bytes)
			}
		}
	}
	return t
}

// naiveTimed compares both directions of the single reducer with virtual time.
func naiveTimed(ctx context.Context) (t tally) {
	t.within = true
	for n := 2; n <= 16; n++ {
		for _, length := range []int{1, 61706, divisible} {
			gather := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveGatherTiming(p, 1, 0, length) })
			both := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 1, 0, length) })
			v := eval.Args{"n": whole(int64(n)), "k": whole(int64(4 * length)), "bandwidth": whole(125e7), "latency": big.NewRat(1, 20000)}
			want := ok(eval.Float("naive.both-seconds", v))
			oneWay := ok(eval.Float("naive.seconds", v))
			for what, pair := range map[string][2]float64{"gather": {gather.Elapsed.Seconds(), oneWay + 50e-6}, "both ways": {both.Elapsed.Seconds(), want}} {
				t.add(math.Abs(pair[0]-pair[1]) <= 1e-6*pair[1]+1e-9, "%s, N=%d, K=%d: %g s, the formula gives %g s", what, n, 4*length, pair[0], pair[1])
			}
		}
	}
	return t
}

// rivalFormulaFloats compares the float64 forms that pages and experiments compute with
// eval's exact rationals.
func rivalFormulaFloats(context.Context) (t tally) {
	t.within = true
	for n := 1; n <= 64; n++ {
		for _, k := range []int64{1, 61706 * 4, 1_200_000_000} {
			for _, perNode := range []int{1, 2, 8} {
				v := eval.Args{"n": whole(int64(n)), "k": whole(k), "nodes": whole(int64(n)), "per-node": whole(int64(perNode)), "bandwidth": whole(10e9),
					"latency": big.NewRat(1, 100000), "node-bandwidth": whole(6e9), "node-latency": big.NewRat(1, 20000)}
				f := float64(k)
				for _, c := range []struct {
					name string
					got  float64
				}{
					{"halving-doubling.bytes", formula.HalvingDoublingBytes(n, f)}, {"halving-doubling.seconds", formula.HalvingDoublingTime(n, f, 1e-5, 10e9)},
					{"hierarchical.bytes", formula.HierarchicalBytes(n, perNode, f)}, {"hierarchical.node-bytes", formula.HierarchicalNodeBytes(n, f)},
					{"hierarchical.seconds", formula.HierarchicalTime(n, perNode, f, 1e-5, 10e9, 1./20000, 6e9)},
					{"naive.bytes", formula.NaiveRootBytes(n, f)}, {"naive.both-seconds", formula.NaiveTime(n, f, 1e-5, 10e9)},
				} {
					want := ok(eval.Float(c.name, v))
					t.add(math.Abs(c.got-want) <= 1e-14*want, "%s, N=%d, G=%d, K=%d: %g, exactly %g", c.name, n, perNode, k, c.got, want)
				}
			}
		}
	}
	return t
}

const divisible = 720720 // by every N up to 16

// rivalBytes counts the bytes that the busiest rank sends, of the two-level ring for every division into nodes.
func rivalBytes(ctx context.Context) (t tally) {
	compare := func(name string, n int, v eval.Args, timing func(p cluster.Proc) error) {
		out := onRing(ctx, n, timing)
		most := int64(0)
		for _, s := range out.Trace.Sent {
			most = max(most, s.Bytes)
		}
		v["k"] = whole(4 * divisible)
		want := ok(eval.Exact(name, v))
		t.add(want.Cmp(whole(most)) == 0, "%s, N=%d: the busiest rank sent %d bytes, the formula gives %s",
			name, n, most, want.RatString())
	}
	for n := 1; n <= 16; n++ {
		compare("halving-doubling.bytes", n, eval.Args{"n": whole(int64(n))},
			func(p cluster.Proc) error { return collective.HalvingDoublingTiming(p, 1, divisible) })
		for perNode := 1; perNode <= n; perNode++ {
			if n%perNode == 0 {
				v := eval.Args{"nodes": whole(int64(n / perNode)), "per-node": whole(int64(perNode))}
				compare("hierarchical.bytes", n, v,
					func(p cluster.Proc) error { return collective.HierarchicalTiming(p, 1, perNode, divisible) })
			}
		}
	}
	return t
}
