package codedsgd

import (
	"math"
	"math/big"
	"testing"

	"gradsync/papers/codedsgd/formula"
	"gradsync/shared/race"
)

func wantRat(t *testing.T, what string, got *big.Rat, a, b int64) {
	t.Helper()
	if got == nil || got.Cmp(big.NewRat(a, b)) != 0 {
		t.Errorf("%s = %v, want %d/%d", what, got, a, b)
	}
}

// The loads of one batch in gradient units, worked out before the code, by hand from the equations: n, r, (28), (30),
// then one multicast per block, SSGD multicast, SSGD unicast, ring.
func TestSection24Loads(t *testing.T) {
	for _, c := range []struct {
		n, r                                 int
		coded                                [2]int64
		unicast, block, many, single, around int64
	}{
		{3, 2, [2]int64{3, 2}, 6, 3, 3, 6, 4}, {4, 2, [2]int64{6, 1}, 18, 6, 4, 12, 6},
		{4, 3, [2]int64{4, 3}, 12, 4, 4, 12, 6}, {5, 2, [2]int64{15, 1}, 40, 10, 5, 20, 8},
		{5, 3, [2]int64{20, 3}, 40, 10, 5, 20, 8}, {8, 2, [2]int64{84, 1}, 196, 28, 8, 56, 14},
		{8, 3, [2]int64{280, 3}, 392, 56, 8, 56, 14}, {10, 1, [2]int64{90, 1}, 90, 10, 10, 90, 18},
		{10, 2, [2]int64{180, 1}, 405, 45, 10, 90, 18}, {10, 3, [2]int64{280, 1}, 1080, 120, 10, 90, 18},
		{10, 9, [2]int64{10, 9}, 90, 10, 10, 90, 18},
	} {
		wantRat(t, "(28)", LCoding(c.n, c.r), c.coded[0], c.coded[1])
		wantRat(t, "(30)", LNormal(c.n, c.r), c.unicast, 1)
		wantRat(t, "blocks", BlockMulticast(c.n, c.r), c.block, 1)
		wantRat(t, "uncoded", UncodedMulticast(c.n, c.r), c.block, 1)
		wantRat(t, "SSGD multicast", SummedMulticast(c.n, c.r), c.many, 1)
		wantRat(t, "SSGD unicast", SummedUnicast(c.n, c.r), c.single, 1)
		wantRat(t, "ring", ringLoad(c.n, c.r), c.around, 1)
	}
}

// Each equation by hand at n = 8, r = 3, and what r = n and a single node leave.
func TestSection24ByHand(t *testing.T) {
	for _, c := range []struct {
		what string
		got  *big.Rat
		a, b int64
	}{
		{"blocks", BlockCount(8, 3), 56, 1}, {"(20)", DHave(8, 3), 21, 1}, {"(21)", DLeft(8, 3), 35, 1},
		{"(22)", dAll(8, 3), 168, 1}, {"(23)", dCommon(8, 3), 1, 1}, {"(24)", dWithin(8, 3), 4, 1},
		{"(25)", dExchange(8, 3), 4, 1}, {"(26)", dSend(8, 3), 3, 1}, {"groups", GroupCount(8, 3), 70, 1},
		{"(27)", groupsOf(8, 3), 35, 1}, {"packets", UsefulPackets(8, 3), 280, 1}, {"(29)", LUncoding(8, 3), 280, 1},
		{"(19)", LRatio(8, 3), 5, 21}, {"coded unicast", CodedUnicast(8, 3), 280, 1},
		{"like for like", LikeForLike(8, 3), 5, 3}, {"bound", Bound(8, 3), 5, 24}, {"r = n: (28)", LCoding(8, 8), 0, 1},
		{"r = n: uncoded", UncodedMulticast(8, 8), 0, 1}, {"r = n: (30)", LNormal(8, 8), 7, 1},
		{"n = 1: SSGD", SummedMulticast(1, 1), 0, 1}, {"n = 1: blocks", BlockMulticast(1, 1), 0, 1},
		{"n = 1: (28)", LCoding(1, 1), 0, 1}, {"T", BatchTime(8, 3, ratio(2, 1), ratio(21, 1)), 11, 1},
		{"short T", ShortBatchTime(8, 3, ratio(2, 1), ratio(21, 1)), 13, 1},
		{"r*²", RStarSquared(9, ratio(8, 1), false), 9, 1},
	} {
		wantRat(t, c.what, c.got, c.a, c.b)
	}
	if RStar(9, ratio(8, 1), false) != 3 || RStar(9, ratio(9, 1), true) != 3 || !math.IsNaN(RStar(1, ratio(9, 1), false)) {
		t.Error("r* is not the root of its square")
	}
}

