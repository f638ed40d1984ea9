package dasp_test

import (
	"fmt"
	"slices"
	"time"

	"gradsync/papers/dasp"
)

// world drives one policy through a schedule and checks, event by event, what every policy owes: each gradient used or
// dropped exactly once, nobody answered before that, nobody answered who did not ask.
type world struct {
	policy  dasp.Policy
	n       int
	compute func(w int, step int64) time.Duration // of worker w's step-th iteration
	faults  []dasp.Event                          // Leave and Join, in order of time

	now                            time.Duration
	queue                          []dasp.Event
	timer                          []time.Duration // 0: none
	step                           []int64
	pending                        []bool // gradient at the server, not used
	asks                           []bool // gradient at the server, not answered
	present                        []bool
	held                           []int64         // version the worker holds: v
	since                          []time.Duration // when it pushed
	pushes, used, dropped, version int64

	onReply func(a dasp.Action, w int) // after the worker holds the new version
	onApply func(a dasp.Action)
	onEvent func()
}

func newWorld(p dasp.Policy, n int, compute func(int, int64) time.Duration) *world {
	s := &world{policy: p, n: n, compute: compute}
	s.timer, s.since = make([]time.Duration, n), make([]time.Duration, n)
	s.step, s.held = make([]int64, n), make([]int64, n)
	s.pending, s.asks, s.present = make([]bool, n), make([]bool, n), make([]bool, n)
	for w := range n {
		s.present[w] = true
		s.begin(w)
	}
	return s
}

// begin lets w compute its next iteration.
func (s *world) begin(w int) {
	f := s.compute(w, s.step[w])
	s.step[w]++
	s.queue = append(s.queue, dasp.Event{Kind: dasp.EventPush, Worker: w, At: s.now + f, Compute: f})
}

// next takes the earliest event: faults before timers before pushes at one instant, then by worker.
func (s *world) next() (dasp.Event, bool) {
	events := slices.Clone(s.queue)
	for w, at := range s.timer {
		if at > 0 {
			events = append(events, dasp.Event{Kind: dasp.EventTimer, Worker: w, At: at})
		}
	}
	if len(events) == 0 {
		return dasp.Event{}, false
	}
	if len(s.faults) > 0 {
		events = append(events, s.faults[0])
	}
	ev := slices.MinFunc(events, func(a, b dasp.Event) int {
		if a.At != b.At {
			return int(a.At - b.At)
		}
		if a.Kind != b.Kind {
			return int(b.Kind) - int(a.Kind)
		}
		return a.Worker - b.Worker
	})
	switch ev.Kind {
	case dasp.EventPush:
		s.queue = slices.DeleteFunc(s.queue, func(e dasp.Event) bool { return e == ev })
	case dasp.EventTimer:
		s.timer[ev.Worker] = 0
	default:
		s.faults = s.faults[1:]
	}
	return ev, true
}

// run goes on until the policy has used `pushes` gradients; it returns an error for a deadlock or a broken promise.
func (s *world) run(pushes int64) error {
	for s.used < pushes {
		ev, ok := s.next()
		if !ok {
			return fmt.Errorf("%s: deadlock at %v after %d gradients: waiting %v of present %v",
				s.policy.Name(), s.now, s.used, s.asks, s.present)
		}
		if err := s.deliver(ev); err != nil {
			return fmt.Errorf("%s at %v: %w", s.policy.Name(), s.now, err)
		}
	}
	return nil
}

// deliver hands one event to the policy and carries out its actions.
func (s *world) deliver(ev dasp.Event) error {
	s.now = ev.At
	w := ev.Worker
	switch ev.Kind {
	case dasp.EventPush:
		s.pushes++
		s.pending[w], s.asks[w], s.since[w] = true, true, s.now
	case dasp.EventLeave:
		if !s.present[w] {
			return nil
		}
		s.present[w], s.timer[w] = false, 0
		s.queue = slices.DeleteFunc(s.queue, func(e dasp.Event) bool { return e.Worker == w })
		s.asks[w] = false
	case dasp.EventJoin:
		if s.present[w] {
			return nil
		}
		s.present[w], s.asks[w] = true, true
	}
	for _, a := range s.policy.Step(ev) {
		if err := s.carryOut(a); err != nil {
			return err
		}
	}
	if s.onEvent != nil {
		s.onEvent()
	}
	return nil
}

func (s *world) carryOut(a dasp.Action) error {
	switch a.Kind {
	case dasp.Apply:
		if len(a.Workers) == 0 || a.Weight <= 0 || a.Weight > 1 {
			return fmt.Errorf("apply of %d gradients of weight %g", len(a.Workers), a.Weight)
		}
		for _, w := range a.Workers {
			if !s.pending[w] {
				return fmt.Errorf("gradient of worker %d used twice, or before it came", w)
			}
			s.pending[w] = false
			s.used++
		}
		s.version++
		if s.onApply != nil {
			s.onApply(a)
		}
	case dasp.Drop:
		for _, w := range a.Workers {
			if !s.pending[w] {
				return fmt.Errorf("drop of a gradient of worker %d that is not there", w)
			}
			s.pending[w] = false
			s.dropped++
		}
	case dasp.Reply:
		for _, w := range a.Workers {
			if s.pending[w] || !s.asks[w] || !s.present[w] {
				return fmt.Errorf("reply to worker %d: pending %v asks %v present %v", w, s.pending[w], s.asks[w], s.present[w])
			}
			s.asks[w], s.timer[w] = false, 0
			if s.held[w] > s.version {
				return fmt.Errorf("worker %d goes back from version %d to %d", w, s.held[w], s.version)
			}
			s.held[w] = s.version
			s.begin(w)
			if s.onReply != nil {
				s.onReply(a, w)
			}
		}
	case dasp.SetTimer:
		if a.At <= s.now {
			return fmt.Errorf("timer of worker %d at %v is not in the future", a.Workers[0], a.At)
		}
		s.timer[a.Workers[0]] = a.At
	}
	return nil
}

// oldest is min(v) over the workers present.
func (s *world) oldest() int64 {
	low := s.version
	for w, v := range s.held {
		if s.present[w] {
			low = min(low, v)
		}
	}
	return low
}

// waits reports how many gradients are at the server unused.
func (s *world) waits() (n int64) {
	for _, p := range s.pending {
		if p {
			n++
		}
	}
	return n
}
