package verify

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"gradsync/papers/codedsgd"
)

// proofNodes is the largest number of nodes at which the proof is counted out, at every
// redundancy.
const proofNodes = 12

// codedIDs name the steps of the proof, by the paper's number.
var codedIDs = map[string]string{"§2.2": "one-nth", "Alg. 3": "alg3", "Alg. 3, r = 1": "alg3-alone", "Alg. 4": "alg4", "§2.4": "one-group",
	"(16)": "eq16", "(19)": "eq19", "(20)": "eq20", "(21)": "eq21", "(22)": "eq22", "(23)": "eq23", "(24)": "eq24",
	"(25)": "eq25", "(26)": "eq26", "(27)": "eq27", "(28)": "eq28", "(29)": "eq29", "(30)": "eq30"}

func codedChecks() []check {
	var out []check
	for _, c := range codedEquations() {
		out = append(out, check{c.id, c.equation, c.count})
	}
	return append(out,
		check{"codedsgd.rstar", "the r of the least T_CSSGD is the one with r(r−1) ≤ r*² ≤ r(r+1), r* = √(n/(n−1)·ρ), " +
			"and with ρ between the ends of codedsgd.rho, exact, n ≤ 12",
			bestModel{codedsgd.BestRedundancy, codedsgd.RhoRange, codedsgd.RStarSquared}.check},
		check{"codedsgd.formula", "papers/codedsgd/formula = eval's exact rationals",
			func(context.Context) tally { return codedFloats(codedsgd.MaxNodes, pageFloats) }},
		check{"codedsgd.line", lineEquation, func(context.Context) tally { return tradeOff(codedsgd.LCoding, codedsgd.TradeOff) }},
	)
}

// codedEquations returns the checks that compare number by number at every n and r.
func codedEquations() []twoSided {
	var out []twoSided
	for _, s := range codedsgd.Proof() {
		counted, computed := stepSides(&s)
		out = append(out, twoSided{"codedsgd." + codedIDs[s.Number], stepEquation(&s), 2, proofNodes, counted, computed, true})
	}
	return append(out,
		twoSided{"codedsgd.literal", "the loop of Algorithm 3 counted by sets = walked packet by packet, n ≤ 7", 2, walkNodes, loopBySets, loopWalked, false},
		twoSided{"codedsgd.repeats", "C(C(n−2,r−2),r−1) = how often the printed loop brings a segment to a node that lacks it: " +
			"each one, n ≤ 7, and on average where enumerated", 2, proofNodes, loopBrings, loopRepeats, true},
		twoSided{"codedsgd.like-for-like", "(n−r)/r = packets counted, over blocks that somebody lacks, both multicast, n ≤ 12", 2, proofNodes,
			packetsPerBlock(countExchange), likeForLike, true},
		twoSided{"codedsgd.bound", "n·C(n,r)·(1/r)(1 − r/n) = (28); (28) per receiver = (29), n ≤ 62", 1, codedsgd.MaxNodes, boundLoads, boundedLoads, true},
		twoSided{"codedsgd.exchange", exchangeEquation, 1, exchangeNodes, exchangeSent(codedTotals), exchangeLoads, true},
		twoSided{"codedsgd.compressed", compressedEquation, 1, compressedNodes, compressedSent(codedTotals), compressedLoads(""), false},
		twoSided{"codedsgd.sums", "every packet of sums, then code, can be made by its sender and leaves a receiver one unknown, " +
			"every segment arrives once, and they are the closed form's load: counted at every depth, n ≤ 9",
			1, sumNodes, sumsPlanned(codedsgd.PlanSums), compressedLoads("refused"), false},
		twoSided{"codedsgd.over-the-line", "(n−1)·C(n−1,r−1)/r² = CSSGD's load over n(n−r)/(n−1), the line between one worker alone and SSGD by multicast, n " +
			"≤ 40", 2, lineNodes,
			lineAmounts, lineBounds, true},
	)
}

