package cli

import (
	"context"
	"math"
	"math/big"

	"gradsync/papers/codedsgd"
	"gradsync/papers/codedsgd/formula"
)

// likeForLike counts both methods once per packet. At r = n nothing is sent.
func likeForLike(ctx context.Context) (t tally, err error) {
	return t, eachSize(ctx, proofNodes, func(e *codedsgd.Enumeration) error {
		n, r, c := e.Nodes(), e.Redundancy(), e.Counts()
		if c.Left == 0 {
			return nil
		}
		counted, computed := big.NewRat(int64(c.Elements), int64(r*c.Blocks)), codedsgd.LikeForLike(n, r)
		t.add(counted.Cmp(computed) == 0, "n = %d, r = %d: counted %s, (n−r)/r is %s", n, r, counted.RatString(), computed.RatString())
		return nil
	})
}

func boundIsMet(context.Context) (t tally, err error) {
	for n := 1; n <= codedsgd.MaxNodes; n++ {
		for r := 1; r <= n; r++ {
			bound := mul(mul(codedsgd.Bound(n, r), whole(int64(n))), codedsgd.BlockCount(n, r))
			t.add(bound.Cmp(codedsgd.LCoding(n, r)) == 0, "n = %d, r = %d: the bound is %s gradients, (28) %s", n, r, bound.RatString(), codedsgd.LCoding(n, r).RatString())
			t.add(codedsgd.CodedUnicast(n, r).Cmp(codedsgd.LUncoding(n, r)) == 0, "n = %d, r = %d: per receiver (28) is %s, (29) %s", n, r,
				codedsgd.CodedUnicast(n, r).RatString(), codedsgd.LUncoding(n, r).RatString())
		}
	}
	return t, nil
}

// bestIsNear tries all r at every eighth of ρ up to 40.
func bestIsNear(context.Context) (t tally, err error) {
	for n := 2; n <= proofNodes; n++ {
		for _, short := range []bool{false, true} {
			for eighths := int64(1); eighths <= 320; eighths++ {
				rho := big.NewRat(eighths, 8)
				best := codedsgd.BestRedundancy(n, one, rho, short)
				lo, hi := codedsgd.RhoRange(n, best, short)
				t.add(lo.Cmp(rho) <= 0 && (hi == nil || rho.Cmp(hi) <= 0), "n = %d, ρ = %s, short %v: best r = %d, which is best from %v to %v", n, rho.RatString(), short, best, lo, hi)
				star := min(max(codedsgd.RStar(n, rho, short), 1), float64(n))
				t.add(math.Abs(float64(best)-star) < 1, "n = %d, ρ = %s, short %v: best r = %d, r* = %g", n, rho.RatString(), short, best, star)
			}
		}
	}
	return t, nil
}

// codedFloats compares the floats that pages and experiments compute with eval's
// rationals, to the roundings of a few operations.
func codedFloats(context.Context) (t tally, err error) {
	t.within = true
	for n := 2; n <= codedsgd.MaxNodes; n++ {
		for r := 1; r <= n; r++ {
			v := values{"n": whole(int64(n)), "r": whole(int64(r)), "t": whole(int64(r)), "tcalc": big.NewRat(3, 8), "tcomm": big.NewRat(21, 16)}
			forms := map[string]float64{"codedsgd.blocks": formula.Choose(n, r), "codedsgd.have": formula.Have(n, r), "codedsgd.left": formula.Left(n, r),
				"codedsgd.packets": formula.Packets(n, r), "codedsgd.load": formula.Coding(n, r), "codedsgd.uncoded": formula.Uncoding(n, r),
				"codedsgd.normal": formula.Normal(n, r), "codedsgd.ratio": formula.Ratio(n, r), "codedsgd.bound": formula.Bound(n, r),
				"codedsgd.compressed": formula.Compressed(n, r, r), "codedsgd.time": formula.Time(n, r, 3./8, 21./16), "codedsgd.best": float64(formula.Best(n, 3./8, 21./16))}
			if r < n {
				forms["codedsgd.like-for-like"] = formula.LikeForLike(n, r)
			}
			for name, got := range forms {
				want, err := exactly(name, v)
				if err != nil {
					return t, err
				}
				t.add(math.Abs(got-want) <= 1e-14*want, "%s of n = %d, r = %d: %g, exactly %g", name, n, r, got, want)
			}
			v["form"] = one // short
			want, err := exactly("codedsgd.time", v)
			if err != nil {
				return t, err
			}
			got := formula.ShortTime(r, 3./8, 21./16)
			t.add(math.Abs(got-want) <= 1e-14*want, "codedsgd.time --form short of n = %d, r = %d: %g, exactly %g", n, r, got, want)
		}
		star := formula.Star(n, 3./8, 21./16)
		want := codedsgd.RStar(n, big.NewRat(7, 2), false)
		t.add(math.Abs(star-want) <= 1e-14*want, "codedsgd.rstar of n = %d: %g, exactly %g", n, star, want)
	}
	return t, nil
}
