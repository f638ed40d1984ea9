package dasp

import (
	"slices"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// worker is one node: it receives weights, computes a gradient, sends it.
type worker struct {
	p      cluster.Proc
	task   cluster.Task // nil: a timing-only run
	layers []cluster.Layer
	params int
	from   int64 // the first of its gradients

	in   [2]cluster.Msg // weights, in turn: one is read while the next may come
	out  cluster.Msg    // gradient
	loss float64

	// A body has one owner at a time. Weights come as the worker's own; once used, their
	// memory is the next gradient's, which is given to the server.
	spare         []byte
	own, ownGrads []float32 // weights and gradient, on a machine whose words are not the wire's
}

// newWorker prepares rank p's worker. It takes no more of the job than it needs: there may be 100,000 workers.
func newWorker(p cluster.Proc, job *Job) *worker {
	return &worker{p: p, task: job.Task, layers: job.Layers, params: job.params(), from: job.From}
}

// stages lists a gradient's: 0 … L−1 are the forward pass, L … 2L−1 the backward pass, last layer
// first. The paper sends a gradient when all of it is there. The list is made for each, as no worker of
// 100,000 should hold one while it waits.
func (w *worker) stages() []cluster.Work {
	layers := w.layers
	stages := make([]cluster.Work, 0, 2*len(layers))
	for _, l := range layers {
		stages = append(stages, l.Forward)
	}
	for _, l := range slices.Backward(layers) {
		stages = append(stages, l.Backward)
	}
	return stages
}

// run iterates until the server says Stop.
func (w *worker) run() error {
	next := w.p.Irecv(0, tagWeights, &w.in[w.from%2])
	var sent cluster.Req
	for step := w.from; ; step++ {
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
			if err := next.Err(); err != nil { // the server is lost
				return err
			}
			break // the server speaks out of turn only to say Stop
		}
		w.out.Meta, w.out.Given = pushMeta(step, weights.Meta[1], compute, w.loss), true
		w.spare, weights.Body = weights.Body, nil
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
	if w.task == nil {
		w.out.Declared = 4 * w.params
		stages = w.p.Start(nil, w.stages()...)
	} else {
		stages = w.p.Start(func(done func(int)) error { return w.pass(step, weights, done) }, w.stages()...)
	}
	// The last stage ends last, and every open stage ends with the pass's error.
	if err := cluster.Wait(w.p, stages[len(stages)-1]); err != nil {
		return 0, err
	}
	return w.p.Now() - began, nil
}

// pass computes the forward and backward pass. It runs off the process.
func (w *worker) pass(step int64, weights []byte, done func(int)) (err error) {
	task := w.task
	if cap(w.spare) < len(weights) {
		w.spare = make([]byte, len(weights))
	}
	body := w.spare[:len(weights)]
	lodger, lodges := task.(cluster.Lodger)
	if lodges {
		lodger.Lodge(elements(weights, &w.own), elements(body, &w.ownGrads))
	} else if err := vec.FromBytes(task.Params(), weights); err != nil {
		return err
	}
	layers := len(w.layers)
	last := 2*layers - 1
	began := false
	w.loss, err = task.Grad(step, func(layer int) {
		for l := 0; l < layers && !began; l++ {
			done(l) // a first gradient: the forward pass is over
		}
		began = true
		// The first layer's stage is held back until the gradient is encoded,
		// because its completion hands w.out over.
		if layer > 0 {
			done(last - layer)
		}
	})
	if err != nil {
		return err
	}
	if lodges {
		encode(body, task.Grads())
	} else {
		vec.AppendBytes(body[:0], task.Grads())
	}
	w.out.Body = body
	done(last)
	return nil
}
