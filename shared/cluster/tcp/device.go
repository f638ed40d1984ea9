package tcp

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
	n := t.n
	err := t.enter()
	defer n.mu.Unlock()
	j := &job{t: t, f: f}
	out := make([]cluster.Req, len(stages))
	for i := range out {
		q := n.newReq("compute")
		q.job = j
		j.stages, out[i] = append(j.stages, q), q
		if err != nil {
			n.complete(q, err)
		}
	}
	if err != nil {
		return out
	}
	host := n.machine()
	factor := host.DrawJitter(n.jitter)
	var sum float64
	for _, s := range stages {
		sum += float64(host.Seconds(s) * factor)
		j.seconds = append(j.seconds, sum)
	}
	n.jobs++
	n.queue = append(n.queue, j)
	if !n.working {
		n.working = true
		n.group.Add(1)
		go n.serve()
	}
	return out
}

// serve is a rank's device: it runs the queue in order and ends with it.
func (n *node) serve() {
	defer n.group.Done()
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.queue) > 0 {
		j := n.queue[0]
		n.queue = n.queue[1:]
		begin := n.now()
		aborted := n.abort != nil
		n.mu.Unlock()
		var err error
		if !aborted {
			err = n.compute(j, begin)
		}
		n.mu.Lock()
		if n.abort != nil && err == nil {
			err = n.abort
			j.seen = true
		}
		for _, q := range j.stages {
			n.complete(q, err) // those still open
		}
		if j.err = err; err != nil {
			n.finished = append(n.finished, j)
		}
		n.jobs--
	}
	n.working = false
}

// compute runs one job and completes its stages one by one.
func (n *node) compute(j *job, begin time.Duration) error {
	from, host := begin, n.machine()
	stageDone := func(i int) {
		if n.cfg.Emulate {
			n.sleep(begin + time.Duration(host.Lasts(begin.Seconds(), j.seconds[i])*1e9))
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		to := n.now()
		n.span(j.t, cluster.Span{Kind: cluster.SpanCompute, Peer: -1, From: from, To: to})
		from = to
		n.complete(j.stages[i], nil)
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
func (n *node) sleep(until time.Duration) {
	timer := time.NewTimer(until - n.now())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.aborted:
	}
}

// machine is the host that computes, of unit speed if none is described.
func (n *node) machine() *cluster.Host {
	if n.cfg.Hosts == nil {
		return &cluster.Host{FLOPS: 1}
	}
	return &n.cfg.Hosts[n.cfg.Rank]
}
