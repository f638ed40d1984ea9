package cli

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/papers/dasp"
)

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
	for i := range formulas {
		cmd.AddCommand(a.formulaCommand(&formulas[i]))
	}
	return cmd
}

func (a *app) formulaCommand(f *evaluable) *cobra.Command {
	var pairs []string
	given := map[string]*string{}
	example := "  gradsync eval " + f.name
	for _, p := range f.params {
		if p.fallback == "" {
			example += " --" + p.name + " 8"
		}
	}
	cmd := &cobra.Command{
		Use: f.name, Short: f.equation + "  (" + f.source + ")", Example: example,
		Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			texts := map[string]string{}
			for name, v := range given {
				texts[name] = *v
			}
			for _, p := range pairs {
				name, value, ok := strings.Cut(p, "=")
				if _, known := given[name]; !ok || !known {
					return usagef("eval: --arg %q, want NAME=VALUE with a name of %s", p, f.name)
				}
				texts[name] = value
			}
			return a.evaluate(f, texts)
		},
	}
	for _, p := range f.params {
		given[p.name] = cmd.Flags().String(p.name, p.fallback, p.doc)
	}
	cmd.Flags().StringArrayVar(&pairs, "arg", nil, "an argument as NAME=VALUE; repeatable")
	return cmd
}

func (a *app) evaluate(f *evaluable, texts map[string]string) error {
	v := values{}
	for _, p := range f.params {
		text := texts[p.name]
		if text == "" {
			return usagef("eval: %s needs --%s (%s)", f.name, p.name, p.doc)
		}
		r, err := p.read(text)
		if err != nil {
			return err
		}
		v[p.name] = r
	}
	got, err := f.eval(v)
	if err != nil {
		return err
	}
	e := evaluated{Formula: f.name, Value: got.value, Text: got.text, Unit: got.unit, Equation: f.equation, Source: f.source, Args: texts}
	if got.exact != nil {
		if s := got.exact.String(); len(s) <= longestExact { // always p/q
			e.Exact = &s
		}
	}
	if a.json {
		return a.printJSON(e)
	}
	fmt.Fprintf(a.out, "%s = %s", f.name, valueUnit(strconv.FormatFloat(got.value, 'g', -1, 64), got.unit))
	if got.text != "" {
		fmt.Fprintf(a.out, " (%s)", got.text)
	}
	if e.Exact != nil && !got.exact.IsInt() {
		fmt.Fprintf(a.out, "   exactly %s", *e.Exact)
	}
	fmt.Fprintf(a.out, "   [%s; %s]\n", f.equation, f.source)
	return nil
}

// largest bounds the numbers of eval, and its inverse them from below: what is
// computed of them stays a float64 and prints on a line.
var largest = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))

// longestExact is how many characters a fraction may have to be printed.
const longestExact = 200

// read reads an argument; a word is its index.
func (p param) read(text string) (*big.Rat, error) {
	if p.words == nil {
		return number(p.name, text)
	}
	at := slices.Index(p.words, text)
	if at < 0 {
		return nil, usagef("eval: --%s %q, want %s", p.name, text, strings.Join(p.words, ", "))
	}
	return whole(int64(at)), nil
}

// number reads an argument; a state's name is its number.
func number(name, text string) (*big.Rat, error) {
	if name == "state" {
		for _, s := range []dasp.State{dasp.QIS, dasp.WSS, dasp.FSS} {
			if strings.EqualFold(text, s.String()) {
				return big.NewRat(int64(s), 1), nil
			}
		}
	}
	if len(text) > 40 {
		return nil, usagef("eval: --%s %.12q… has %d characters, want a number of at most 40", name, text, len(text))
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, usagef("eval: --%s %q is no number", name, text)
	}
	if size := new(big.Rat).Abs(r); size.Sign() > 0 && (size.Cmp(largest) > 0 || size.Cmp(new(big.Rat).Inv(largest)) < 0) {
		return nil, usagef("eval: --%s %s is out of range: want 0, or 1e-30 to 1e30", name, text)
	}
	return r, nil
}

// formulaGroup is the part of a formula's name before the dot.
func formulaGroup(name string) string {
	group, _, _ := strings.Cut(name, ".")
	return group
}

// formulaGroups lists the groups in the order of formulas, each once.
func formulaGroups() (out []string) {
	for _, f := range formulas {
		if g := formulaGroup(f.name); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// knownFormulas names the formulas of a name's group, or the groups.
func knownFormulas(name string) string {
	var names []string
	for _, f := range formulas {
		if formulaGroup(f.name) == formulaGroup(name) {
			names = append(names, strings.TrimPrefix(f.name, formulaGroup(name)))
		}
	}
	if names == nil {
		return "known are those of " + strings.Join(formulaGroups(), ", ") + "; gradsync eval --help lists them"
	}
	return "known are " + formulaGroup(name) + strings.Join(names, ", ")
}

func formulaList() string {
	var b strings.Builder
	for _, f := range formulas {
		fmt.Fprintf(&b, "  %-21s %s  (%s)\n", f.name, f.equation, f.source)
	}
	return b.String()
}
