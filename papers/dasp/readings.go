//gradsync:pure

package dasp

import (
	"fmt"
	"slices"
	"time"
)

// Readings of what the paper has lost or leaves open. Each has a name, the word of the command line; the first of
// a kind is the default.

// WaitForm is a reading of equation (1), whose image is lost. The legend survives: T_wait of node i, a weight α,
// f_i, and f_j of the oldest node.
//
// Source: Eq. (1)
type WaitForm uint8

// The readings, most probable first.
const (
	WaitDifference WaitForm = iota // T_wait = α·(f_j − f_i), 0 when node i is the slower
	WaitAbsolute                   // T_wait = α·|f_i − f_j|
	WaitConvex                     // T_wait = α·f_i + (1−α)·f_j: a wait even when f_i = f_j
	WaitOldest                     // T_wait = α·f_j
)

var waitNames = []string{"difference", "absolute", "convex", "oldest"}

// String returns the form's name on the command line.
//
// Source: ours: the forms need names
func (w WaitForm) String() string { return nameOf("WaitForm", w, waitNames) }

// WaitForms returns all forms, most probable first.
//
// Source: Eq. (1)
func WaitForms() []WaitForm { return []WaitForm{WaitDifference, WaitAbsolute, WaitConvex, WaitOldest} }

// ParseWaitForm returns the form of that name; "" is the default form.
//
// Source: ours: the forms need names
func ParseWaitForm(name string) (WaitForm, error) {
	return named[WaitForm]("T_wait form", name, waitNames)
}

// DurationForm is a reading of f, "the time of the last iteration". The paper does not say where an iteration
// begins and ends. Neither reading holds the wait for the server's answer: T_wait is made from f and would feed on
// itself.
//
// Source: §2.1
type DurationForm uint8

// The readings, most probable first.
const (
	DurationCompute   DurationForm = iota // the forward and backward pass, as the worker measures it
	DurationIteration                     // from the weights' leaving the server to the gradient's arrival: both transfers
)

var durationNames = []string{"compute", "iteration"}

// String returns the form's name on the command line.
//
// Source: ours: the forms need names
func (d DurationForm) String() string { return nameOf("DurationForm", d, durationNames) }

// ParseDurationForm returns the form of that name; "" is the default form.
//
// Source: ours: the forms need names
func ParseDurationForm(name string) (DurationForm, error) {
	return named[DurationForm]("duration f", name, durationNames)
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

// Scale is the factor of each gradient in an update: a reading of equation (2), whose right-hand sides are lost.
//
// Source: Eq. (2)
type Scale uint8

// The factors.
const (
	scaleDefault Scale = iota // 1/N in QIS, 1/K in WSS and FSS
	ScaleWorkers              // 1/N, N workers in the cluster
	ScaleGroup                // 1/K, K gradients in this update (1 in QIS)
)

var scaleNames = []string{"default", "1/N", "1/K"}

// String returns "1/N", "1/K" or "default".
//
// Source: ours: the factors need names
func (s Scale) String() string { return nameOf("Scale", s, scaleNames) }

// ParseScale reads "1/N", "1/K", "1" (1/K of a single gradient) or "".
//
// Source: ours: the factors need names
func ParseScale(name string) (Scale, error) {
	if name == "1" {
		name = "1/K"
	}
	return named[Scale]("gradient weight", name, scaleNames)
}

// nameOf returns the name of a reading.
func nameOf[T ~uint8](kind string, of T, names []string) string {
	if int(of) < len(names) {
		return names[of]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(of))
}

// named returns the reading of a name, the first for "".
func named[T ~uint8](what, name string, names []string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 && name != "" {
		return 0, fmt.Errorf("dasp: %s %q, want one of %v", what, name, names)
	}
	return T(max(i, 0)), nil
}
