package ringsparse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gradsync/shared/cluster"
)

// Job is one rank's part of a training run. Every rank gets its own Job; they
// agree in everything but Task, and start from the same parameters.
//
// There is no momentum, no clipping and no rate per layer: S51 turns weights into
// gradients and back by one number η per entry, which is the same on every rank
// and in every iteration. A velocity or a norm is neither, and sums of such
// weights turn back into nothing. Weight decay is the one that fits: it is part of
// the local gradient.
//
// Source: S1
type Job struct {
	// Task is this rank's. A nil Task is a timing-only run of the same events.
	Task   cluster.Task
	Layers []cluster.Layer // forward order, without gaps; nil: Task.Layers()

	Rate        float64 // η
	WeightDecay float64 // λ; the local gradient is g + λ·W0
	Steps       int64   // S7's number of iterations

	// Mask, if not nil, has one entry per parameter: where it is false, the local
	// weights are projected to +0 after the local step, and the parameters after the
	// average. Conversion and projection do not commute: weights made of gradients
	// (S51) are unmasked, so the second projection cannot be left out.
	Mask []bool

	// Density is the share that is not zero of one worker's blocks, for a
	// timing-only run; nil: all are dense. A sum's gradients fill in as if the ranks'
	// zeros were independent; its weights do not, because ranks share W0 and Mask, and
	// with them where weights are zero.
	Density func(layer int) (weights, gradients float64)

	// Blocks, if not nil, is asked once for where this rank's own blocks stay until they are
	// needed; nil Blocks, or a threshold: the task leaves the gradient in Grads. On a device the
	// gradient has the same bits, and so has the run.
	Blocks func(Local) (Blocks, error)

	Options Options

	// OnStep is called on this rank after each step's update. It costs no virtual
	// time and ends the run by returning true, which all ranks must do at once.
	OnStep func(step int64) (stop bool, err error)

	// A run that goes on from another begins with step From, on parameters that it left. One that makes its steps again, for
	// their times, computes nothing before step Timed and follows the log's decisions; OnStep puts parameters and
	// residual in place after step Timed−1. Keep notes decisions in the log.
	From, Timed int64
	Keep        bool
	// Log, unless nil, is what Run fills in and returns; it may be read and changed in OnStep. Its Residual, where it has
	// one, is what a threshold had dropped before the first step.
	Log *Log
}

// validate returns an error of one line if the job cannot run.
func (job *Job) validate() error {
	params := 0
	for _, l := range job.Layers {
		params += l.Length
	}
	switch {
	case len(job.Layers) == 0:
		return errors.New("ringsparse: the job's model has no layers")
	case len(job.Layers) > int(cluster.MaxTag):
		return fmt.Errorf("ringsparse: %d layers, want at most %d", len(job.Layers), cluster.MaxTag)
	case job.From < 0 || job.Timed < 0:
		return fmt.Errorf("ringsparse: first step %d, first computed step %d, want 0 or more", job.From, job.Timed)
	case job.Log != nil && job.Log.Residual != nil && len(job.Log.Residual) != params:
		return fmt.Errorf("ringsparse: residual of %d entries, layers cover %d", len(job.Log.Residual), params)
	case job.Steps <= 0:
		return fmt.Errorf("ringsparse: %d steps, want at least 1", job.Steps)
	case !(float32(job.Rate) > 0) || math.IsInf(float64(float32(job.Rate)), 0):
		return fmt.Errorf("ringsparse: learning rate %g, want more than 0: conversion divides by it", job.Rate)
	case !(job.WeightDecay >= 0) || math.IsInf(job.WeightDecay, 0):
		return fmt.Errorf("ringsparse: weight decay %g, want 0 or more", job.WeightDecay)
	case job.Task != nil && len(job.Task.Params()) != params:
		return fmt.Errorf("ringsparse: task has %d parameters, layers cover %d", len(job.Task.Params()), params)
	case job.Task != nil && !slices.EqualFunc(job.Layers, job.Task.Layers(), sameExtent):
		return errors.New("ringsparse: the job's layers are not the task's: gradients become final by the task's layers")
	case job.Mask != nil && len(job.Mask) != params:
		return fmt.Errorf("ringsparse: mask of %d entries, layers cover %d", len(job.Mask), params)
	}
	return nil
}

func sameExtent(a, b cluster.Layer) bool { return a.Offset == b.Offset && a.Length == b.Length }
