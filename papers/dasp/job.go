package dasp

import (
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

// Update is one global model update (one version).
//
// Source: Alg. 2, line 7
type Update struct {
	Version int64 // 1 for the first
	At      time.Duration
	Workers []int   // whose gradients it used, in summation order
	Pushes  int64   // gradients used so far, this update included
	Weight  float64 // factor of each gradient: 1/N or 1/K, eq. (2)
}

// Push is the life of one gradient, seen from the server.
//
// Source: ours: what the paper's tables are computed from
type Push struct {
	Worker    int
	Step      int64         // the worker's own count, from 0
	Pulled    int64         // version the gradient was computed on
	Applied   int64         // version it became part of
	Gap       int64         // v_n − v_min that Decide saw (QIS, WSS, FSS policies)
	Clock     int64         // the worker's clock minus the slowest clock, at arrival
	State     State         // QIS for policies without states when not delayed
	Sent      time.Duration // reply with the weights it was computed on left the server
	Received  time.Duration // gradient complete at the server
	Replied   time.Duration // server began to send the next weights; Replied−Received is the wait
	Compute   time.Duration // the worker's forward and backward pass, as it measured it
	Loss      float64       // mini-batch loss; 0 in a timing-only run
	Abandoned bool          // dropped (backup workers) or never answered (end of run)
}

// Log is the server's record of a run: one Push per gradient in order of
// arrival, one Update per version.
//
// Source: ours: what the paper's tables are computed from
type Log struct {
	Workers int
	Params  int // P: a gradient or the weights are 4·P bytes
	Pushes  []Push
	Updates []Update
	Bytes   int64         // bodies sent by all ranks up to End: weights and gradients
	End     time.Duration // the server's last action
	Lost    []int         // workers whose ranks were lost, in that order, on a cluster.Survivor
}
