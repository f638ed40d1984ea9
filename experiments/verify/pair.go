package verify

import (
	"context"
	"fmt"

	"gradsync/papers/codedsgd"
)

// The limits of one size that is counted by itself: numbers of nodes, and receptions of coded
// packets, C(n,r+1)·(r+1)·r, each of which is made, sent and decoded.
const pairNodes, pairWork = 16, 300_000

// Pair holds the findings of codedsgd's checks at one number of nodes and redundancy.
type Pair struct {
	N      int       `json:"n"`
	R      int       `json:"r"`
	Checks []Outcome `json:"checks"`
	// LeftOut names the checks that say nothing at this size, or would take too long.
	LeftOut []LeftOut `json:"left_out"`
}

// LeftOut is a check that is not made at a size, and why.
type LeftOut struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// pairAllowed refuses n and r that are not counted by themselves.
func pairAllowed(n, r int) {
	switch {
	case n < 2 || n > pairNodes:
		sizef("--n is %d, want 2 to %d", n, pairNodes)
	case r < 1 || r > n:
		sizef("--r is %d, want 1 to --n %d", r, n)
	}
	work := mul(codedsgd.UsefulPackets(n, r), whole(int64(r)))
	if work.Cmp(whole(pairWork)) > 0 {
		sizef("n = %d, r = %d: coded packets are received %s times, want at most %d: choose r farther from n/2, or fewer nodes", n, r,
			work.RatString(), pairWork)
	}
}

// CountPair makes the checks that compare number by number at one size, tells each, and
// returns what they found. A size outside the limits is a SizeError.
//
// At one size a form that is printed wrong may hold: that is no difference there.
func CountPair(ctx context.Context, n, r int, tell func(Outcome)) (p Pair, err error) {
	defer caught(&err)

	p = Pair{N: n, R: r, Checks: []Outcome{}, LeftOut: []LeftOut{}}
	pairAllowed(n, r)
	for _, c := range codedEquations() {
		if n > c.most && !c.anySize {
			p.LeftOut = append(p.LeftOut, LeftOut{c.id, fmt.Sprintf("made up to n = %d", c.most)})
			continue
		}
		var t tally
		if err := c.compare(ctx, &t, n, r); err != nil {
			return p, fmt.Errorf("verify: %s: %w", c.id, err)
		}
		if t.cases == 0 {
			p.LeftOut = append(p.LeftOut, LeftOut{c.id, "says nothing here"})
			continue
		}
		o := Outcome{ID: c.id, Equation: c.equation, Cases: t.cases, Verdict: t.verdict(), Printed: t.printed}
		if t.failed > 0 {
			o.Why = fmt.Sprintf("%d cases, first: %s", t.failed, t.first)
		} else if t.printed != nil {
			o.Verdict = tally{cases: t.cases, within: t.within}.verdict()
		}
		p.Checks = append(p.Checks, o)
		if tell != nil {
			tell(o)
		}
	}
	return p, ctx.Err()
}
