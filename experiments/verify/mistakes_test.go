package verify

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

// smallSizes is the largest number of nodes at which checks are run with mistakes in them.
const smallSizes = 5

// judged runs these checks of codedsgd and returns what they found, by name.
func judged(t *testing.T, checks ...check) map[string]Outcome {
	t.Helper()
	var all []Outcome
	for _, c := range checks {
		o, err := c.outcome(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.id, err)
		}
		all = append(all, o)
	}
	return codedByName(all)
}

// remembered returns a side that is evaluated once at every n and r.
func remembered(f side) side {
	known := map[[2]int][]amount{}
	return func(ctx context.Context, n, r int) []amount {
		if out, ok := known[[2]int{n, r}]; ok {
			return out
		}
		out := f(ctx, n, r)
		known[[2]int{n, r}] = out
		return out
	}
}

// smallEquations returns all checks of two sides, over few nodes.
func smallEquations() []twoSided {
	out := codedEquations()
	for i := range out {
		c := &out[i]
		c.most = smallSizes
		c.counted, c.computed = remembered(c.counted), remembered(c.computed)
	}
	return out
}

// elsewhere returns a side with the amounts of n+dn nodes and redundancy r+dr, where there is one of the same name.
func elsewhere(f side, dn, dr int) side {
	return func(ctx context.Context, n, r int) []amount {
		here := f(ctx, n, r)
		if n+dn < 2 || r+dr < 1 || r+dr > n+dn {
			return here
		}
		there := f(ctx, n+dn, r+dr)
		here = slices.Clone(here)
		for i, a := range here {
			if k := slices.IndexFunc(there, func(b amount) bool { return kind(a.what) == kind(b.what) }); k >= 0 {
				here[i].value = there[k].value
			}
		}
		return here
	}
}

// kind returns an amount's name without a number of micro-blocks.
func kind(what string) string {
	if before, after, ok := strings.Cut(what, " of "); ok && strings.Contains(after, " micro-blocks") {
		_, after, _ = strings.Cut(after, " micro-blocks")
		return before + " in micro-blocks" + after
	}
	return what
}

// withOne returns a side that has one more, or fewer, of one kind of amount.
func withOne(f side, what string, more int64) side {
	return func(ctx context.Context, n, r int) []amount {
		out := slices.Clone(f(ctx, n, r))
		for i, a := range out {
			if kind(a.what) == what {
				out[i].value = new(big.Rat).Add(a.value, whole(more))
			}
		}
		return out
	}
}

// kinds lists the amounts that a check compares.
func kinds(t *testing.T, c twoSided) (out []string) {
	t.Helper()
	for n := c.least; n <= c.most; n++ {
		for r := 1; r <= n; r++ {
			for _, a := range c.counted(t.Context(), n, r) {
				if !slices.Contains(out, kind(a.what)) {
					out = append(out, kind(a.what))
				}
			}
		}
	}
	return out
}

// With the closed forms of one node or one copy more or less, every check differs; unchanged, none does.
func TestVerifyCodedNoticesOtherSizes(t *testing.T) {
	equations := smallEquations()
	for _, shift := range []struct{ dn, dr int }{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		var wrong []check
		for _, c := range equations {
			if c.id == "codedsgd.alg3-alone" && shift.dr != 0 {
				continue // is of r = 1 alone
			}
			c.computed = elsewhere(c.computed, shift.dn, shift.dr)
			wrong = append(wrong, check{c.id, c.equation, c.count})
		}
		verdict := claims.Differs
		if shift.dn == 0 && shift.dr == 0 {
			verdict = claims.Equal
		}
		for id, c := range judged(t, wrong...) {
			if c.Verdict != verdict || (c.Why == "") != (verdict == claims.Equal) {
				t.Errorf("n%+d, r%+d: %s is %q, %q", shift.dn, shift.dr, id, c.Verdict, c.Why)
			}
		}
	}
}

// Whatever is counted, one too many or too few of it makes its check differ.
func TestVerifyCodedNoticesEveryAmount(t *testing.T) {
	for _, c := range smallEquations() {
		all := kinds(t, c)
		if len(all) == 0 {
			t.Errorf("%s compares nothing", c.id)
		}
		for _, what := range all {
			for _, more := range []int64{-1, 1} {
				wrong := c
				wrong.counted = withOne(c.counted, what, more)
				if got := wrong.count(t.Context()); got.verdict() != claims.Differs {
					t.Errorf("%s with %+d in %q: %q", c.id, more, what, got.verdict())
				}
			}
		}
	}
}

// A packet that is dropped, one that is sent twice, and the printed loop in the place of
// the corrected one are noticed where packets are counted and sent.
func TestVerifyCodedNoticesPackets(t *testing.T) {
	spoilt := map[string]side{
		"exchange, a packet dropped": exchangeSent(lose(-1)),
		"exchange, a packet twice":   exchangeSent(lose(1)),
		"exchange, the printed loop": exchangeSent(func(ctx context.Context, n int, o codedsgd.Options) codedSent {
			o.Literal = o.Method == codedsgd.CSSGD && o.Redundancy > 1
			return codedTotals(ctx, n, o)
		}),
		"exchange, another sum": exchangeSent(func(ctx context.Context, n int, o codedsgd.Options) codedSent {
			s := codedTotals(ctx, n, o)
			s.astray = 1
			return s
		}),
		"compressed, a packet dropped": compressedSent(lose(-1)),
		"compressed, a packet twice":   compressedSent(lose(1)),
		"like-for-like, a packet dropped": packetsPerBlock(func(n, r int) codedsgd.Counts {
			c := countExchange(n, r)
			c.Elements -= c.Elements / max(c.Packets, 1)
			return c
		}),
		"sums, one packet in another's place": sumsPlanned(func(a *codedsgd.Assignment, depth int) (*codedsgd.SumPlan, error) {
			p, err := codedsgd.PlanSums(a, depth)
			if err == nil && len(p.Packets()) > 1 {
				p.Packets()[0] = p.Packets()[1]
			}
			return p, err
		}),
	}
	for name, counted := range spoilt {
		id, _, _ := strings.Cut(name, ",")
		all := codedEquations()
		c := all[slices.IndexFunc(all, func(c twoSided) bool { return c.id == "codedsgd."+id })]
		c.most, c.counted = smallSizes, counted
		if got := c.count(t.Context()); got.verdict() != claims.Differs {
			t.Errorf("%s: %q", name, got.verdict())
		}
	}
}

