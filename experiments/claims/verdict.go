package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/paper"
	"gradsync/experiments/result"
)

// The verdicts. They are the contract of every page, table and schema.
const (
	Equal            = "equal"      // the same to the last digit
	Within           = "within"     // |measured − stated| ≤ tolerance
	SameSign         = "same-sign"  // the same side of the null, and the interval excludes the null
	Holds            = "holds"      // a sentence without a number, and it holds
	Differs          = "differs"    // it is decided, and otherwise than stated
	Undecided        = "undecided"  // these seeds decide neither way; see open
	NoCase           = "no-case"    // both methods did exactly the same, event by event
	Input            = "input"      // we set the number, or worked it out from the document's own
	dependsOnReading = "depends"    // judged over many readings of the document, which do not agree
	NotRun           = "not-run"    // the reasons say why
	NotStated        = "not-stated" // the document gives no value
)

// Verdicts lists the verdicts in the one order that pages, tables and the schema share.
var Verdicts = []string{Equal, Within, SameSign, Holds, Differs, Undecided, NoCase, Input, dependsOnReading,
	NotRun, NotStated}

// badness orders the verdicts of one claim's numbers. The claim takes the worst: one number that
// differs decides, and one that is undecided leaves those beside it that hold undecided. A number
// without a case counts neither way.
var badness = map[string]int{"": -1, NoCase: 0, Equal: 1, Within: 2, SameSign: 3, Undecided: 4, Differs: 5}

// equalRel is the relative difference up to which two floats count as the same number.
const equalRel = 1e-9

// DerivedRemark says of a claim that the document does not state its number, which follows from what
// it states. It is the one result.Claim.Remark.
const DerivedRemark = "derived"

// AsStated is the code of Found.Words where the finding is what the document states.
const AsStated = "as-stated"

// What Found.Signs says of a number beside the null, Undecided apart.
const (
	Above = "above"
	Below = "below"
)

// Found holds what an experiment found about one claim, in data.
type Found struct {
	Values   []float64       // one, or one for each number that the claim lists
	CI95     []*[2]float64   // of Values; nil: none has one
	Samples  [][]float64     // of Values, per seed
	NoCase   []bool          // of Values: both methods did exactly the same in every seed; nil: none did
	Seeds    int             // runs behind Values; 0: deterministic
	Finding  string          // answers a claim in words: Holds, Differs, Undecided or NoCase
	Words    *result.Reason  // what was found of a claim in words
	Range    *[2]float64     // the ends of a stated range, by which one value is judged
	Signs    []string        // of Values: Above, Below or Undecided, by a sign test in place of the interval; "": by the interval
	Readings *Readings       // judged over many readings of the document, in place of Values and Finding
	Missing  []result.Reason // why nothing was measured
	Differs  []result.Reason // data, width …: caps the verdict at same-sign
	Notes    []result.Reason // what else must be known, behind the reasons of the verdict
	Parts    []result.Part   // comparisons that a claim in words rests on
	Input    bool            // the number was put in, or worked out from the document's own

	Table, Network, Rival, Cluster string // of the result.Claim
}

// Number returns the finding on a claim that states one number: x over a number of seeds.
func Number(x float64, ci *[2]float64, samples []float64, seeds int) Found {
	return Found{Values: []float64{x}, CI95: []*[2]float64{ci}, Samples: [][]float64{samples}, Seeds: seeds}
}

// Holding returns the finding on a claim in words, from a number of seeds.
func Holding(holds bool, seeds int, words *result.Reason) Found {
	return Found{Finding: Whether(holds), Seeds: seeds, Words: words}
}

