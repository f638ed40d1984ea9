//gradsync:pure

package rivals

import (
	"fmt"

	"gradsync/papers/dasp"
)

// rounds is the family of BSP: a round ends when all workers present but m have pushed; it makes one update of the
// mean gradient, summed in rank order. The m others are dropped when they come.
//
//	BSP     m = 0
//	backup  m > 0
type rounds struct {
	roster
	m    int
	late []bool // computes on the weights of a round that is over
	in   int    // gradients of this round
	gone int    // workers that are not present
}

// newBSP returns bulk synchronous parallel.
//
//	w ← w − γ·(1/N)·Σ_n g_n
//
// One update a round, of gradients that were all computed on the same weights: the parameters do not depend on the
// cluster.
//
// Source: §1
func newBSP(o Options) (dasp.Policy, error) { return newRounds("bsp", o.Workers, 0), nil }

// newBackup returns BSP with backup workers [21], Chen et al., 2016: of Workers = N + m, each round uses the first N
// gradients and drops the m slowest when they arrive; a dropped worker joins the round then under way.
//
// Source: §1
func newBackup(o Options) (dasp.Policy, error) {
	if o.Backup < 0 || o.Backup >= o.Workers {
		return nil, fmt.Errorf("backup: %d of %d workers are backup, want 0 to %d", o.Backup, o.Workers, o.Workers-1)
	}
	return newRounds("backup", o.Workers, o.Backup), nil
}

func newRounds(name string, n, m int) *rounds {
	return &rounds{roster: newRoster(name, n), m: m, late: make([]bool, n)}
}

// Step consumes one event.
func (b *rounds) Step(ev dasp.Event) []dasp.Action {
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
		b.in++
	case dasp.EventJoin: // with the weights of the round that is under way
		if !b.present[w] {
			b.gone--
		}
		b.late[w] = false
		b.join(w)
	case dasp.EventLeave:
		if b.waiting[w] {
			b.drop(w)
			b.in--
		}
		if b.present[w] {
			b.gone++
		}
		b.leave(w)
	}
	if b.in == 0 || b.in < min(b.n()-b.m, b.n()-b.gone) {
		return b.out
	}
	round := b.waiters()
	b.apply(1/float64(len(round)), round...)
	for w, here := range b.present {
		b.late[w] = here && !b.waiting[w]
	}
	b.in = 0
	b.answer(round, last)
	return b.out
}
