package dasp

import (
	"errors"
	"fmt"

	"gradsync/shared/cluster"
)

// Run trains job on a parameter server: rank 0 is the server, rank n+1 worker
// n. Every rank calls it. It returns the Log on rank 0 and nil on workers.
//
// The run ends after MaxPushes or MaxUpdates, or when OnUpdate says so. Without
// any of them it is an error, as are fewer than two ranks and a model without
// layers.
//
// On a cluster.Survivor a worker that is lost leaves at once, under every method, and
// the others go on; a barrier is then one of the living. A server that is lost ends the run.
//
// Source: §2
func Run(p cluster.Proc, job Job) (*Log, error) {
	if job.Task != nil && job.Layers == nil {
		job.Layers = job.Task.Layers()
	}
	if err := job.validate(p.Size()); err != nil {
		return nil, err
	}
	if p.Rank() == 0 {
		return newServer(p, &job).run()
	}
	err := newWorker(p, &job).run()
	if lost := (*cluster.LostError)(nil); errors.As(err, &lost) {
		err = fmt.Errorf("dasp: the server, rank %d, is lost, and with it the weights: %w", lost.Rank, err)
	}
	return nil, err
}

// validate returns an error of one line if job cannot run on size ranks.
func (job *Job) validate(size int) error {
	switch {
	case size < 2:
		return fmt.Errorf("dasp: %d ranks, want a server and at least one worker", size)
	case len(job.Layers) == 0:
		return errors.New("dasp: the job's model has no layers")
	case job.MaxPushes <= 0 && job.MaxUpdates <= 0 && job.OnUpdate == nil:
		return errors.New("dasp: the run has no end: MaxPushes, MaxUpdates and OnUpdate are unset")
	case job.Policy == nil:
		return errors.New("dasp: the job has no policy")
	case job.From < 0 || job.FromPushes < 0:
		return fmt.Errorf("dasp: a run from update %d and gradient %d on, want 0 or more", job.From, job.FromPushes)
	case job.Velocity != nil && len(job.Velocity) != job.params():
		return fmt.Errorf("dasp: velocity of %d parameters, layers cover %d", len(job.Velocity), job.params())
	case job.Lease < 0:
		return fmt.Errorf("dasp: lease of %v, want more than 0, or 0 for no end", job.Lease)
	case int(job.F) >= len(durationNames):
		return fmt.Errorf("dasp: unknown duration form %d", job.F)
	case job.Task != nil && len(job.Task.Params()) != job.params():
		return fmt.Errorf("dasp: task has %d parameters, layers cover %d", len(job.Task.Params()), job.params())
	}
	return nil
}

// params returns P, the number of the model's parameters.
func (job *Job) params() (p int) {
	for _, l := range job.Layers {
		p += l.Length
	}
	return p
}
