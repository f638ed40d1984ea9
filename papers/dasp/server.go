package dasp

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// server is the parameter server: it holds the weights and one gradient per
// worker, tells the policy what happens and does what it says.
//
// It never waits inside its receive loop. Whatever takes time, an update or a
// decision, is queued on the device; the loop waits for all at once.
type server struct {
	p      cluster.Proc
	job    Job
	policy Policy
	log    *Log

	params  int // P
	opt     Optimiser
	version int64
	used    int64
	joins   int // since the last update; without any they would go on for ever

	timed   bool  // a timer or a lease may be running
	least   int64 // clock of the workers present
	atLeast int   // how many of them have it, 0: to be counted anew
	heard   int   // at the end: workers before it have said Bye or left

	in      cluster.Msg
	receive cluster.Req
	nodes   []node
	orders  []order // what the policy ordered and is not carried out, in sequence
	running cluster.Req
	spent   bodies
	stopped bool

	living cluster.Survivor // nil: the first rank lost ends the run
	alarm  cluster.Req      // of living: the next loss
}

// node is the server's side of one worker.
type node struct {
	gradient []byte        // received and not used yet
	holds    bool          // gradient is not used yet
	open     int           // index in Log.Pushes of the push to answer, −1: none
	present  bool          // not dead
	lost     bool          // its rank is, for good
	ended    bool          // it said Bye
	clock    int64         // pushes
	pulled   int64         // version it was last handed
	sent     time.Duration // when that left
	timer    time.Duration // the policy's, 0: none
	lease    time.Duration // end of its lease while it computes, 0: none
}

// order is one action to carry out, or, without a kind, one decision's cost.
type order struct {
	decision cluster.Work
	Action
}

func newServer(p cluster.Proc, job *Job) *server {
	n := p.Size() - 1
	s := &server{p: p, job: *job, policy: job.Policy(), params: job.params(), version: job.From, used: job.FromPushes,
		opt: Optimiser{Rate: job.Rate, Momentum: job.Momentum, WeightDecay: job.WeightDecay},
		log: &Log{Workers: n, Params: job.params()}, nodes: make([]node, n)}
	if job.Velocity != nil {
		copy(s.opt.Velocity(s.params), job.Velocity)
	}
	for w := range s.nodes {
		s.nodes[w] = node{open: -1, present: true}
	}
	if living, ok := p.(cluster.Survivor); ok {
		s.living, s.alarm = living, living.Lost()
	}
	return s
}

// run receives until the run ends.
func (s *server) run() (*Log, error) {
	s.receive = s.p.Irecv(cluster.Any, tagPush, &s.in)
	for w := range s.nodes { // version 0: everybody begins in QIS
		s.send(w)
	}
	for {
		if err := s.advance(); err != nil {
			return nil, err
		}
		if s.stopped {
			return s.log, s.stop()
		}
		if err := s.wait(); err != nil {
			return nil, err
		}
	}
}

// wait lets time pass until a message, the end of the running update, a timer
// or the end of a lease, and handles it.
func (s *server) wait() error {
	due, w := s.deadline()
	requests := []cluster.Req{s.receive}
	if s.running != nil {
		requests = []cluster.Req{s.running, s.receive}
	}
	if s.living != nil {
		requests = append(requests, s.alarm)
	}
	if s.empty() { // what may still run on the device is for nobody
		return fmt.Errorf("dasp: all %d workers have left at version %d", len(s.nodes), s.version)
	}
	i, err := s.p.WaitAny(due, requests...)
	switch {
	case errors.Is(err, cluster.ErrDeadline):
		s.expire(w, due)
		return nil
	case err != nil:
		return err
	case requests[i] == s.receive:
		return s.arrived()
	case requests[i] == s.alarm:
		s.bury()
		return nil
	}
	return s.updated()
}

// arrived handles one gradient. That of a worker whose lease had run out is
// not used: the worker joins anew.
func (s *server) arrived() error {
	w, now := s.in.From-1, s.p.Now() // Alg. 2, line 1
	if w < 0 || w >= len(s.nodes) {
		return fmt.Errorf("dasp: push from rank %d, want 1 to %d", s.in.From, len(s.nodes))
	}
	if s.nodes[w].lost { // it had left before its rank was lost
		s.spent.add(s.in.Body, 0)
		s.in.Body = nil
		s.receive = s.p.Irecv(cluster.Any, tagPush, &s.in)
		return nil
	}
	if isEnd(&s.in) {
		return fmt.Errorf("dasp: worker %d ended before it was told to", w)
	}
	if err := checkBody(&s.in, "gradient", s.params); err != nil {
		return err
	}
	n := &s.nodes[w]
	step, pulled, compute, loss := readPush(&s.in)
	if pulled != n.pulled || n.open >= 0 {
		return fmt.Errorf("dasp: worker %d pushed a gradient of version %d, was handed %d (open push: %v)",
			w, pulled, n.pulled, n.open >= 0)
	}
	n.lease = 0
	n.open = len(s.log.Pushes)
	push := Push{Worker: w, Step: step, Pulled: pulled, Sent: n.sent,
		Received: now, Compute: compute, Loss: loss, Abandoned: true}
	s.log.Pushes = append(s.log.Pushes, push)
	s.log.Bytes += int64(s.in.Size())
	ev := Event{Kind: EventPush, Worker: w, At: now, Compute: s.job.F.F(push)}
	if n.present {
		s.tick(n)
		n.gradient, n.holds = s.in.Body, true
	} else {
		s.spent.add(s.in.Body, 0)
		if s.joins++; s.joins > 2*len(s.nodes) {
			return fmt.Errorf("dasp: lease of %v is too short: workers joined anew %d times at version %d", s.job.Lease, s.joins, s.version)
		}
		n.clock, n.present, ev.Kind, s.atLeast = s.slowest(), true, EventJoin, 0
	}
	s.log.Pushes[n.open].Clock = n.clock - s.slowest()
	s.in.Body = nil // the next gradient brings its own
	s.receive = s.p.Irecv(cluster.Any, tagPush, &s.in)
	s.step(ev)
	return nil
}

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

// tick counts a push of a worker that is present.
func (s *server) tick(n *node) {
	if s.atLeast > 0 && n.clock == s.least {
		s.atLeast--
	}
	n.clock++
}

// slowest returns the least clock of the workers present, 0 if there are none. It counts them
// when the last of the slowest has pushed, once a round, and not at every push.
func (s *server) slowest() (clock int64) {
	if s.atLeast == 0 {
		s.least = 0
		for i := range s.nodes {
			switch n := &s.nodes[i]; {
			case !n.present:
			case s.atLeast == 0 || n.clock < s.least:
				s.least, s.atLeast = n.clock, 1
			case n.clock == s.least:
				s.atLeast++
			}
		}
	}
	return s.least
}
