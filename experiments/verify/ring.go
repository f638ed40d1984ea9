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

func ringChecks() []check {
	return []check{
		{"ring.sum", "every rank ends with Σ_n x_n, for N ≤ 16 and any length", ringSum},
		{"ring.bytes", "2(N−1)K/N sent by each rank, 2(N−1)K by all, counted for N ≤ 16", ringCounted},
		{"ring.seconds", "2(N−1)(α + K/(N·B)) = virtual time of the ring, N ≤ 16, to 1e-6 and the clock's nanosecond", ringTimed},
		{"ring.formula", "shared/cluster/formula = eval's exact rationals, N ≤ 64", ringFormula},
		{"ring.schedule", "at step i rank n sends chunk n−i and receives n−i−1, then n+1−i and n−i, for N ≤ 16", ringSchedule},
		{"ring.pipelined", "2(N−1)·max(P·t, α+t) + min(α, (P−1)t) = virtual time of the ring in pieces, N ≤ 16", pipelined},
		{"ring.naive", "(N−1)K into and out of the one reducer, counted for N ≤ 16", naiveCounted},
		{"ring.naive-seconds", "α + (N−1)K/B to gather, twice that both ways = virtual time, N ≤ 16", naiveTimed},
		{"ring.rivals-sum", "halving-doubling and the two-level ring end with Σ_n x_n, for N ≤ 16 and every division into nodes", rivalSums},
		{"ring.rivals-bytes", "their busiest rank sends what the formulas say, counted for N ≤ 16", rivalBytes},
		{"ring.rivals-seconds", "their formulas = virtual time, N ≤ 16, up to 5 nodes of 8", rivalSeconds},
		{"ring.rivals-formula", "shared/cluster/formula = eval's exact rationals for both and the reducer, N ≤ 64", rivalFormulaFloats},
	}
}

// even returns a platform of n equal hosts; α is twice a host's latency.
func even(n int) *cluster.Platform {
	return cluster.Uniform(n, cluster.Host{Name: "r", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}, nil)
}

// onRing runs body on n ranks of a network without frame headers.
func onRing(ctx context.Context, n int, body func(cluster.Proc) error) (cluster.Outcome, error) {
	rt := virtual.New(even(n), virtual.Config{Headerless: true})
	return rt.Run(ctx, func(p cluster.Proc) ([]byte, error) { return nil, body(p) })
}

// ringSum checks the ring's sums. Element i of rank n is (n+1)·(i+1): whole numbers, whose
// sum is exact in any order, and no two ranks alike.
func ringSum(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n - 1, n, n + 1, 3*n + 2, 257} {
			got := make([][]float32, n)
			_, err := onRing(ctx, n, func(p cluster.Proc) error {
				x := make([]float32, length)
				for i := range x {
					x[i] = float32((p.Rank() + 1) * (i + 1))
				}
				got[p.Rank()] = x
				return collective.RingAllReduce(p, 1, x)
			})
			if err != nil {
				return t, err
			}
			for rank, x := range got {
				bad := 0
				for i, v := range x {
					if v != float32(n*(n+1)/2*(i+1)) {
						bad++
					}
				}
				t.add(bad == 0, "N=%d, %d elements: %d wrong at rank %d", n, length, bad, rank)
			}
		}
	}
	return t, nil
}

// ringCounted counts the bytes that each rank and all ranks send.
func ringCounted(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n, n + 1, 5*n + 3, 61706, 720720} { // 720,720 is divisible by every N
			out, err := onRing(ctx, n, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 1, length) })
			if err != nil {
				return t, err
			}
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
	return t, nil
}

// ringTimed compares the ring's seconds with virtual time.
func ringTimed(ctx context.Context) (t tally, err error) {
	t.within = true
	for n := 1; n <= 16; n++ {
		for _, length := range []int{n, 720720, 25 * 720720} {
			out, err := onRing(ctx, n, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 1, length) })
			if err != nil {
				return t, err
			}
			want := 2 * float64(n-1) * (50e-6 + 4*float64(length)/float64(n)/1.25e9)
			got := out.Elapsed.Seconds()
			t.add(math.Abs(got-want) <= 1e-6*want+1e-9, "N=%d, K=%d: %g s, the formula gives %g s", n, 4*length, got, want)
		}
	}
	return t, nil
}