// Identity returns the finding on a claim that states a formula or a rule: it is as stated, or else
// what words say.
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
	for i, ci := range out.CI95 {
		if i >= len(f.Values) || ci == nil {
			continue // decide refuses other counts
		}
		if x := f.Values[i]; x < ci[0] && !same(x, ci[0]) || x > ci[1] && !same(x, ci[1]) {
			panic(fmt.Sprintf("claims: %s: %g lies outside its interval %v: they are of two estimators", id, x, *ci))
		}
	}
	out.Verdict, out.Reasons = c.decide(f)
	if need := SeedsFor(id); f.Seeds > 0 && f.Seeds < need && tooFew(out) {
		out.Verdict = Undecided
		out.Reasons = []result.Reason{result.Because("needs-seeds", "seeds", f.Seeds, "needed", need)}
	}
	if c.derived() {
		out.Remark = DerivedRemark
	}
	out.Reasons = append(append(out.Reasons, f.Notes...), notes...)
	return out
}

// tooFew reports whether c's verdict cannot be of fewer seeds than a claim was declared to need: all that
// say the claim holds, that nothing is decided, or that there is no difference. That a whole interval
// lies on the other side needs no more seeds.
func tooFew(c result.Claim) bool {
	null := func(r result.Reason) bool { return r.Code == "no-difference" }
	return slices.Contains([]string{Equal, Within, SameSign, Holds, Undecided}, c.Verdict) ||
		c.Verdict == Differs && (c.CI95 == nil || slices.ContainsFunc(c.Reasons, null))
}

// decide applies the rules in their order: what was not run or not stated, what we put in, what has
// no case, what depends on the reading, then words, then numbers.
func (c Claim) decide(f Found) (string, []result.Reason) {
	because := func(code string, args ...any) []result.Reason { return []result.Reason{result.Because(code, args...)} }
	count := len(f.Values)
	switch {
	case f.Missing != nil:
		return NotRun, slices.Clone(f.Missing)
	case c.Value == "" || c.Value == "-":
		return NotStated, because("no-value-stated")
	case f.Input:
		return Input, c.putIn(f)
	case f.Finding == NoCase, len(f.NoCase) > 0 && !slices.Contains(f.NoCase, false):
		return NoCase, because("same-run")
	case f.Readings != nil:
		return c.over(*f.Readings)
	case f.Finding != "":
		return c.inWords(f)
	case f.Range != nil && finiteAll(f.Values):
		return c.within(f)
	case f.Words != nil && f.Words.Code == AsStated:
		if len(f.Differs) > 0 {
			return SameSign, because("capped", "document", c.document())
		}
		return Equal, nil
	case f.Words != nil:
		return Differs, because("other-words")
	case f.Values == nil:
		return NotRun, because("no-value-measured")
	case len(c.Numbers()) != count:
		return Differs, because("other-count", "measured", count, "stated", len(c.Numbers()))
	case !finiteAll(f.Values):
		return NotRun, because("not-finite")
	case f.CI95 != nil && len(f.CI95) != count, f.NoCase != nil && len(f.NoCase) != count, f.Signs != nil && len(f.Signs) != count:
		panic(fmt.Sprintf("claims: %s: %d intervals, %d cases and %d signs of %d numbers", c.ID, len(f.CI95), len(f.NoCase), len(f.Signs), count))
	}
	return c.numbers(f)
}

// putIn says how far a number that was put in is from the stated one, if it is not the same.
func (c Claim) putIn(f Found) []result.Reason {
	stated := c.Numbers()
	if len(f.Values) == 1 && len(stated) == 1 && !same(f.Values[0], stated[0]) {
		return []result.Reason{c.gap(f.Values[0], stated[0])}
	}
	if f.Words != nil && f.Words.Code != AsStated {
		return []result.Reason{result.Because("other-words")}
	}
	return nil
}

// inWords judges a claim without a number. One seed can contradict a general sentence; that it does
// not contradict it decides nothing. The reason lists the parts that decide.
func (c Claim) inWords(f Found) (string, []result.Reason) {
	one := f.Seeds == 1
	switch {
	case f.Finding == Differs && one:
		return Differs, []result.Reason{byParts("does-not-hold", f.Parts, Differs), result.Because("one-seed")}
	case f.Finding == Differs:
		return Differs, []result.Reason{byParts("does-not-hold", f.Parts, Differs)}
	case one:
		return Undecided, []result.Reason{result.Because("one-seed")}
	case f.Finding == Holds:
		return Holds, []result.Reason{result.Because("holds")}
	case f.Finding == Undecided:
		return Undecided, []result.Reason{byParts("open-parts", f.Parts, Undecided)}
	}
	panic(fmt.Sprintf("claims: %s: %q is no finding", c.ID, f.Finding))
}

