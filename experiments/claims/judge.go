package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	result "gradsync/experiments/result1"
)

// The verdicts, best first. They are the contract of every page.
const (
	Equal     = "equal"      // the same to the last digit
	Within    = "within"     // |measured − paper| ≤ tolerance
	SameSign  = "same-sign"  // the same side of the null, and the interval excludes the null
	Differs   = "differs"    // everything else
	NotRun    = "not-run"    // Why says why
	NotStated = "not-stated" // the paper gives no value
)

// equalRel is how near two floats are that count as the same number.
const equalRel = 1e-9

// Evidence is what an experiment found about one claim.
type Evidence struct {
	// Value is a float64, an int, a []float64 (for a claim that lists several
	// numbers) or text. A number that is not finite was not measured.
	Value any
	CI95  *[2]float64   // of a float64 Value
	CI95s []*[2]float64 // of a []float64 Value, entry by entry
	Seeds int           // runs behind Value; 0: a deterministic value, nothing to vary
	// Holds answers a qualitative claim: true is same-sign, false differs.
	Holds   *bool
	Differs []string // data, width, image size …: caps the verdict at same-sign
	Fitted  bool     // the platform was fitted to this very claim: caps likewise
	NotRun  string   // why nothing was measured
	Note    string   // a sentence added to Why
}

// Judge sets e beside claim id. An unknown id is a programmer's mistake and
// panics.
func Judge(id string, e Evidence) result.Claim {
	c, ok := Get(id)
	if !ok {
		panic("claims: no claim has the id " + id)
	}
	out := result.Claim{ID: id, Statement: c.Statement(), Source: c.Paper + ", " + c.Section,
		Paper: c.Stated(), Unit: c.Unit, Tolerance: c.Tolerance, Measured: measured(e.Value),
		CI95: e.CI95, Differs: append([]string{}, e.Differs...)}
	if e.Fitted {
		out.Differs = append(out.Differs, "the platform was fitted to this claim")
	}
	var why []string
	out.Verdict, why = verdict(c, e, len(out.Differs) > 0)
	if e.Note != "" {
		why = append(why, e.Note)
	}
	out.Why = strings.Join(why, "; ")
	return out
}

func measured(v any) any {
	switch x := v.(type) {
	case float64:
		if !finite(x) {
			return nil
		}
	case int:
		return float64(x)
	case []float64:
		parts := make([]string, len(x))
		for i, f := range x {
			parts[i] = strconv.FormatFloat(f, 'g', 5, 64)
		}
		return strings.Join(parts, "; ")
	}
	return v
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// verdict applies the rules in their order: what was not run or not stated,
// then numbers, then words.
func verdict(c Claim, e Evidence, capped bool) (string, []string) {
	if e.NotRun != "" {
		return NotRun, []string{e.NotRun}
	}
	if c.Value == "" || c.Value == "-" {
		return NotStated, []string{"the paper gives no value"}
	}
	if e.Holds != nil {
		why := []string{"a qualitative claim that does not hold"}
		if *e.Holds {
			why[0] = "a qualitative claim that holds"
		}
		if e.Seeds == 1 {
			why = append(why, oneSeed)
		}
		if *e.Holds {
			return SameSign, why
		}
		return Differs, why
	}
	switch x := e.Value.(type) {
	case nil:
		return NotRun, []string{"no value was measured"}
	case int:
		return list(c, e, []float64{float64(x)}, capped)
	case float64:
		return list(c, e, []float64{x}, capped)
	case []float64:
		return list(c, e, x, capped)
	case string:
		if x != c.Value {
			return Differs, []string{fmt.Sprintf("measured %q, stated %q", x, c.Value)}
		}
		if capped {
			return SameSign, []string{c.capped()}
		}
		return Equal, nil
	}
	panic(fmt.Sprintf("claims: %s: a value of type %T cannot be judged", c.ID, e.Value))
}

const oneSeed = "one seed: no interval"

const capWhy = "never better than same-sign: the run differs from the "

// capped says why a verdict has a cap, of the kind of document the claim is from.
func (c Claim) capped() string {
	switch c.Paper {
	case "ring":
		return capWhy + "blog's"
	case "ringsparse":
		return capWhy + "patent's"
	}
	return capWhy + "paper's"
}

// list judges number by number; the worst verdict is the claim's.
func list(c Claim, e Evidence, xs []float64, capped bool) (string, []string) {
	stated := c.Numbers()
	if len(stated) != len(xs) {
		return Differs, []string{fmt.Sprintf("%d numbers measured, the paper states %q", len(xs), c.Value)}
	}
	for _, x := range xs {
		if !finite(x) {
			return NotRun, []string{"the measured value is not finite"}
		}
	}
	rank := map[string]int{Equal: 0, Within: 1, SameSign: 2, Differs: 3}
	if e.CI95s != nil && len(e.CI95s) != len(xs) {
		panic(fmt.Sprintf("claims: %s: %d intervals of %d numbers", c.ID, len(e.CI95s), len(xs)))
	}
	worst, why := "", []string(nil)
	for i, x := range xs {
		ci := e.CI95
		if e.CI95s != nil {
			ci = e.CI95s[i]
		}
		v, w := judgeNumber(c, x, stated[i], ci, capped)
		if worst == "" || rank[v] > rank[worst] {
			worst, why = v, w
		}
	}
	switch {
	case e.CI95 != nil:
	case len(e.CI95s) > 0 && e.CI95s[0] != nil:
		why = append(why, "intervals "+intervals(e.CI95s))
	case e.Seeds == 1:
		why = append(why, oneSeed)
	case e.Seeds == 0:
		why = append(why, "deterministic: no interval")
	}
	return worst, why
}

func intervals(list []*[2]float64) string {
	parts := make([]string, len(list))
	for i, ci := range list {
		parts[i] = "none"
		if ci != nil {
			parts[i] = fmt.Sprintf("[%.4g, %.4g]", ci[0], ci[1])
		}
	}
	return strings.Join(parts, "; ")
}

func judgeNumber(c Claim, x, paper float64, ci *[2]float64, capped bool) (string, []string) {
	gap := math.Abs(x - paper)
	closest := ""
	switch {
	case gap <= equalRel*math.Max(math.Abs(x), math.Abs(paper)):
		closest = Equal
	case c.Tolerance != nil && gap <= *c.Tolerance:
		closest = Within
	}
	if closest != "" && !capped {
		return closest, nil
	}
	why := []string(nil)
	if closest != "" {
		why = []string{c.capped()}
		if c.Null == nil { // a plain count has no sign to share
			return SameSign, why
		}
	}
	if c.Null == nil {
		return Differs, []string{fmt.Sprintf("|measured − paper| = %.4g %s, tolerance %s", gap, c.Unit, tolerance(c))}
	}
	null := *c.Null
	// What differs anyway does not differ because the verdict is capped.
	switch {
	case x == null:
		return Differs, []string{"no difference was found"}
	case (x-null)*(paper-null) <= 0:
		return Differs, []string{fmt.Sprintf("the other side of the null %g", null)}
	case ci != nil && ci[0] <= null && null <= ci[1]:
		return Differs, []string{fmt.Sprintf("the 95 %% interval [%.4g, %.4g] "+containsNull+" %g", ci[0], ci[1], null)}
	}
	if closest == "" {
		why = append(why, fmt.Sprintf("|measured − paper| = %.4g %s, tolerance %s", gap, c.Unit, tolerance(c)))
	}
	return SameSign, why
}

func tolerance(c Claim) string {
	if c.Tolerance == nil {
		return "none"
	}
	return strconv.FormatFloat(*c.Tolerance, 'g', 4, 64)
}
