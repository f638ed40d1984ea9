package ringsparse

import "gradsync/shared/cluster"

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
	x := newRing(p, &job, r)
	if err := x.openBlocks(); err != nil {
		return nil, err
	}
	stages := works(job.Layers)
	for x.step = 0; x.step < job.Steps; x.step++ { // S1–S7, step 3
		if err := x.iterate(stages); err != nil {
			return nil, err
		}
		if err := x.update(); err != nil {
			return nil, err
		}
		x.log.Ends = append(x.log.Ends, p.Now())
		if job.OnStep == nil {
			continue
		}
		if stop, err := job.OnStep(x.step); err != nil || stop {
			return x.log, err
		}
	}
	return x.log, nil
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
	last := len(x.job.Layers) - 1
	var work func(done func(int)) error
	if task := x.job.Task; task != nil {
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