// lose returns a run whose count has more packets (negative: fewer) of the mean length.
func lose(more int64) codedRun {
	return func(ctx context.Context, n int, o codedsgd.Options) codedSent {
		s := codedTotals(ctx, n, o)
		if s.packets.Sign() == 0 {
			return s
		}
		share := new(big.Rat).Quo(new(big.Rat).Add(s.packets, whole(more)), s.packets)
		s.packets, s.once, s.each = mul(s.packets, share), mul(s.once, share), mul(s.each, share)
		return s
	}
}

// The model's best r is noticed to be one too high, for one node more or less, and by
// the wrong one of the two forms; so are ends and r*.
func TestVerifyCodedNoticesBest(t *testing.T) {
	oktest.Slow(t)
	right := bestModel{codedsgd.BestRedundancy, codedsgd.RhoRange, codedsgd.RStarSquared}
	wrong := map[string]bestModel{}
	for name, dn := range map[string]int{"n−1": -1, "n+1": 1} {
		m := right
		m.ends = func(n, r int, short bool) (*big.Rat, *big.Rat) {
			lo, hi := right.ends(n, r, short)
			if n+dn > r {
				lo, hi = right.ends(n+dn, r, short)
			}
			return lo, hi
		}
		wrong["ends, "+name] = m
		m = right
		m.square = func(n int, rho *big.Rat, short bool) *big.Rat { return right.square(max(n+dn, 2), rho, short) }
		wrong["r*, "+name] = m
	}
	for name, dr := range map[string]int{"r−1": -1, "r+1": 1} {
		m := right
		m.best = func(n int, calc, comm *big.Rat, short bool) int {
			return min(max(right.best(n, calc, comm, short)+dr, 1), n)
		}
		wrong["best, "+name] = m
	}
	m := right
	m.best = func(n int, calc, comm *big.Rat, short bool) int { return right.best(n, calc, comm, !short) }
	wrong["best, the other form"] = m
	for name, m := range wrong {
		if got := judged(t, check{"codedsgd.rstar", "", m.check})["rstar"]; got.Verdict != claims.Differs {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := judged(t, check{"codedsgd.rstar", "", right.check})["rstar"]; got.Verdict != claims.Equal {
		t.Errorf("the right one: %+v", got)
	}
}

// A load one per cent lower, the line of one node more and the line between other ends are noticed.
func TestVerifyCodedNoticesTheLine(t *testing.T) {
	oktest.Slow(t)
	for name, c := range map[string]struct{ load, line func(n, r int) *big.Rat }{
		"the load":      {func(n, r int) *big.Rat { return mul(codedsgd.LCoding(n, r), big.NewRat(99, 100)) }, codedsgd.TradeOff},
		"another n":     {codedsgd.LCoding, func(n, r int) *big.Rat { return codedsgd.TradeOff(n+1, r) }},
		"no free share": {codedsgd.LCoding, func(n, r int) *big.Rat { return whole(int64(n - r)) }},
	} {
		if got := tradeOff(c.load, c.line); got.verdict() != claims.Differs {
			t.Errorf("%s: %q", name, got.verdict())
		}
	}
}

// Each of the floats is noticed to be of another size, or off in the 13th digit, or none.
func TestVerifyCodedNoticesFloats(t *testing.T) {
	run := func(floats func(n, r int) map[string]float64) func(context.Context) tally {
		return func(context.Context) tally { return codedFloats(8, floats) }
	}
	for name := range pageFloats(4, 2) {
		for how, change := range map[string]func(x float64, n, r int) float64{
			"the 13th digit": func(x float64, n, r int) float64 { return x * (1 + 1e-13) },
			"no number":      func(x float64, n, r int) float64 { return math.NaN() },
			"n+1":            func(x float64, n, r int) float64 { return pageFloats(n+1, r)[name] },
			"r+1":            func(x float64, n, r int) float64 { return pageFloats(n, min(r+1, n-1))[name] },
		} {
			if how == "n+1" && name == shortTime || how == "r+1" && name == starOf || name == "codedsgd.best" && strings.HasSuffix(how, "+1") {
				continue // has no n, or no r, or is 2 at every n
			}
			floats := func(n, r int) map[string]float64 {
				out := pageFloats(n, r)
				if x, ok := out[name]; ok && n > 2 {
					out[name] = change(x, n, r)
				}
				return out
			}
			got := judged(t, check{"codedsgd.formula", "", run(floats)})["formula"]
			if got.Verdict != claims.Differs || !strings.Contains(got.Why, "first: "+name+" of") {
				t.Errorf("%s, %s: %+v", name, how, got)
			}
		}
	}
}
