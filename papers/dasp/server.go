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

// bury takes out the workers whose ranks are lost, at once: no lease need run out. What such a worker had pushed and no
// update has used is dropped.
func (s *server) bury() {
	alive := s.living.Alive()
	s.alarm = s.living.Lost()
	for w := range s.nodes {
		n := &s.nodes[w]
		if n.lost || slices.Contains(alive, w+1) {
			continue
		}
		was := n.present
		n.lost, n.present, n.timer, n.lease, s.atLeast = true, false, 0, 0, 0
		s.log.Lost = append(s.log.Lost, w)
		if was && !s.stopped {
			s.step(Event{Kind: EventLeave, Worker: w, At: s.p.Now()})
		}
	}
}

// deadline returns the earliest timer or end of a lease and whose it is; 0
// means none. A timer comes before a lease of the same instant.
func (s *server) deadline() (at time.Duration, w int) {
	if !s.timed {
		return 0, 0
	}
	for i := range s.nodes {
		for _, t := range [2]time.Duration{s.nodes[i].timer, s.nodes[i].lease} {
			if t > 0 && (at == 0 || t < at) {
				at, w = t, i
			}
		}
	}
	s.timed = at > 0
	return at, w
}

// expire handles w's timer or the end of its lease; a node never has both,
// since the lease runs while it computes and the timer while it waits.
func (s *server) expire(w int, due time.Duration) {
	n := &s.nodes[w]
	kind := EventTimer
	if n.timer == 0 {
		kind, n.present, s.atLeast = EventLeave, false, 0
	}
	n.timer, n.lease = 0, 0
	s.step(Event{Kind: kind, Worker: w, At: max(s.p.Now(), due)}) // a wall clock may be a tick early
}

// empty reports whether all workers have left.
func (s *server) empty() bool {
	for i := range s.nodes {
		if s.nodes[i].present {
			return false
		}
	}
	return true
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
