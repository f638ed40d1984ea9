package cli

import (
	"context"
	"math"
	"math/big"
	"time"

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

// even is a platform of n equal hosts; α is twice its latency.
func even(n int) *cluster.Platform {
	return cluster.Uniform(n, cluster.Host{Name: "r", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}, nil)
}

// onRing runs body on n ranks of a network without frame headers.
func onRing(ctx context.Context, n int, body func(cluster.Proc) error) (cluster.Outcome, error) {
	rt := virtual.New(even(n), virtual.Config{Headerless: true})
	return rt.Run(ctx, func(p cluster.Proc) ([]byte, error) { return nil, body(p) })
}

// ringSum gives rank n's element i the value (n+1)·(i+1): whole numbers, whose
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

// ringFormula compares the formulas that pages and playground compute in
// float64 with eval's, which are exact.
func ringFormula(context.Context) (t tally, err error) {
	t.within = true
	for n := int64(1); n <= 64; n++ {
		for _, k := range []int64{1, 61706 * 4, 1_200_000_000} {
			v := values{"n": big.NewRat(n, 1), "k": big.NewRat(k, 1), "bandwidth": big.NewRat(6e9, 1), "latency": big.NewRat(1, 20000)}
			for name, got := range map[string]float64{"ring.bytes": formula.RingBytes(int(n), float64(k)),
				"ring.seconds": formula.RingTime(int(n), float64(k), 1./20000, 6e9), "naive.seconds": formula.NaiveGatherTime(int(n), float64(k), 0, 6e9)} {
				want, err := exactly(name, v)
				if err != nil {
					return t, err
				}
				t.add(math.Abs(got-want) <= 1e-14*want, "%s, N=%d, K=%d: %g, exactly %g", name, n, k, got, want)
			}
		}
	}
	return t, nil
}

// exactly evaluates a formula of eval.
func exactly(name string, v values) (float64, error) {
	r, err := exactRat(name, v)
	if err != nil {
		return 0, err
	}
	f, _ := r.Float64()
	return f, nil
}

// exactRat evaluates a rational formula of eval.
func exactRat(name string, v values) (*big.Rat, error) {
	for _, f := range formulas {
		if f.name == name {
			a, err := f.eval(v)
			return a.exact, err
		}
	}
	panic("verify: no formula " + name)
}

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
