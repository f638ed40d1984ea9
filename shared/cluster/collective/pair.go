package collective

import (
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// underWay is how many pieces of a vector a rank of two sends ahead of its sums: while it adds one, the next arrives, and what is
// on its way stays in the caches. A ring sends its whole chunk ahead.
const underWay = 2

// pair exchanges the vectors of a ring of two, piece by piece, and sums them on both ranks: as many bytes as the two halves of
// a ring move, and none of them waits for a sum.
func (l *line) pair(p cluster.Proc) error {
	longest := l.n
	if l.segment > 0 {
		longest = min(longest, l.segment)
	}
	pieces := (l.n + longest - 1) / longest
	slots := min(pieces, underWay)
	l.slots(slots)
	if l.x != nil {
		bodies := slots
		if l.direct = view(l.x) != nil; !l.direct {
			bodies *= 2
		}
		l.memory(bodies, vec.Bytes(longest))
	}
	bounds := func(k int) (lo, hi int) { return k * longest, min(l.n, (k+1)*longest) }
	begin := func(k int) {
		lo, hi := bounds(k)
		l.received[k%slots] = p.Irecv(l.left, l.tag, &l.in[k%slots])
		l.fill(k, lo, hi)
		l.send(p, k)
	}
	for k := range slots {
		begin(k)
	}
	for k := range pieces {
		slot := k % slots
		for _, reqs := range [2][]cluster.Req{l.received, l.sent} { // the sum takes the place of what was sent
			if _, err := p.WaitAny(0, reqs[slot:slot+1]...); err != nil {
				return err
			}
			cluster.Free(p, reqs[slot:slot+1]...)
		}
		lo, hi := bounds(k)
		if err := l.join(&l.in[slot], lo, hi); err != nil {
			return err
		}
		if k+slots < pieces {
			begin(k + slots)
		}
	}
	return nil
}

// join adds elements lo to hi of two ranks, the other's in m. The terms of chunk c have the order that they have where position
// c + 1 adds what position c sent it: which of two NaNs a sum is goes by that.
func (l *line) join(m *cluster.Msg, lo, hi int) error {
	if l.x == nil || len(m.Body) != vec.Bytes(hi-lo) {
		return l.unpack(m, lo, hi, true)
	}
	_, half := Chunk(l.n, 2, 0)
	half = min(max(half, lo), hi)
	sums := [2]func([]float32, []byte) error{vec.AddBytes, vec.AddBytes} // of chunks 0 and 1
	sums[l.position] = vec.AddToBytes
	if err := sums[0](l.x[lo:half], m.Body[:vec.Bytes(half-lo)]); err != nil {
		return err
	}
	return sums[1](l.x[half:hi], m.Body[vec.Bytes(half-lo):])
}
