package dasp

import (
	"fmt"
	"slices"

	"gradsync/shared/cluster"
)

// step tells the policy of an event and queues the decision's cost and what it
// orders. Timers are set at once, since time does not wait for the queue.
func (s *server) step(ev Event) {
	actions := s.policy.Step(ev)
	cost := s.job.Decision
	if s.adjusts(ev, actions) {
		cost.Fixed += s.job.Adjustment
	}
	if cost != (cluster.Work{}) {
		s.orders = append(s.orders, order{decision: cost})
	}
	for _, a := range actions {
		if a.Kind == SetTimer {
			s.nodes[a.Workers[0]].timer, s.timed = a.At, true
			continue
		}
		if a.Kind == Reply {
			for _, w := range a.Workers {
				s.nodes[w].timer = 0
			}
		}
		a.Workers = slices.Clone(a.Workers) // the policy's until its next Step
		s.orders = append(s.orders, order{Action: a})
	}
}

// adjusts reports whether a state other than QIS begins or ends with an event: a
// push is held in one, or a worker that was in one is answered or has its
// gradient dropped. QIS after QIS adjusts nothing, nor does a timer that finds
// the worker still held.
//
// Source: §3.2, the cost of state adjustment
func (s *server) adjusts(ev Event, actions []Action) bool {
	if d, ok := s.policy.(Decider); ok && ev.Kind == EventPush && d.Decided().State > QIS {
		return true
	}
	return slices.ContainsFunc(actions, func(a Action) bool { return a.Kind == Drop || a.Kind == Reply && a.State > QIS })
}

// advance carries out orders until one occupies the device. One at a time: the
// weights may not change between the update that a reply waits for and it.
func (s *server) advance() error {
	for s.running == nil && len(s.orders) > 0 && !s.stopped {
		o := s.orders[0]
		if o.Kind == 0 {
			s.running = s.p.Start(nil, o.decision)[0]
			return nil
		}
		for _, w := range o.Workers {
			if err := s.legal(o.Kind, w); err != nil {
				return err
			}
		}
		if o.Kind == Apply {
			s.update(o.Workers, o.Weight)
			return nil
		}
		for _, w := range o.Workers {
			if o.Kind == Drop {
				s.release(w, 0)
			} else {
				s.reply(w, o.Action)
			}
		}
		s.orders = s.orders[1:]
	}
	return nil
}

// legal returns an error if the policy orders what would use a gradient twice
// or never, or answer nobody.
func (s *server) legal(kind ActionKind, w int) error {
	n := s.nodes[w]
	if (kind == Apply || kind == Drop) != n.holds || kind == Reply && n.open < 0 {
		return fmt.Errorf("dasp: %s: order %d for worker %d: holds its gradient %v, owes it an answer %v",
			s.policy.Name(), kind, w, n.holds, n.open >= 0)
	}
	return nil
}

// update starts one global update on the device.
//
//	w ← w − γ · weight · Σ_{n ∈ workers} g_n, summed in the order given
//
// Source: Alg. 2, line 7
func (s *server) update(workers []int, weight float64) {
	p, k := float64(s.params), float64(len(workers))
	work := cluster.Work{FLOP: 2 * p * k, Bytes: 12 * p * k} // read g, read and write w
	if s.job.Task == nil {
		s.running = s.p.Start(nil, work)[0]
		return
	}
	gradients := make([][]byte, len(workers))
	for i, w := range workers {
		gradients[i] = s.nodes[w].gradient
	}
	weights := s.job.Task.Params()
	s.running = s.p.Start(func(done func(int)) error {
		s.opt.apply(weights, gradients, weight)
		done(0)
		return nil
	}, work)[0]
}

// release lets go of w's gradient, which is used or dropped. Its memory may hold the
// weights of a version, 0: none.
func (s *server) release(w int, version int64) {
	n := &s.nodes[w]
	s.spent.add(n.gradient, version)
	n.gradient, n.holds = nil, false
}

