package cli

import (
	"context"
	"math"
	"math/big"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
)

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
			v := values{"n": whole(int64(n)), "k": whole(int64(4 * length)), "bandwidth": whole(125e7), "latency": big.NewRat(1, 20000)}
			want, err := exactly("naive.both-seconds", v)
			if err != nil {
				return t, err
			}
			oneWay, err := exactly("naive.seconds", v)
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

// rivalFormulaFloats compares eval's exact rationals with the float64 forms that
// pages and experiments compute.
func rivalFormulaFloats(context.Context) (t tally, err error) {
	t.within = true
	for n := 1; n <= 64; n++ {
		for _, k := range []int64{1, 61706 * 4, 1_200_000_000} {
			for _, perNode := range []int{1, 2, 8} {
				v := values{"n": whole(int64(n)), "k": whole(k), "nodes": whole(int64(n)), "per-node": whole(int64(perNode)), "bandwidth": whole(10e9),
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
					want, err := exactly(c.name, v)
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

// pipelined compares the ring whose chunks travel in pieces with virtual time.
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
