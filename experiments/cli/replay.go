package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gradsync/experiments/audit"
)

func (a *app) replayCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "replay --check FILE",
		Short: "Recompute every decision of a recorded training (exit code 3 if one differs)",
		Long: "Recompute every decision of a training that `gradsync train --record FILE` wrote down, and name the first that differs (exit code 3).\n\n" +
			"From the recorded events alone, version held, step, f, gap, oldest worker, state, T_wait, group, order of summation, weight and version\n" +
			"given are found anew by a fresh policy of the method, mini-batches by the seed; those of DASP also by Algorithms 1 and 2 as they are\n" +
			"written a second time for this. Instants are of the recorded clock, virtual or real: what followed from them is checked, and that they\n" +
			"do not go backwards. A file is JSON, one object per line; `go doc gradsync/experiments/audit` describes each field and its unit.\n\n" +
			"Exit codes: 0 all is as the rules give it · 1 a file that cannot be read, or is cut off · 2 usage · 3 something differs.",
		Example: "  gradsync train --sync dasp --model lenet5 --updates 300 --record run.jsonl\n  gradsync replay --check run.jsonl",
		Args:    args(0, 0, "flags only"),
		RunE: func(*cobra.Command, []string) error {
			if file == "" {
				return usagef("replay: no file: want --check FILE, which `gradsync train --record FILE` wrote; `train --replay FILE` trains in its order")
			}
			return a.check(file)
		},
	}
	cmd.Flags().StringVar(&file, "check", "", "audit trail of a training")
	return cmd
}

// checked is the outcome of a check as scripts see it.
type checked struct {
	File string `json:"file"`
	audit.Report
}

// check makes the decisions of a trail again and prints what it found.
func (a *app) check(file string) error {
	t, err := audit.Read(file)
	if err != nil {
		return err
	}
	r, err := audit.Check(t)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(checked{file, r})
	} else {
		a.printAudit(r)
	}
	if err == nil && r.Difference != nil {
		err = errDiffer
	}
	return err
}

// printAudit says what was checked, then what differs.
func (a *app) printAudit(r audit.Report) {
	verdict, by := "equal", "the method's policy"
	if r.Algorithms {
		by = "Algorithms 1 and 2 written a second time, and by the policy"
	}
	if r.Difference != nil {
		verdict = "differs"
	}
	fmt.Fprintf(a.out, "%-8s %s on %s, %d workers, seed %d: %d pushes and %d ends of a wait\n",
		verdict, r.Method, r.Runtime, r.Workers, r.Seed, r.Pushes, r.Timers)
	if r.Decisions > 0 {
		fmt.Fprintf(a.out, "%-8s %d decisions (gap, oldest worker, state, T_wait)\n", "", r.Decisions)
	}
	fmt.Fprintf(a.out, "%-8s %d updates (group, order, weight, version), %d answers (worker, version given, state), %d drops, by %s\n",
		"", r.Updates, r.Answers, r.Drops, by)
	fmt.Fprintf(a.out, "%-8s %d versions held, steps and f, by the events before; %d mini-batches, by the seed\n", "", r.Pushes, r.Batches)
	if d := r.Difference; d != nil {
		fmt.Fprintf(a.out, "%-8s %s\n", "", d)
	}
}
