package cli

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/readfile"
	"gradsync/reports"
	"gradsync/reports/page"
)

// claimRow is a claim with the verdicts that the results on disk give it. Its keys mean
// the same as in a result file.
type claimRow struct {
	claims.Claim `json:"-"`

	ID           string   `json:"id"`
	Document     string   `json:"document"` // DASP, ring …
	Statement    string   `json:"statement"`
	Source       string   `json:"source"`
	Paper        any      `json:"paper"` // what the document states: number or text
	Unit         string   `json:"unit"`
	Tolerance    *float64 `json:"tolerance"`
	Section      string   `json:"section"`
	Quantity     string   `json:"quantity"`
	Baseline     string   `json:"baseline"`
	Conditions   string   `json:"conditions"`
	Null         *float64 `json:"null"`
	Margin       *float64 `json:"margin"`       // of a claim of no difference
	OutOfScope   string   `json:"out_of_scope"` // why no run here can judge it; "": one can
	ToleranceWhy string   `json:"tolerance_why"`

	Verdicts []claimVerdict `json:"verdicts"`
}

func newClaimRow(c claims.Claim) claimRow {
	return claimRow{Claim: c, ID: c.ID, Document: c.Paper, Statement: c.Statement(), Source: c.Source(), Paper: c.Stated(), Unit: c.Unit,
		Tolerance: c.Tolerance, Section: c.Section, Quantity: c.Quantity, Baseline: c.Baseline, Conditions: c.Conditions, Null: c.Null,
		Margin: c.Margin, OutOfScope: claims.OutOfScope(c.ID), ToleranceWhy: c.ToleranceWhy, Verdicts: []claimVerdict{}}
}

type claimVerdict struct {
	Experiment string        `json:"experiment"`
	Profile    string        `json:"profile"`
	Status     string        `json:"status"`
	Measured   any           `json:"measured"` // number or numbers; null: what was found is no number
	Found      string        `json:"found"`    // in words
	CI95       []*[2]float64 `json:"ci95"`     // of each number
	Verdict    string        `json:"verdict"`
	Why        string        `json:"why"`
	Differs    []string      `json:"differs"`
}

func (a *app) claimsCommand() *cobra.Command {
	var results string
	cmd := &cobra.Command{
		Use:     "claims [ID…]",
		Short:   "Print what the papers state, the tolerances, and the verdicts so far",
		Example: "  gradsync claims D13\n  gradsync claims DASP\n  gradsync claims --json | jq '.claims[] | select(.verdicts != [])'",
		Args:    args(0, -1, "claim ids or names of papers"),
		RunE: func(_ *cobra.Command, ids []string) error {
			rows, err := chooseClaims(ids)
			if err != nil {
				return err
			}
			if err := addVerdicts(rows, results); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"claims": rows})
			}
			if len(rows) == 1 {
				return a.printClaim(rows[0])
			}
			return a.printClaims(rows)
		},
	}
	cmd.Flags().StringVar(&results, "results", "", "folder of results (default out/results, else experiments/results)")
	return cmd
}

// chooseClaims returns the claims with these ids or of these papers, all if none is named.
func chooseClaims(ids []string) ([]claimRow, error) {
	out := []claimRow{}
	seen := map[string]bool{}
	for _, c := range claims.All() {
		keep := len(ids) == 0
		for _, id := range ids {
			if strings.EqualFold(id, c.ID) || strings.EqualFold(id, c.Paper) {
				keep, seen[id] = true, true
			}
		}
		if keep {
			out = append(out, newClaimRow(c))
		}
	}
	for _, id := range ids {
		if !seen[id] {
			return nil, usagef("claims: no claim and no paper %q:%s `gradsync claims` lists them", id, didYouMean(id, claimNames(), ""))
		}
	}
	return out, nil
}

// addVerdicts reads every result below root; "" is the first default there is.
func addVerdicts(rows []claimRow, root string) error {
	index := map[string]*claimRow{}
	for i := range rows {
		index[rows[i].ID] = &rows[i]
	}
	files, err := resultFiles(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		r, err := result.Read(f)
		if err != nil {
			return err
		}
		found, err := reports.ClaimRows(r)
		if err != nil {
			return err
		}
		for _, c := range found {
			if row := index[c.ID]; row != nil {
				row.Verdicts = append(row.Verdicts, claimVerdict{r.ID, r.Profile, r.Status, c.Measured, c.Found[0], c.CI95, c.Verdict,
					strings.Join(c.Reasons[0], "; "), append([]string{}, c.Differs[0]...)})
			}
		}
	}
	return nil
}

