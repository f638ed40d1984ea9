package dasp

import (
	"time"

	"gradsync/shared/cluster"
)

// worker is one node: it receives weights, computes a gradient, sends it.
type worker struct {
	p      cluster.Proc
	job    Job
	params int
	stages []cluster.Work

	in   [2]cluster.Msg // weights, in turn: one is read while the next may come
	out  cluster.Msg    // gradient
	loss float64
}

// newWorker prepares rank p's worker.
func newWorker(p cluster.Proc, job Job) *worker {
	w := &worker{p: p, job: job, params: job.params()}
	// The forward pass is one stage, then each layer's backward pass, last layer
	// first. The paper sends a gradient when all of it is there.
	var forward cluster.Work
	for _, l := range job.Layers {
		forward.FLOP += l.Forward.FLOP
		forward.Bytes += l.Forward.Bytes
		forward.Fixed += l.Forward.Fixed
	}
	w.stages = append(w.stages, forward)
	for i := len(job.Layers) - 1; i >= 0; i-- {
		w.stages = append(w.stages, job.Layers[i].Backward)
	}
	return w
}

// run iterates until the server says Stop.
func (w *worker) run() error {
	next := w.p.Irecv(0, tagWeights, &w.in[0])
	var sent cluster.Req
	for step := int64(0); ; step++ {
		if err := cluster.Wait(w.p, next); err != nil {
			return err
		}
		weights := &w.in[step%2]
		if isEnd(weights) {
			break
		}
		if err := checkBody(weights, "weights", w.params); err != nil {
			return err
		}
		if sent != nil { // answered, so surely sent: this never takes time
			if err := cluster.Wait(w.p, sent); err != nil {
				return err
			}
		}
		next = w.p.Irecv(0, tagWeights, &w.in[(step+1)%2])
		compute, err := w.gradient(step, weights.Body)
		if err != nil {
			return err
		}
		if next.Done() {
			break // the server speaks out of turn only to say Stop
		}
		w.out.Meta = pushMeta(step, weights.Meta[1], compute, w.loss)
		sent = w.p.Isend(0, tagPush, &w.out)
	}
	return cluster.Wait(w.p, w.p.Isend(0, tagPush, &cluster.Msg{Meta: endMeta()}))
}

// gradient computes this step's gradient on the weights and leaves it in w.out.
// It returns f: how long the computation took. The node's own waiting is not in
// it, or waits would feed on themselves.
func (w *worker) gradient(step int64, weights []byte) (time.Duration, error) {
	began := w.p.Now()
	var stages []cluster.Req
	if w.job.Task == nil {
		w.out.Declared = 4 * w.params
		stages = w.p.Start(nil, w.stages...)
	} else {
		stages = w.p.Start(func(done func(int)) error { return w.pass(step, weights, done) }, w.stages...)
	}
	if err := cluster.Wait(w.p, stages...); err != nil {
		return 0, err
	}
	return w.p.Now() - began, nil
}

// pass is the forward and backward pass. It runs off the process.
func (w *worker) pass(step int64, weights []byte, done func(int)) (err error) {
	task := w.job.Task
	copyFloats(task.Params(), weights)
	last := len(w.stages) - 1
	began := false
	w.loss, err = task.Grad(step, func(layer int) {
		if !began {
			began = true
			done(0)
		}
		// Stage `last` is the first layer's. It is held back until the gradient
		// is encoded, because its completion hands w.out over.
		if stage := last - layer; stage < last {
			done(stage)
		}
	})
	if err != nil {
		return err
	}
	w.out.Body = appendFloats(w.out.Body[:0], task.Grads())
	done(last)
	return nil
}
