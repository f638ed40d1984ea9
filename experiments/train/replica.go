package train

import (
	"errors"
	"sync"

	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp"
	"gradsync/papers/ringsparse"
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
	team  cluster.Proc     // on which gradients are exchanged: p, or that of the crew
	crew  *collective.Crew // nil: the first rank lost ends the run
	steps int64
	task  *task // nil in a timing-only run
	end   ending
	sums  *summedTask // nil: messages sum gradients

	opt       *dasp.Optimiser // of dense methods; nil: steps have no state
	codedLog  *codedsgd.Log   // of methods of codedsgd, as far as the run is; nil: another's
	sparseLog *ringsparse.Log // the same of ringsparse
	timing    bool            // the step computes nothing

	scratch collective.Scratch
	given   bool // the step's end came from another rank
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
	x.opt = &opt
	if x.cfg.Devices != nil {
		if x.sums, err = x.join(); err != nil {
			return err
		}
		defer func() { err = x.sums.leave(err) }()
		plan = nil
	}
	var state [][]float32 // besides the step, all that ranks have in common
	var apply func() error
	if x.task != nil {
		state = [][]float32{x.task.params, opt.Velocity(len(x.task.params))}
		apply = func() error {
			if !x.timing {
				opt.Step(x.task.params, x.task.grads, 1/x.gradients()) // training, steps 5, 6
			}
			return nil
		}
	}
	if x.crew, err = collective.NewCrew(x.p, cluster.Tag(len(x.layers)+2)); err != nil {
		return err
	}
	if x.team = x.p; x.crew != nil {
		x.team = x.crew.Proc()
	}
	step, err := x.begin()
	if err != nil {
		return err
	}
	for stop := false; step < x.steps && !stop; {
		made, err := x.made(step, stages, plan, state)
		if err == nil && made == step+1 && !x.given {
			err = cluster.Compute(x.p, update, apply)
		}
		if err != nil {
			return err
		}
		if made == step {
			continue // again, without the lost
		}
		step = made
		x.end.Ends = append(x.end.Ends, x.p.Now())
		if stop, err = x.ended(step); err != nil {
			return err
		}
	}
	if x.crew != nil {
		if err := x.crew.Close(step, state...); err != nil {
			return err
		}
	}
	x.finish()
	return nil
}

// made makes the exchange of one step and returns the number of steps that can be made with it. Where a rank is lost
// that is step again, or step+1 if another had made it and has given what it led to.
func (x *replica) made(step int64, stages []cluster.Work, plan []bucket, state [][]float32) (int64, error) {
	x.given = false
	err := x.exchange(step, stages, plan)
	if x.crew == nil || !errors.Is(err, cluster.ErrLost) {
		return step + 1, err
	}
	now, err := x.crew.Regroup(step, state...)
	x.given = now > step
	return now, err
}

// gradients returns by what a sum of the living ranks' gradients is divided.
func (x *replica) gradients() float64 {
	living := x.team.Size()
	if living == x.p.Size() || x.cfg.BatchSize == 0 {
		return float64(living)
	}
	sum := 0.0 // each counts by its images
	for _, rank := range x.crew.Alive() {
		var t task
		t.share(rank, x.cfg.Workers, x.cfg.BatchSize)
		sum += float64(t.weight)
	}
	return sum
}

// finish notes the parameters that the rank ends with.
func (x *replica) finish() {
	if x.task == nil {
		return
	}
	x.end.Hash = ParamsHash(x.task.params)
	x.stopping.Lock()
	defer x.stopping.Unlock()
	if x.final == nil { // else another rank's, which are the same
		x.final = x.task.params
	}
}

// exchange computes one gradient and sums it over the ranks, bucket by bucket in
// the order in which they become final, the same on every rank.
func (x *replica) exchange(step int64, stages []cluster.Work, plan []bucket) error {
	var work func(done func(int)) error
	last := len(x.layers) - 1
	x.timing = x.task == nil || step < x.replayed()
	if !x.timing {
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
	reqs := x.team.Start(work, stages...) // training, steps 1, 2
	if x.cfg.NoOverlap {
		if err := cluster.Wait(x.team, reqs...); err != nil {
			return err
		}
	}
	// training, step 3: while the device goes on
	for _, b := range plan {
		if err := cluster.Wait(x.team, reqs[1+last-b.first]); err != nil {
			return err
		}
		if err := x.sum(b); err != nil {
			return err
		}
	}
	return cluster.Wait(x.team, reqs...) // training, step 4: the last sum is there too
}

// ended evaluates after the given number of updates, once for all ranks, whose parameters are the
// same bits, and reports whether the run shall end. Ranks of one process share the answer, which
// so costs no time; between processes rank 0 evaluates and, in a search for a target accuracy,
// tells the others, but in an elastic run, where rank 0 may be lost and each evaluates.
func (x *replica) ended(updates int64) (stop bool, err error) {
	n, every := int64(x.cfg.Workers), x.cfg.EvalEvery
	point := x.task != nil && every >= 0 && updates*n/every != (updates-1)*n/every
	if updates == x.keeping.at() { // made again up to here
		if err := x.restore(); err != nil {
			return false, err
		}
	}
	if x.cfg.TCP == nil || x.p.Rank() == 0 || x.cfg.alone() {
		if stop, err = x.decide(updates, point && updates > x.keeping.at()); err != nil {
			return false, err
		}
	}
	if point && x.cfg.TCP != nil && x.cfg.TargetAccuracy > 0 && !x.cfg.alone() {
		stop, err = x.agree(stop)
	}
	if stop {
		x.finish()
	}
	if err == nil {
		err = x.keepRank(updates, stop)
	}
	return stop, err
}

// decide reports the progress and evaluates at a point of the curve; the first rank to ask does,
// the others get its answer.
func (x *replica) decide(updates int64, point bool) (stop bool, err error) {
	v, n := &x.stopping, int64(x.cfg.Workers)
	v.Lock()
	defer v.Unlock()
	if updates <= v.decided {
		return v.stop, nil
	}
	v.decided = updates
	if x.cfg.Progress != nil && (!x.cfg.alone() || x.p.(cluster.Survivor).Alive()[0] == x.p.Rank()) {
		x.cfg.Progress(updates*n, x.steps*n)
	}
	if point {
		v.stop = x.evaluate(Point{Pushes: updates * n, Updates: updates, Seconds: x.before() + x.p.Now().Seconds()}, x.task.params)
	} else if updates == x.keeping.at() {
		v.stop = x.keeping.from.Stopped
	}
	stop = v.stop && (x.cfg.TCP == nil || x.cfg.TargetAccuracy > 0)
	return stop, x.keepCommon(updates, stop)
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
