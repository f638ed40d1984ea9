package verify

import (
	"context"
	"math/big"

	"gradsync/papers/codedsgd"
)

// lineNodes is the largest number of nodes at which the line between one worker alone and
// SSGD by multicast is compared, at every redundancy.
const lineNodes = 40

const lineEquation = "C(n,r)(n−r)/r ≥ n(n−r)/(n−1), equal for r ≥ n−1 alone; so at every T_c/T_g one worker alone, n·T_c, or SSGD by multicast, T_c + n·T_g, " +
	"takes no longer than CSSGD with whole gradients on one medium: exact, n ≤ 40"

// tradeOff compares CSSGD's load with the line, the inequality with the one it was derived
// from, and the costs of all three, CSSGD's by its load and by OneMedium, where computing a share takes from 1/64 to 64 of what
// sending a gradient does, and where the two ends of the line cost the same.
func tradeOff(load, line func(n, r int) *big.Rat) (t tally) {
	for n := 2; n <= lineNodes; n++ {
		for r := 1; r <= n; r++ {
			t.add(lineHolds(n, r, load(n, r), line(n, r)), "n = %d, r = %d: CSSGD sends %s, the line has %s", n, r, load(n, r).RatString(), line(n, r).RatString())
			prices := []*big.Rat{big.NewRat(int64(n), int64(n-1))} // n·T_c = T_c + n·T_g
			for k := range 13 {
				prices = append(prices, big.NewRat(1<<k, 64))
			}
			for _, share := range prices {
				alone, ssgd, own := codedsgd.OneMedium(n, r, share, one)
				cssgd := add(mul(share, whole(int64(r))), load(n, r))
				t.add(own.Cmp(cssgd) == 0 && (alone.Cmp(cssgd) <= 0 || ssgd.Cmp(cssgd) <= 0),
					"n = %d, r = %d, T_c = %s T_g: CSSGD %s, by OneMedium %s, one worker %s, SSGD %s", n, r, share.RatString(),
					cssgd.RatString(), own.RatString(), alone.RatString(), ssgd.RatString())
			}
		}
	}
	return t
}

// lineHolds says whether a load is above the line for r < n−1 and on it from there on, and
// the step of the argument, (n−1)·C(n−1,r−1) ≥ r², goes the same way.
func lineHolds(n, r int, load, line *big.Rat) bool {
	step := new(big.Int).Binomial(int64(n-1), int64(r-1))
	step.Mul(step, big.NewInt(int64(n-1)))
	side := step.Cmp(big.NewInt(int64(r * r)))
	if r >= n-1 {
		return load.Cmp(line) == 0 && (r == n || side == 0)
	}
	return load.Cmp(line) > 0 && side > 0
}

// lineAmounts divides CSSGD's load by the line's; at r = n both are 0.
func lineAmounts(_ context.Context, n, r int) []amount {
	if r == n {
		return nil
	}
	over := new(big.Rat).Quo(codedsgd.LCoding(n, r), codedsgd.TradeOff(n, r))
	return []amount{{what: "CSSGD's load over the line's", value: over}}
}

// lineBounds computes what lineAmounts divides: C(n−1,r−1)·(n−1)/r².
func lineBounds(_ context.Context, n, r int) []amount {
	if r == n {
		return nil
	}
	over := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(n-1), int64(r-1)), big.NewInt(int64(r*r)))
	return []amount{{what: "CSSGD's load over the line's", value: mul(over, whole(int64(n-1)))}}
}
