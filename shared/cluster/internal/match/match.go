// Package match pairs messages with receives of one rank.
package match

import (
	"fmt"
	"slices"

	"gradsync/shared/cluster"
)

// Key is carried by a message and asked for by a receive.
type Key struct {
	From  int // in a receive cluster.Any matches every source
	Tag   cluster.Tag
	Bcast bool // broadcasts match broadcasts only
}

func (want Key) accepts(got Key) bool {
	return want.Tag == got.Tag && want.Bcast == got.Bcast &&
		(want.From == got.From || want.From == cluster.Any)
}

type entry[T any] struct {
	key Key
	val T
}

// Box holds one rank's receives that wait for messages, in posting order, and
// messages that wait for receives, in order of completion. At any time one of
// the two has no partner in the other.
type Box[Recv, Message comparable] struct {
	posted []entry[Recv]
	early  []entry[Message]
}

// Post offers a receive. It returns the oldest message that matches, or keeps
// the receive.
func (b *Box[R, M]) Post(want Key, r R) (m M, ok bool) {
	for i := range b.early {
		if want.accepts(b.early[i].key) {
			m = b.early[i].val
			b.early = remove(b.early, i)
			return m, true
		}
	}
	b.posted = append(b.posted, entry[R]{want, r})
	return m, false
}

// First returns the oldest posted receive.
func (b *Box[R, M]) First() (r R, ok bool) {
	if len(b.posted) > 0 {
		return b.posted[0].val, true
	}
	return r, false
}

// Deliver offers a complete message. It returns the oldest receive that
// matches, or keeps the message.
func (b *Box[R, M]) Deliver(got Key, m M) (r R, ok bool) {
	if r, ok = b.Take(got); !ok {
		b.Keep(got, m)
	}
	return r, ok
}

// Take returns the oldest receive that matches a message.
func (b *Box[R, M]) Take(got Key) (r R, ok bool) {
	for i := range b.posted {
		if b.posted[i].key.accepts(got) {
			r = b.posted[i].val
			b.posted = remove(b.posted, i)
			return r, true
		}
	}
	return r, false
}

// Keep keeps a message that no receive matches.
func (b *Box[R, M]) Keep(got Key, m M) { b.early = append(b.early, entry[M]{got, m}) }

// Cancel withdraws a posted receive and reports whether it was still posted.
func (b *Box[R, M]) Cancel(r R) bool {
	for i := range b.posted {
		if b.posted[i].val == r {
			b.posted = remove(b.posted, i)
			return true
		}
	}
	return false
}

// Lose withdraws the posted receives that only messages of one source match, and returns them in posting order.
func (b *Box[R, M]) Lose(from int) (lost []R) {
	kept := b.posted[:0]
	for _, e := range b.posted {
		if e.key.From == from {
			lost = append(lost, e.val)
		} else {
			kept = append(kept, e)
		}
	}
	clear(b.posted[len(kept):])
	b.posted = kept
	return lost
}

// Again offers a receive that had been matched with a message that never became whole: it takes its old
// place, behind the posted receives that older says were posted before it.
func (b *Box[R, M]) Again(want Key, r R, older func(posted R) bool) (m M, ok bool) {
	if m, ok = b.Post(want, r); ok {
		return m, true
	}
	at := 0
	for at < len(b.posted)-1 && older(b.posted[at].val) {
		at++
	}
	copy(b.posted[at+1:], b.posted[at:])
	b.posted[at] = entry[R]{want, r}
	return m, false
}

// Forget drops, of the messages of a key, the first that since accepts and all that came after it.
func (b *Box[R, M]) Forget(got Key, since func(M) bool) {
	kept, found := b.early[:0], false
	for _, e := range b.early {
		if found = found || e.key == got && since(e.val); !found || e.key != got {
			kept = append(kept, e)
		}
	}
	clear(b.early[len(kept):])
	b.early = kept
}

// remove deletes s[i], keeping order. Removing the oldest, the common case,
// only moves the start.
func remove[T any](s []entry[T], i int) []entry[T] {
	last := len(s) - 1
	if i == 0 && last > 0 {
		s[0] = entry[T]{}
		return s[1:]
	}
	copy(s[i:], s[i+1:])
	s[last] = entry[T]{}
	return s[:last]
}

// CheckMessage panics on what only a wrong program asks of rank's Proc.
func CheckMessage(op string, rank, size, peer int, tag cluster.Tag, m *cluster.Msg) {
	if peer < 0 || peer >= size {
		panic(fmt.Sprintf("cluster: rank %d: %s: peer %d of %d ranks", rank, op, peer, size))
	}
	if tag < 0 || tag >= cluster.MaxTag {
		panic(fmt.Sprintf("cluster: rank %d: %s: tag %d, want 0 ≤ tag < %d", rank, op, tag, cluster.MaxTag))
	}
	if m == nil || m.Size() < 0 {
		panic(fmt.Sprintf("cluster: rank %d: %s: no message, or a negative size", rank, op))
	}
}

// CheckGroup panics on a broadcast that only a wrong program asks for.
func CheckGroup(rank, size int, group []int, root int, tag cluster.Tag, m *cluster.Msg) {
	if !slices.Contains(group, rank) || !slices.Contains(group, root) {
		panic(fmt.Sprintf("cluster: rank %d: broadcast from rank %d to %v: both must be members", rank, root, group))
	}
	for _, member := range group {
		CheckMessage("broadcast", rank, size, member, tag, m)
	}
}

// Others returns group without root, in order.
func Others(group []int, root int) []int {
	return slices.DeleteFunc(slices.Clone(group), func(r int) bool { return r == root })
}
