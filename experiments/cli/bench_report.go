package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
)

func (a *app) benchReportCommand() *cobra.Command {
	var f benchFlags
	var out string
	cmd := &cobra.Command{
		Use: "report", Short: "Measure the fixed list of cases and write BENCHMARKS.md",
		Long: `Measure the fixed list of cases, in turn, and write BENCHMARKS.md: machine,
commands, numbers beside the peers, aims beside what was reached, and where the
time goes, and the ring over TCP beside Open MPI. It takes some 20 minutes on two cores; leave the machine alone.`,
		Example: "  gradsync bench report --out BENCHMARKS.md", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			// Not after minutes of measuring.
			if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
				return fmt.Errorf("bench: report: no folder %s", filepath.Dir(out))
			}
			f.only = preferred[0]
			revision, _ := commit()
			r := &bench.Report{
				Command: reportCommand(cmd),
				Version: Version + ", commit " + revision, Engine: f.only, Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget, Machine: bench.Machine(), Busy: bench.Busy(),
			}
			cases := bench.Cases()
			for i, c := range cases {
				if !a.quiet {
					fmt.Fprintf(a.err, "%d of %d: %s\n", i+1, len(cases), c.Title)
				}
				names, err := pick(f.engines, map[string][]string{
					bench.KindStep: stepContenders(), bench.KindGemm: gemmContenders(), bench.KindVec: bench.Kernels(), bench.KindCoded: bench.CodedKernels()}[c.Job.Kind], nil)
				if err != nil {
					return err
				}
				outcome, err := a.play(cmd.Context(), &f, c, names, func() {})
				if err != nil {
					return err
				}
				r.Cases = append(r.Cases, outcome)
				if !a.quiet {
					fmt.Fprint(a.err, outcome.Text())
				}
			}
			ring, err := a.ringReport(cmd.Context(), newRingFlags())
			if err != nil {
				return err
			}
			ring.Command = r.Command
			r.Ring = ring
			var text strings.Builder
			if err := r.Markdown(&text); err != nil {
				return err
			}
			if err := atomic.WriteFile(out, []byte(text.String())); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			fmt.Fprintf(a.out, "%s: %d cases\n", out, len(cases))
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "BENCHMARKS.md", "file to write")
	cmd.Flags().StringVar(&f.python, "python", "", "interpreter with PyTorch, as in bench step")
	f.register(cmd, "the contenders")
	cmd.Flags().Lookup("engine").Hidden = true // a report has all
	cmd.Flags().Lookup("profile").DefValue = "2"
	f.profile = 2
	return cmd
}

// reportCommand is the command line that writes the same report: the file, and
// every flag that is not at its default.
func reportCommand(cmd *cobra.Command) string {
	line := "gradsync bench report --out " + cmd.Flags().Lookup("out").Value.String()
	for _, name := range []string{"rounds", "seconds", "budget", "profile", "python"} {
		if f := cmd.Flags().Lookup(name); f.Value.String() != f.DefValue {
			line += " --" + name + " " + f.Value.String()
		}
	}
	return line
}
