package train

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/method"
	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp/rivals"
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor"
)

// Server holds the fields of a Config that only methods with a parameter server read.
type Server struct {
	// Options of the method; Options.Workers is set from Workers. nil: the
	// defaults of rivals.Defaults.
	Options *rivals.Options `json:"options"`
	// Lease is how long a worker may be silent after it was handed weights before
	// the server goes on without it: longer than any iteration. 0: for ever. On tcp it
	// must be 0 (ErrLease) but in an elastic run, where it leaves out who is alive and silent;
	// a rank that is lost leaves without it.
	Lease time.Duration `json:"lease"`
	// Record is a file for the audit trail, of every gradient that arrived at the server
	// and every decision (package audit). Replay is one to follow, so that an asynchronous
	// run on a real clock has the bits of the recorded one.
	Record, Replay string `json:"-"`
}

// options returns the policy's options, completed, with the defaults that the descriptor of a
// registered method gives its parameters.
func (s Server) options(sync string, workers int) *rivals.Options {
	o := rivals.Defaults(workers)
	if s.Options != nil {
		o = *s.Options
		o.Workers = workers
	}
	m, _ := method.Get(sync)
	own := slices.Clone(o.Own)
	for _, f := range m.Parameters() {
		if !slices.ContainsFunc(own, func(p rivals.Parameter) bool { return p.Flag == f.Name }) {
			own = append(own, rivals.Parameter{Flag: f.Name, Value: f.Default.(float64)}) // Register saw to the type
		}
	}
	o.Own = own
	return &o
}

// ErrLease refuses a lease where it would do nothing: package tcp ends a run that is not elastic with the first
// rank that is lost.
var ErrLease = errors.New("train: --lease on tcp wants --elastic, and on mpi there is none: without it the first rank that is lost " +
	"ends the run, whatever the lease")

// check refuses what a server cannot do, and its fields where the method has none.
func (s Server) check(c *Config) error {
	switch {
	case !c.serverless() && c.Platform.Server == nil:
		return fmt.Errorf("train: method %s needs a server and platform %s has none", c.Sync, c.Platform.Name)
	case s.Lease < 0:
		return fmt.Errorf("train: lease of %v, want more than 0, or 0 for no end", s.Lease)
	case s.Lease > 0 && c.processes() && !c.Elastic.Elastic:
		return ErrLease
	case s.Lease > 0 && c.serverless():
		return fmt.Errorf("train: lease of %v, but method %s has no server that could go on without a worker", s.Lease, c.Sync)
	case s.Record != "" && s.Replay != "":
		return fmt.Errorf("train: a run that follows a recorded order decides nothing: record %s or follow %s, not both", s.Record, s.Replay)
	case (s.Record != "" || s.Replay != "") && (c.serverless() || c.Clock != nil || s.Lease > 0):
		return fmt.Errorf("train: an order of arrival is recorded and followed with a server, without lease and clock")
	}
	return nil
}

// AllReduce holds the fields of a Config that only methods of an all-reduce read. Those of
// codedsgd read NoOverlap, too.
type AllReduce struct {
	// Bucket fuses layers, last first, until they have that many bytes; 0: layer by layer.
	Bucket int64 `json:"bucket,omitempty"`
	// NoOverlap begins to exchange when the backward pass is over.
	NoOverlap bool `json:"no_overlap,omitempty"`
	// Segment is how many elements of the ring travel in one message; 0: whole chunks.
	Segment int `json:"segment,omitempty"`
	PerNode int `json:"per_node,omitempty"` // hierarchical's ranks per node
	// Devices sum the gradients of ranks among themselves, each those of one of this process's
	// ranks, which it computes; the first evaluates, and Engine is not asked. nil: the ranks'
	// messages do, as Sync says.
	Devices []tensor.Collective `json:"-"`
	// RingSparse are the options of ringsparse; nil: the patent's reading.
	RingSparse *ringsparse.Options `json:"ringsparse,omitempty"`
	// Mask, of ringsparse, is false for the parameters that stay zero; who sets it says
	// which they are.
	Mask []bool `json:"-"`
	// Density is the share of a worker's gradient that is not zero, which a timing-only
	// run with ringsparse takes for all layers; weights are dense. 0: 1.
	Density float64 `json:"density,omitempty"`
}

