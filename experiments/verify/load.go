package verify

import (
	"context"
	"maps"
	"math"
	"math/big"
	"slices"

	"gradsync/experiments/eval"
	"gradsync/papers/codedsgd"
	"gradsync/papers/codedsgd/formula"
)

// countExchange counts the sets and packets of one exchange.
func countExchange(n, r int) codedsgd.Counts {
	return ok(codedsgd.Enumerate(n, r)).Counts()
}

// packetsPerBlock counts the loads of both methods, each packet once. At r = n nothing is
// sent.
func packetsPerBlock(count func(n, r int) codedsgd.Counts) side {
	return func(_ context.Context, n, r int) []amount {
		c := count(n, r)
		if c.Left == 0 {
			return nil
		}
		return []amount{{what: "coded over uncoded", value: big.NewRat(int64(c.Elements), int64(r*c.Blocks))}}
	}
}

// likeForLike computes the closed form of packetsPerBlock.
func likeForLike(_ context.Context, n, r int) []amount {
	if r == n {
		return nil
	}
	return []amount{{what: "coded over uncoded", value: codedsgd.LikeForLike(n, r)}}
}

const boundOnce, boundEach = "the bound, in gradients", "(28) per receiver"

// boundLoads computes the bound in gradients, and (28) per receiver.
func boundLoads(_ context.Context, n, r int) []amount {
	bound := mul(mul(codedsgd.Bound(n, r), whole(int64(n))), codedsgd.BlockCount(n, r))
	return []amount{{what: boundOnce, value: bound}, {what: boundEach, value: codedsgd.CodedUnicast(n, r)}}
}

// boundedLoads computes (28) and (29).
func boundedLoads(_ context.Context, n, r int) []amount {
	return []amount{{what: boundOnce, value: codedsgd.LCoding(n, r)}, {what: boundEach, value: codedsgd.LUncoding(n, r)}}
}

// bestModel says in three ways where T_CSSGD is least: over whole r, by the ends of ρ
// between which an r is the best, and by the square of the best real r.
type bestModel struct {
	best   func(n int, calc, comm *big.Rat, short bool) int
	ends   func(n, r int, short bool) (lo, hi *big.Rat)
	square func(n int, rho *big.Rat, short bool) *big.Rat
}

// check compares the three at every eighth of ρ up to 40. With r(r−1) ≤ r*² ≤ r(r+1), r*
// is less than 1 away from r.
func (m bestModel) check(context.Context) (t tally) {
	for n := 2; n <= proofNodes; n++ {
		for _, short := range []bool{false, true} {
			for eighths := int64(1); eighths <= 320; eighths++ {
				rho := big.NewRat(eighths, 8)
				best := m.best(n, one, rho, short)
				lo, hi := m.ends(n, best, short)
				t.add(lo.Cmp(rho) <= 0 && (hi == nil || rho.Cmp(hi) <= 0), "n = %d, ρ = %s, short %v: best r = %d, which is best from %v to %v", n, rho.RatString(),
					short, best, lo, hi)
				star, r := m.square(n, rho, short), int64(best)
				t.add(star.Cmp(whole(r*(r-1))) >= 0 && (best == n || star.Cmp(whole(r*(r+1))) <= 0), "n = %d, ρ = %s, short %v: best r = %d, r*² = %s", n,
					rho.RatString(), short, best, star.RatString())
			}
		}
	}
	return t
}

// pageFloats returns the floats that pages and experiments compute, by eval's names.
func pageFloats(n, r int) map[string]float64 {
	const calc, comm = 3. / 8, 21. / 16
	out := map[string]float64{"codedsgd.blocks": formula.Choose(n, r), "codedsgd.have": formula.Have(n, r), "codedsgd.left": formula.Left(n, r),
		"codedsgd.packets": formula.Packets(n, r), "codedsgd.load": formula.Coding(n, r), "codedsgd.uncoded": formula.Uncoding(n, r),
		"codedsgd.normal": formula.Normal(n, r), "codedsgd.ratio": formula.Ratio(n, r), "codedsgd.bound": formula.Bound(n, r),
		"codedsgd.compressed": formula.Compressed(n, r, r), "codedsgd.time": formula.Time(n, r, calc, comm), shortTime: formula.ShortTime(r, calc, comm),
		"codedsgd.best": float64(formula.Best(n, calc, comm)), starOf: formula.Star(n, calc, comm)}
	if r < n {
		out["codedsgd.like-for-like"] = formula.LikeForLike(n, r)
	}
	return out
}

// Two names that eval's rationals do not have as such.
const shortTime, starOf = "codedsgd.time --form short", "codedsgd.rstar"

