package train

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// allReduce is data-parallel SGD without a server: every rank holds the model,
// all gradients are summed layer by layer while the backward pass of earlier
// layers still runs, and every rank takes the same step.
//
//	w ← w − γ · (1/N) · Σ_n g_n
func (r *runner) allReduce(ctx context.Context) error {
	steps, err := r.steps()
	if err != nil {
		return err
	}
	g := &replicas{runner: r, steps: steps, ends: make([][]time.Duration, r.cfg.Workers), hashes: make([]string, r.cfg.Workers)}
	elapsed, err := r.launch(ctx, false, func(p cluster.Proc) error {
		x := &replica{replicas: g, p: p, opt: dasp.Optimiser{Rate: r.cfg.Rate, Momentum: r.cfg.Momentum, WeightDecay: r.cfg.WeightDecay}}
		if r.shared != nil {
			x.task = newTask(r.shared, r.cfg.Seed, p.Rank(), r.cfg.Workers, r.init)
		}
		return x.run()
	})
	if err != nil {
		return err
	}
	for rank, h := range g.hashes {
		if h != g.hashes[0] {
			return fmt.Errorf("train: %s: parameters of rank %d differ from rank 0's after %d updates", r.cfg.Sync, rank, len(g.ends[0]))
		}
	}
	r.out.Updates = int64(len(g.ends[0]))
	r.out.Pushes = r.out.Updates * int64(r.cfg.Workers)
	r.out.Iteration, r.out.Answered = g.times(r.cfg.Warmup)
	zero := distribution(nil)
	r.out.Staleness, r.out.Gap, r.out.Clock = zero, zero, zero
	r.clock(elapsed)
	return nil
}

// steps is how many updates the run makes at most.
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

// replicas is what the ranks of one all-reduce run share.
type replicas struct {
	*runner
	steps  int64
	ends   [][]time.Duration // [rank][step]
	hashes []string          // of each rank's parameters at the end

	mu     sync.Mutex
	judged int64 // steps whose evaluation is decided
	stop   bool
}

// replica is one rank.
type replica struct {
	*replicas
	p    cluster.Proc
	task *Task // nil in a timing-only run
	opt  dasp.Optimiser
}

func (x *replica) run() error {
	var stages []cluster.Work // the forward pass, then layers' backward, last first
	var forward cluster.Work
	params := 0
	for i := len(x.layers) - 1; i >= 0; i-- {
		l := x.layers[i]
		forward.FLOP += l.Forward.FLOP
		forward.Bytes += l.Forward.Bytes
		stages = append(stages, l.Backward)
		params += l.Length
	}
	stages = append([]cluster.Work{forward}, stages...)
	update := cluster.Work{FLOP: 2 * float64(params), Bytes: 12 * float64(params)} // read g, read and write w
	for step := int64(0); step < x.steps; step++ {
		if err := x.exchange(step, stages); err != nil {
			return err
		}
		if err := cluster.Compute(x.p, update, x.update()); err != nil {
			return err
		}
		x.ends[x.p.Rank()] = append(x.ends[x.p.Rank()], x.p.Now())
		if x.ended(step + 1) {
			break
		}
	}
	if x.task != nil {
		x.hashes[x.p.Rank()] = ParamsHash(x.task.params)
		if x.p.Rank() == 0 {
			x.final = x.task.params
		}
	}
	return nil
}

// exchange computes one gradient and sums it over the ranks. Layers are
// exchanged one at a time in the order in which they become final, the same on
// every rank.
func (x *replica) exchange(step int64, stages []cluster.Work) error {
	var work func(done func(int)) error
	last := len(x.layers) - 1
	if x.task != nil {
		work = func(done func(int)) error {
			_, err := x.task.Grad(step, func(layer int) {
				if layer == last {
					done(0)
				}
				done(1 + last - layer)
			})
			return err
		}
	}
	reqs := x.p.Start(work, stages...)
	for layer := last; layer >= 0; layer-- {
		if err := cluster.Wait(x.p, reqs[1+last-layer]); err != nil {
			return err
		}
		if err := x.sum(layer); err != nil {
			return err
		}
	}
	return cluster.Wait(x.p, reqs...)
}

// sum all-reduces one layer's gradient in place.
func (x *replica) sum(layer int) error {
	l, tag := x.layers[layer], cluster.Tag(layer)
	ring := x.cfg.Sync == "ring"
	switch {
	case x.task == nil && ring:
		return collective.RingAllReduceTiming(x.p, tag, l.Length)
	case x.task == nil:
		return collective.NaiveExchangeTiming(x.p, tag, 0, l.Length)
	case ring:
		return collective.RingAllReduce(x.p, tag, x.task.grads[l.Offset:l.Offset+l.Length])
	}
	return collective.NaiveExchange(x.p, tag, 0, x.task.grads[l.Offset:l.Offset+l.Length])
}

func (x *replica) update() func() error {
	if x.task == nil {
		return nil
	}
	return func() error {
		x.opt.Step(x.task.params, x.task.grads, 1/float64(x.cfg.Workers))
		return nil
	}
}

// ended evaluates after so many updates, once for all ranks, whose parameters
// are the same bits, and reports whether the run shall end.
func (x *replica) ended(updates int64) bool {
	n := int64(x.cfg.Workers)
	x.mu.Lock()
	defer x.mu.Unlock()
	if updates <= x.judged {
		return x.stop
	}
	x.judged = updates
	if x.cfg.Progress != nil {
		x.cfg.Progress(updates*n, x.steps*n)
	}
	every := x.cfg.EvalEvery
	if x.curve == nil || every < 0 || updates*n/every == (updates-1)*n/every {
		return false
	}
	x.stop = x.evaluate(Point{Pushes: updates * n, Updates: updates, Seconds: x.p.Now().Seconds()}, x.task.params)
	return x.stop
}

// times are the means over steps after the warm-up. A rank's iteration is its
// step; an update is complete when the last rank has taken it. The first step
// only starts the clock, unless there is no other. counted is how many
// iterations, of all ranks, the means are over.
func (g *replicas) times(warmup int64) (t IterationTime, counted int64) {
	for _, ends := range g.ends {
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
		t.PerWorker += mean / float64(len(g.ends))
	}
	t.PerPush, t.PerUpdate = t.PerWorker, t.PerWorker
	return t, counted
}
