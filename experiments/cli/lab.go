package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/lab"
	"gradsync/experiments/method"
)

func (a *app) labCommand() *cobra.Command {
	p := lab.Plan{Errors: a.err}
	cmd := &cobra.Command{
		Use: "lab", Short: "Train in network namespaces with limited links, beside virtual time (root)",
		Long: `Each rank is a process in a network namespace of its own, with an address of its own and a link whose rate tc limits each
way; a bridge joins them. An MLP is trained there over TCP and, by the same command, in virtual time on a platform of the
same rates; where the order of arrival decides nothing, parameters must be the same. Needs Linux, root and iproute2; else
a line says why nothing is run. The machine's own network is not touched, and what was made is removed, also after Ctrl-C.
Words are more flags of train, behind --.`,
		Example: "  gradsync lab --json\n  gradsync lab --sync ring,bsp --rates 1000,1000,200 -- --width 0.25",
		RunE: func(cmd *cobra.Command, got []string) error {
			p.Words = got
			unknown := slices.DeleteFunc(slices.Clone(p.Methods), func(name string) bool { return slices.Contains(method.Names(), name) })
			switch bad := func(m int) bool { return m < 1 || m > 100_000 }; {
			case len(got) > 0 && cmd.ArgsLenAtDash() != 0:
				return usagef("lab: %d arguments, want flags only, and train's behind --", len(got))
			case len(p.Mbit) < 2 || len(p.Mbit) > 64 || slices.ContainsFunc(p.Mbit, bad):
				return usagef("lab: --rates %v: want 2 to 64 links of 1 to 100000 Mbit/s", p.Mbit)
			case len(unknown) > 0:
				return usagef("lab: no method %q: known are %s", unknown[0], strings.Join(method.Names(), ", "))
			}
			rows, err := p.Run(cmd.Context())
			out := map[string]any{"rows": append([]lab.Row{}, rows...)}
			if errors.Is(err, lab.ErrImpossible) && cmd.Context().Err() == nil {
				out["skipped"], err = err.Error(), nil
			}
			switch {
			case cmd.Context().Err() != nil:
				return errors.New("lab: interrupted; its namespaces are removed")
			case err == nil && a.json:
				return a.printJSON(out)
			case out["skipped"] != nil:
				fmt.Fprintf(a.out, "lab: skipped: %v\n", out["skipped"])
			}
			printRows(a.out, rows)
			return err
		},
	}
	cmd.Flags().StringSliceVar(&p.Methods, "sync", strings.Fields("ring naive halving-doubling ringsparse bsp dasp"), "methods")
	cmd.Flags().IntSliceVar(&p.Mbit, "rates", []int{200, 200, 200, 200}, "links of the ranks, Mbit/s; the first is a server's")
	return cmd
}
