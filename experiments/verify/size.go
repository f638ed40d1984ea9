package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"gradsync/experiments/claims"
	"gradsync/experiments/eval"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// Number is exact; JSON has whole numbers digit by digit, and others as the nearest float64.
type Number struct{ *big.Rat }

// MarshalJSON writes a JSON number.
func (x Number) MarshalJSON() ([]byte, error) {
	if x.IsInt() {
		return []byte(x.Num().String()), nil
	}
	f, _ := x.Float64()
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// Count is one number of a communication: counted where the exchange's own code ran, and by a
// formula that has no part in that code.
type Count struct {
	What     string `json:"what"`
	Counted  Number `json:"counted"`
	How      string `json:"how"` // what was counted
	Computed Number `json:"by_formula"`
	Formula  string `json:"formula"`
	Verdict  string `json:"verdict"` // claims.Equal, Within or Differs
	// Tolerance is how far the counted number may be off, of one that is drawn or timed; nil: not at all.
	Tolerance *Number `json:"tolerance,omitempty"`
}

// Size holds the counts of one communication at one size.
type Size struct {
	Group  string  `json:"group"`
	Of     string  `json:"of"` // what was run
	Counts []Count `json:"counts"`
	// Why explains what a reader of the counts stumbles over, a sentence or two each.
	Why     []string  `json:"why"`
	LeftOut []LeftOut `json:"left_out"`
}

// Differs says whether a number counted is none of its formula.
func (s *Size) Differs() bool {
	for _, c := range s.Counts {
		if c.Verdict == claims.Differs {
			return true
		}
	}
	return false
}

// SizeError says why a size is not counted: it is outside the limits.
type SizeError struct{ Why string }

func (e *SizeError) Error() string { return "verify: " + e.Why }

// sizef ends the counting of a size that is outside the limits.
func sizef(format string, args ...any) { panic(failure{&SizeError{fmt.Sprintf(format, args...)}}) }

// equal adds a number that must be the formula's to the last digit.
func (s *Size) equal(what, how string, counted *big.Rat, formula string, computed *big.Rat) {
	verdict := claims.Equal
	if counted.Cmp(computed) != 0 {
		verdict = claims.Differs
	}
	s.Counts = append(s.Counts, Count{What: what, Counted: Number{counted}, How: how, Computed: Number{computed}, Formula: formula, Verdict: verdict})
}

// within adds a number that may be off by a tolerance.
func (s *Size) within(what, how string, counted *big.Rat, formula string, computed *big.Rat, tolerance float64) {
	off, limit := new(big.Rat).Abs(sub(counted, computed)), new(big.Rat)
	limit.SetFloat64(tolerance)
	verdict := claims.Within
	if off.Cmp(limit) > 0 {
		verdict = claims.Differs
	}
	s.Counts = append(s.Counts, Count{What: what, Counted: Number{counted}, How: how, Computed: Number{computed}, Formula: formula,
		Verdict: verdict, Tolerance: &Number{limit}})
}

// leave notes a number that is not counted, and why.
func (s *Size) leave(what, why string) { s.LeftOut = append(s.LeftOut, LeftOut{what, why}) }

// sentAll returns the messages and the bytes of bodies that all ranks sent.
func sentAll(t *cluster.Trace) (messages, bytes *big.Rat) {
	n := int64(0)
	for _, s := range t.Sent {
		n += s.Messages
	}
	return whole(n), whole(t.BodyBytes())
}

// The limits of one size of the ring: ranks, bytes per rank, and numbers of all ranks that are summed
// in earnest.
const ringRanks, ringBytesLimit, ringSummed = 256, 1e12, 1 << 22

// The link that CountRing times: bytes per second, and seconds per message.
const ringLinkRate = 125e7

var ringLinkDelay = big.NewRat(1, 20000)

// CountRing counts what n ranks send that each have k bytes of gradients, round the ring and by one
// reducer. A size outside the limits is a SizeError.
func CountRing(ctx context.Context, n int, k float64) (_ *Size, err error) {
	defer caught(&err)

	switch {
	case n < 2 || n > ringRanks:
		sizef("--n is %d, want 2 to %d ranks", n, ringRanks)
	case !(k >= 4 && k <= ringBytesLimit) || k != math.Trunc(k) || math.Mod(k, 4) != 0:
		sizef("--k is %v, want bytes of whole float32 numbers: a multiple of 4, 4 to 1e12", k)
	}
	length := int(k) / 4
	s := &Size{Group: "ring", Of: fmt.Sprintf("ring all-reduce of %d ranks with %s bytes each, on virtual time", n, Grouped(whole(int64(k)))),
		Why: []string{}, LeftOut: []LeftOut{}}
	ring := onRing(ctx, n, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 1, length) })
	gather := onRing(ctx, n, func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 1, 0, length) })
	v := eval.Args{"n": whole(int64(n)), "k": whole(int64(k)), "bandwidth": whole(ringLinkRate), "latency": ringLinkDelay}
	s.ringTraffic(ring.Trace, gather.Trace, n, v)
	s.ringTimes(ring, gather, n, length, v)
	return s, s.ringSums(ctx, n, length)
}

