package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/paper"
	"gradsync/experiments/result"
)

// The verdicts, best first. They are the contract of every page.
const (
	Equal     = "equal"      // the same to the last digit
	Within    = "within"     // |measured − stated| ≤ tolerance
	SameSign  = "same-sign"  // the same side of the null, and the interval excludes the null
	Differs   = "differs"    // everything else
	NotRun    = "not-run"    // the reasons say why
	NotStated = "not-stated" // the document gives no value
)

// equalRel is how near two floats are that count as the same number.
const equalRel = 1e-9

// plans are claims on how often something is run, which a profile plans.
var plans = []string{"C12"}

// What a remark says of a verdict, result.Claim.Remark.
const (
	GivenRemark     = "given"     // we set the number, or worked it out from the document's own
	UndecidedRemark = "undecided" // the 95 % interval holds the value of no effect
	DerivedRemark   = "derived"   // the document does not state the number; it follows from what it states
)

// AsStated is the code of what was found where it is, word for word, what the document
// states.
const AsStated = "as-stated"

// Found holds what an experiment found about one claim, in data.
const (
	Above     = "above"
	Below     = "below"
	Undecided = "undecided"
)

type Found struct {
	Values  []float64     // one, or one for each number that the claim lists
	CI95    []*[2]float64 // of Values; nil: none has one
	Samples [][]float64   // of Values, per seed
	Seeds   int           // runs behind Values; 0: deterministic
	Holds   *bool         // answers a qualitative claim: true is same-sign, false differs
	Words   *result.Reason
	Missing []result.Reason // why nothing was measured
	Differs []result.Reason // data, width …: caps the verdict at same-sign
	Notes   []result.Reason // what else must be known, behind the reasons of the verdict
	Parts   []result.Part   // comparisons that a qualitative claim rests on
	Sign    string          // of one value: Above, Below or Undecided, by a sign test in place of the interval
	Given   bool            // the number was put in, or worked out from the document's own

	Table, Network, Rival, Cluster string // of the result.Claim
}

// Number returns what was found of one number.
func Number(x float64, ci *[2]float64, samples []float64, seeds int) Found {
	return Found{Values: []float64{x}, CI95: []*[2]float64{ci}, Samples: [][]float64{samples}, Seeds: seeds}
}

// Holding returns what was found of a qualitative claim, from a number of seeds.
func Holding(holds bool, seeds int, words *result.Reason) Found {
	return Found{Holds: &holds, Seeds: seeds, Words: words}
}

// Identity returns what was found of a claim whose value is a formula or a rule in words: it is as
// stated, or else what words say.
func Identity(asStated bool, words result.Reason) Found {
	if asStated {
		words = result.Because(AsStated)
	}
	return Found{Words: &words}
}

// Verdict judges f beside claim id; notes are added to f's own. An unknown id is a programmer's
// mistake and panics.
func Verdict(id string, f Found, notes ...result.Reason) result.Claim {
	c, ok := Get(id)
	if !ok {
		panic("claims: no claim has the id " + id)
	}
	out := result.Claim{ID: id, Found: f.Words, Seeds: f.Seeds, Differs: f.Differs, Parts: f.Parts,
		Table: f.Table, Network: f.Network, Rival: f.Rival, Cluster: f.Cluster}
	if finiteAll(f.Values) {
		out.CI95, out.Samples = f.CI95, f.Samples
		switch len(f.Values) {
		case 0:
		case 1:
			out.Measured = f.Values[0]
		default:
			out.Measured = f.Values
		}
	}
	if !slices.ContainsFunc(out.CI95, func(ci *[2]float64) bool { return ci != nil }) {
		out.CI95 = nil
	}
	if !slices.ContainsFunc(out.Samples, func(s []float64) bool { return len(s) > 1 }) {
		out.Samples = nil
	}
	out.Verdict, out.Reasons = c.decide(f)
	switch {
	case out.Verdict == Differs && len(out.Reasons) > 0 && out.Reasons[0].Code == "ci-contains-null":
		out.Remark = UndecidedRemark
	case f.Given || slices.Contains(plans, id):
		out.Remark = GivenRemark
	case c.derived():
		out.Remark = DerivedRemark
	}
	out.Reasons = append(append(out.Reasons, f.Notes...), notes...)
	return out
}

