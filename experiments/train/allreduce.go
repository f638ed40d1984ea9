package train

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// allReduce runs data-parallel SGD without a server: every rank holds the model, all gradients are
// summed layer by layer while the backward pass of earlier layers still runs, and every rank takes
// the same step.
//
//	w ← w − γ · (1/N) · Σ_n g_n
func (r *runner) allReduce(ctx context.Context) error {
	steps, err := r.steps()
	if err != nil {
		return err
	}
	var rates []cluster.CodecRate
	if r.cfg.Sync == "ringsparse" {
		if rates, err = r.codecRates(); err != nil {
			return err
		}
	}
	shared := r.sharedBlocks()
	ends, elapsed, err := launch(ctx, r, false, func(p cluster.Proc) (ending, error) {
		x := &replica{runner: r, p: p, steps: steps}
		if err := r.share(p); err != nil {
			return x.end, err
		}
		if begun, _ := r.begun(); begun > 0 && r.keeping.from.Last {
			x.steps = begun
		}
		if r.shared != nil {
			x.task = r.replicaTask(p.Rank())
			if r.cfg.BatchSize > 0 && !r.cfg.coded() {
				x.task.share(p.Rank(), r.cfg.Workers, r.cfg.BatchSize)
			}
		}
		var err error
		switch {
		case r.cfg.Sync == "ringsparse":
			err = x.sparse(rates)
		case r.cfg.coded():
			err = x.code(shared)
		default:
			err = x.dense()
		}
		if err == nil && r.cfg.TCP != nil && !r.cfg.alone() { // there the first of the living compares
			err = x.same("parameters at the end", x.end.Hash)
		}
		if err == nil && r.cfg.alone() {
			err = r.score()
		}
		return x.end, err
	})
	if err != nil || !r.leads() {
		return err
	}
	return r.endings(ends, elapsed)
}

// ending holds what one rank reports to rank 0 at the end.
type ending struct {
	Ends    []time.Duration // of each step
	Hash    string          // of the parameters at the end
	Sparse  ringsparse.Totals
	Lossy   bool
	Choices []ringsparse.Choice // of rank 0, which need not travel
	B       float64             // of S42
	Probe   int64               // bytes that finding B took
	Rates   []cluster.CodecRate
	Coded   codedsgd.Totals
}

// endings completes the outcome. It returns an error if two ranks end with different parameters.
func (r *runner) endings(ends []ending, elapsed time.Duration) error {
	living := ends[:0:0]
	for rank, e := range ends {
		if slices.Contains(r.out.Lost, rank) {
			continue
		}
		if living = append(living, e); e.Hash != living[0].Hash {
			return fmt.Errorf("train: %s: parameters of rank %d differ from the first's after %d updates", r.cfg.Sync, rank, len(living[0].Ends))
		}
	}
	ends = living
	r.out.Ends = latest(ends)
	begun, _ := r.begun()
	r.out.Updates = begun + int64(len(r.out.Ends))
	r.out.Pushes = r.out.Updates * int64(r.cfg.Workers)
	r.out.Iteration, r.out.Answered = times(ends, r.cfg.Warmup)
	zero := distribution(nil)
	r.out.Staleness, r.out.Gap, r.out.Clock = zero, zero, zero
	r.clock(elapsed)
	if r.cfg.coded() {
		r.out.Coded = &CodedOutcome{Options: r.cfg.codedOptions()}
		for _, e := range ends {
			r.out.Coded.Totals.Merge(e.Coded)
		}
	}
	if r.cfg.Sync != "ringsparse" {
		return nil
	}
	s := &SparseOutcome{Lossy: ends[0].Lossy, Choices: ends[0].Choices, Bandwidth: ends[0].B, Rates: []CodecRate{}}
	if r.cfg.TimingOnly {
		s.Density = r.cfg.density()
	}
	for _, e := range ends {
		s.Totals.Merge(e.Sparse)
		s.ProbeBytes += e.Probe
	}
	if r.cfg.Runtime == "local" { // there what the lost sent is counted, too
		s.ProbeBytes = r.probed.Load()
	}
	// Lists also of a run that went on from its own end and sent nothing.
	s.Totals.Hops, s.Totals.Codecs = append([]ringsparse.Tally{}, s.Totals.Hops...), append([]ringsparse.Tally{}, s.Totals.Codecs...)
	for _, c := range ends[0].Rates {
		s.Rates = append(s.Rates, CodecRate{c.Name, c.Encode, c.Decode})
	}
	r.out.BytesSent -= s.ProbeBytes
	r.out.RingSparse = s
	return nil
}