// check refuses what a method without a server cannot do, and fields of such a method
// that another would ignore.
func (a AllReduce) check(c *Config) error {
	sparse := c.Sync == "ringsparse"
	if a.Devices != nil {
		if err := c.CheckCollective(); err != nil {
			return err
		}
	}
	switch {
	case a.Bucket < 0:
		return fmt.Errorf("train: buckets of %d bytes, want 0 or more", a.Bucket)
	case a.Segment < 0:
		return fmt.Errorf("train: segments of %d elements, want 0 or more", a.Segment)
	case !c.serverless() && (a.Bucket > 0 || a.NoOverlap):
		return fmt.Errorf("train: buckets and overlap are of methods without a server, not of %s", c.Sync)
	case a.Bucket > 0 && sparse:
		return fmt.Errorf("train: ringsparse exchanges layer by layer (S13), no buckets of %d bytes", a.Bucket)
	case a.Segment > 0 && c.Sync != "ring":
		return fmt.Errorf("train: segments are of the ring, not of %s", c.Sync)
	case c.Sync == "hierarchical" && (a.PerNode < 1 || c.Workers%a.PerNode != 0):
		return fmt.Errorf("train: hierarchical with %d ranks per node, want a divisor of %d workers", a.PerNode, c.Workers)
	case a.PerNode != 0 && c.Sync != "hierarchical":
		return fmt.Errorf("train: ranks per node are of hierarchical, not of %s", c.Sync)
	case a.RingSparse != nil && !sparse:
		return fmt.Errorf("train: options of ringsparse, but the method is %s", c.Sync)
	case a.Mask != nil && !sparse:
		return fmt.Errorf("train: a mask is of ringsparse, not of %s", c.Sync)
	case a.Density != 0 && !(sparse && c.TimingOnly && a.Density > 0 && a.Density <= 1):
		return fmt.Errorf("train: density %g: above 0, at most 1, of a timing-only run with ringsparse", a.Density)
	case sparse && c.Momentum > 0:
		return fmt.Errorf("train: ringsparse with momentum %g: weights and gradients turn into each other (S51) for plain SGD only", c.Momentum)
	case sparse && a.RingSparse != nil:
		o := *a.RingSparse
		if o.Bandwidth == 0 {
			o.Bandwidth = 1 // the run finds it
		}
		return o.Validate()
	}
	return nil
}

// CodedSGD holds the fields of a Config that only methods of codedsgd read. Coded.Method is taken
// from Sync, and BatchSize must be set.
type CodedSGD struct {
	Coded *codedsgd.Options `json:"coded,omitempty"` // nil: redundancy 1
	// SpeedAware gives nodes images by their speed.
	SpeedAware bool `json:"speed_aware,omitempty"`
}

// check refuses what the methods of codedsgd cannot do, and their fields elsewhere.
func (s CodedSGD) check(c *Config) error {
	switch {
	case !c.coded() && (s.Coded != nil || s.SpeedAware):
		return fmt.Errorf("train: options of coded SGD, but the method is %s", c.Sync)
	case !c.coded():
		return nil
	case c.BatchSize < 1:
		return fmt.Errorf("train: %s cuts one batch of all nodes into blocks: want its images as batch size", c.Sync)
	case c.Momentum > 0:
		return fmt.Errorf("train: %s with momentum %g: eq. (4) is plain SGD", c.Sync, c.Momentum)
	case c.Bucket > 0:
		return fmt.Errorf("train: %s exchanges layer by layer, no buckets of %d bytes", c.Sync, c.Bucket)
	}
	return c.codedOptions().Check(c.Workers)
}

// Serverless lists the methods that have no parameter server.
func Serverless() []string { return method.Names(method.AllReduce, method.Coded) }

// serverless reports whether the method has no parameter server.
func (c *Config) serverless() bool { return slices.Contains(Serverless(), c.Sync) }

// coded reports whether the method is one of codedsgd's.
func (c *Config) coded() bool { return slices.Contains(codedsgd.Methods(), c.Sync) }
