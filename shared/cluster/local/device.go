package local

import (
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/device"
)

// job is one Start on a rank's device.
type job struct {
	t       *thread
	f       func(done func(int)) error
	stages  []*req
	seconds []float64 // modelled, cumulative, at the host's own speed
	err     error
	seen    bool
}

func (t *thread) Start(f func(done func(int)) error, stages ...cluster.Work) []cluster.Req {
	w, r := t.w, t.rank
	err := t.enter()
	defer w.mu.Unlock()
	j := &job{t: t, f: f}
	out := make([]cluster.Req, len(stages))
	for i := range out {
		q := w.newReq(r, "compute")
		q.job = j
		j.stages, out[i] = append(j.stages, q), q
		if err != nil {
			w.complete(q, err)
		}
	}
	if err != nil {
		return out
	}
	factor := r.host.DrawJitter(r.jitter)
	var sum float64
	for _, s := range stages {
		sum += float64(r.host.Seconds(s) * factor)
		j.seconds = append(j.seconds, sum)
	}
	w.jobs++
	r.queue = append(r.queue, j)
	if !r.working {
		r.working = true
		w.group.Add(1)
		go w.serve(r)
	}
	return out
}

// serve is a rank's device: it runs the queue in order and ends with it.
func (w *world) serve(r *rank) {
	defer w.group.Done()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(r.queue) > 0 {
		j := r.queue[0]
		r.queue = r.queue[1:]
		begin := w.now()
		aborted := w.abort != nil
		w.mu.Unlock()
		var err error
		if !aborted {
			err = w.compute(j, begin)
		}
		w.mu.Lock()
		if w.abort != nil && err == nil {
			err = w.abort
			j.seen = true
		}
		for _, q := range j.stages {
			w.complete(q, err) // those still open
		}
		if j.err = err; err != nil {
			r.finished = append(r.finished, j)
		}
		w.jobs--
		w.checkDeadlock()
	}
	r.working = false
}

// compute runs one job and completes its stages one by one.
func (w *world) compute(j *job, begin time.Duration) error {
	from := begin
	stageDone := func(i int) {
		if w.cfg.Emulate {
			w.sleep(begin + time.Duration(j.t.rank.host.Lasts(begin.Seconds(), j.seconds[i])*1e9))
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		to := w.now()
		w.span(j.t, cluster.Span{Kind: cluster.SpanCompute, Peer: -1, From: from, To: to})
		from = to
		w.complete(j.stages[i], nil)
	}
	if j.f != nil {
		return device.Call(j.f, len(j.stages), stageDone)
	}
	for i := range j.stages {
		stageDone(i)
	}
	return nil
}

// sleep lasts until an instant of the run or until the run fails.
func (w *world) sleep(until time.Duration) {
	timer := time.NewTimer(until - w.now())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.aborted:
	}
}