// resultFiles lists the result files below root in a fixed order.
func resultFiles(root string) ([]string, error) {
	roots := []string{root}
	if root == "" {
		roots = []string{defaultOut, filepath.Join("experiments", "results")}
	}
	var out []string
	for _, r := range roots {
		err := filepath.WalkDir(r, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && root == "" && path == r:
				return fs.SkipDir // a default that does not exist
			case err != nil:
				return err
			case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != r:
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".run.json"):
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("claims: %w", err)
		}
		if len(out) > 0 {
			break
		}
	}
	return out, nil
}

// inWords returns the words that pages have for a verdict.
func inWords(verdict string) string {
	v, _ := page.FindVerdict(verdict)
	return v.Word.En()
}

// printClaims prints a line per claim.
func (a *app) printClaims(rows []claimRow) error {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tDOCUMENT\tSTATED\tTOLERANCE\tVERDICTS\tCLAIM")
	for _, c := range rows {
		var v []string
		for _, x := range c.Verdicts {
			v = append(v, inWords(x.Verdict)+" ("+x.Profile+")")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.Document, valueUnit(c.Value, c.Unit), tolerance(c.Claim),
			strings.Join(v, ", "), c.Statement)
	}
	return w.Flush()
}

// printClaim prints all of one claim and its verdicts.
func (a *app) printClaim(c claimRow) error {
	fmt.Fprintf(a.out, "%s  %s, %s\n%s\nstated:    %s (%s; baseline %s)\ntolerance: %s", c.ID, c.Document, c.Section,
		c.Statement, valueUnit(c.Value, c.Unit), c.Quantity, c.Baseline, tolerance(c.Claim))
	if c.Null != nil {
		fmt.Fprintf(a.out, "; no effect is %g", *c.Null)
	}
	if c.Margin != nil {
		fmt.Fprintf(a.out, "; margin of no difference %g", *c.Margin)
	}
	if c.ToleranceWhy != "" {
		fmt.Fprintf(a.out, " (%s)", c.ToleranceWhy)
	}
	fmt.Fprintln(a.out)
	if len(c.Verdicts) == 0 {
		fmt.Fprintln(a.out, "verdict:   no result here judges this claim yet")
	}
	for _, v := range c.Verdicts {
		fmt.Fprintf(a.out, "verdict:   %s: measured %s in %s, profile %s", inWords(v.Verdict), cmp.Or(v.Found, "(none)"),
			v.Experiment, v.Profile)
		for i, ci := range v.CI95 {
			if ci != nil && i == 0 {
				fmt.Fprintf(a.out, ", 95 %% interval [%.4g, %.4g]", ci[0], ci[1])
			} else if ci != nil {
				fmt.Fprintf(a.out, ", [%.4g, %.4g]", ci[0], ci[1])
			}
		}
		if v.Why != "" {
			fmt.Fprintf(a.out, " (%s)", v.Why)
		}
		fmt.Fprintln(a.out)
		if len(v.Differs) > 0 {
			fmt.Fprintf(a.out, "           differs from the paper in: %s\n", strings.Join(v.Differs, "; "))
		}
	}
	return nil
}

// valueUnit writes a value with its unit, if it has both.
func valueUnit(value, unit string) string {
	if unit == "-" || unit == "" || value == "(none)" {
		return value
	}
	return value + " " + unit
}

func tolerance(c claims.Claim) string {
	if c.Tolerance == nil {
		return "-"
	}
	return "±" + valueUnit(strconv.FormatFloat(*c.Tolerance, 'g', -1, 64), c.Unit)
}

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "diff A.json B.json",
		Short:   "Compare two result files value by value (exit code 3 if they differ)",
		Example: "  gradsync diff experiments/results/dasp/table5.json out/results/dasp/table5.json",
		Args:    args(2, 2, "two result files"),
		RunE: func(_ *cobra.Command, files []string) error {
			var raw [2][]byte
			for i, path := range files {
				if _, err := result.Read(path); err != nil { // what is no result is not compared
					return err
				}
				var err error
				if raw[i], err = readfile.Limited(path, result.MaxFile); err != nil {
					return fmt.Errorf("diff: %w", err)
				}
			}
			found, err := result.Diff(raw[0], raw[1])
			if err != nil {
				return err
			}
			if a.json {
				if found == nil {
					found = []result.Difference{}
				}
				err = a.printJSON(map[string]any{"a": files[0], "b": files[1], "equal": len(found) == 0, "differences": found})
			} else {
				for _, d := range found {
					fmt.Fprintf(a.out, "%s: %s | %s\n", d.Path, shown(d.A), shown(d.B))
				}
				fmt.Fprintf(a.out, "%d differences between %s and %s\n", len(found), files[0], files[1])
			}
			if err == nil && len(found) > 0 {
				err = errDiffer
			}
			return err
		},
	}
}

// shown writes a value of a difference.
func shown(v any) string {
	if v == nil {
		return "(none)"
	}
	return fmt.Sprint(v)
}
