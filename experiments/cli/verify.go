package cli

import (
	"context"
	"fmt"
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
	case t.failed > 0 || t.cases == 0:
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
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify [ring|dasp|claims]",
		Short:   "Check the formulas against counts, runs and each other (exit code 3 if one differs)",
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
				r := checked{c.id, c.equation, t.cases, t.verdict(), ""}
				if t.failed > 0 {
					r.Why = fmt.Sprintf("%d cases, first: %s", t.failed, t.first)
				}
				if r.Verdict == claims.Differs {
					failed++
				}
				out = append(out, r)
				if !a.json {
					fmt.Fprintf(a.out, "%-8s %-22s %7d cases  %s  %s\n", r.Verdict, r.ID, r.Cases, r.Equation, r.Why)
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

func chooseChecks(groups []string) ([]check, error) {
	all := checks()
	if len(groups) == 0 {
		return all, nil
	}
	var out []check
	var names []string
	for _, c := range all {
		group, _, _ := strings.Cut(c.id, ".")
		if len(names) == 0 || names[len(names)-1] != group {
			names = append(names, group)
		}
		if group == groups[0] {
			out = append(out, c)
		}
	}
	if out == nil {
		return nil, usagef("verify: no group %q: known are %s", groups[0], strings.Join(names, ", "))
	}
	return out, nil
}
