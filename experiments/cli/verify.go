package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/claims"
	"gradsync/experiments/eval"
	"gradsync/experiments/verify"
	"gradsync/reports/typeset"
)

// checks returns the checks of verify; tests replace them.
var checks = verify.Checks

func (a *app) verifyCommand() *cobra.Command {
	var o sizeFlags
	cmd := &cobra.Command{
		Use:   "verify [" + strings.Join(verify.Groups(), "|") + "]",
		Short: "Check the formulas against counts, runs and each other (exit code 3 if one differs)",
		Long: "Check the formulas against counts, runs and each other (exit code 3 if one differs).\n\n" +
			"Where a document prints a form that is wrong, the check is of the corrected form; a line below it says how often the printed one fails,\n" +
			"and the smallest case in which it does. A printed form that never failed would be a difference.\n\n" +
			"At one size a communication is counted, by running the exchange's own code, beside its formulas, and what the numbers mean is said:\n" +
			"  codedsgd --n NODES --r REDUNDANCY     2 to 16 nodes, coded packets that are received at most 300,000 times; --steps: each step of the proof\n" +
			"  ring --n RANKS --k BYTES              2 to 256 ranks, 4 bytes to 1e12 on each\n" +
			"  ringsparse --n RANKS --density SHARE  2 to 32 ranks, a share of gradients from 0 to 1 that is not zero",
		Example: "  gradsync verify\n  gradsync verify ring --json\n  gradsync verify codedsgd --n 9 --r 4\n  gradsync verify codedsgd --n 13 --r 5 --steps\n" +
			"  gradsync verify ring --n 8 --k 1e6\n  gradsync verify ringsparse --n 8 --density 0.01",
		Args: args(0, 1, "at most one group"),
		RunE: func(cmd *cobra.Command, groups []string) error {
			chosen, err := chooseChecks(groups)
			if err != nil {
				return err
			}
			if o.given(cmd) {
				return a.verifySize(cmd, strings.Join(groups, ""), o)
			}
			return a.verifyAll(cmd.Context(), chosen)
		},
	}
	o.define(cmd)
	return cmd
}

// verifyAll makes checks and prints what each finds.
func (a *app) verifyAll(ctx context.Context, chosen []verify.Check) error {
	out := []verify.Outcome{}
	differ, cases := 0, 0
	for _, c := range chosen {
		o, err := c.Run(ctx)
		if err != nil {
			return fmt.Errorf("verify: %s: %w", c.ID, err)
		}
		if cases += o.Cases; o.Verdict == claims.Differs {
			differ++
		}
		out = append(out, o)
		if !a.json {
			printCheck(a.out, o)
		}
	}
	if a.json {
		if err := a.printJSON(map[string]any{"checks": out}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%s, %s cases, %d differ\n", plural(len(out), "formula"),
			typeset.Number(float64(cases), 0), differ)
	}
	if differ > 0 {
		return errDiffer
	}
	return nil
}

// printCheck prints one line on a check, and a second on a form that is printed wrong.
func printCheck(w io.Writer, o verify.Outcome) {
	fmt.Fprintf(w, "%-8s %-24s %7d cases  %s", o.Verdict, o.ID, o.Cases, o.Equation)
	if o.Why != "" {
		fmt.Fprintf(w, "  %s", o.Why)
	}
	fmt.Fprintln(w)
	if p := o.Printed; p != nil && p.Wrong == 0 {
		fmt.Fprintf(w, "%-8s %s it is right at this size\n", "", p.Form)
	} else if p != nil {
		fmt.Fprintf(w, "%-8s %s it is wrong in %d of %d cases; the smallest: %s\n", "", p.Form, p.Wrong, p.Cases, p.Smallest)
	}
}

// chooseChecks returns the checks of a group, all if none is named.
func chooseChecks(groups []string) ([]verify.Check, error) {
	all := checks()
	if len(groups) == 0 {
		return all, nil
	}
	out := slices.DeleteFunc(all, func(c verify.Check) bool { return c.Group() != groups[0] })
	if len(out) == 0 {
		return nil, usagef("verify: no group %q:%s known are %s", groups[0], didYouMean(groups[0], verify.Groups(), "gradsync verify "),
			strings.Join(verify.Groups(), ", "))
	}
	return out, nil
}

// evaluated is a formula's value as scripts see it.
type evaluated struct {
	Formula  string            `json:"formula"`
	Value    float64           `json:"value"`
	Exact    *string           `json:"exact"` // "p/q"; null where not rational or too long
	Text     string            `json:"text,omitempty"`
	Unit     string            `json:"unit,omitempty"`
	Equation string            `json:"equation"`
	Source   string            `json:"source"`
	Args     map[string]string `json:"args"`
}

// longestExact is the number of characters up to which a fraction is printed.
const longestExact = 200

