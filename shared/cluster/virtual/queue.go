package virtual

import "math"

// lanes is how many sorted runs a queue keeps beside its heap.
const lanes = 4

// queue holds events by (time, sequence). What a link adds to the clock is often the same for each message,
// so most events come in order: these pass lanes, each a FIFO that is sorted because only an event not before
// its last one enters it. The rest pass a heap.
type queue struct {
	heads [lanes + 1]event // the first of each lane and of the heap; at = math.MaxInt64: empty
	lanes [lanes]lane
	heap  heap
	least int // where the event came from that was popped last: a lane, or lanes
}

// lane is a ring of events, whose first one is in queue.heads.
type lane struct {
	last event   // the latest that entered
	ring []event // a power of two of them
	from uint32
	len  uint32
}

func newQueue() (q queue) {
	for i := range q.heads {
		q.heads[i].at = math.MaxInt64
	}
	return q
}

func (q *queue) push(e event) {
	for i := range q.lanes {
		l := &q.lanes[i]
		if q.heads[i].at == math.MaxInt64 {
			q.heads[i], l.last = e, e
			return
		}
		if !e.before(&l.last) {
			l.last = e
			l.append(e)
			return
		}
	}
	first := &q.heads[lanes]
	switch {
	case first.at == math.MaxInt64:
		*first = e
	case e.before(first):
		q.heap.push(*first)
		*first = e
	default:
		q.heap.push(e)
	}
}

// pop returns the first event, false if there is none.
func (q *queue) pop() (event, bool) {
	least := 0
	for i := 1; i < len(q.heads); i++ {
		if q.heads[i].before(&q.heads[least]) {
			least = i
		}
	}
	e := q.heads[least]
	q.least = least
	switch {
	case e.at == math.MaxInt64:
		return event{}, false
	case least < lanes && q.lanes[least].len > 0:
		q.heads[least] = q.lanes[least].shift()
	case least == lanes && len(q.heap.ev) > 0:
		q.heads[lanes] = q.heap.pop()
	default:
		q.heads[least].at = math.MaxInt64
	}
	return e, true
}

func (l *lane) append(e event) {
	if int(l.len) == len(l.ring) {
		l.grow()
	}
	l.ring[int(l.from+l.len)&(len(l.ring)-1)] = e
	l.len++
}

func (l *lane) grow() {
	ring := make([]event, max(16, 2*len(l.ring)))
	n := copy(ring, l.ring[l.from:])
	copy(ring[n:], l.ring[:l.from])
	l.ring, l.from = ring, 0
}

func (l *lane) shift() event {
	e := l.ring[l.from]
	l.from = (l.from + 1) & uint32(len(l.ring)-1)
	l.len--
	return e
}
