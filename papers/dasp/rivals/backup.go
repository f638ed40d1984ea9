//gradsync:pure

package rivals

import (
	"fmt"

	"gradsync/papers/dasp"
)

// backup is BSP with backup workers.
type backup struct {
	roster
	m    int
	late []bool // computes on the weights of a round that is over
}

// NewBackup returns BSP with backup workers [21], Chen et al., 2016: of
// Workers = N + m, each round uses the first N gradients and drops the m
// slowest when they arrive; a dropped worker joins the round then under way.
//
// Source: §1
func NewBackup(o Options) (dasp.Policy, error) {
	if o.Backup < 0 || o.Backup >= o.Workers {
		return nil, fmt.Errorf("backup: %d of %d workers are backup, want 0 to %d", o.Backup, o.Workers, o.Workers-1)
	}
	return &backup{newRoster("backup", o.Workers), o.Backup, make([]bool, o.Workers)}, nil
}

// Step consumes one event.
func (b *backup) Step(ev dasp.Event) []dasp.Action {
	b.out = b.out[:0]
	last := -1
	switch w := ev.Worker; ev.Kind {
	case dasp.EventPush:
		b.arrive(w)
		if b.late[w] {
			b.late[w] = false
			b.drop(w)
			b.reply(w, dasp.QIS)
			return b.out
		}
		b.waiting[w], last = true, w
	case dasp.EventJoin:
		b.late[w] = false
		b.join(w)
	case dasp.EventLeave:
		if b.waiting[w] {
			b.drop(w)
		}
		b.leave(w)
	}
	b.barrier(last)
	return b.out
}

// barrier ends the round once N gradients are in, or all that can come.
func (b *backup) barrier(last int) {
	round := b.waiters()
	if len(round) == 0 || len(round) < min(b.n()-b.m, b.here()) {
		return
	}
	b.apply(1/float64(len(round)), round...)
	for w, here := range b.present {
		b.late[w] = here && !b.waiting[w]
	}
	for _, w := range round {
		state := dasp.State(0)
		if w == last {
			state = dasp.QIS
		}
		b.reply(w, state)
	}
}
