package train

import (
	"sync"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// stopping holds what ranks of one process share about the run's end.
type stopping struct {
	sync.Mutex
	decided int64 // steps whose evaluation is decided
	stop    bool
}

// replica is one rank of a method without a server.
type replica struct {
	*runner
	p     cluster.Proc
	steps int64
	task  *Task // nil in a timing-only run
	end   ending
	sums  *summedTask // nil: messages sum gradients

	scratch collective.Scratch
}

// dense is the loop of the methods that sum gradients as they are.
func (x *replica) dense() (err error) {
	var stages []cluster.Work // the forward pass, then layers' backward, last first
	var forward cluster.Work
	params := 0
	for i := len(x.layers) - 1; i >= 0; i-- {
		l := x.layers[i]
		forward.FLOP += l.Forward.FLOP
		forward.Bytes += l.Forward.Bytes
		forward.Fixed += l.Forward.Fixed
		stages = append(stages, l.Backward)
		params += l.Length
	}
	stages = append([]cluster.Work{forward}, stages...)
	update := cluster.Work{FLOP: 2 * float64(params), Bytes: 12 * float64(params)} // read g, read and write w
	plan, opt := buckets(x.layers, x.cfg.Bucket), x.optimiser()
	if x.cfg.Devices != nil {
		if x.sums, err = x.join(); err != nil {
			return err
		}
		defer func() { err = x.sums.leave(err) }()
		plan = nil
	}
	var apply func() error
	if x.task != nil {
		apply = func() error {
			opt.Step(x.task.params, x.task.grads, 1/float64(x.cfg.Workers)) // training, steps 5, 6
			return nil
		}
	}
	for step := int64(0); step < x.steps; step++ {
		if err := x.exchange(step, stages, plan); err != nil {
			return err
		}
		if err := cluster.Compute(x.p, update, apply); err != nil {
			return err
		}
		x.end.Ends = append(x.end.Ends, x.p.Now())
		if stop, err := x.ended(step + 1); stop || err != nil {
			return err
		}
	}
	x.finish()
	return nil
}

// finish notes the parameters that the rank ends with.
func (x *replica) finish() {
	if x.task == nil {
		return
	}
	x.end.Hash = ParamsHash(x.task.params)
	if x.p.Rank() == 0 {
		x.final = x.task.params
	}
}

// exchange computes one gradient and sums it over the ranks, bucket by bucket in
// the order in which they become final, the same on every rank.
func (x *replica) exchange(step int64, stages []cluster.Work, plan []bucket) error {
	var work func(done func(int)) error
	last := len(x.layers) - 1
	if x.task != nil {
		grad := x.task.Grad
		if x.sums != nil {
			grad = x.sums.Grad
		}
		work = func(done func(int)) error {
			_, err := grad(step, func(layer int) {
				if layer == last {
					done(0)
				}
				done(1 + last - layer)
			})
			return err
		}
	}
	reqs := x.p.Start(work, stages...) // training, steps 1, 2
	if x.cfg.NoOverlap {
		if err := cluster.Wait(x.p, reqs...); err != nil {
			return err
		}
	}
	// training, step 3: while the device goes on
	for _, b := range plan {
		if err := cluster.Wait(x.p, reqs[1+last-b.first]); err != nil {
			return err
		}
		if err := x.sum(b); err != nil {
			return err
		}
	}
	return cluster.Wait(x.p, reqs...) // training, step 4: the last sum is there too
}

// ended evaluates after the given number of updates, once for all ranks, whose parameters are the
// same bits, and reports whether the run shall end. Ranks of one process share the answer, which
// so costs no time; between processes rank 0 evaluates and, in a search for a target accuracy,
// tells the others.
func (x *replica) ended(updates int64) (stop bool, err error) {
	n, every := int64(x.cfg.Workers), x.cfg.EvalEvery
	point := x.task != nil && every >= 0 && updates*n/every != (updates-1)*n/every
	if x.cfg.TCP == nil || x.p.Rank() == 0 {
		stop = x.decide(updates, point)
	}
	if point && x.cfg.TCP != nil && x.cfg.TargetAccuracy > 0 {
		stop, err = x.agree(stop)
	}
	if stop {
		x.finish()
	}
	return stop, err
}

// decide reports the progress and evaluates at a point of the curve; the first rank to ask does,
// the others get its answer.
func (x *replica) decide(updates int64, point bool) (stop bool) {
	v, n := &x.stopping, int64(x.cfg.Workers)
	v.Lock()
	defer v.Unlock()
	if updates <= v.decided {
		return v.stop
	}
	v.decided = updates
	if x.cfg.Progress != nil {
		x.cfg.Progress(updates*n, x.steps*n)
	}
	if point {
		v.stop = x.evaluate(Point{Pushes: updates * n, Updates: updates, Seconds: x.p.Now().Seconds()}, x.task.params)
	}
	return v.stop && (x.cfg.TCP == nil || x.cfg.TargetAccuracy > 0)
}

// agree makes rank 0's answer every rank's.
func (x *replica) agree(stop bool) (bool, error) {
	group := make([]int, x.p.Size())
	for i := range group {
		group[i] = i
	}
	m := &cluster.Msg{Body: []byte{}} // the answer is in the header: no byte of an exchange
	if stop {
		m.Meta[0] = 1
	}
	if err := cluster.Wait(x.p, x.p.Ibcast(group, 0, cluster.Tag(len(x.layers)), m)); err != nil {
		return false, err
	}
	return m.Meta[0] == 1, nil
}
