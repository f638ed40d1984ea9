//gradsync:pure

package dasp

import "time"

// EventKind says what reached the server.
//
// Source: Alg. 1, line 1
type EventKind uint8

// What reaches the server.
const (
	EventPush  EventKind = iota + 1 // worker's gradient is complete at the server
	EventTimer                      // the instant a SetTimer action asked for
	EventJoin                       // worker (re)joins; answered with the weights
	EventLeave                      // worker is dead: its lease ran out or it said so
)

// Event is one thing that happened at the server, at At on the run's clock.
// Compute is, of a push, how long the worker's iteration took: f of §2.1, in the
// reading of Job.F.
//
// Source: Alg. 1, line 1
type Event struct {
	Kind    EventKind
	Worker  int
	At      time.Duration
	Compute time.Duration
}

// ActionKind says what the server does.
//
// Source: Alg. 2
type ActionKind uint8

// What the server does.
const (
	// Apply makes one new version from the held gradients of Workers, in that
	// order: w ← w − γ · Weight · Σ g.
	Apply ActionKind = iota + 1
	// Reply sends the newest weights to Workers, who begin their next iteration.
	Reply
	// SetTimer asks for an EventTimer of Workers[0] at At.
	SetTimer
	// Drop discards the held gradients of Workers (backup workers).
	Drop
)

// Action is one order of a policy to the server, carried out in sequence.
//
// Source: Alg. 2
type Action struct {
	Kind    ActionKind
	Workers []int
	Weight  float64
	At      time.Duration
	State   State // of a Reply: the state the worker was in
	Gap     int64 // of a Reply: v_n − v_min as Decide saw it
}

// Policy is the seam between methods: BSP, ASP, SSP, DSSP and DASP differ in
// nothing else. A policy is pure: no clock, no randomness, no goroutine; the
// same events give the same actions. The slice returned by Step is valid until
// the next Step.
//
// What a policy owes, and the server checks: every gradient is named by exactly
// one Apply or Drop, before the Reply to its worker; every worker present is
// answered some day; nobody is answered who has not pushed or joined. A worker
// pushes only after it was answered, at most one timer per worker is set, and an
// answer cancels it.
//
// Source: ours: one server for all methods, so that only the method differs
type Policy interface {
	Name() string
	Step(Event) []Action
}

// Decider is a Policy that decides on each push by Algorithm 1, or by one like it, and tells
// what it decided on the latest.
//
// Source: ours: an audit trail holds every decision
type Decider interface {
	Policy
	Decided() Decision
}