// Outside its domain a load is nil, not a number.
func TestLoadsOutsideTheirDomain(t *testing.T) {
	for _, c := range [][2]int{{3, 0}, {3, 4}, {0, 0}, {0, 1}, {-1, 1}} {
		for _, f := range []func(n, r int) *big.Rat{BlockCount, DHave, DLeft, dAll, dCommon, dWithin, dExchange, dSend,
			GroupCount, groupsOf, UsefulPackets, LCoding, LUncoding, LNormal, LRatio, LikeForLike, Bound} {
			if x := f(c[0], c[1]); x != nil {
				t.Errorf("n = %d, r = %d: %v", c[0], c[1], x)
			}
		}
		for _, a := range Accountings() {
			if x := a.Load(c[0], c[1]); x != nil {
				t.Errorf("%s, n = %d, r = %d: %v", a.Key, c[0], c[1], x)
			}
		}
	}
	for _, x := range []*big.Rat{LRatio(1, 1), LikeForLike(4, 4), BatchTime(1, 1, whole(1), whole(1)), RStarSquared(1, whole(1), false)} {
		if x != nil {
			t.Errorf("%v where there is nothing to compare", x)
		}
	}
}

// Redundancy r is the best exactly on RhoRange, whose ends the model gives by trial.
func TestSection324BestRedundancy(t *testing.T) {
	for n := 2; n <= 12; n++ {
		for _, short := range []bool{false, true} {
			for r := 1; r <= n; r++ {
				lo, hi := RhoRange(n, r, short)
				eps := ratio(1, 1000)
				if got := BestRedundancy(n, whole(1), plus(lo, eps), short); got != r {
					t.Errorf("n = %d, short %v: r = %d just above %v, want %d", n, short, got, lo, r)
				}
				if hi == nil {
					if r != n || BestRedundancy(n, whole(1), whole(1e6), short) != n {
						t.Errorf("n = %d, r = %d: no upper end", n, r)
					}
					continue
				}
				if got := BestRedundancy(n, whole(1), hi, short); got != r { // a tie: the smaller
					t.Errorf("n = %d, short %v: r = %d at %v, want %d", n, short, got, hi, r)
				}
			}
		}
	}
	lo, hi := RhoRange(8, 3, false)
	wantRat(t, "ρ for r* = 3 at n = 8", lo, 21, 4)
	wantRat(t, "ρ for r* = 3 at n = 8", hi, 21, 2)
	if BestRedundancy(1, whole(1), whole(1), false) != 0 {
		t.Error("one node has no redundancy to choose")
	}
}

// The floats that pages compute are the exact loads.
func TestFormulasAreTheExactLoads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	near := func(what string, n, r int, got float64, want *big.Rat) {
		if f, _ := want.Float64(); math.Abs(got-f) > 1e-14*f {
			t.Errorf("%s, n = %d, r = %d: %g, exactly %v", what, n, r, got, want)
		}
	}
	calc, comm := ratio(3, 8), ratio(21, 16)
	for n := 2; n <= race.Less(62, 9); n++ {
		for r := 1; r <= n; r++ {
			near("C", n, r, formula.Choose(n, r), BlockCount(n, r))
			near("(20)", n, r, formula.Have(n, r), DHave(n, r))
			near("(21)", n, r, formula.Left(n, r), DLeft(n, r))
			near("packets", n, r, formula.Packets(n, r), UsefulPackets(n, r))
			near("(28)", n, r, formula.Coding(n, r), LCoding(n, r))
			near("(29)", n, r, formula.Uncoding(n, r), LUncoding(n, r))
			near("(30)", n, r, formula.Normal(n, r), LNormal(n, r))
			near("(19)", n, r, formula.Ratio(n, r), LRatio(n, r))
			near("bound", n, r, formula.Bound(n, r), Bound(n, r))
			near("T", n, r, formula.Time(n, r, 3./8, 21./16), BatchTime(n, r, calc, comm))
			near("short T", n, r, formula.ShortTime(r, 3./8, 21./16), ShortBatchTime(n, r, calc, comm))
			if r < n {
				near("like for like", n, r, formula.LikeForLike(n, r), LikeForLike(n, r))
			}
			for t := 1; t <= r; t++ {
				near("compressed", n, r, formula.Compressed(n, r, t), CompressedLoad(n, r, t))
			}
		}
		if got, want := formula.Best(n, 3./8, 21./16), BestRedundancy(n, calc, comm, false); got != want {
			t.Errorf("n = %d: best r %d, exactly %d", n, got, want)
		}
	}
}

// (28) is the bound of coded computing to the letter, and without multicast coding saves nothing.
func TestEquation28IsTheBound(t *testing.T) {
	for n := 1; n <= 62; n++ {
		for r := 1; r <= n; r++ {
			if got := timesInt(times(Bound(n, r), BlockCount(n, r)), n); got.Cmp(LCoding(n, r)) != 0 {
				t.Errorf("n = %d, r = %d: the bound is %v gradients, (28) %v", n, r, got, LCoding(n, r))
			}
			if CodedUnicast(n, r).Cmp(LUncoding(n, r)) != 0 {
				t.Errorf("n = %d, r = %d: coded unicast %v, (29) %v", n, r, CodedUnicast(n, r), LUncoding(n, r))
			}
		}
	}
}
