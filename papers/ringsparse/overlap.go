package ringsparse

import (
	"errors"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// Run trains job on a ring of all ranks; every rank calls it and gets its own Log.
// It repeats, Steps times or until OnStep says so: forward pass on disjoint shards
// (S2); backward pass, and of each layer whose gradient is there, last first, local
// step and exchange (S3 to S6) while the pass goes on with the layers before; new
// parameters of every block's sum, the same bits on every rank.
//
// Layers are exchanged one at a time in the same order everywhere, by the thread
// that called Run. Parameters are W0 until all layers are there, since the
// backward pass still reads them.
//
// On a cluster.Survivor the ring closes without the ranks that are lost: the step that no
// rank has made is repeated on a ring of the living, and the mean is over these from then on.
// Where a rank had made it, the others are given the parameters that it led to.
//
// Source: S7
func Run(p cluster.Proc, job Job) (*Log, error) {
	if job.Task != nil && job.Layers == nil {
		job.Layers = job.Task.Layers()
	}
	r, err := job.Options.rules()
	if err == nil {
		err = job.validate()
	}
	if err != nil {
		return nil, err
	}
	crew, err := collective.NewCrew(p, cluster.Tag(len(job.Layers)))
	if err != nil {
		return nil, err
	}
	x := newRing(p, &job, r)
	if crew != nil {
		x = newRing(crew.Proc(), &job, r)
		x.all = p
	}
	if err := x.checkDecisions(); err != nil {
		return nil, err
	}
	if err := x.openBlocks(); err != nil {
		return nil, err
	}
	stages := works(job.Layers)
	for stop := false; x.step < job.Steps && !stop; { // S1–S7, step 3
		err := x.iterate(stages)
		if crew != nil && errors.Is(err, cluster.ErrLost) {
			if x, err = x.regroup(crew); err != nil {
				return nil, err
			}
			if !x.given {
				continue
			}
		} else if err == nil {
			err = x.update()
		}
		if err != nil {
			return nil, err
		}
		x.step++
		x.log.Ends = append(x.log.Ends, p.Now())
		if job.OnStep == nil {
			continue
		}
		if stop, err = job.OnStep(x.step - 1); err != nil {
			return x.log, err
		}
	}
	if crew != nil {
		if err := crew.Close(x.step, x.params); err != nil {
			return nil, err
		}
	}
	return x.log, nil
}

// regroup returns the ring of the living, after a loss, which repeats the step, or if given has what it led to: then all
// that this rank drops in it had been sent.
func (x *ring) regroup(crew *collective.Crew) (*ring, error) {
	made, err := crew.Regroup(x.step, x.params)
	if err != nil {
		return nil, err
	}
	y := newRing(crew.Proc(), x.job, x.rules)
	y.all, y.log, y.step, y.given = x.all, x.log, x.step, made > x.step
	if y.residual != nil {
		kept := x.before // y's and x's residual are one array where the log is the job's
		if y.given {
			kept = x.residual
		}
		copy(y.residual, kept)
		y.log.Residual = y.residual
	}
	return y, y.openBlocks()
}

// works are the device's stages of one iteration: the forward pass, then every
// layer's backward pass, last first.
func works(layers []cluster.Layer) []cluster.Work {
	var forward cluster.Work
	stages := []cluster.Work{{}}
	for i := len(layers) - 1; i >= 0; i-- {
		forward.FLOP += layers[i].Forward.FLOP
		forward.Bytes += layers[i].Forward.Bytes
		forward.Fixed += layers[i].Forward.Fixed
		stages = append(stages, layers[i].Backward)
	}
	stages[0] = forward
	return stages
}

// iterate is S2 to S6 of one iteration.
func (x *ring) iterate(stages []cluster.Work) error {
	if x.residual != nil && x.all != nil {
		x.before = append(x.before[:0], x.residual...)
	}
	last := len(x.job.Layers) - 1
	var work func(done func(int)) error
	if task := x.job.Task; !x.timing() {
		step := x.step
		work = func(done func(int)) error {
			_, err := task.Grad(step, func(layer int) {
				if layer == last {
					done(0)
				}
				done(1 + last - layer)
			})
			return err
		}
	}
	reqs := x.p.Start(work, stages...) // S1–S7, steps 4, 5
	if x.job.Options.NoOverlap {
		if err := cluster.Wait(x.p, reqs...); err != nil {
			return err
		}
	}
	exchange := x.exchange
	if x.rival {
		exchange = x.allGather
	}
	for layer := last; layer >= 0; layer-- {
		// S1–S7, step 5: its gradient is there
		if err := cluster.Wait(x.p, reqs[1+last-layer]); err != nil {
			return err
		}
		// S1–S7, step 7: the device goes on meanwhile
		if err := exchange(layer); err != nil {
			return err
		}
	}
	return cluster.Wait(x.p, reqs...) // S1–S7, step 8
}
