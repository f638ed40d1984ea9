//gradsync:pure

package dasp

import (
	"math"
	"time"
)

// View holds all that the server knows of the nodes: the version each one holds
// and how long its last iteration took. Slices have one entry per worker.
//
//	v = ⟨v_1 … v_n⟩, f = ⟨f_1 … f_n⟩, v_new
//
// V counts global updates: V[i] is the number of updates in the weights that
// worker i was last handed. F is a duration and 0 while unknown. Only workers
// that are Present count in min(v).
//
// Source: §2.1
type View struct {
	V       []int64
	F       []time.Duration
	Present []bool
	Newest  int64
}

// NewView returns the state at the start of training: n workers that all hold
// version 0.
//
// Source: §2.2
func NewView(n int) View {
	v := View{V: make([]int64, n), F: make([]time.Duration, n), Present: make([]bool, n)}
	for i := range v.Present {
		v.Present[i] = true
	}
	return v
}

// Oldest returns min(v) over the workers present and the lowest id that holds
// it, (Newest, −1) when nobody is present.
//
// Source: Alg. 1, line 4
func (v View) Oldest() (vmin int64, id int) { return v.oldestBut(-1) }

// oldestBut returns Oldest without worker skip. Ties go to the lowest id, so the
// same events always name the same node. Each gradient asks this of all workers:
// eight at a time, of whom mostly none is older.
func (v View) oldestBut(skip int) (vmin int64, id int) {
	vmin, id = math.MaxInt64, -1
	older := func(from, to int) {
		for i := from; i < to; i++ {
			if v.V[i] < vmin && i != skip && v.Present[i] {
				vmin, id = v.V[i], i
			}
		}
	}
	i := 0
	for ; i+8 <= len(v.V); i += 8 {
		c := v.V[i : i+8 : i+8]
		if min(min(c[0], c[1], c[2], c[3]), min(c[4], c[5], c[6], c[7])) < vmin {
			older(i, i+8)
		}
	}
	if older(i, len(v.V)); id < 0 {
		return v.Newest, id
	}
	return vmin, id
}

// Finished records f, the duration of worker n's iteration.
//
//	f_n ← f
//
// Source: Alg. 1, line 2
func (v *View) Finished(n int, f time.Duration) { v.F[n] = f }

// Updated records one global update.
//
//	v_new ← v_new + 1
//
// Source: §2.1
func (v *View) Updated() { v.Newest++ }

// Handed records that worker n was given the newest weights. After an update
// with n's gradient this is the paper's v_n ← v_new + 1.
//
// Source: Alg. 2, line 9
func (v *View) Handed(n int) { v.V[n] = v.Newest } // Alg. 2, line 9

// Join makes worker n present, registered at min(v) until its weights leave
// the server, so that a late joiner never is the oldest node by itself.
//
// Source: ours: the paper has no joining; at v = 0 a joiner would hold everybody in FSS
func (v *View) Join(n int) {
	vmin, _ := v.oldestBut(n)
	v.V[n], v.F[n], v.Present[n] = vmin, 0, true
}

// Leave takes worker n out of min(v).
//
// Source: ours: the paper has no failures; a dead oldest node would hold everybody in FSS
func (v *View) Leave(n int) { v.Present[n] = false }
