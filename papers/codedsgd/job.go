package codedsgd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// Task computes gradients of blocks of the batch on one node.
//
// Source: Eq. (3)
type Task interface {
	Layers() []cluster.Layer // forward order, without gaps
	Params() []float32       // of this rank, length of all layers together
	// BlockGrad writes to grads, as long as Params, the SUM over the samples lo … hi−1
	// of batch number step of their losses' gradients, and returns the sum of the
	// losses. It calls done(l) when layer l's part is final, last layer first. The bits
	// depend on parameters, step, lo and hi alone: r nodes compute the same block.
	BlockGrad(step int64, lo, hi int, grads []float32, done func(layer int)) (loss float64, err error)
}

// Job is one rank's part of a training. Every rank gets its own; they agree in
// everything but Task and what only takes time, and start from the same parameters. A
// rank that gets a packet by another job or other options ends the run; where every
// node has all blocks (r = n) nobody hears of the others.
//
// Source: Alg. 1
type Job struct {
	// Task is this rank's. nil: a timing-only run of the same events.
	Task Task
	// Layers hold the work of ONE sample each; nil: Task.Layers().
	Layers []cluster.Layer
	// Shapes are rows and columns of each layer's weights, which stand first in the
	// layer, row by row; what follows (a bias) is cut by itself. nil: each layer is one
	// column of numbers.
	Shapes [][2]int
	// Pass is the cost of a layer's forward pass beside its arithmetic, per micro-block
	// that has samples; its backward pass costs twice that. Iteration is the cost of an
	// iteration beside all passes.
	Pass, Iteration cluster.Work

	Batch       int // |F_j|, samples of all nodes together
	Rate        float64
	WeightDecay float64
	Steps       int64
	Options     Options

	// OnStep is called on this rank after each step's update (Algorithm 1, step 8, is
	// evaluated there, off the run's clock) and ends the run by returning true, which all
	// ranks must do at once.
	OnStep func(step int64) (stop bool, err error)

	// A run that goes on from another begins with step From, on parameters that it left. One that makes its steps again, for
	// their times, computes nothing before step Timed; OnStep puts the parameters in place after step Timed−1.
	From, Timed int64
	// Log, unless nil, is what Run fills in and returns; it may be read and changed in OnStep.
	Log *Log
}

// validate returns an error of one line if the job cannot run; it fills in Layers.
func (job *Job) validate() error {
	if job.Task != nil && job.Layers == nil {
		job.Layers = job.Task.Layers()
	}
	params := 0
	for i, l := range job.Layers {
		if l.Offset != params || l.Length < 0 {
			return fmt.Errorf("codedsgd: layer %d has %d parameters from %d on, want it to begin at %d", i, l.Length, l.Offset, params)
		}
		params += l.Length
	}
	switch {
	case len(job.Layers) == 0 || len(job.Layers) > int(cluster.MaxTag):
		return fmt.Errorf("codedsgd: a model of %d layers, want 1 to %d", len(job.Layers), cluster.MaxTag)
	case job.Shapes != nil && len(job.Shapes) != len(job.Layers):
		return fmt.Errorf("codedsgd: %d shapes for %d layers", len(job.Shapes), len(job.Layers))
	case job.From < 0 || job.Timed < 0:
		return fmt.Errorf("codedsgd: first step %d, first computed step %d, want 0 or more", job.From, job.Timed)
	case job.Steps <= 0 || job.Batch <= 0:
		return fmt.Errorf("codedsgd: %d steps of %d samples, want at least 1", job.Steps, job.Batch)
	case !(job.Rate >= 0) || math.IsInf(job.Rate, 0) || !(job.WeightDecay >= 0) || math.IsInf(job.WeightDecay, 0):
		return fmt.Errorf("codedsgd: learning rate %g, weight decay %g, want 0 or more", job.Rate, job.WeightDecay)
	case job.Task != nil && len(job.Task.Params()) != params:
		return fmt.Errorf("codedsgd: task has %d parameters, layers cover %d", len(job.Task.Params()), params)
	case job.Task != nil && !slices.EqualFunc(job.Layers, job.Task.Layers(), sameExtent):
		return errors.New("codedsgd: the job's layers are not the task's: gradients become final by the task's layers")
	}
	return nil
}

func sameExtent(a, b cluster.Layer) bool { return a.Offset == b.Offset && a.Length == b.Length }

// Log records one rank's run.
//
// Source: ours: the communication of §2.4, counted
type Log struct {
	Ends   []time.Duration // of each step, on the run's clock
	Losses []float64       // mean over this rank's own samples, per step; none in a timing-only run
	Totals Totals
	// Repeated counts the steps whose exchange was given up and made again, because a node was lost.
	Repeated int64
}

// Totals count what this rank sent in all steps. Bytes are of bodies.
//
// Source: Eq. (28)
type Totals struct {
	Packets   int64 `json:"packets"`   // sent, a multicast once
	Bytes     int64 `json:"bytes"`     // of them, a multicast once
	Delivered int64 `json:"delivered"` // of them, once per receiver
	Useful    int64 `json:"useful"`    // bytes received that this rank had not yet: of a literal exchange fewer than Received
	Received  int64 `json:"received"`
	// Of this rank's own gradients, elements that int32 could not hold.
	Saturated int64 `json:"saturated"`
	NotFinite int64 `json:"not_finite"`
	// CodingBytes are int32 terms quantised, added, subtracted and summed.
	CodingBytes int64 `json:"coding_bytes"`
}

// Merge adds another rank's counts.
//
// Source: ours: the cluster's total
func (t *Totals) Merge(o Totals) {
	t.Packets += o.Packets
	t.Bytes += o.Bytes
	t.Delivered += o.Delivered
	t.Useful += o.Useful
	t.Received += o.Received
	t.Saturated += o.Saturated
	t.NotFinite += o.NotFinite
	t.CodingBytes += o.CodingBytes
}
