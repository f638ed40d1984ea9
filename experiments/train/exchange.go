package train

import (
	"fmt"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// checkExchange refuses what a method without a server cannot do, and options of
// such a method that another would ignore.
func (c *Config) checkExchange() error {
	sparse := c.Sync == "ringsparse"
	switch {
	case c.BatchSize != 0 && (!c.serverless() || c.BatchSize < c.Workers && !c.coded()):
		return fmt.Errorf("train: %d images for all %d workers of %s: want one each at least, and a method without a server", c.BatchSize, c.Workers, c.Sync)
	case c.Bucket < 0:
		return fmt.Errorf("train: buckets of %d bytes, want 0 or more", c.Bucket)
	case c.Segment < 0:
		return fmt.Errorf("train: segments of %d elements, want 0 or more", c.Segment)
	case !c.serverless() && (c.Bucket > 0 || c.NoOverlap):
		return fmt.Errorf("train: buckets and overlap are of methods without a server, not of %s", c.Sync)
	case c.Bucket > 0 && sparse:
		return fmt.Errorf("train: ringsparse exchanges layer by layer (S13), no buckets of %d bytes", c.Bucket)
	case c.Segment > 0 && c.Sync != "ring":
		return fmt.Errorf("train: segments are of the ring, not of %s", c.Sync)
	case c.Sync == "hierarchical" && (c.PerNode < 1 || c.Workers%c.PerNode != 0):
		return fmt.Errorf("train: hierarchical with %d ranks per node, want a divisor of %d workers", c.PerNode, c.Workers)
	case c.PerNode != 0 && c.Sync != "hierarchical":
		return fmt.Errorf("train: ranks per node are of hierarchical, not of %s", c.Sync)
	case c.RingSparse != nil && !sparse:
		return fmt.Errorf("train: options of ringsparse, but the method is %s", c.Sync)
	case c.Mask != nil && !sparse:
		return fmt.Errorf("train: a mask is of ringsparse, not of %s", c.Sync)
	case c.Density != 0 && !(sparse && c.TimingOnly && c.Density > 0 && c.Density <= 1):
		return fmt.Errorf("train: density %g: above 0, at most 1, of a timing-only run with ringsparse", c.Density)
	case sparse && c.Momentum > 0:
		return fmt.Errorf("train: ringsparse with momentum %g: weights and gradients turn into each other (S51) for plain SGD only", c.Momentum)
	case c.TCP != nil && c.Runtime != "tcp":
		return fmt.Errorf("train: a place in a job of processes is of the runtime tcp, not of %s", c.Runtime)
	case sparse && c.RingSparse != nil:
		o := *c.RingSparse
		if o.Bandwidth == 0 {
			o.Bandwidth = 1 // the run finds it
		}
		return o.Validate()
	}
	return nil
}

// bucket is what one exchange of a dense method sums: consecutive layers.
type bucket struct {
	first, last    int // layers, in forward order
	offset, length int // of their parameters
}

// buckets cuts the layers, last first, into pieces of at least so many bytes; the
// first layers may be fewer.
func buckets(layers []cluster.Layer, bytes int64) []bucket {
	var out []bucket
	open := false
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		if !open {
			out = append(out, bucket{last: i})
		}
		b := &out[len(out)-1]
		b.first, b.offset, b.length = i, l.Offset, b.length+l.Length
		open = 4*int64(b.length) < bytes
	}
	return out
}

// sum all-reduces one bucket of the gradient in place.
func (x *replica) sum(b bucket) error {
	p, tag, n := x.p, cluster.Tag(b.first), b.length
	var grads []float32
	if x.task != nil {
		grads = x.task.grads[b.offset : b.offset+n]
	}
	timing := x.task == nil
	ring := collective.Ring{Segment: x.cfg.Segment, Scratch: &x.scratch}
	switch {
	case x.cfg.Sync == "ring" && timing:
		return ring.AllReduceTiming(p, tag, n)
	case x.cfg.Sync == "ring":
		return ring.AllReduce(p, tag, grads)
	case x.cfg.Sync == "halving-doubling" && timing:
		return collective.HalvingDoublingTiming(p, tag, n)
	case x.cfg.Sync == "halving-doubling":
		return collective.HalvingDoubling(p, tag, grads)
	case x.cfg.Sync == "hierarchical" && timing:
		return collective.HierarchicalTiming(p, tag, x.cfg.PerNode, n)
	case x.cfg.Sync == "hierarchical":
		return collective.Hierarchical(p, tag, x.cfg.PerNode, grads)
	case timing:
		return collective.NaiveExchangeTiming(p, tag, 0, n)
	}
	return collective.NaiveExchange(p, tag, 0, grads)
}

// SparseOutcome is what a training with ringsparse leaves beside the rest.
type SparseOutcome struct {
	Totals ringsparse.Totals `json:"totals"` // over all ranks
	Lossy  bool              `json:"lossy"`  // gradients were dropped, with error feedback
	// Density is what a timing-only run took for every worker's gradients, a choice of
	// whoever started it; absent where densities are those of real numbers.
	Density   float64     `json:"density,omitempty"`
	Bandwidth float64     `json:"bandwidth"` // B of the cost rule, bytes/s, rank 0's
	Rates     []CodecRate `json:"rates"`     // of the cost rule, rank 0's
	// ProbeBytes is what finding Bandwidth on a real clock sent beside bytes_sent;
	// kernel_bytes has it.
	ProbeBytes int64 `json:"probe_bytes,omitempty"`
	// Choices are rank 0's, in order, if Options.LogChoices.
	Choices []ringsparse.Choice `json:"-"`
}

// CodecRate is cluster.CodecRate as an outcome has it: dense bytes per second.
type CodecRate struct {
	Name   string  `json:"name"`
	Encode float64 `json:"encode"`
	Decode float64 `json:"decode"`
}