func (a *app) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval FORMULA --NAME VALUE…",
		Short: "Compute a formula of a document, exactly where it is rational",
		Long: "Compute a formula of a document, exactly where it is rational.\n\n" +
			"Arguments are --NAME VALUE or --arg NAME=VALUE; numbers may be 1e9, 0.1 or 1/3.\n\nFormulas:\n" + formulaList(),
		Example: "  gradsync eval ring.bytes --n 40 --k 1200000000\n  gradsync eval dasp.twait --form difference --alpha 0.5 --fi 1 --fj 3\n" +
			"  gradsync eval dasp.state --arg gap=4 --arg smin=3 --arg smax=6 --json\n" +
			"  gradsync eval ringsparse.pw --k 1 --eta 0.1 --w0 1/2 --own 0.25 --received -0.5",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, got []string) error {
			if len(got) == 0 {
				return usagef("eval: no formula named: known are those of %s; gradsync eval --help lists them", strings.Join(formulaGroups(), ", "))
			}
			return usagef("eval: no formula %q: %s", got[0], knownFormulas(got[0]))
		},
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}, // the formula's name is the better message
	}
	for _, f := range eval.Formulas() {
		cmd.AddCommand(a.formulaCommand(f))
	}
	return cmd
}

// formulaCommand makes a formula's command, with a flag for each of its parameters.
func (a *app) formulaCommand(f eval.Formula) *cobra.Command {
	var pairs []string
	given := map[string]*onceValue{}
	example := "  gradsync eval " + f.Name
	for _, p := range f.Params {
		if p.Default == "" {
			example += " --" + p.Name + " " + p.Example
		}
	}
	cmd := &cobra.Command{
		Use: f.Name, Short: f.Equation + "  (" + f.Source + ")", Example: example,
		Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, p := range pairs {
				name, value, ok := strings.Cut(p, "=")
				v, known := given[name]
				if !ok || !known {
					return usagef("eval: --arg %q, want NAME=VALUE with a name of %s", p, f.Name)
				}
				if err := v.Set(value); err != nil {
					return usagef("eval: --arg %q: %w", p, err)
				}
			}
			texts := map[string]string{}
			for name, v := range given {
				texts[name] = v.text
			}
			return a.evaluate(f, texts)
		},
	}
	for _, p := range f.Params {
		given[p.Name] = &onceValue{text: p.Default}
		cmd.Flags().Var(given[p.Name], p.Name, p.Doc)
	}
	cmd.Flags().StringArrayVar(&pairs, "arg", nil, "an argument as NAME=VALUE; repeatable")
	return cmd
}

// onceValue is a flag that is given once: a second value would take the first one's place.
type onceValue struct {
	text  string
	given bool
}

func (v *onceValue) String() string { return v.text }

func (v *onceValue) Type() string { return "string" }

func (v *onceValue) Set(text string) error {
	if v.given {
		return fmt.Errorf("given twice, as %s and %s: want one value", v.text, text)
	}
	v.text, v.given = text, true
	return nil
}

// evaluate computes a formula and prints its value.
func (a *app) evaluate(f eval.Formula, texts map[string]string) error {
	got, err := f.Evaluate(texts)
	var input *eval.InputError
	if errors.As(err, &input) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	e := evaluated{Formula: f.Name, Value: got.Value, Text: got.Text, Unit: got.Unit, Equation: f.Equation, Source: f.Source, Args: texts}
	if got.Exact != nil {
		if s := got.Exact.String(); len(s) <= longestExact { // always p/q
			e.Exact = &s
		}
	}
	if a.json {
		return a.printJSON(e)
	}
	value := strconv.FormatFloat(got.Value, 'g', -1, 64)
	if e.Exact != nil && got.Exact.IsInt() && math.Abs(got.Value) > 1<<53 {
		value = got.Exact.Num().String() // a float64 does not hold all of them
	}
	fmt.Fprintf(a.out, "%s = %s", f.Name, valueUnit(value, got.Unit))
	if got.Text != "" {
		fmt.Fprintf(a.out, " (%s)", got.Text)
	}
	if e.Exact != nil && !got.Exact.IsInt() {
		fmt.Fprintf(a.out, "   exactly %s", *e.Exact)
	}
	fmt.Fprintf(a.out, "   [%s; %s]\n", f.Equation, f.Source)
	return nil
}

// formulaGroups lists the groups in the order of the formulas, each once.
func formulaGroups() (out []string) {
	for _, f := range eval.Formulas() {
		if g := f.Group(); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// knownFormulas names the formulas of a name's group, or the groups.
func knownFormulas(name string) string {
	group, _, _ := strings.Cut(name, ".")
	var names []string
	for _, f := range eval.Formulas() {
		if f.Group() == group {
			names = append(names, strings.TrimPrefix(f.Name, group))
		}
	}
	if names == nil {
		return "known are those of " + strings.Join(formulaGroups(), ", ") + "; gradsync eval --help lists them"
	}
	return "known are " + group + strings.Join(names, ", ")
}

// formulaList describes each formula on a line.
func formulaList() string {
	var b strings.Builder
	for _, f := range eval.Formulas() {
		fmt.Fprintf(&b, "  %-21s %s  (%s)\n", f.Name, f.Equation, f.Source)
	}
	return b.String()
}
