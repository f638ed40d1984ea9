package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/method"
	"gradsync/experiments/swarm"
)

// swarmFlags are the flags of swarm.
type swarmFlags struct {
	methods []string
	seeds   int
	first   uint64
	last    time.Duration
}

func (a *app) swarmCommand() *cobra.Command {
	var o swarmFlags
	cmd := &cobra.Command{
		Use:   "swarm",
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
		Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.swarm(cmd.Context(), o, cmd.Flags().Changed)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.methods, "method", nil, "methods (default all): "+strings.Join(method.Names(), ", "))
	f.IntVar(&o.seeds, "seeds", 0, "seeds of each method (default 1000; with --for as many as there is time for)")
	f.Uint64Var(&o.first, "seed", 0, "this seed alone, with all that happens in it; with --seeds or --for the first")
	f.DurationVar(&o.last, "for", 0, "time for all methods together, such as 1m")
	return cmd
}

// config checks the flags.
func (o swarmFlags) config(given func(string) bool) (swarm.Config, error) {
	c := swarm.Config{Methods: o.methods, First: o.first, Seeds: o.seeds, For: o.last}
	for i, name := range o.methods {
		if _, known := method.Get(name); !known {
			return c, usagef("swarm: no method %q: known are %s", name, strings.Join(method.Names(), ", "))
		}
		if slices.Contains(o.methods[:i], name) {
			return c, usagef("swarm: --method names %s twice", name)
		}
	}
	switch {
	case given("seeds") && o.seeds < 1:
		return c, usagef("swarm: --seeds %d, want at least 1", o.seeds)
	case given("for") && o.last <= 0:
		return c, usagef("swarm: --for %v, want more than 0, such as 1m", o.last)
	case !given("seeds") && !given("for") && given("seed"):
		c.Seeds = 1
	case !given("seeds") && !given("for"):
		c.Seeds = 1000
	}
	if c.Methods == nil {
		c.Methods = method.Names()
	}
	return c, nil
}

// swarmed is a swarm's outcome as scripts see it. Replay is the command that replays the failure; "": there is none.
type swarmed struct {
	swarm.Report
	Replay string       `json:"replay"`
	Cores  int          `json:"cores"`
	Runs   []swarm.Seed `json:"runs,omitempty"` // of --seed alone
}

// swarm runs the seeds and prints what came of them.
func (a *app) swarm(ctx context.Context, o swarmFlags, given func(string) bool) error {
	c, err := o.config(given)
	if err != nil {
		return err
	}
	if given("seed") && !given("seeds") && !given("for") {
		return a.swarmOne(ctx, c)
	}
	bar := a.newBar("swarm")
	at := map[string]int{}
	for i, name := range c.Methods {
		at[name] = i
	}
	c.Progress = func(name string, seeds int, share float64) {
		bar.set(float64(at[name])+share, float64(len(c.Methods)), fmt.Sprintf("%s: %d seeds", name, seeds))
	}
	r, err := swarm.Run(ctx, c)
	bar.finish()
	out := swarmed{Report: r, Cores: runtime.GOMAXPROCS(0)}
	if f := r.Failure; f != nil {
		out.Replay = a.replay(*f)
	}
	if a.json && err == nil {
		err = a.printJSON(out)
	} else if !a.json {
		for _, t := range r.Tallies {
			a.printTally(t, r.Failure)
		}
		if r.Failure != nil {
			a.printSeed(*r.Failure)
			fmt.Fprintf(a.out, "%-8s replay it by\n  %s\n", "", out.Replay)
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("swarm: interrupted")
	case err == nil && r.Failure != nil:
		return errDiffer
	}
	return err
}

// swarmOne runs one seed of each method and prints all of it.
func (a *app) swarmOne(ctx context.Context, c swarm.Config) error {
	out := swarmed{Cores: runtime.GOMAXPROCS(0)}
	for _, name := range c.Methods {
		s := swarm.Judge(ctx, name, c.First)
		if ctx.Err() != nil {
			return errors.New("swarm: interrupted")
		}
		out.Runs = append(out.Runs, s)
		if s.Broken != "" && out.Failure == nil {
			out.Failure, out.Replay = &s, a.replay(s)
		}
		if !a.json {
			a.printSeed(s)
		}
	}
	if a.json {
		out.Tallies = []swarm.Tally{}
		if err := a.printJSON(out); err != nil {
			return err
		}
	}
	if out.Failure != nil {
		return errDiffer
	}
	return nil
}

// replay returns the command that runs one seed again.
func (a *app) replay(s swarm.Seed) string {
	return fmt.Sprintf("%s swarm --method %s --seed %d", a.name, s.Method, s.Seed)
}

// printTally prints one line on a method's seeds.
func (a *app) printTally(t swarm.Tally, failure *swarm.Seed) {
	verdict := "ok"
	if failure != nil && failure.Method == t.Method {
		verdict = "broken"
	}
	fmt.Fprintf(a.out, "%-8s %-16s %7d seeds, %d twice: %d crashes, %d pauses, %d times slow", verdict, t.Method, t.Seeds, t.Twice, t.Crashes, t.Pauses, t.Slow)
	if m, _ := method.Get(t.Method); m.Family == method.Server {
		fmt.Fprintf(a.out, "; workers left %d times, came back %d times", t.Left, t.Joined)
	} else if t.Left > 0 {
		fmt.Fprintf(a.out, "; %d ranks lost", t.Left)
	}
	for _, why := range slices.Sorted(maps.Keys(t.Ended)) {
		fmt.Fprintf(a.out, "; %s in %d", why, t.Ended[why])
	}
	fmt.Fprintf(a.out, "; %.0f seeds a minute\n", t.Rate)
}

// printSeed prints what happened in one seed.
func (a *app) printSeed(s swarm.Seed) {
	verdict := "ok"
	if s.Broken != "" {
		verdict = "broken"
	}
	fmt.Fprintf(a.out, "%-8s %s, seed %d: %s\n", verdict, s.Method, s.Seed, s.Cluster)
	for _, f := range s.Faults {
		fmt.Fprintf(a.out, "%-8s rank %d: %s\n", "", f.Rank, f.Host)
	}
	if s.Broken != "" {
		fmt.Fprintf(a.out, "%-8s %s\n", "", s.Broken)
		return
	}
	ended := s.Ended
	if ended == "" {
		ended = fmt.Sprintf("the last update at %v", s.End)
	}
	fmt.Fprintf(a.out, "%-8s %d updates, %d left or lost, %d came back; %s; digest %s\n", "", s.Updates, s.Left, s.Joined, ended, s.Digest)
}
