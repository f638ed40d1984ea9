package cluster

import (
	"errors"
	"fmt"
)

// ErrCrashed loses the rank whose body or thread returns it or panics with it, alone or
// wrapped, on an elastic runtime: as if its host had failed at that instant. Once a rank is
// lost each call of its own threads returns ErrCrashed, and what they return counts for
// nothing. On a runtime that is not elastic it is an error like any other, and ends the run.
//
// Source: ours: one way to lose a rank, the same on every runtime
var ErrCrashed = errors.New("cluster: this rank has crashed")

// ErrLost is found in every LostError by errors.Is.
var ErrLost = errors.New("cluster: rank lost")

// LostError is the error of a receive from a rank that is lost.
type LostError struct{ Rank int }

func (e *LostError) Error() string { return fmt.Sprintf("cluster: rank %d is lost", e.Rank) }

// Is reports whether target is ErrLost.
func (e *LostError) Is(target error) bool { return target == ErrLost }

// Survivor is a Proc of a run that goes on without the ranks it loses; found by assertion on
// the Proc of a runtime started elastic. A rank is lost when its process dies, when its host
// cannot be reached any more, or by ErrCrashed. It does not come back.
//
// Every survivor is told of every loss, all in the same order, but not at one instant: a
// message of a survivor that was told may overtake the news at another. From the moment a
// rank is told:
//   - a receive from the lost rank, posted before or after, ends with a *LostError, unless
//     a message for it had arrived as a whole before; so does Ibcast with a lost root at its members
//   - a send to the lost rank completes and is dropped
//   - a receive from Any goes on with the living.
//
// A message of the lost rank that was still on its way may arrive at some ranks and not at
// others. The run ends well once every living rank has returned, however many are lost;
// Trace.Lost names them, and their results are nil. A deadlock is one of the living. A run
// that loses all its ranks fails.
//
// Source: ours: losing a machine loses no work
type Survivor interface {
	Proc
	// Lost returns a request that is done, with no error, once a rank is lost that earlier
	// calls of Alive on this Proc still listed (before the first call: any rank). WaitAny takes
	// it beside others.
	Lost() Req
	// Alive returns the ranks that this rank was not told are lost, itself among them, ascending.
	Alive() []int
}