// ringTraffic compares messages and bytes.
func (s *Size) ringTraffic(ring, gather *cluster.Trace, n int, v eval.Args) {
	of := map[string]*big.Rat{}
	for _, name := range []string{"ring.steps", "ring.bytes", "naive.bytes"} {
		of[name] = ok(eval.Exact(name, v))
	}
	messages, bytes := sentAll(ring)
	ranks, busiest, least := whole(int64(n)), int64(0), ring.Sent[0].Bytes
	most := int64(0)
	for _, r := range ring.Sent {
		busiest, least, most = max(busiest, r.Bytes), min(least, r.Bytes), max(most, r.Messages)
	}
	const sent = "sent on virtual time"
	s.equal("messages of a rank", sent, whole(most), "2(N−1)", of["ring.steps"])
	s.equal("messages of all ranks", sent, messages, "2N(N−1)", mul(ranks, of["ring.steps"]))
	s.equal("bytes of all ranks", sent, bytes, "2(N−1)K", mul(ranks, of["ring.bytes"]))
	s.equal("bytes of a rank, on average", sent, mul(bytes, big.NewRat(1, int64(n))), "2(N−1)K/N", of["ring.bytes"])
	if busiest == least {
		s.equal("bytes of the busiest rank", sent, whole(busiest), "2(N−1)K/N", of["ring.bytes"])
	} else {
		s.leave("bytes of the busiest rank", fmt.Sprintf("N does not divide K/4 numbers: a rank sends %s to %s, and the formula is their mean",
			Grouped(whole(least)), Grouped(whole(busiest))))
	}
	in := int64(0)
	for _, r := range gather.Sent[1:] {
		in += r.Bytes
	}
	s.equal("one reducer: bytes into it", sent, whole(in), "(N−1)K", of["naive.bytes"])
	s.equal("one reducer: bytes out of it", sent, whole(gather.Sent[0].Bytes), "(N−1)K", of["naive.bytes"])
	s.Why = append(s.Why, fmt.Sprintf("A vector is cut into N = %d chunks; each travels N−1 = %d times to be summed and N−1 times to be spread, "+
		"so a rank sends 2(N−1)/N of its K bytes, less than 2K however many ranks there are; one reducer takes in and gives out (N−1)K.", n, n-1))

}

// ringTimes compares virtual time with the formulas, which are of equal chunks.
func (s *Size) ringTimes(ring, gather cluster.Outcome, n, length int, v eval.Args) {
	both := ok(eval.Exact("naive.both-seconds", v))
	seconds := func(o cluster.Outcome) *big.Rat { return big.NewRat(int64(o.Elapsed), 1e9) }
	tolerance := func(x *big.Rat) float64 { f, _ := x.Float64(); return 1e-6*f + 1e-9*float64(2*n) }
	const timed = "virtual time, links of 1.25 GB/s and 50 µs"
	if length%n == 0 {
		want := ok(eval.Exact("ring.seconds", v))
		s.within("seconds round the ring", timed, seconds(ring), "2(N−1)(α + K/(N·B))", want, tolerance(want))
	} else {
		s.leave("seconds round the ring", "the formula is of equal chunks: choose a K/4 that N divides")
	}
	s.within("one reducer: seconds", timed, seconds(gather), "2(α + (N−1)K/B)", both, tolerance(both))

}

// ringSums runs the ring with numbers, whose sum is exact in any order, and counts the wrong ones.
func (s *Size) ringSums(ctx context.Context, n, length int) error {
	const what = "numbers that are not Σ x_n at the end"
	if n*length > ringSummed {
		s.leave(what, fmt.Sprintf("all ranks hold %s numbers, and at most %s are summed in earnest", Grouped(whole(int64(n)*int64(length))),
			Grouped(whole(ringSummed))))
		return nil
	}
	wrong := make([]int64, n)
	_, err := virtual.New(even(n), virtual.Config{Headerless: true}).Run(ctx, func(p cluster.Proc) ([]byte, error) {
		x := make([]float32, length)
		for i := range x {
			x[i] = float32((p.Rank() + 1) * (i%97 + 1))
		}
		err := collective.RingAllReduce(p, 1, x)
		for i, v := range x {
			if v != float32(n*(n+1)/2*(i%97+1)) {
				wrong[p.Rank()]++
			}
		}
		return nil, err
	})
	all := int64(0)
	for _, w := range wrong {
		all += w
	}
	s.equal(what, "of all ranks, after a run with real numbers", whole(all), "0", new(big.Rat))
	return err
}

// Grouped writes a number for people: whole ones with a comma every three digits, others with six
// digits at most.
func Grouped(x *big.Rat) string {
	if !x.IsInt() {
		f, _ := x.Float64()
		if math.Abs(f) >= 1000 {
			tenths := new(big.Int).Quo(mul(x, whole(10)).Num(), mul(x, whole(10)).Denom())
			at, rest := new(big.Int).QuoRem(tenths, big.NewInt(10), new(big.Int))
			return Grouped(new(big.Rat).SetInt(at)) + "." + new(big.Int).Abs(rest).String()
		}
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	digits := new(big.Int).Abs(x.Num()).String()
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if x.Sign() < 0 {
		return "-" + digits
	}
	return digits
}
