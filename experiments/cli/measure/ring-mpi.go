package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"gradsync/experiments/bench"
)

// benchRingOnMPI measures our ring over Open MPI beside our ring over TCP and two of C.
func (a *app) benchRingOnMPI(ctx context.Context, f *ringFlags) error {
	switch {
	case f.runtime != "mpi":
		return usagef("bench: ring: --runtime %s: want tcp or mpi", f.runtime)
	case f.profile > 0:
		return usagef("bench: ring: --profile is for --runtime tcp")
	case os.Getenv(WorkerEnv) != "":
		return errors.New("bench: a worker starts no workers")
	}
	sizes, err := f.checkRing()
	if err != nil {
		return err
	}
	mpi := &bench.MPI{Any: true}
	defer mpi.Close()
	if err := mpi.Build(ctx); err != nil {
		return fmt.Errorf("bench: ring: %w", err)
	}
	load, busy := bench.RingLoad()
	var rows []bench.OnMPIRow
	var facts []string
	set, finish := a.Bar("ring")
	defer finish()
	for i, np := range f.np {
		for k, bytes := range sizes {
			o, err := f.playOnMPI(ctx, bench.OnMPICase(np, bytes), mpi)
			if err != nil {
				return err
			}
			for _, r := range o.Results {
				for _, fact := range r.Facts {
					if line := r.Contender + ": " + fact; !slices.Contains(facts, line) {
						facts = append(facts, line)
					}
				}
			}
			rows = append(rows, o.OnMPI())
			set(float64(i*len(sizes)+k+1), float64(len(sizes)*len(f.np)), o.Title)
		}
	}
	if *a.JSON {
		return a.Print(map[string]any{"benchmark": "ring-mpi", "rounds": f.rounds, "load": load, "busy": busy, "rows": rows, "facts": facts})
	}
	fmt.Fprint(a.Out, bench.OnMPIText(rows))
	a.ringFoot(facts, load, busy)
	return nil
}

// playOnMPI runs the contenders of one case against each other.
func (f *ringFlags) playOnMPI(ctx context.Context, c bench.Case, mpi *bench.MPI) (*bench.Outcome, error) {
	out := &bench.Outcome{Case: c}
	job := func(contender string) bench.Job {
		j := c.Job
		j.Contender = contender
		return j
	}
	onMPI := func(ctx context.Context) *exec.Cmd {
		worker := self(ctx, append(f.worker(c.Job.Ranks), "--sharing", strconv.Itoa(c.Job.Ranks))...)
		cmd := mpi.Start(ctx, c.Job.Ranks, append([]string{worker.Path}, worker.Args[1:]...)...)
		cmd.Env = worker.Env
		return cmd
	}
	m := bench.Match{Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget, Peer: c.Peer}
	results, notes, err := m.Play(ctx, []bench.Contender{&bench.Process{Job: job(bench.RingOnMPI), Command: onMPI},
		&bench.Process{Job: job(bench.OurRing), Command: f.ringCommand(c.Job.Ranks)}, mpi.Contender(job(bench.MPIRing)), mpi.Contender(job(bench.MPIReduce))})
	out.Results, out.Notes = results, append(out.Notes, notes...)
	if err == nil && out.Find(bench.RingOnMPI) == nil {
		err = fmt.Errorf("bench: ring: %s", out.Said())
	}
	return out, err
}