// stepEquation writes a step of the proof on one line.
func stepEquation(s *codedsgd.Step) string {
	if s.Number == "Alg. 3" {
		return fmt.Sprintf("%s %s: %s; as printed: %s; %s", s.Number, s.Says, s.Corrected, s.Printed, notEnumerated())
	}
	if s.Corrected == "" {
		return fmt.Sprintf("%s %s: %s", s.Number, s.Says, s.Printed)
	}
	return fmt.Sprintf("%s %s: %s; as printed: %s", s.Number, s.Says, s.Corrected, s.Printed)
}

// notEnumerated names the sizes whose printed loop is too long to count.
func notEnumerated() string {
	var sizes []string
	for n := 2; n <= proofNodes; n++ {
		var rs []string
		for r := 1; r <= n; r++ {
			if codedsgd.LoopCombinations(n, r).Cmp(big.NewInt(codedsgd.LoopLimit)) > 0 {
				rs = append(rs, strconv.Itoa(r))
			}
		}
		if rs != nil {
			sizes = append(sizes, fmt.Sprintf("n = %d: r = %s", n, strings.Join(rs, ", ")))
		}
	}
	return fmt.Sprintf("not enumerated, with more than %d combinations per node: %s", codedsgd.LoopLimit, strings.Join(sizes, "; "))
}

// amount is one number of a side. On a computed side, printed is the number of the form
// as the paper prints it; it is nil where that form is right or says nothing at this n
// and r.
type amount struct {
	what           string
	value, printed *big.Rat
}

// side counts or computes the amounts of an equation for n nodes at redundancy r.
type side func(ctx context.Context, n, r int) []amount

// twoSided is a check that compares a counted side with a computed one, amount by amount,
// at every redundancy of least to most nodes, from small to large. Both sides are
// functions, so that a test can replace either by a wrong one.
type twoSided struct {
	id, equation      string
	least, most       int
	counted, computed side
	// anySize: the check is made of one size beyond most too, if that is asked for.
	anySize bool
}

// count compares both sides at every size.
func (c twoSided) count(ctx context.Context) (t tally) {
	for n := c.least; n <= c.most; n++ {
		for r := 1; r <= n; r++ {
			must(ctx.Err())
			if err := c.compare(ctx, &t, n, r); err != nil {
				must(fmt.Errorf("n = %d, r = %d: %w", n, r, err))
			}
		}
	}
	return t
}

// compare adds the amounts of one n and r to the tally.
func (c twoSided) compare(ctx context.Context, t *tally, n, r int) (err error) {
	defer caught(&err)

	counted, computed := c.counted(ctx, n, r), c.computed(ctx, n, r)
	if len(counted) != len(computed) {
		return fmt.Errorf("%d amounts counted, %d computed", len(counted), len(computed))
	}
	for i, got := range counted {
		want := computed[i]
		if got.what != want.what {
			return fmt.Errorf("%q counted, %q computed", got.what, want.what)
		}
		t.add(got.value.Cmp(want.value) == 0, "n = %d, r = %d, %s: counted %s, computed %s", n, r, got.what, got.value.RatString(), want.value.RatString())
		if want.printed != nil {
			t.asPrinted(got.value.Cmp(want.printed) == 0, "n = %d, r = %d, %s: counted %s, as printed %s", n, r, got.what, got.value.RatString(),
				want.printed.RatString())
		}
	}
	return nil
}

// stepSides returns the sides of a step of the proof. Both come from one evaluation, which
// is kept for the last n and r.
func stepSides(s *codedsgd.Step) (counted, computed side) {
	var last []codedsgd.Side
	var size [2]int
	at := func(n, r int) []codedsgd.Side {
		if size != [2]int{n, r} {
			last, size = s.Sides(ok(codedsgd.Enumerate(n, r))), [2]int{n, r}
		}
		return last
	}
	counted = func(_ context.Context, n, r int) (out []amount) {
		for _, x := range at(n, r) {
			out = append(out, amount{what: x.What, value: x.Left})
		}
		return out
	}
	computed = func(_ context.Context, n, r int) (out []amount) {
		for _, x := range at(n, r) {
			out = append(out, amount{x.What, x.Right, x.Printed})
		}
		return out
	}
	return counted, computed
}
