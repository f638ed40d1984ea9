package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/experiments/peers"
	"gradsync/shared/tensor"
)

// workerEnv marks a process that bench started; one of those starts no other.
const workerEnv = "GRADSYNC_BENCH_WORKER"

// benchWorkerCommand is the other end of bench: a contender in a process of its
// own, told what to do on standard input.
func (a *app) benchWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, Short: "Measure what standard input says (bench starts it)",
		Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return bench.Serve(cmd.InOrStdin(), a.out, openTask) },
	}
}

// openTask adds to a task the engine's version or kernels.
func openTask(j bench.Job) (*bench.Task, error) {
	t, err := bench.Open(j)
	if e, unknown := tensor.Lookup(j.Contender); err == nil && unknown == nil {
		if label := labelOf(e); label != e.Name() {
			t.Facts = append(t.Facts, label)
		}
	}
	return t, err
}

// benchWorker starts this binary as a worker.
func benchWorker(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "bench", "worker")
	if self, err := os.Executable(); err == nil {
		cmd.Path, cmd.Err = self, nil
	}
	return bench.WithEnvironment(cmd, workerEnv+"=1")
}

// benchFlags are what all matches share.
type benchFlags struct {
	rounds  int
	seconds float64
	budget  float64
	profile float64
	only    string // the contender to profile; "": all
	python  string
	engines []string
}

func (f *benchFlags) register(cmd *cobra.Command, known string) {
	flags := cmd.Flags()
	flags.IntVar(&f.rounds, "rounds", 11, "interleaved rounds")
	flags.Float64Var(&f.seconds, "seconds", 0.25, "length of a round in seconds, one step at least")
	flags.Float64Var(&f.budget, "budget", 30, "seconds of rounds after which a contender sits out, 3 rounds at least")
	flags.Float64Var(&f.profile, "profile", 0, "seconds of CPU profile of each contender after the rounds")
	flags.StringSliceVar(&f.engines, "engine", nil, "only these of "+known)
}

// check names the first bad number; NaN is one.
func (f *benchFlags) check() error {
	switch {
	case f.rounds < 1:
		return usagef("bench: --rounds %d: at least 1", f.rounds)
	case !(f.seconds > 0) || math.IsInf(f.seconds, 1):
		return usagef("bench: --seconds %g: more than 0", f.seconds)
	case !(f.budget >= 0):
		return usagef("bench: --budget %g: at least 0 (0: no limit)", f.budget)
	case !(f.profile >= 0) || math.IsInf(f.profile, 1):
		return usagef("bench: --profile %g: at least 0 (0: none)", f.profile)
	}
	return nil
}

// pick keeps the wanted of the known names, all without a wish. An engine that
// does not run here is refused with its reason.
func pick(wanted, known []string, engines []engineState) ([]string, error) {
	if len(wanted) == 0 {
		return known, nil
	}
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			if slices.ContainsFunc(engines, func(s engineState) bool { return s.name == name && s.why != "" }) {
				_, _, err := chooseEngine(name, engines)
				return nil, err
			}
			return nil, usagef("bench: no engine %q: known are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(n string) bool { return !slices.Contains(wanted, n) }), nil
}

// enginesHere is a line on which engines run on this machine, and why another
// does not.
func enginesHere(all []engineState) string {
	var here, not []string
	for _, s := range all {
		if s.why == "" {
			here = append(here, s.label)
		} else {
			not = append(not, s.name+": "+s.why)
		}
	}
	return strings.Join(append([]string{"engines here: " + strings.Join(here, ", ")}, not...), "; ")
}

// play runs a case's contenders against each other. With PyTorch among them its
// interpreter is looked for first; the notes say what is missing. It calls begin
// once it knows that the case can be run.
func (a *app) play(ctx context.Context, f *benchFlags, c bench.Case, names []string, begin func()) (*bench.Outcome, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	c.Job.Contender = names[0]
	if err := c.Job.Check(); err != nil {
		return nil, usageError{err}
	}
	flop, err := c.Job.FLOP()
	if err != nil {
		return nil, usageError{err}
	}
	if err := c.Job.CheckMemory(names, bench.MachineMemory()); err != nil {
		return nil, usageError{err}
	}
	if os.Getenv(workerEnv) != "" {
		return nil, errors.New("bench: a worker starts no workers")
	}
	begin()
	out := &bench.Outcome{Case: c, Warning: c.Job.Crowded(runtime.NumCPU())}
	if out.Warning != "" {
		fmt.Fprintln(a.err, "warning: "+out.Warning)
	}
	torch := &bench.Torch{Scripts: peers.Scripts, Python: f.python}
	defer torch.Close()
	var contenders []bench.Contender
	for _, name := range names {
		c.Job.Contender = name
		if name != bench.PyTorch {
			contenders = append(contenders, &bench.Process{Job: c.Job, Command: benchWorker})
			continue
		}
		var unable *bench.Unable
		switch err := torch.Find(ctx); {
		case err == nil:
			contenders = append(contenders, torch.Contender(c.Job))
		case errors.As(err, &unable):
			out.Notes = append(out.Notes, bench.Note{Contender: name, Why: unable.Why})
		default:
			return nil, err
		}
	}
	m := bench.Match{Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget, FLOP: flop, Profile: f.profile, Only: f.only, Peer: c.Peer}
	results, notes, err := m.Play(ctx, contenders)
	out.Results, out.Notes = results, append(out.Notes, notes...)
	if err == nil && len(results) == 0 {
		return nil, fmt.Errorf("bench: no contender could do it: %s", out.Said())
	}
	return out, err
}

// match plays and prints: a table, or the object with the job's own fields.
func (a *app) match(ctx context.Context, f *benchFlags, c bench.Case, known []string, fields map[string]any) error {
	var engines []engineState
	if c.Job.Kind != bench.KindVec && c.Job.Kind != bench.KindCoded {
		engines = engineStates()
	}
	names, err := pick(f.engines, known, engines)
	if err != nil {
		return err
	}
	begin := func() {
		if engines != nil {
			a.engineNote(enginesHere(engines))
		}
	}
	out, err := a.play(ctx, f, c, names, begin)
	if err != nil {
		return err
	}
	if !a.json {
		_, err := io.WriteString(a.out, out.Text())
		return err
	}
	fields["benchmark"], fields["threads"], fields["rounds"], fields["peer"] = c.Job.Kind, c.Job.Threads, f.rounds, c.Peer
	fields["engines"], fields["notes"] = out.Rows(), out.Notes
	if out.Warning != "" {
		fields["warning"] = out.Warning
	}
	return a.printJSON(fields)
}