// codedFloats compares floats with eval's rationals, to the roundings of a few operations.
func codedFloats(most int, floats func(n, r int) map[string]float64) (t tally) {
	t.within = true
	for n := 2; n <= most; n++ {
		for r := 1; r <= n; r++ {
			of := floats(n, r)
			for _, name := range slices.Sorted(maps.Keys(of)) {
				got := of[name]
				want := exactFloat(name, n, r)
				t.add(math.Abs(got-want) <= 1e-14*want, "%s of n = %d, r = %d: %g, exactly %g", name, n, r, got, want)
			}
		}
	}
	return t
}

// exactFloat returns eval's rational, rounded once.
func exactFloat(name string, n, r int) float64 {
	v := eval.Args{"n": whole(int64(n)), "r": whole(int64(r)), "t": whole(int64(r)), "tcalc": big.NewRat(3, 8), "tcomm": big.NewRat(21, 16)}
	switch name {
	case starOf:
		return codedsgd.RStar(n, big.NewRat(7, 2), false)
	case shortTime:
		name, v["form"] = "codedsgd.time", one
	}
	return ok(eval.Float(name, v))
}

// walkNodes is the largest number of nodes at which the printed loop is walked packet by
// packet.
const walkNodes = 7

// walkedLoop counts the packets of the printed loop, and how often each segment reaches
// each node that lacks it.
type walkedLoop struct {
	codedsgd.LoopCount
	times []int64
}

// walkLoop walks the loop of every node.
func walkLoop(n, r int) (w walkedLoop) {
	a := ok(codedsgd.Assign(n, r))
	at := func(t codedsgd.Term, node int) int { return (t.Block*r+t.Position)*n + node }
	times := make([]int64, a.Blocks()*r*n)
	for i := range n {
		a.Literal(i, func(p codedsgd.Packet) bool {
			w.Combinations++
			w.Deliveries += int64(len(p.To))
			if len(p.To) > 0 {
				w.Packets++
			}
			for _, k := range p.To {
				for _, t := range p.Terms {
					if !a.Holds(k, t.Block) {
						times[at(t, k)]++
					}
				}
			}
			return true
		})
	}
	for q := range a.Blocks() {
		for j := range r {
			for k := range n {
				if !a.Holds(k, q) {
					w.times = append(w.times, times[at(codedsgd.Term{Block: q, Position: j}, k)])
				}
			}
		}
	}
	return w
}

// loopAmounts names the numbers of a loop.
func loopAmounts(c codedsgd.LoopCount) []amount {
	return []amount{{what: "combinations", value: whole(c.Combinations)}, {what: "packets", value: whole(c.Packets)},
		{what: "receptions", value: whole(c.Deliveries)}}
}

// loopBySets counts the loop as papers/codedsgd does, by sets.
func loopBySets(_ context.Context, n, r int) []amount {
	e := ok(codedsgd.Enumerate(n, r))
	c, _ := e.Loop() // none is too long: a loop that is not counted would be of 0 combinations
	return loopAmounts(c)
}

// loopWalked counts the packets that papers/codedsgd sends in the loop.
func loopWalked(_ context.Context, n, r int) []amount {
	return loopAmounts(walkLoop(n, r).LoopCount)
}

const onAverage, seldomest, oftenest = "times on average", "times, of the segment that comes least", "times, of the segment that comes most"

// loopBrings counts how often a segment reaches a node that lacks it.
func loopBrings(_ context.Context, n, r int) (out []amount) {
	if r == n {
		return nil
	}
	e := ok(codedsgd.Enumerate(n, r))
	if c, ok := e.Loop(); ok {
		out = append(out, amount{what: onAverage, value: big.NewRat(c.Deliveries, int64(e.Counts().Deliveries))})
	}
	if n <= walkNodes {
		w := walkLoop(n, r)
		out = append(out, amount{what: seldomest, value: whole(slices.Min(w.times))}, amount{what: oftenest, value: whole(slices.Max(w.times))})
	}
	return out
}

// loopRepeats computes the closed form of loopBrings.
func loopRepeats(_ context.Context, n, r int) (out []amount) {
	if r == n {
		return nil
	}
	times := new(big.Rat).SetInt(codedsgd.LoopRepeats(n, r))
	if codedsgd.LoopCombinations(n, r).Cmp(big.NewInt(codedsgd.LoopLimit)) <= 0 {
		out = append(out, amount{what: onAverage, value: times})
	}
	if n <= walkNodes {
		out = append(out, amount{what: seldomest, value: times}, amount{what: oftenest, value: times})
	}
	return out
}
