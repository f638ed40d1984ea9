package collective

import (
	"fmt"
	"slices"

	"gradsync/shared/cluster"
)

// Ring is a ring of N ranks, each sending to the next. Its exchanges cut a
// vector into N chunks; chunk c is summed in ring order from position c on,
// (((x_c + x_{c+1}) + x_{c+2}) + …), x_i being the vector of the i-th rank of
// Order, so all ranks hold the same bits on every runtime and for every Segment.
//
// Every rank of the ring calls the same method with the same Ring, tag and
// length; messages with that tag must not be otherwise in flight between
// neighbours.
//
// Source: §1.3, the blog's ring; schedule as in baidu-allreduce
type Ring struct {
	// Order lists the ranks in ring order, each once; nil is 0 … N−1 of the whole
	// run. Ranks that it leaves out take no part.
	Order []int
	// Segment is how many elements travel in one message: a chunk is sent in
	// pieces, and each piece is reduced and forwarded as soon as it is there, so
	// the steps overlap. 0 sends whole chunks.
	Segment int
	// Short is how many elements a vector has at most that AllReduce exchanges whole: each rank gathers all N of them, in N−1
	// steps in place of 2(N−1), and sums every chunk itself in the same order: same bits, N−1 messages of all K elements. It is
	// for vectors so small that a message costs the same whatever it holds, and for two ranks at any length: they move no more
	// bytes than in halves, in pieces of Segment, a few of them at a time. 0: none.
	Short int
	// Scratch, if not nil, is used by one thread at a time and spares its exchanges
	// their buffers. It changes no message.
	Scratch *Scratch
}

// AllReduce leaves in x, on every rank of the ring, the sum over the ring:
// reduce-scatter, then all-gather, 2(N−1) chunks of about K/N bytes each way
// per rank.
func (r Ring) AllReduce(p cluster.Proc, tag cluster.Tag, x []float32) error {
	return r.allReduce(p, tag, summed(x))
}

// AllReduceTiming sends the messages of AllReduce over n elements and sums
// nothing: declared bytes, the same events.
func (r Ring) AllReduceTiming(p cluster.Proc, tag cluster.Tag, n int) error {
	return r.allReduce(p, tag, declared(n))
}

func (r Ring) allReduce(p cluster.Proc, tag cluster.Tag, v vector) error {
	l, err := r.line(p, tag, v)
	if err != nil {
		return err
	}
	if 0 < v.n && v.n <= r.Short && l.parts > 1 {
		if l.parts == 2 {
			return l.pair(p)
		}
		return l.whole(p)
	}
	return l.run(p, 0, 2*(l.parts-1))
}

// reduceScatter sums chunk (i+1) mod N completely into v on the ring's i-th rank and returns its bounds. The other
// chunks of v hold partial sums.
func (r Ring) reduceScatter(p cluster.Proc, tag cluster.Tag, v vector) (lo, hi int, err error) {
	l, err := r.line(p, tag, v)
	if err != nil {
		return 0, 0, err
	}
	lo, hi = Chunk(v.n, l.parts, l.position+1)
	return lo, hi, l.run(p, 0, l.parts-1) // reduce-scatter, step 1
}

// allGather spreads chunk (i+1) mod N of the ring's i-th rank to all ranks.
func (r Ring) allGather(p cluster.Proc, tag cluster.Tag, v vector) error {
	l, err := r.line(p, tag, v)
	if err != nil {
		return err
	}
	return l.run(p, l.parts-1, 2*(l.parts-1)) // all-gather, step 1: i is counted on
}

// line is p's place in the ring.
func (r Ring) line(p cluster.Proc, tag cluster.Tag, v vector) (*line, error) {
	if r.Segment < 0 {
		return nil, fmt.Errorf("collective: ring with pieces of %d elements, want 0 or more", r.Segment)
	}
	s := r.Scratch
	if s == nil {
		s = &Scratch{}
	}
	l := &s.line
	*l = line{vector: v, tag: tag, parts: p.Size(), position: p.Rank(), segment: r.Segment, scratch: s}
	if r.Order == nil {
		l.left, l.right = mod(l.position-1, l.parts), mod(l.position+1, l.parts)
		return l, nil
	}
	for i, rank := range r.Order {
		if rank < 0 || rank >= p.Size() || slices.Contains(r.Order[:i], rank) {
			return nil, fmt.Errorf("collective: ring order %v: rank %d is twice in it, or none of %d ranks", r.Order, rank, p.Size())
		}
	}
	l.parts, l.position = len(r.Order), slices.Index(r.Order, p.Rank())
	if l.position < 0 {
		return nil, fmt.Errorf("collective: rank %d is not in ring order %v", p.Rank(), r.Order)
	}
	l.left, l.right = r.Order[mod(l.position-1, l.parts)], r.Order[mod(l.position+1, l.parts)]
	return l, nil
}

// RingAllReduce is Ring{}.AllReduce: all ranks in their own order, whole chunks.
//
// Source: §1.3, the blog's ring
func RingAllReduce(p cluster.Proc, tag cluster.Tag, x []float32) error {
	return Ring{}.AllReduce(p, tag, x)
}

// RingAllReduceTiming is Ring{}.AllReduceTiming.
//
// Source: §1.3, the blog's ring
func RingAllReduceTiming(p cluster.Proc, tag cluster.Tag, n int) error {
	return Ring{}.AllReduceTiming(p, tag, n)
}

// Chunk returns the bounds of chunk i (mod parts) of n elements. The first
// n mod parts chunks are one element longer; with n < parts the last are empty.
//
// Source: ours: contiguous, and as even as whole elements can be
func Chunk(n, parts, i int) (lo, hi int) {
	i = mod(i, parts)
	base, more := n/parts, n%parts
	lo = i*base + min(i, more)
	hi = lo + base
	if i < more {
		hi++
	}
	return lo, hi
}

func mod(a, n int) int { return ((a % n) + n) % n }
