package collective

import (
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// line is one rank's place in a ring and the state of one exchange.
//
// Steps are numbered through both halves: 0 … N−2 reduce and scatter, N−1 …
// 2N−3 gather. At step s position i sends chunk i−s and receives chunk i−s−1,
// which is what it sends at step s+1: the blog's n−i and n−i−1 in the first
// half, its n+1−i and n−i, counted from N−1, in the second. So a piece that has
// arrived can go on at once, across all steps.
type line struct {
	vector
	tag             cluster.Tag
	parts, position int
	left, right     int // ranks
	segment         int

	// Piece k travels in slot k mod the number of pieces in the longest chunk.
	in, out        []cluster.Msg
	received, sent []cluster.Req
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
	first, total := l.pieces(l.position-from), 0
	for s := from; s < to; s++ {
		total += l.pieces(l.position - s - 1)
	}
	l.allocate()
	for k := range min(len(l.in), total) {
		l.post(p, k)
	}
	c := cursor{chunk: l.position - from}
	for k := range first {
		lo, hi := c.next(l)
		l.pack(&l.out[k], lo, hi)
		l.send(p, k)
	}
	// The last of the pieces received, those of step to−1, stay here.
	stay := total - l.pieces(l.position-to)
	step, rest := from, l.pieces(l.position-from-1) // pieces of this step to come
	for k := range total {
		lo, hi := c.next(l)
		if err := l.take(p, k, lo, hi, step < l.parts-1); err != nil {
			return err
		}
		if k < stay {
			if err := l.refill(p, k, first+k, lo, hi, step < l.parts-1); err != nil {
				return err
			}
		}
		if k+len(l.in) < total {
			l.post(p, k+len(l.in))
		}
		if k < stay {
			l.send(p, first+k)
		}
		if rest--; rest == 0 {
			step++
			rest = l.pieces(l.position - step - 1)
		}
	}
	return l.finish(p, first+stay)
}

// allocate makes the buffers of one exchange; nothing is allocated after it.
func (l *line) allocate() {
	slots := l.pieces(0)
	l.in, l.out = make([]cluster.Msg, slots), make([]cluster.Msg, slots)
	l.received, l.sent = make([]cluster.Req, slots), make([]cluster.Req, slots)
	if l.x == nil {
		return
	}
	_, longest := Chunk(l.n, l.parts, 0)
	if l.segment > 0 {
		longest = min(longest, l.segment)
	}
	size := vec.Bytes(longest)
	buf := make([]byte, 2*slots*size)
	for i := range slots {
		l.in[i].Body, buf = buf[:0:size], buf[size:]
		l.out[i].Body, buf = buf[:0:size], buf[size:]
	}
}

// post offers a buffer for piece k.
func (l *line) post(p cluster.Proc, k int) {
	k %= len(l.in)
	l.received[k] = p.Irecv(l.left, l.tag, &l.in[k])
}

// send sends piece k, which its slot holds.
func (l *line) send(p cluster.Proc, k int) {
	k %= len(l.out)
	l.sent[k] = p.Isend(l.right, l.tag, &l.out[k])
}

// take waits for piece k, elements lo to hi, and adds it or stores it.
func (l *line) take(p cluster.Proc, k, lo, hi int, sum bool) error {
	k %= len(l.in)
	if _, err := p.WaitAny(0, l.received[k:k+1]...); err != nil {
		return err
	}
	return l.unpack(&l.in[k], lo, hi, sum)
}

// refill makes received piece k the content of piece `next` to be sent, as soon
// as that slot's last message has left: its sum, or the very bytes received.
func (l *line) refill(p cluster.Proc, k, next, lo, hi int, sum bool) error {
	k, next = k%len(l.in), next%len(l.out)
	if l.sent[next] != nil {
		if _, err := p.WaitAny(0, l.sent[next:next+1]...); err != nil {
			return err
		}
	}
	if sum || l.x == nil {
		l.pack(&l.out[next], lo, hi)
	} else {
		l.in[k].Body, l.out[next].Body = l.out[next].Body, l.in[k].Body
	}
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
