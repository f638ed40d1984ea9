// Package verify checks the formulas of the documents against counts, runs on virtual
// time and exact rationals, case by case and exhaustively over small arguments; what a
// package does is in that package's tests. Its door
// is Checks; a check belongs to the group of a document (ring, ringsparse, dasp,
// codedsgd) or recomputes what claims.csv derives from other rows of it (claims).
//
// Where a document prints a form that is wrong, the check is of the corrected form and
// counts how often the printed one fails; a printed form that never fails is a
// difference too.
package verify

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gradsync/experiments/claims"
)

// Check compares an equation with a count, a run or another derivation.
type Check struct {
	ID       string // "ring.bytes": the part before the dot is its group
	Equation string
	Run      func(ctx context.Context) (Outcome, error)
}

// Outcome reports a check to people and scripts.
type Outcome struct {
	ID       string `json:"id"`
	Equation string `json:"equation"`
	Cases    int    `json:"cases"`
	Verdict  string `json:"verdict"` // claims.Equal, Within or Differs
	Why      string `json:"why,omitempty"`
	// Printed counts how often the form as printed is wrong; it is absent where the
	// printed form is right.
	Printed *PrintedForm `json:"as_printed,omitempty"`
}

// PrintedForm counts the cases of a form as the document prints it, where that is wrong.
type PrintedForm struct {
	Form     string `json:"form"` // "as printed", or which reading it is
	Cases    int    `json:"cases"`
	Wrong    int    `json:"wrong"`
	Smallest string `json:"smallest"` // the first that is wrong; cases go from small to large
}

// Checks returns all checks, group by group.
func Checks() []Check {
	var out []Check
	for _, group := range [][]check{ringChecks(), sparseChecks(), daspChecks(), codedChecks(), claimChecks()} {
		for _, c := range group {
			out = append(out, Check{c.id, c.equation, c.outcome})
		}
	}
	return out
}

// Group returns the part of a check's ID before the dot.
func (c Check) Group() string {
	group, _, _ := strings.Cut(c.ID, ".")
	return group
}

// Groups lists the groups in the order of Checks, each once.
func Groups() (names []string) {
	for _, c := range Checks() {
		if !slices.Contains(names, c.Group()) {
			names = append(names, c.Group())
		}
	}
	return names
}

// check is a Check before its cases are judged.
type check struct {
	id, equation string
	count        func(ctx context.Context) tally
}

// outcome counts the cases and judges them.
func (c check) outcome(ctx context.Context) (_ Outcome, err error) {
	defer caught(&err)

	t := c.count(ctx)
	o := Outcome{c.id, c.equation, t.cases, t.verdict(), "", t.printed}
	switch {
	case t.failed > 0:
		o.Why = fmt.Sprintf("%d cases, first: %s", t.failed, t.first)
	case t.printed != nil && t.printed.Wrong == 0:
		o.Why = t.printed.Form + " it is never wrong"
	}
	return o, nil
}

// tally counts cases; first describes the first that failed.
type tally struct {
	cases, failed int
	first         string
	within        bool // compared within a stated tolerance, not to the last digit
	printed       *PrintedForm
}

// add records one case.
func (t *tally) add(ok bool, format string, args ...any) {
	t.cases++
	if ok {
		return
	}
	t.failed++
	if t.first == "" {
		t.first = fmt.Sprintf(format, args...)
	}
}

// asPrinted records one case of the printed form. A check that records any is equal only
// if the printed form fails somewhere and the corrected one holds.
func (t *tally) asPrinted(ok bool, format string, args ...any) {
	if t.printed == nil {
		t.printed = &PrintedForm{Form: "as printed"}
	}
	t.printed.Cases++
	if ok {
		return
	}
	t.printed.Wrong++
	if t.printed.Smallest == "" {
		t.printed.Smallest = fmt.Sprintf(format, args...)
	}
}

// verdict judges the cases: one that failed, no case at all, or a printed form that
// never failed is a difference.
func (t tally) verdict() string {
	switch {
	case t.failed > 0 || t.cases == 0 || t.printed != nil && t.printed.Wrong == 0:
		return claims.Differs
	case t.within:
		return claims.Within
	}
	return claims.Equal
}

var one = big.NewRat(1, 1) // never changed

func whole(n int64) *big.Rat     { return big.NewRat(n, 1) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// failure is an error that ends a check.
type failure struct{ error }

// must ends a check with err, if it is one.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// ok returns x, or ends a check with err.
func ok[T any](x T, err error) T {
	must(err)
	return x
}

// caught returns, deferred, what ended a check.
func caught(err *error) {
	switch x := recover().(type) {
	case nil:
	case failure:
		*err = x.error
	default:
		panic(x)
	}
}