// mostParts bounds the parts that a reason lists.
const mostParts = 3

// byParts returns the reason of a code with the first parts that have a finding, and how many more do.
func byParts(code string, parts []result.Part, finding string) result.Reason {
	var list []map[string]any
	more := 0
	for _, p := range parts {
		switch {
		case FindingOf(p) != finding:
		case len(list) == mostParts:
			more++
		default:
			one := map[string]any{}
			for k, v := range p.Of {
				one[k] = v
			}
			if x, ok := p.Value.(float64); ok && finite(x) {
				one["value"] = x
			}
			if p.CI95 != nil {
				one["lo"], one["hi"] = p.CI95[0], p.CI95[1]
			}
			if p.P != nil {
				one["p"] = *p.P
			}
			list = append(list, one)
		}
	}
	if list == nil {
		return result.Because(code)
	}
	return result.Because(code, "parts", list, "more", more)
}

// numbers judges number by number; the worst verdict is the claim's.
func (c Claim) numbers(f Found) (worst string, why []result.Reason) {
	for i, stated := range c.Numbers() {
		one := found{x: f.Values[i], seeds: f.Seeds, capped: len(f.Differs) > 0}
		if f.CI95 != nil {
			one.ci = f.CI95[i]
		}
		if f.Signs != nil {
			one.sign = f.Signs[i]
		}
		v, w := NoCase, []result.Reason(nil)
		if f.NoCase == nil || !f.NoCase[i] {
			v, w = c.number(one, stated)
		}
		if badness[v] > badness[worst] {
			worst, why = v, w
		}
	}
	if f.Seeds == 0 && f.Signs == nil && (len(f.CI95) == 0 || f.CI95[0] == nil) {
		why = append(why, result.Because("deterministic"))
	}
	return worst, why
}

// found holds what was found of one number.
type found struct {
	x      float64
	ci     *[2]float64
	seeds  int
	sign   string
	capped bool
}

// open says why the seeds leave open on which side of the null a number lies: its interval holds the
// null, a sign test says so, or seeds have no interval. It returns nil if they decide. An interval of
// no width at the null decides: in every seed there is no effect.
func (f found) open(null float64) []result.Reason {
	switch {
	case f.sign == Undecided:
		return []result.Reason{result.Because("sign-test-open")}
	case f.sign != "":
		return nil
	case f.ci != nil && f.ci[0] <= null && null <= f.ci[1] && f.ci[0] < f.ci[1]:
		return []result.Reason{result.Because("ci-contains-null", "lo", f.ci[0], "hi", f.ci[1], "null", null)}
	}
	return f.unmeasured()
}

// unmeasured says why seeds decide nothing about a number: they have no interval.
func (f found) unmeasured() []result.Reason {
	switch {
	case f.ci == nil && f.seeds == 1:
		return []result.Reason{result.Because("one-seed")}
	case f.ci == nil && f.seeds > 1:
		return []result.Reason{result.Because("no-interval")}
	}
	return nil
}

// side returns on which side of the null a number lies: −1, 0 or 1.
func (f found) side(null float64) int {
	switch {
	case f.sign == Above, f.sign == "" && f.x > null:
		return 1
	case f.sign == Below, f.sign == "" && f.x < null:
		return -1
	}
	return 0
}

// closest returns Equal or Within if a number is that close to the stated one, else "". A sign test
// leaves its size open.
func (c Claim) closest(f found, stated float64) string {
	switch {
	case f.sign != "":
	case same(f.x, stated):
		return Equal
	case c.Tolerance != nil && math.Abs(f.x-stated) <= *c.Tolerance:
		return Within
	}
	return ""
}

