package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/method"
	"gradsync/experiments/swarm"
)

func (a *app) swarmCommand() *cobra.Command {
	var c swarm.Config
	cmd := &cobra.Command{
		Use: "swarm", Args: args(0, 0, "flags only"),
		Short: "Run methods under thousands of schedules of crashes, pauses and slowness (exit code 3 if a promise is broken)",
		Long: "Run methods under thousands of schedules of crashes, pauses and slowness, one per seed, in virtual time and on all cores, and hold each\n" +
			"run to what its method promises: it ends or names why; versions are contiguous; each gradient is used once, by the bits; the bounds of\n" +
			"SSP, DSSP, GSSP and DASP hold among the living; the same seed gives the same bytes; where faults change time alone the bits are those\n" +
			"without. `go doc gradsync/experiments/swarm` lists all. Workers of a server crash and are left out by their lease; ranks of methods\n" +
			"without a server pause and are slow; those of cssgd, ring, ringsparse and naive crash too.\n\n" +
			"A broken promise ends the swarm with the one command that replays its seed, which is all that names a run.\n\n" +
			"Exit codes: 0 all promises are kept · 1 interrupted · 2 usage · 3 one is broken.",
		Example: "  gradsync swarm --seeds 50\n  gradsync swarm --method dasp --seed 123\n  gradsync swarm --method cssgd,ring --seeds 100 --json\n" +
			"  gradsync swarm --method dasp --for 1m",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.swarm(cmd.Context(), c, cmd.Flags().Changed) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&c.Methods, "method", nil, "methods (default all): "+strings.Join(method.Names(), ", "))
	f.IntVar(&c.Seeds, "seeds", 0, "seeds of each method (default 1000; with --for as many as there is time for)")
	f.Uint64Var(&c.First, "seed", 0, "this seed alone, with all that happens in it; with --seeds or --for the first")
	f.DurationVar(&c.For, "for", 0, "time for all methods together, such as 1m")
	return cmd
}

// swarmed is a swarm's outcome as scripts see it. Replay is the command that replays the failure; "": there is none.
type swarmed struct {
	swarm.Report
	Replay string `json:"replay"`
	Cores  int    `json:"cores"`
}

// swarm checks the flags, runs the seeds, or one seed of each method, and prints what came of them.
func (a *app) swarm(ctx context.Context, c swarm.Config, given func(string) bool) (err error) {
	for _, name := range c.Methods {
		if _, known := method.Get(name); !known {
			return usagef("swarm: no method %q: known are %s", name, strings.Join(method.Names(), ", "))
		}
	}
	switch {
	case given("seeds") && c.Seeds < 1:
		return usagef("swarm: --seeds %d, want at least 1", c.Seeds)
	case given("for") && c.For <= 0:
		return usagef("swarm: --for %v, want more than 0, such as 1m", c.For)
	case c.Methods == nil:
		c.Methods = method.Names()
	}
	run, out := swarm.Run, swarmed{Cores: runtime.GOMAXPROCS(0)}
	switch {
	case c.Seeds == 0 && c.For == 0 && given("seed"):
		run = swarm.One
	case c.Seeds == 0 && c.For == 0:
		c.Seeds = 1000
	}
	bar := a.newBar("swarm")
	c.Progress = func(name string, seeds int, share float64) {
		at := float64(slices.Index(c.Methods, name)) + share
		bar.set(at, float64(len(c.Methods)), fmt.Sprintf("%s: %d seeds", name, seeds))
	}
	out.Report, err = run(ctx, c)
	bar.finish()
	if f := out.Failure; f != nil {
		out.Replay = fmt.Sprintf("%s swarm --method %s --seed %d", a.name, f.Method, f.Seed)
	}
	switch {
	case ctx.Err() != nil:
		err = errors.New("swarm: interrupted")
	case err != nil:
	case a.json:
		err = a.printJSON(out)
	default:
		printRows(a.out, out.Tallies)
		printForms(a.out, out.Runs...)
		if out.Failure != nil && out.Runs == nil {
			printForms(a.out, *out.Failure)
		}
		if out.Failure != nil {
			fmt.Fprintf(a.out, "replay it by\n  %s\n", out.Replay)
		}
	}
	if err == nil && out.Failure != nil {
		return errDiffer
	}
	return err
}
