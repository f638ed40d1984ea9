package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/claims"
)

// check compares an equation with a count, a run or another derivation, case by
// case and exhaustively over small arguments.
type check struct {
	id       string // "ring.bytes": the part before the dot is its group
	equation string
	run      func(ctx context.Context) (tally, error)
}

// tally counts cases; first describes the first that failed.
type tally struct {
	cases, failed int
	first         string
	within        bool // compared within a stated tolerance, not to the last digit
	printed       *printed
}

// printed counts cases of a form as the document prints it, where that is wrong.
type printed struct {
	Form     string `json:"form"` // "as printed", or which reading it is
	Cases    int    `json:"cases"`
	Wrong    int    `json:"wrong"`
	Smallest string `json:"smallest"` // the first that is wrong; cases go from small to large
}

// asPrinted records one case of the printed form. A check that has any says that
// it fails: its verdict is of the corrected form, and of that.
func (t *tally) asPrinted(ok bool, format string, args ...any) {
	if t.printed == nil {
		t.printed = &printed{Form: "as printed"}
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

func (t tally) verdict() string {
	switch {
	case t.failed > 0 || t.cases == 0 || t.printed != nil && t.printed.Wrong == 0:
		return claims.Differs
	case t.within:
		return claims.Within
	}
	return claims.Equal
}

// checked is a check's outcome as scripts see it.
type checked struct {
	ID       string `json:"id"`
	Equation string `json:"equation"`
	Cases    int    `json:"cases"`
	Verdict  string `json:"verdict"`
	Why      string `json:"why,omitempty"`
	// Printed is how often the form as printed is wrong; absent where it is right.
	Printed *printed `json:"as_printed,omitempty"`
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [" + strings.Join(checkGroups(), "|") + "]",
		Short: "Check the formulas against counts, runs and each other (exit code 3 if one differs)",
		Long: "Check the formulas against counts, runs and each other (exit code 3 if one differs).\n\n" +
			"Where a document prints a form that is wrong, the check is of the corrected form; a line below it says how often the printed one fails,\n" +
			"and the smallest case in which it does. A printed form that never failed would be a difference.",
		Example: "  gradsync verify\n  gradsync verify ring --json",
		Args:    args(0, 1, "at most one group"),
		RunE: func(cmd *cobra.Command, groups []string) error {
			chosen, err := chooseChecks(groups)
			if err != nil {
				return err
			}
			out := []checked{}
			failed := 0
			for _, c := range chosen {
				t, err := c.run(cmd.Context())
				if err != nil {
					return fmt.Errorf("verify: %s: %w", c.id, err)
				}
				r := checked{c.id, c.equation, t.cases, t.verdict(), "", t.printed}
				switch {
				case t.failed > 0:
					r.Why = fmt.Sprintf("%d cases, first: %s", t.failed, t.first)
				case t.printed != nil && t.printed.Wrong == 0:
					r.Why = t.printed.Form + " it is never wrong"
				}
				if r.Verdict == claims.Differs {
					failed++
				}
				out = append(out, r)
				if !a.json {
					r.print(a.out)
				}
			}
			if a.json {
				err = a.printJSON(map[string]any{"checks": out})
			}
			if err == nil && failed > 0 {
				err = errDiffer
			}
			return err
		},
	}
}

func (r checked) print(w io.Writer) {
	fmt.Fprintf(w, "%-8s %-24s %7d cases  %s", r.Verdict, r.ID, r.Cases, r.Equation)
	if r.Why != "" {
		fmt.Fprintf(w, "  %s", r.Why)
	}
	fmt.Fprintln(w)
	if p := r.Printed; p != nil {
		fmt.Fprintf(w, "%-8s %s it is wrong in %d of %d cases; the smallest: %s\n", "", p.Form, p.Wrong, p.Cases, p.Smallest)
	}
}

// group is the part of a check's id before the dot.
func (c check) group() string {
	g, _, _ := strings.Cut(c.id, ".")
	return g
}

// checkGroups lists the groups in the order of checks, each once.
func checkGroups() (names []string) {
	for _, c := range checks() {
		if !slices.Contains(names, c.group()) {
			names = append(names, c.group())
		}
	}
	return names
}

func chooseChecks(groups []string) ([]check, error) {
	all := checks()
	if len(groups) == 0 {
		return all, nil
	}
	out := slices.DeleteFunc(all, func(c check) bool { return c.group() != groups[0] })
	if len(out) == 0 {
		return nil, usagef("verify: no group %q: known are %s", groups[0], strings.Join(checkGroups(), ", "))
	}
	return out, nil
}
