package rank

import (
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/device"
)

// computation is one Start on a rank's device.
type computation struct {
	t       *Thread
	f       func(done func(int)) error
	stages  []*Req
	seconds []float64 // modelled, cumulative, at the host's own speed
	err     error
	seen    bool
}

func (t *Thread) Start(f func(done func(int)) error, stages ...cluster.Work) []cluster.Req {
	c, r := t.core, t.rank
	err := t.Enter()
	defer c.Mu.Unlock()
	j := &computation{t: t, f: f}
	out := make([]cluster.Req, len(stages))
	for i := range out {
		q := r.NewReq(computing)
		q.work = j
		j.stages, out[i] = append(j.stages, q), q
		if err != nil {
			q.Complete(err)
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
	c.computing++
	r.queue = append(r.queue, j)
	if !r.working {
		r.working = true
		c.Group.Add(1)
		go r.serve()
	}
	return out
}

// serve runs the queue in order, as the rank's device, and ends with it.
func (r *Rank) serve() {
	c := r.core
	defer c.Group.Done()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	for len(r.queue) > 0 {
		j := r.queue[0]
		r.queue = r.queue[1:]
		begin := c.Now()
		aborted := c.Abort != nil || r.gone
		c.Mu.Unlock()
		var err error
		if !aborted {
			err = j.compute(begin)
		}
		c.Mu.Lock()
		if c.Abort != nil && err == nil {
			err = c.Abort
			j.seen = true
		}
		for _, q := range j.stages {
			q.Complete(err) // those still open
		}
		if j.err = err; err != nil {
			r.failed = append(r.failed, j)
		}
		c.computing--
		c.stall()
	}
	r.working = false
}

// compute runs the computation, which begins at an instant of the run, and completes
// its stages one by one.
func (j *computation) compute(begin time.Duration) error {
	c, from := j.t.core, begin
	stageDone := func(i int) {
		if c.cfg.Emulate {
			c.sleep(begin + time.Duration(j.t.rank.host.Lasts(begin.Seconds(), j.seconds[i])*1e9))
		}
		c.Mu.Lock()
		defer c.Mu.Unlock()
		to := c.Now()
		c.span(j.t, cluster.SpanCompute, from, to)
		from = to
		j.stages[i].Complete(nil)
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
func (c *Core) sleep(until time.Duration) {
	timer := time.NewTimer(until - c.Now())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.aborted:
	}
}
