package dasp

import (
	"errors"
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

// Job is one parameter-server run. Every rank gets its own Job; they agree in
// everything but Task. Rank 0 is the server, rank n+1 is worker n.
//
// Source: §2
type Job struct {
	Policy func() Policy // a fresh policy; called on the server only
	// Task is this rank's. On the server its Params are the global weights and
	// its Grad is never called. A nil Task is a timing-only run.
	Task   cluster.Task
	Layers []cluster.Layer // of the model; Task.Layers() or a full-size cost table

	Rate        float64 // γ, Alg. 2
	Momentum    float64 // ours, at the server; 0 in the fidelity runs
	WeightDecay float64 // ours, at the server; 0 in the fidelity runs

	MaxPushes  int64 // stop after this many gradients were used; 0: no bound
	MaxUpdates int64 // stop after this many global updates; 0: no bound

	F DurationForm // what an iteration's time is; the zero value is the default

	Decision cluster.Work // the server's cost of one Policy.Step (platform parameter)
	// Adjustment costs the server more time than Decision at each Policy.Step with
	// which a worker's state other than QIS begins or ends. §3.2 names such a cost.
	Adjustment time.Duration
	// Lease is how long a worker may be silent after it was handed weights before
	// it counts as dead: longer than any iteration with its transfers. 0: for ever.
	Lease time.Duration

	// OnUpdate is called on the server after each global update, in version
	// order. It costs no virtual time, must not keep params, and ends the run by
	// returning true (target accuracy reached).
	OnUpdate func(u Update, params []float32) (stop bool)

	// From and FromPushes are the updates and gradients that the run begins with, on weights that an earlier one left: of a
	// method under which no gradient is under way then. A worker's next gradient is its From-th.
	From, FromPushes int64
	Velocity         []float32 // the steps' state that it begins with; nil: zeros

	// Keeper, unless nil, is told on the server of what a run needs that goes on where this one is. A
	// timing-only run has nothing to keep.
	Keeper Keeper
}

// Keeper keeps the state of a run, and puts back what was kept. Its methods cost no virtual time and
// must not keep the slices that they are given.
//
// No rule of a policy reads a number, so a run can be made again up to an update with any gradients
// at all: who pushes when, and what uses it, stays the same. From the update on it is the run that was kept if
// Updated then puts back parameters and velocity, and the tasks compute the gradients that no update
// has used yet on the weights that Handed told of.
//
// Source: ours: a run that is killed loses no more than its last updates
type Keeper interface {
	// Handed tells that a worker is handed the weights of a version, its next gradient's.
	Handed(worker int, version int64, params []float32)
	// Updated tells of an update, after OnUpdate, and whether it is the last. It returns true if it put other
	// numbers into params or velocity, which is nil where steps have none.
	Updated(u Update, params, velocity []float32, last bool) (replaced bool, err error)
}

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