// ringFormula compares the formulas that pages and playground compute in float64 with
// eval's exact ones.
func ringFormula(context.Context) (t tally, err error) {
	t.within = true
	for n := int64(1); n <= 64; n++ {
		for _, k := range []int64{1, 61706 * 4, 1_200_000_000} {
			v := eval.Args{"n": big.NewRat(n, 1), "k": big.NewRat(k, 1), "bandwidth": big.NewRat(6e9, 1), "latency": big.NewRat(1, 20000)}
			for name, got := range map[string]float64{"ring.bytes": formula.RingBytes(int(n), float64(k)),
				"ring.seconds": formula.RingTime(int(n), float64(k), 1./20000, 6e9), "naive.seconds": formula.NaiveGatherTime(int(n), float64(k), 0, 6e9)} {
				want, err := eval.Float(name, v)
				if err != nil {
					return t, err
				}
				t.add(math.Abs(got-want) <= 1e-14*want, "%s, N=%d, K=%d: %g, exactly %g", name, n, k, got, want)
			}
		}
	}
	return t, nil
}

// naiveCounted counts the bytes into and out of the single reducer.
func naiveCounted(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{1, 61706} {
			out, err := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 1, 0, length) })
			if err != nil {
				return t, err
			}
			k := int64(4 * length)
			t.add(out.Trace.Sent[0].Bytes == int64(n-1)*k, "N=%d, K=%d: the reducer sent %d bytes", n, k, out.Trace.Sent[0].Bytes)
			for rank, s := range out.Trace.Sent[1:] {
				t.add(s.Bytes == k, "N=%d, K=%d: rank %d sent %d bytes", n, k, rank+1, s.Bytes)
			}
		}
	}
	return t, nil
}

// naiveTimed compares both directions of the single reducer with virtual time.
func naiveTimed(ctx context.Context) (t tally, err error) {
	t.within = true
	for n := 2; n <= 16; n++ {
		for _, length := range []int{1, 61706, divisible} {
			gather, err := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveGatherTiming(p, 1, 0, length) })
			if err != nil {
				return t, err
			}
			both, err := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 1, 0, length) })
			if err != nil {
				return t, err
			}
			v := eval.Args{"n": whole(int64(n)), "k": whole(int64(4 * length)), "bandwidth": whole(125e7), "latency": big.NewRat(1, 20000)}
			want, err := eval.Float("naive.both-seconds", v)
			if err != nil {
				return t, err
			}
			oneWay, err := eval.Float("naive.seconds", v)
			if err != nil {
				return t, err
			}
			for what, pair := range map[string][2]float64{"gather": {gather.Elapsed.Seconds(), oneWay + 50e-6}, "both ways": {both.Elapsed.Seconds(), want}} {
				t.add(math.Abs(pair[0]-pair[1]) <= 1e-6*pair[1]+1e-9, "%s, N=%d, K=%d: %g s, the formula gives %g s", what, n, 4*length, pair[0], pair[1])
			}
		}
	}
	return t, nil
}

// rivalFormulaFloats compares the float64 forms that pages and experiments compute with
// eval's exact rationals.
func rivalFormulaFloats(context.Context) (t tally, err error) {
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
					want, err := eval.Float(c.name, v)
					if err != nil {
						return t, err
					}
					t.add(math.Abs(c.got-want) <= 1e-14*want, "%s, N=%d, G=%d, K=%d: %g, exactly %g", c.name, n, perNode, k, c.got, want)
				}
			}
		}
	}
	return t, nil
}

// pipelined compares the formula of a ring whose chunks travel in pieces with virtual
// time.
func pipelined(ctx context.Context) (t tally, err error) {
	t.within = true
	for n := 1; n <= 16; n++ {
		for _, pieces := range []int{1, 2, 5, 11} { // of the chunks of every N
			for _, length := range []int{divisible * 55, divisible * 11 / 4} { // bytes rule, latency rules
				segment := (length/n + pieces - 1) / pieces
				if length%n != 0 || segment*pieces != length/n {
					continue // unequal pieces: the formula is of equal ones
				}
				out, err := onRing(ctx, n, func(p cluster.Proc) error { return collective.Ring{Segment: segment}.AllReduceTiming(p, 1, length) })
				if err != nil {
					return t, err
				}
				want := formula.RingPipelinedTime(n, float64(4*length), pieces, 50e-6, 1.25e9)
				got := out.Elapsed.Seconds()
				t.add(math.Abs(got-want) <= 1e-6*want+1e-8, "N=%d, K=%d, %d pieces: %g s, the formula gives %g s", n, 4*length, pieces, got, want)
			}
		}
	}
	return t, nil
}