// number judges one number beside the stated one. A sign test leaves its size open, and so does an
// interval that leaves the tolerance: neither is better than the same sign.
func (c Claim) number(f found, stated float64) (string, []result.Reason) {
	if c.Null == nil {
		return c.equality(f, stated)
	}
	if why := f.open(*c.Null); why != nil {
		return Undecided, why
	}
	closest, over := c.closest(f, stated), c.overMargin(f, stated)
	if closest != "" && !f.capped && over == nil {
		return closest, nil
	}
	var why []result.Reason
	switch {
	case closest != "" && over != nil:
		why = over
	case closest != "":
		why = []result.Reason{result.Because("capped", "document", c.document())}
	case f.sign != "":
		why = []result.Reason{result.Because("sign-test")}
	default:
		why = []result.Reason{c.gap(f.x, stated)}
	}
	theirs := found{x: stated}.side(*c.Null)
	switch f.side(*c.Null) {
	case 0:
		return Differs, []result.Reason{result.Because("no-difference")}
	case theirs:
		return SameSign, why
	}
	return Differs, []result.Reason{result.Because("other-side", "null", *c.Null)}
}

// equality judges a number that has no value of no effect, such as a level or a count: the claim is
// that it is the stated one, and the tolerance is its margin. The interval of seeds inside it holds,
// outside it differs, over one of its ends is undecided, and so is a number of seeds without an
// interval. What has no seeds is exact.
func (c Claim) equality(f found, stated float64) (string, []result.Reason) {
	if why := f.unmeasured(); why != nil {
		return Undecided, why
	}
	closest, over := c.closest(f, stated), c.overMargin(f, stated)
	switch {
	case over != nil:
		return Undecided, over
	case closest == "":
		return Differs, []result.Reason{c.gap(f.x, stated)}
	case f.capped:
		return SameSign, []result.Reason{result.Because("capped", "document", c.document())}
	}
	return closest, nil
}

// overMargin says that a number's interval is over an end of the tolerance around the stated number, or
// on another side of it than the number. It returns nil where all of it says the same.
func (c Claim) overMargin(f found, stated float64) []result.Reason {
	margin := 0.0
	if c.Tolerance != nil {
		margin = *c.Tolerance
	}
	if f.ci == nil {
		return nil
	}
	from, to := stated-margin, stated+margin
	if inside := Inside(f.ci, from, to); inside != Undecided && (inside == Holds) == (c.closest(f, stated) != "") {
		return nil
	}
	return []result.Reason{result.Because("ci-over-margin", "lo", f.ci[0], "hi", f.ci[1], "from", from, "to", to)}
}

// within judges a number beside a range that the document states, by the range's ends.
func (c Claim) within(f Found) (string, []result.Reason) {
	one := found{x: f.Values[0], ci: f.CI95[0], seeds: f.Seeds}
	if why := one.unmeasured(); why != nil {
		return Undecided, why
	}
	ci, ends := one.ci, *f.Range
	if ci == nil {
		ci = &[2]float64{one.x, one.x}
	}
	switch Inside(ci, ends[0], ends[1]) {
	case Differs:
		return Differs, nil
	case Undecided:
		return Undecided, []result.Reason{result.Because("ci-over-range", "lo", ci[0], "hi", ci[1])}
	}
	if len(f.Differs) > 0 {
		return SameSign, []result.Reason{result.Because("capped", "document", c.document())}
	}
	return Within, nil
}

// gap says how far x is from the stated number.
func (c Claim) gap(x, stated float64) result.Reason {
	args := []any{"gap", math.Abs(x - stated), "unit", c.Unit}
	if c.Tolerance != nil {
		args = append(args, "tolerance", *c.Tolerance)
	}
	return result.Because("gap", args...)
}

// document returns what kind of document the claim is from: blog, patent or paper.
func (c Claim) document() string {
	p, _ := paper.OfClaim(c.ID)
	return p.Noun[0]
}

// derived reports whether the document does not state the number, but what it follows from.
func (c Claim) derived() bool { return strings.Contains(", "+c.Section, ", derived") }

// same reports whether two floats count as the same number.
func same(a, b float64) bool {
	return math.Abs(a-b) <= equalRel*math.Max(math.Abs(a), math.Abs(b))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func finiteAll(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !finite(x) })
}
