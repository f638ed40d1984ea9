package ringsparse

import (
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
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
	stages, update := works(job.Layers)
	for x.step = 0; x.step < job.Steps; x.step++ {
		if err := x.iterate(stages); err != nil {
			return nil, err
		}
		var finish func() error
		if job.Task != nil {
			finish = func() error { x.finish(); return nil }
		}
		if err := cluster.Compute(p, update, finish); err != nil {
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

// works are the device's: the forward pass, every layer's backward pass, last
// first, and the update, which reads a sum and reads and writes the parameters.
func works(layers []cluster.Layer) (stages []cluster.Work, update cluster.Work) {
	var forward cluster.Work
	params := 0
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		forward.FLOP += l.Forward.FLOP
		forward.Bytes += l.Forward.Bytes
		forward.Fixed += l.Forward.Fixed
		stages = append(stages, l.Backward)
		params += l.Length
	}
	update = cluster.Work{FLOP: 2 * float64(params), Bytes: 12 * float64(params)}
	return append([]cluster.Work{forward}, stages...), update
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
	reqs := x.p.Start(work, stages...)
	if x.job.Options.NoOverlap {
		if err := cluster.Wait(x.p, reqs...); err != nil {
			return err
		}
	}
	for layer := last; layer >= 0; layer-- {
		if err := cluster.Wait(x.p, reqs[1+last-layer]); err != nil {
			return err
		}
		if err := x.exchange(layer); err != nil {
			return err
		}
	}
	return cluster.Wait(x.p, reqs...)
}

// fold makes of the task's gradient what the exchange calls g: with weight decay,
// and as the direction of descent if that is the reading.
//
//	g ← ∇ + λ·W0,   or   0 − (∇ + λ·W0)
//
// 0 − x keeps +0 a +0, which −x does not.
func fold(g, w0 []float32, decay float64, s Sign) {
	if decay != 0 {
		vec.AxpyTo(g, float32(decay), w0)
	}
	if s == Printed {
		for i, v := range g {
			g[i] = 0 - v
		}
	}
}