// decide applies the rules in their order: what was not run or not stated, then what is
// qualitative, then words, then numbers.
func (c Claim) decide(f Found) (string, []result.Reason) {
	because := func(code string, args ...any) []result.Reason { return []result.Reason{result.Because(code, args...)} }
	switch {
	case f.Missing != nil:
		return NotRun, slices.Clone(f.Missing)
	case c.Value == "" || c.Value == "-":
		return NotStated, because("no-value-stated")
	case f.Holds != nil:
		v, why := Differs, because("does-not-hold")
		if *f.Holds {
			v, why = SameSign, because("holds")
		}
		if f.Seeds == 1 {
			why = append(why, result.Because("one-seed"))
		}
		return v, why
	case f.Words != nil && f.Words.Code == AsStated:
		if len(f.Differs) > 0 {
			return SameSign, because("capped", "document", c.document())
		}
		return Equal, nil
	case f.Words != nil:
		return Differs, because("other-words")
	case f.Values == nil:
		return NotRun, because("no-value-measured")
	case len(c.Numbers()) != len(f.Values):
		return Differs, because("other-count", "measured", len(f.Values), "stated", len(c.Numbers()))
	case !finiteAll(f.Values):
		return NotRun, because("not-finite")
	case f.CI95 != nil && len(f.CI95) != len(f.Values):
		panic(fmt.Sprintf("claims: %s: %d intervals of %d numbers", c.ID, len(f.CI95), len(f.Values)))
	}
	return c.numbers(f)
}

// numbers judges number by number; the worst verdict is the claim's.
func (c Claim) numbers(f Found) (worst string, why []result.Reason) {
	rank := map[string]int{"": -1, Equal: 0, Within: 1, SameSign: 2, Differs: 3}
	for i, stated := range c.Numbers() {
		var ci *[2]float64
		if f.CI95 != nil {
			ci = f.CI95[i]
		}
		if v, w := c.number(f.Values[i], stated, ci, len(f.Differs) > 0); rank[v] > rank[worst] {
			worst, why = v, w
		}
	}
	switch {
	case len(f.CI95) > 0 && f.CI95[0] != nil:
	case f.Seeds == 1:
		why = append(why, result.Because("one-seed"))
	case f.Seeds == 0:
		why = append(why, result.Because("deterministic"))
	}
	return worst, why
}

// number judges one number x beside the stated one.
func (c Claim) number(x, stated float64, ci *[2]float64, capped bool) (string, []result.Reason) {
	gap := math.Abs(x - stated)
	args := []any{"gap", gap, "unit", c.Unit}
	if c.Tolerance != nil {
		args = append(args, "tolerance", *c.Tolerance)
	}
	far := result.Because("gap", args...)
	closest := ""
	switch {
	case gap <= equalRel*math.Max(math.Abs(x), math.Abs(stated)):
		closest = Equal
	case c.Tolerance != nil && gap <= *c.Tolerance:
		closest = Within
	}
	if closest != "" && !capped {
		return closest, nil
	}
	var why []result.Reason
	if closest != "" {
		if why = []result.Reason{result.Because("capped", "document", c.document())}; c.Null == nil {
			return SameSign, why
		}
	}
	if c.Null == nil {
		return Differs, []result.Reason{far}
	}
	null := *c.Null
	switch {
	case x == null:
		return Differs, []result.Reason{result.Because("no-difference")}
	case (x-null)*(stated-null) <= 0:
		return Differs, []result.Reason{result.Because("other-side", "null", null)}
	case ci != nil && ci[0] <= null && null <= ci[1]:
		return Differs, []result.Reason{result.Because("ci-contains-null", "lo", ci[0], "hi", ci[1], "null", null)}
	}
	if closest == "" {
		why = append(why, far)
	}
	return SameSign, why
}

// document returns what kind of document the claim is from: blog, patent or paper.
func (c Claim) document() string {
	p, _ := paper.OfClaim(c.ID)
	return p.Noun[0]
}

// derived reports whether the document does not state the number, but what it follows from.
func (c Claim) derived() bool { return strings.Contains(", "+c.Section, ", derived") }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func finiteAll(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !finite(x) })
}
