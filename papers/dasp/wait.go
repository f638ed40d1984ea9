//gradsync:pure

package dasp

import (
	"fmt"
	"math"
	"time"

	"gradsync/papers/dasp/formula"
)

// WaitForm is a reading of equation (1), whose image is lost. The legend
// survives: T_wait of node i, a weight α, f_i, and f_j of the oldest node.
//
// Source: Eq. (1)
type WaitForm uint8

// The readings, most probable first.
const (
	// WaitDifference is T_wait = α·(f_j − f_i), 0 when node i is the slower.
	WaitDifference WaitForm = iota
	// WaitAbsolute is T_wait = α·|f_i − f_j|.
	WaitAbsolute
	// WaitConvex is T_wait = α·f_i + (1−α)·f_j: a wait even when f_i = f_j.
	WaitConvex
	// WaitOldest is T_wait = α·f_j.
	WaitOldest
)

// waitNames are the forms' names on the command line, by value.
var waitNames = [...]string{"difference", "absolute", "convex", "oldest"}

// String returns the form's name on the command line.
//
// Source: ours: the forms need names
func (w WaitForm) String() string {
	if int(w) < len(waitNames) {
		return waitNames[w]
	}
	return fmt.Sprintf("WaitForm(%d)", uint8(w))
}

// WaitForms returns all forms, most probable first.
//
// Source: Eq. (1)
func WaitForms() []WaitForm {
	return []WaitForm{WaitDifference, WaitAbsolute, WaitConvex, WaitOldest}
}

// ParseWaitForm returns the form of that name; "" is the default form.
//
// Source: ours: the forms need names
func ParseWaitForm(name string) (WaitForm, error) {
	for i, n := range waitNames {
		if name == n {
			return WaitForm(i), nil
		}
	}
	if name == "" {
		return WaitDifference, nil
	}
	return 0, fmt.Errorf("dasp: T_wait form %q, want one of %v", name, waitNames)
}

// Wait returns T_wait of node i in WSS, given the weight α ≥ 0, its own
// iteration time fi and the iteration time fj of the oldest node.
//
//	difference  α·(f_j − f_i)
//	absolute    α·|f_i − f_j|
//	convex      α·f_i + (1−α)·f_j
//	oldest      α·f_j
//
// The result lies in [0, f_j]: in f_j the oldest node has certainly completed
// an iteration, and nothing is gained by waiting longer. While either time is
// unknown (0: no iteration completed yet) nobody waits.
//
// Source: Eq. (1)
func (w WaitForm) Wait(alpha float64, fi, fj time.Duration) time.Duration {
	if fi <= 0 || fj <= 0 {
		return 0
	}
	i, j := float64(fi), float64(fj)
	var t float64
	switch w {
	case WaitDifference:
		t = formula.WaitDifference(alpha, i, j)
	case WaitAbsolute:
		t = formula.WaitAbsolute(alpha, i, j)
	case WaitConvex:
		t = formula.WaitConvex(alpha, i, j)
	case WaitOldest:
		t = formula.WaitOldest(alpha, j)
	default:
		panic("dasp: unknown T_wait form " + w.String())
	}
	return time.Duration(math.Round(min(t, j)))
}
