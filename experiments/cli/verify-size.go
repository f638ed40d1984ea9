package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gradsync/experiments/claims"
	"gradsync/experiments/verify"
	"gradsync/shared/tensor/model"
)

// sizeFlags name one size at which verify counts.
type sizeFlags struct {
	n, r       int
	k, density float64
	network    string
	steps      bool
}

// sizeNeeds lists the flags of each group's size: those without which there is none, then those that
// may be left out.
var sizeNeeds = map[string]struct{ needed, optional []string }{
	"codedsgd":   {[]string{"n", "r"}, []string{"model", "steps"}},
	"ring":       {[]string{"n", "k"}, nil},
	"ringsparse": {[]string{"n", "density"}, nil},
}

// sizeExamples are whole commands, for errors.
var sizeExamples = map[string]string{"codedsgd": "codedsgd --n 9 --r 4", "ring": "ring --n 8 --k 1e6", "ringsparse": "ringsparse --n 8 --density 0.01"}

var sizeGroups = []string{"ring", "ringsparse", "codedsgd"} // in the order of verify.Groups

func (o *sizeFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.n, "n", 0, "ring, ringsparse, codedsgd: number of ranks or nodes of one size to count")
	f.IntVar(&o.r, "r", 0, "codedsgd: redundancy of that size")
	f.StringVar(&o.network, "model", "mlp", "codedsgd: network whose layers are exchanged in one iteration: "+strings.Join(model.Names(), ", "))
	f.BoolVar(&o.steps, "steps", false, "codedsgd: print each step of the proof at that size, not only those that differ")
	f.Float64Var(&o.k, "k", 0, "ring: bytes of gradients on each rank")
	f.Float64Var(&o.density, "density", 0, "ringsparse: share of gradients that are not zero")
}

// sizeNames are the flags of all sizes.
var sizeNames = []string{"n", "r", "k", "density", "model", "steps"}

// given says whether a size is asked for.
func (o *sizeFlags) given(cmd *cobra.Command) bool {
	return slices.ContainsFunc(sizeNames, cmd.Flags().Changed)
}

// check refuses flags that do not make a size of a group.
func (o *sizeFlags) check(cmd *cobra.Command, group string) error {
	needs, ok := sizeNeeds[group]
	if !ok {
		var all []string
		for _, g := range sizeGroups {
			all = append(all, "gradsync verify "+sizeExamples[g])
		}
		return usagef("verify: one size goes with codedsgd, ring or ringsparse: %s", strings.Join(all, ", or "))
	}
	for _, name := range sizeNames {
		switch set := cmd.Flags().Changed(name); {
		case !set && slices.Contains(needs.needed, name), set && !slices.Contains(slices.Concat(needs.needed, needs.optional), name):
			return usagef("verify: with %s --%s go together and nothing else: gradsync verify %s", group, strings.Join(needs.needed, " and --"), sizeExamples[group])
		}
	}
	return nil
}

// verifySize counts one size of a group.
func (a *app) verifySize(cmd *cobra.Command, group string, o sizeFlags) error {
	if err := o.check(cmd, group); err != nil {
		return err
	}
	s, p, err := o.count(cmd.Context(), group)
	var outside *verify.SizeError
	if errors.As(err, &outside) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	differ := s.Differs()
	if p != nil {
		differ = differ || slices.ContainsFunc(p.Checks, func(c verify.Outcome) bool { return c.Verdict == claims.Differs })
	}
	switch {
	case !a.json:
		printSize(a.out, s)
		if p != nil {
			printSteps(a.out, p, o.steps)
		}
	case p != nil:
		p.LeftOut, s.LeftOut = append(s.LeftOut, p.LeftOut...), nil
		err = a.printJSON(struct {
			Group  string         `json:"group"`
			Of     string         `json:"of"`
			Counts []verify.Count `json:"counts"`
			Why    []string       `json:"why"`
			*verify.Pair
		}{s.Group, s.Of, s.Counts, s.Why, p})
	default:
		err = a.printJSON(s)
	}
	if err == nil && differ {
		err = errDiffer
	}
	return err
}

// count runs the exchange of a group; of codedsgd it makes the checks of the proof too.
func (o *sizeFlags) count(ctx context.Context, group string) (*verify.Size, *verify.Pair, error) {
	switch group {
	case "ring":
		s, err := verify.CountRing(ctx, o.n, o.k)
		return s, nil, err
	case "ringsparse":
		s, err := verify.CountSparse(ctx, o.n, o.density)
		return s, nil, err
	}
	s, err := verify.CountCoded(ctx, o.n, o.r, o.network)
	if err != nil {
		return nil, nil, err
	}
	p, err := verify.CountPair(ctx, o.n, o.r, nil)
	return s, &p, err
}

// printSize prints the counts beside the formulas, then what they mean.
func printSize(out io.Writer, s *verify.Size) {
	fmt.Fprintf(out, "%s:\n\n", s.Of)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "\t\tcounted\tby formula\t\n")
	for _, c := range s.Counts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Verdict, c.What, verify.Grouped(c.Counted.Rat), verify.Grouped(c.Computed.Rat), c.Formula)
	}
	_ = w.Flush() // the command's writer keeps its first error
	for _, l := range s.LeftOut {
		fmt.Fprintf(out, "left out  %s: %s\n", l.ID, l.Why)
	}
	for _, why := range s.Why {
		fmt.Fprintf(out, "\n%s\n", folded(why, plainColumns))
	}
}

// folded breaks a sentence into lines of at most columns letters; what is between back quotes stays on
// one line.
func folded(text string, columns int) string {
	var b strings.Builder
	at := 0
	for i, part := range strings.Split(text, "`") {
		words := strings.Fields(part)
		if i%2 == 1 {
			words = []string{"`" + part + "`"}
		}
		for _, word := range words {
			long := len([]rune(word))
			closes := strings.ContainsAny(word[:1], ".,;:") // right after a back quote
			switch {
			case at == 0 || closes:
			case at+1+long > columns:
				b.WriteByte('\n')
				at = 0
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += long
		}
	}
	return b.String()
}

// printSteps prints the checks of the proof: all, or those that differ and how many there are.
func printSteps(out io.Writer, p *verify.Pair, all bool) {
	fmt.Fprintln(out)
	equal := 0
	for _, c := range p.Checks {
		if c.Verdict != claims.Differs {
			equal++
		}
		if all || c.Verdict == claims.Differs {
			printCheck(out, c)
		}
	}
	if !all {
		fmt.Fprintf(out, "%d of %d steps of the proof hold at this size too; --steps prints them\n", equal, len(p.Checks))
		return
	}
	for _, l := range p.LeftOut {
		fmt.Fprintf(out, "%-8s %-24s %s\n", "left out", l.ID, l.Why)
	}
}
