package cli

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"gradsync/papers/codedsgd"
)

// proofNodes is up to how many nodes the proof is counted out, at every redundancy.
const proofNodes = 12

// codedIDs name the steps of the proof, by the paper's number.
var codedIDs = map[string]string{"§2.2": "one-nth", "Alg. 3": "alg3", "Alg. 3, r = 1": "alg3-alone", "Alg. 4": "alg4", "§2.4": "one-group",
	"(16)": "eq16", "(19)": "eq19", "(20)": "eq20", "(21)": "eq21", "(22)": "eq22", "(23)": "eq23", "(24)": "eq24",
	"(25)": "eq25", "(26)": "eq26", "(27)": "eq27", "(28)": "eq28", "(29)": "eq29", "(30)": "eq30"}

func codedChecks() []check {
	var out []check
	for _, s := range codedsgd.Proof() {
		out = append(out, check{"codedsgd." + codedIDs[s.Number], stepEquation(&s), func(ctx context.Context) (tally, error) { return proofStep(ctx, &s) }})
	}
	return append(out,
		check{"codedsgd.literal", "the loop of Algorithm 3 counted by sets = walked packet by packet, n ≤ 7", loopWalked},
		check{"codedsgd.repeats", "C(C(n−2,r−2),r−1) = how often the printed loop brings every segment to every node that lacks it, where enumerated", loopRepeats},
		check{"codedsgd.like-for-like", "(n−r)/r = packets counted, over blocks that somebody lacks, both multicast, n ≤ 12", likeForLike},
		check{"codedsgd.bound", "n·C(n,r)·(1/r)(1 − r/n) = (28); (28) per receiver = (29), n ≤ 62", boundIsMet},
		check{"codedsgd.rstar", "the r of the least T_CSSGD is next to √(n/(n−1)·ρ), and best between the ends of codedsgd.rho, exact, n ≤ 12", bestIsNear},
		check{"codedsgd.exchange", "packets and bytes of real exchanges, once and per receiver = (28), (29), (30), SSGD's, n ≤ 6", codedExchanges},
		check{"codedsgd.compressed", "bytes of real exchanges of sums, then code, at every depth = its closed form, n ≤ 6", compressedExchanges},
		check{"codedsgd.formula", "papers/codedsgd/formula = eval's exact rationals", codedFloats},
	)
}

// stepEquation is a step on one line.
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

// eachSize enumerates the exchanges of 2 to most nodes, from small to large.
func eachSize(ctx context.Context, most int, f func(e *codedsgd.Enumeration) error) error {
	for n := 2; n <= most; n++ {
		for r := 1; r <= n; r++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			e, err := codedsgd.Enumerate(n, r)
			if err == nil {
				err = f(e)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// proofStep counts one step out.
func proofStep(ctx context.Context, s *codedsgd.Step) (t tally, err error) {
	return t, eachSize(ctx, proofNodes, func(e *codedsgd.Enumeration) error {
		for _, side := range s.Sides(e) {
			t.add(side.Left.Cmp(side.Right) == 0, "n = %d, r = %d, %s: counted %s, computed %s", e.Nodes(), e.Redundancy(), side.What, side.Left.RatString(), side.Right.RatString())
			if side.Printed != nil {
				t.asPrinted(side.Left.Cmp(side.Printed) == 0, "n = %d, r = %d, %s: counted %s, as printed %s", e.Nodes(), e.Redundancy(), side.What, side.Left.RatString(), side.Printed.RatString())
			}
		}
		return nil
	})
}

// loopWalked compares the two ways in which the package walks the printed loop.
func loopWalked(ctx context.Context) (t tally, err error) {
	return t, eachSize(ctx, 7, func(e *codedsgd.Enumeration) error {
		a, err := codedsgd.Assign(e.Nodes(), e.Redundancy())
		if err != nil {
			return err
		}
		var walked codedsgd.LoopCount
		for i := range e.Nodes() {
			a.Literal(i, func(p codedsgd.Packet) bool {
				walked.Combinations++
				walked.Deliveries += int64(len(p.To))
				if len(p.To) > 0 {
					walked.Packets++
				}
				return true
			})
		}
		got, ok := e.Loop()
		walked.Useful = got.Useful // the walk does not say
		t.add(ok && got == walked, "n = %d, r = %d: %+v, walked %+v", e.Nodes(), e.Redundancy(), got, walked)
		return nil
	})
}

// loopRepeats compares how often the loop brings a segment with its closed form.
func loopRepeats(ctx context.Context) (t tally, err error) {
	return t, eachSize(ctx, proofNodes, func(e *codedsgd.Enumeration) error {
		n, r := e.Nodes(), e.Redundancy()
		if c, ok := e.Loop(); ok && r < n {
			counted, computed := big.NewRat(c.Deliveries, int64(e.Counts().Deliveries)), new(big.Rat).SetInt(codedsgd.LoopRepeats(n, r))
			t.add(counted.Cmp(computed) == 0, "n = %d, r = %d: %s times, computed %s", n, r, counted.RatString(), computed.RatString())
		}
		return nil
	})
}
