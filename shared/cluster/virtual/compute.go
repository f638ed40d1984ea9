package virtual

import (
	"fmt"

	"gradsync/shared/cluster"
)

func (t *thread) Start(f func(done func(int)) error, stages ...cluster.Work) []cluster.Req {
	e, r := t.e, t.rank
	out := make([]cluster.Req, len(stages))
	if err := t.enter(); err != nil {
		for i := range out {
			out[i] = e.failed(e.newReq(r, kindCompute), err)
		}
		return out
	}
	var j *computation
	if f != nil {
		if r.queue == nil {
			r.queue = e.pool.Queue()
		}
		j = &computation{Computation: r.queue.Submit(f, len(stages)), rank: r.id}
		e.track(j)
	}
	if r.jitter == nil {
		r.jitter = cluster.Stream(e.cfg.Seed, r.id, "", "cluster/jitter")
	}
	begin := max(e.now, r.device)
	factor := r.host.DrawJitter(r.jitter)
	whole := e.cfg.Whole && f == nil && !e.cfg.Trace
	var seconds float64
	for i, w := range stages {
		seconds += float64(r.host.Seconds(w) * factor)
		if whole && i < len(stages)-1 {
			continue
		}
		q := e.newReq(r, kindCompute)
		if j != nil {
			q.more = &rest{work: j, stage: i}
		}
		e.finishAt(q, e.later(begin, r.host.Lasts(float64(begin)*picosecond, seconds)))
		if e.cfg.Trace {
			t.span(cluster.SpanCompute, fmt.Sprintf("stage %d", i), -1, 0, 0, max(begin, r.device), q.at)
		}
		r.device = q.at
		out[i] = q
	}
	if whole {
		for i := range out {
			out[i] = out[len(out)-1]
		}
	}
	return out
}

// track remembers j until the run's end, for its error, and forgets computations that
// have finished well.
func (e *engine) track(j *computation) {
	if len(e.started) >= 1024 && len(e.started)&(len(e.started)-1) == 0 {
		kept := e.started[:0]
		for _, old := range e.started {
			if !old.Succeeded() {
				kept = append(kept, old)
			}
		}
		clear(e.started[len(kept):])
		e.started = kept
	}
	e.started = append(e.started, j)
}
