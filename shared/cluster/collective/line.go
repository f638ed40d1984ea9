package collective

import (
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// line is one rank's place in a ring and the state of one exchange.
//
// Steps are numbered through both halves: 0 … N−2 reduce and scatter, N−1 …
// 2N−3 gather. At step s position i sends chunk i−s and receives chunk i−s−1,
// which it sends at step s+1: the blog's n−i and n−i−1 in the first
// half, its n+1−i and n−i, counted from N−1, in the second. So a piece that has
// arrived can go on at once, across all steps.
type line struct {
	vector
	tag             cluster.Tag
	parts, position int
	left, right     int // ranks
	segment         int

	// Piece k travels in slot k mod the number of pieces in the longest chunk. With
	// direct, pieces are sent from x, and received there once they are only stored:
	// then slots have buffers for the pieces that are added alone.
	direct         bool
	scratch        *Scratch
	in, out        []cluster.Msg
	received, sent []cluster.Req
	posting        cursor
	added          int // pieces received that are added; those after them are stored
	issued         int // pieces sent
}

// view is vec.View; a test takes it away, as a machine of other words would.
var view = vec.View

// Scratch keeps buffers of one thread's exchanges for the next, instead of making
// them anew. The zero value is ready.
//
// Source: ours: a training exchanges the same layers in every iteration
type Scratch struct {
	buf            []byte
	in, out        []cluster.Msg
	received, sent []cluster.Req
	sum            []byte // of a chunk, so far
	line           line
}

// run makes steps from … to−1.
//
// No rank waits in a circle: with k the least number of pieces that any rank has
// dealt with, piece k of its left neighbour is on its way, and its right one
// has a receive posted for piece k.
func (l *line) run(p cluster.Proc, from, to int) error {
	if from >= to {
		return nil
	}
	first, total := l.pieces(l.position-from), 0 // pieces to be sent first, and to be received
	for s := from; s < to; s++ {
		total += l.pieces(l.position - s - 1)
	}
	for s := from; s < min(to, l.parts-1); s++ {
		l.added += l.pieces(l.position - s - 1)
	}
	l.allocate()
	// reduce-scatter, step 3: chunk n − 1, and one less in each round
	// all-gather, step 3: chunk n, for N − 1 rounds are over
	l.posting = cursor{chunk: l.position - from - 1}
	posted := 0
	for ; posted < min(len(l.in), l.added); posted++ {
		if err := l.post(p, posted, from == 0); err != nil {
			return err
		}
	}
	// reduce-scatter, step 2: chunk n, and one less in each round
	// all-gather, step 2: chunk n + 1
	c := cursor{chunk: l.position - from}
	for k := range first {
		lo, hi := c.next(l)
		l.fill(k, lo, hi)
		l.send(p, k)
	}
	for ; posted < min(len(l.in), total); posted++ {
		if err := l.post(p, posted, from == 0); err != nil {
			return err
		}
	}
	// The last of the pieces received, those of step to−1, stay here.
	stay := total - l.pieces(l.position-to)
	// reduce-scatter, step 1: piece by piece, through all rounds
	// all-gather, step 1
	for k := range total {
		lo, hi := c.next(l)
		// reduce-scatter, steps 3, 4
		// all-gather, steps 3, 4
		if err := l.take(p, k, lo, hi); err != nil {
			return err
		}
		if k < stay {
			if err := l.refill(p, k, first+k, lo, hi); err != nil {
				return err
			}
		}
		if k+len(l.in) < total {
			if err := l.post(p, k+len(l.in), from == 0); err != nil {
				return err
			}
		}
		// reduce-scatter, step 2: the chunk of this round is sent in the next
		// all-gather, step 2
		if k < stay {
			l.send(p, first+k)
		}
	}
	return l.finish(p, first+stay)
}

// slots makes room for n messages each way, or takes the scratch's.
func (l *line) slots(n int) {
	s := l.scratch
	if len(s.in) < n {
		s.in, s.out = make([]cluster.Msg, n), make([]cluster.Msg, n)
		s.received, s.sent = make([]cluster.Req, n), make([]cluster.Req, n)
	}
	l.in, l.out, l.received, l.sent = s.in[:n], s.out[:n], s.received[:n], s.sent[:n]
	clear(l.in)
	clear(l.out)
	clear(l.sent)
}

// memory gives the messages buffers of size bytes: the first of those received, then of those sent.
func (l *line) memory(bodies, size int) {
	s, slots := l.scratch, len(l.in)
	if len(s.buf) < bodies*size {
		s.buf = make([]byte, bodies*size)
	}
	for i := range bodies {
		m := &l.in[i%slots]
		if i >= slots {
			m = &l.out[i-slots]
		}
		m.Body = s.buf[i*size : i*size : (i+1)*size]
	}
}

// allocate makes the buffers of one exchange, or takes the scratch's; nothing is
// allocated after it.
func (l *line) allocate() {
	slots := l.pieces(0)
	l.slots(slots)
	if l.x == nil {
		return
	}
	l.direct = view(l.x) != nil
	_, longest := Chunk(l.n, l.parts, 0)
	if l.segment > 0 {
		longest = min(longest, l.segment)
	}
	size, bodies := vec.Bytes(longest), 2*slots
	if l.direct {
		bodies = min(slots, l.added)
	}
	l.memory(bodies, size)
}

// post offers memory for piece k. In x it is free to be written once what was sent
// from there has left: the same piece of N−1 steps before, if whole says that the
// exchange has both halves.
func (l *line) post(p cluster.Proc, k int, whole bool) error {
	lo, hi := l.posting.next(l)
	slot := k % len(l.in)
	if k >= l.added {
		if i := k - l.added; whole && i+len(l.sent) >= l.issued { // older ones have left
			i %= len(l.sent)
			if _, err := p.WaitAny(0, l.sent[i:i+1]...); err != nil {
				return err
			}
		}
		if l.direct {
			l.in[slot].Body = view(l.x[lo:hi])
		}
	}
	l.received[slot] = p.Irecv(l.left, l.tag, &l.in[slot])
	return nil
}

// send sends piece k, which its slot holds.
func (l *line) send(p cluster.Proc, k int) {
	k %= len(l.out)
	l.sent[k] = p.Isend(l.right, l.tag, &l.out[k])
	l.issued++
}

// fill makes elements lo to hi the content of piece k to be sent.
func (l *line) fill(k, lo, hi int) {
	m := &l.out[k%len(l.out)]
	if l.direct {
		m.Body = view(l.x[lo:hi])
		return
	}
	l.pack(m, lo, hi)
}

// take waits for piece k, elements lo to hi, and adds it or stores it.
func (l *line) take(p cluster.Proc, k, lo, hi int) error {
	slot := k % len(l.in)
	if _, err := p.WaitAny(0, l.received[slot:slot+1]...); err != nil {
		return err
	}
	m := &l.in[slot]
	if own := l.direct && k >= l.added; own && len(m.Body) == vec.Bytes(hi-lo) && (hi == lo || &m.Body[0] == &view(l.x[lo:hi])[0]) {
		return nil // all-gather, step 4: it is there
	}
	return l.unpack(m, lo, hi, k < l.added)
}

// refill makes received piece k the content of piece `next` to be sent, as soon
// as that slot's last message has left: its sum, or the very bytes received.
func (l *line) refill(p cluster.Proc, k, next, lo, hi int) error {
	slot := next % len(l.out)
	if l.sent[slot] != nil {
		if _, err := p.WaitAny(0, l.sent[slot:slot+1]...); err != nil {
			return err
		}
	}
	if l.direct || k < l.added || l.x == nil {
		l.fill(next, lo, hi)
		return nil
	}
	in := &l.in[k%len(l.in)]
	in.Body, l.out[slot].Body = l.out[slot].Body, in.Body
	return nil
}

// finish waits until the last of n pieces have left.
func (l *line) finish(p cluster.Proc, n int) error {
	for k := max(n-len(l.sent), 0); k < n; k++ {
		i := k % len(l.sent)
		if _, err := p.WaitAny(0, l.sent[i:i+1]...); err != nil {
			return err
		}
	}
	return nil
}

// pieces is the number of messages that chunk c takes; an empty one takes one.
func (l *line) pieces(c int) int {
	if l.segment == 0 {
		return 1
	}
	lo, hi := Chunk(l.n, l.parts, c)
	return max((hi-lo+l.segment-1)/l.segment, 1)
}

// cursor walks over pieces in the order they are sent: chunk, chunk−1, ….
type cursor struct{ chunk, at int }

func (c *cursor) next(l *line) (lo, hi int) {
	lo, end := Chunk(l.n, l.parts, c.chunk)
	lo += c.at
	hi = end
	if l.segment > 0 {
		hi = min(hi, lo+l.segment)
	}
	if c.at += hi - lo; hi == end {
		c.chunk, c.at = c.chunk-1, 0
	}
	return lo, hi
}

// whole gathers all vectors and sums them: chunk c in ring order from position c on, each addition as a rank of the ring makes
// it. At step s position i sends the vector of position i−s and receives that of i−s−1.
func (l *line) whole(p cluster.Proc) error {
	l.slots(l.parts)
	if l.x != nil {
		l.memory(l.parts+1, vec.Bytes(l.n)) // one of those received is not used
	}
	for s := range l.parts - 1 {
		l.received[s] = p.Irecv(l.left, l.tag, &l.in[s])
	}
	l.pack(&l.out[0], 0, l.n)
	own := l.out[0].Body
	for s := range l.parts - 1 {
		l.sent[s] = p.Isend(l.right, l.tag, &l.out[s])
		if _, err := p.WaitAny(0, l.received[s:s+1]...); err != nil {
			return err
		}
		m := &l.in[s]
		if m.Size() != vec.Bytes(l.n) || (m.Body == nil) != (l.x == nil) {
			return fmt.Errorf("collective: rank %d sent %d bytes, want %d", m.From, m.Size(), vec.Bytes(l.n))
		}
		l.out[s+1].Body, l.out[s+1].Declared = m.Body, m.Declared
	}
	if err := l.finish(p, l.parts-1); err != nil {
		return err
	}
	cluster.Free(p, l.received[:l.parts-1]...)
	cluster.Free(p, l.sent[:l.parts-1]...)
	if l.x == nil {
		return nil
	}
	of := func(position, lo, hi int) []byte {
		body := own
		if back := mod(l.position-position, l.parts); back > 0 {
			body = l.in[back-1].Body
		}
		return body[vec.Bytes(lo):vec.Bytes(hi)]
	}
	for c := range l.parts {
		lo, hi := Chunk(l.n, l.parts, c)
		sum := of(c, lo, hi)
		for k := 1; k < l.parts; k++ {
			if k > 1 {
				l.scratch.sum = vec.AppendBytes(l.scratch.sum[:0], l.x[lo:hi])
				sum = l.scratch.sum
			}
			if err := vec.FromBytes(l.x[lo:hi], of(c+k, lo, hi)); err != nil {
				return err
			}
			if err := vec.AddBytes(l.x[lo:hi], sum); err != nil {
				return err
			}
		}
	}
	return nil
}