// steps returns how many updates the run makes at most.
func (r *runner) steps() (int64, error) {
	n := int64(r.cfg.Workers)
	pushes := (r.cfg.MaxPushes + n - 1) / n
	switch {
	case r.cfg.MaxUpdates > 0 && pushes > 0:
		return min(r.cfg.MaxUpdates, pushes), nil
	case r.cfg.MaxUpdates > 0:
		return r.cfg.MaxUpdates, nil
	case pushes > 0:
		return pushes, nil
	}
	return 0, input(fmt.Errorf("train: %s needs a bound on pushes or updates beside the target accuracy", r.cfg.Sync))
}

// optimiser returns the optimiser that every rank steps with.
func (r *runner) optimiser() dasp.Optimiser {
	return dasp.Optimiser{Rate: r.cfg.Rate, Momentum: r.cfg.Momentum, WeightDecay: r.cfg.WeightDecay}
}

// latest returns when the last rank ended each step.
func latest(ranks []ending) []time.Duration {
	last := slices.Clone(ranks[0].Ends)
	for _, e := range ranks[1:] {
		for i, end := range e.Ends {
			last[i] = max(last[i], end)
		}
	}
	return last
}

// times returns the means over steps after the warm-up. A rank's iteration is its step; an update
// is complete when the last rank has taken it. The first step only starts the clock, unless there
// is no other. counted is how many iterations, of all ranks, the means are over.
func times(ranks []ending, warmup int64) (t IterationTime, counted int64) {
	for _, e := range ranks {
		ends := e.Ends
		mean, n := 0.0, int64(len(ends))
		if first := max(warmup, 1); n > first {
			n -= first
			mean = (ends[len(ends)-1] - ends[first-1]).Seconds() / float64(n)
		} else if warmup == 0 && n > 0 {
			mean = ends[len(ends)-1].Seconds() / float64(n)
		} else {
			n = 0 // all was warm-up
		}
		counted += n
		t.ByWorker = append(t.ByWorker, mean)
		t.PerWorker += mean / float64(len(ranks))
	}
	t.PerPush, t.PerUpdate = t.PerWorker, t.PerWorker
	return t, counted
}

// bucket holds what one exchange of a dense method sums: consecutive layers.
type bucket struct {
	first, last    int // layers, in forward order
	offset, length int // of their parameters
}

// buckets cuts the layers, last first, into pieces of at least the given bytes; the first layers
// may be fewer.
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
	p, tag, n := x.team, cluster.Tag(b.first), b.length
	var grads []float32
	if x.task != nil {
		grads = x.task.grads[b.offset : b.offset+n]
	}
	timing := x.timing
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

// SparseOutcome holds the part of an Outcome that only ringsparse has.
type SparseOutcome struct {
	Totals ringsparse.Totals `json:"totals"` // over all ranks
	Lossy  bool              `json:"lossy"`  // gradients were dropped, with error feedback
	// Density is Config.Density of a timing-only run; absent where densities were measured on real
	// numbers.
	Density   float64     `json:"density,omitempty"`
	Bandwidth float64     `json:"bandwidth"` // B of the cost rule, bytes/s, rank 0's
	Rates     []CodecRate `json:"rates"`     // of the cost rule, rank 0's
	// ProbeBytes counts the bytes sent to measure Bandwidth on a real clock: kernel_bytes includes
	// them, bytes_sent does not.
	ProbeBytes int64 `json:"probe_bytes,omitempty"`
	// Choices are rank 0's, in order, if Options.LogChoices.
	Choices []ringsparse.Choice `json:"-"`
}

// CodecRate is cluster.CodecRate without its assumption, in dense bytes per second.
type CodecRate struct {
	Name   string  `json:"name"`
	Encode float64 `json:"encode"`
	Decode float64 `json:"decode"`
}
