package dasp

import (
	"fmt"
	"time"
)

// DurationForm is a reading of f, "the time of the last iteration". The paper
// does not say where an iteration begins and ends.
//
// Source: §2.1
type DurationForm uint8

// The readings, most probable first. Neither holds the wait for the server's
// answer: T_wait is made from f and would feed on itself.
const (
	// DurationCompute is the forward and backward pass, as the worker measures it.
	DurationCompute DurationForm = iota
	// DurationIteration is from the weights' leaving the server to the gradient's
	// arrival: the pass and both transfers, with their queues at the server's NIC.
	DurationIteration
)

// durationNames are the forms' names on the command line, by value.
var durationNames = [...]string{"compute", "iteration"}

// String returns the form's name on the command line.
//
// Source: ours: the forms need names
func (d DurationForm) String() string {
	if int(d) < len(durationNames) {
		return durationNames[d]
	}
	return fmt.Sprintf("DurationForm(%d)", uint8(d))
}

// ParseDurationForm returns the form of that name; "" is the default form.
//
// Source: ours: the forms need names
func ParseDurationForm(name string) (DurationForm, error) {
	for i, n := range durationNames {
		if name == n {
			return DurationForm(i), nil
		}
	}
	if name == "" {
		return DurationCompute, nil
	}
	return 0, fmt.Errorf("dasp: duration f %q, want one of %v", name, durationNames)
}

// F returns f of the iteration that push p ends.
//
//	compute    p.Compute
//	iteration  p.Received − p.Sent
//
// Source: §2.1
func (d DurationForm) F(p Push) time.Duration {
	if d == DurationIteration {
		return p.Received - p.Sent
	}
	return p.Compute
}
