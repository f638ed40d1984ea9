package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/experiments/peers"
)

// workerEnv marks a process that bench started; one of those starts no other.
const workerEnv = "GRADSYNC_BENCH_WORKER"

// benchWorkerCommand is the other end of bench: a contender in a process of its
// own, told what to do on standard input.
func (a *app) benchWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, Short: "Measure what standard input says (bench starts it)",
		Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return bench.Serve(cmd.InOrStdin(), a.out, bench.Open) },
	}
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

func (f *benchFlags) check() error {
	if f.rounds < 1 || !(f.seconds > 0) || f.budget < 0 || f.profile < 0 {
		return usagef("bench: want at least 1 round, seconds above 0, budget and profile from 0")
	}
	return nil
}

// pick keeps the wanted of the known names, all without a wish.
func pick(wanted, known []string) ([]string, error) {
	if len(wanted) == 0 {
		return known, nil
	}
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			return nil, usagef("bench: no engine %q: known are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(n string) bool { return !slices.Contains(wanted, n) }), nil
}

// play runs the jobs' contenders against each other. With PyTorch among them its
// interpreter is looked for first; the notes say what is missing.
func (a *app) play(ctx context.Context, f *benchFlags, job bench.Job, names []string, peer string) (results []*bench.Result, notes []bench.Note, err error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	job.Contender = names[0]
	if err := job.Check(); err != nil {
		return nil, nil, usageError{err}
	}
	if os.Getenv(workerEnv) != "" {
		return nil, nil, errors.New("bench: a worker starts no workers")
	}
	torch := &bench.Torch{Scripts: peers.Scripts, Python: f.python}
	defer torch.Close()
	var contenders []bench.Contender
	for _, name := range names {
		if name == bench.PyTorch {
			err := torch.Find(ctx)
			var unable *bench.Unable
			if errors.As(err, &unable) {
				notes = append(notes, bench.Note{Contender: name, Why: unable.Why})
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			contenders = append(contenders, torch.Contender(job))
			continue
		}
		j := job
		j.Contender = name
		contenders = append(contenders, &bench.Process{Job: j, Command: benchWorker})
	}
	m := bench.Match{Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget, Profile: f.profile, Peer: peer}
	results, more, err := m.Play(ctx, contenders)
	if err == nil && len(results) == 0 {
		err = errors.New("bench: no contender could do it: " + sayNotes(append(notes, more...)))
	}
	return results, append(notes, more...), err
}

func sayNotes(notes []bench.Note) string {
	var said []string
	for _, n := range notes {
		said = append(said, n.Contender+": "+n.Why)
	}
	return strings.Join(said, "; ")
}

// benchRow is a result with the numbers derived from it.
type benchRow struct {
	*bench.Result
	Seconds float64 `json:"seconds"` // median of one step
	Images  float64 `json:"images_per_second,omitempty"`
	GFLOPS  float64 `json:"gflop_per_second"`
}

// rows derives; images is how many a step sees.
func rows(results []*bench.Result, images int, flop float64) []benchRow {
	var out []benchRow
	for _, r := range results {
		t := r.StepTime.Median
		out = append(out, benchRow{r, t, float64(images) / t, flop / t / 1e9})
	}
	return out
}

// printMatch prints a table, then what is known of each contender.
func (a *app) printMatch(list []benchRow, notes []bench.Note, peer string) {
	for _, r := range list {
		speed := fmt.Sprintf("%9.1f images/s", r.Images)
		if r.Images == 0 {
			speed = fmt.Sprintf("%9.3f ms", 1e3*r.Seconds)
		}
		fmt.Fprintf(a.out, "%-10s %-10s %s %8.2f GFLOP/s %8.4f CPU-s/step %6.0f MiB %8s allocs/step", r.Contender, r.Class, speed, r.GFLOPS,
			r.CPU.Median, float64(r.PeakBytes)/(1<<20), allocs(r.Allocs))
		if r.Ratio != nil {
			fmt.Fprintf(a.out, "  %.2f× %s (%.2f–%.2f)", r.Ratio.Median, peer, r.Ratio.Min, r.Ratio.Max)
		}
		fmt.Fprintln(a.out)
	}
	for _, n := range notes {
		fmt.Fprintf(a.out, "%s: %s\n", n.Contender, n.Why)
	}
	for _, r := range list {
		for _, fact := range r.Facts {
			fmt.Fprintf(a.out, "%s: %s\n", r.Contender, fact)
		}
	}
	for _, r := range list {
		for _, fn := range r.Functions {
			fmt.Fprintf(a.out, "%s: %5.1f %% %s\n", r.Contender, 100*fn.Share, fn.Name)
		}
	}
}

func allocs(n float64) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprintf("%.4g", n)
}