// updated finishes the order that occupied the device.
func (s *server) updated() error {
	err := s.running.Err()
	s.running = nil
	o := s.orders[0]
	s.orders = s.orders[1:]
	if err != nil || o.Kind == 0 {
		return err
	}
	s.version++
	s.joins = 0
	s.used += int64(len(o.Workers))
	for _, w := range o.Workers {
		s.release(w, s.version)
		s.log.Pushes[s.nodes[w].open].Applied = s.version
	}
	u := Update{Version: s.version, At: s.p.Now(), Workers: o.Workers, Pushes: s.used, Weight: o.Weight}
	s.log.Updates = append(s.log.Updates, u)
	s.stopped = s.job.MaxPushes > 0 && s.used >= s.job.MaxPushes ||
		s.job.MaxUpdates > 0 && s.version >= s.job.MaxUpdates
	if s.job.OnUpdate != nil {
		var params []float32
		if s.job.Task != nil {
			params = s.job.Task.Params()
		}
		if s.job.OnUpdate(u, params) {
			s.stopped = true
		}
	}
	if s.job.Keeper == nil || s.job.Task == nil {
		return nil
	}
	replaced, err := s.job.Keeper.Updated(u, s.job.Task.Params(), s.opt.Velocity(s.params), s.stopped)
	if replaced {
		s.spent.forget()
	}
	return err
}

// reply answers w's open push with the newest weights.
func (s *server) reply(w int, a Action) {
	n := &s.nodes[w]
	push := &s.log.Pushes[n.open]
	push.State, push.Gap, push.Replied = a.State, a.Gap, s.p.Now()
	push.Abandoned = push.Applied == 0
	n.open = -1
	s.send(w)
}

// send hands the newest weights to w: exactly those of the version recorded.
//
// Source: Alg. 2, line 8
func (s *server) send(w int) {
	n := &s.nodes[w]
	if n.lost {
		return
	}
	n.pulled, n.sent = s.version, s.p.Now() // Alg. 2, line 9
	m := &cluster.Msg{Meta: weightsMeta(s.version), Declared: 4 * s.params, Given: true}
	if s.job.Task != nil {
		m.Body = s.spent.holding(s.version, s.job.Task.Params())
		if s.job.Keeper != nil {
			s.job.Keeper.Handed(w, s.version, s.job.Task.Params())
		}
	}
	s.log.Bytes += int64(m.Size())
	s.p.Isend(w+1, tagWeights, m) // Alg. 2, line 8
	if s.job.Lease > 0 {          // from when the weights have left, however long this host slept before
		n.lease, s.timed = s.p.Now()+s.job.Lease, true
	}
}

// stop ends the run: it tells every worker and hears every living one out, so
// that no message is left. What comes now belongs to no run.
func (s *server) stop() error {
	s.log.End = s.p.Now()
	for w := range s.nodes {
		s.p.Isend(w+1, tagWeights, &cluster.Msg{Meta: endMeta()})
	}
	for s.awaited() {
		var until = s.p.Now() + s.job.Lease
		if s.job.Lease == 0 {
			until = 0
		}
		requests := []cluster.Req{s.receive}
		if s.living != nil {
			requests = append(requests, s.alarm)
		}
		i, err := s.p.WaitAny(until, requests...)
		if err != nil {
			s.p.Cancel(s.receive)
			if until > 0 { // dead since: its lease is over too
				return nil
			}
			return err
		}
		if i == 1 {
			s.bury()
			continue
		}
		if isEnd(&s.in) {
			s.nodes[s.in.From-1].ended = true
		}
		s.receive = s.p.Irecv(cluster.Any, tagPush, &s.in)
	}
	s.p.Cancel(s.receive)
	return nil
}

// awaited reports whether a worker that is present has not said Bye. None comes back, so
// that it begins where it stopped.
func (s *server) awaited() bool {
	for ; s.heard < len(s.nodes); s.heard++ {
		if n := &s.nodes[s.heard]; n.present && !n.ended {
			return true
		}
	}
	return false
}
