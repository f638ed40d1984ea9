// Package collective holds the exchanges of gradients between all ranks of a
// run: the ring of the blog, and the single reducer that it replaces.
package collective

import (
	"gradsync/shared/cluster"
)

// RingAllReduce leaves in every rank's x the sum over ranks: reduce-scatter,
// then all-gather, 2(N−1) messages of about K/N bytes each way per rank.
// Chunk c is summed in ring order, (((x_c + x_{c+1}) + x_{c+2}) + …), so all
// ranks hold the same bits on every runtime.
//
// Every rank calls it with the same tag and length; messages with that tag
// must not be otherwise in flight between neighbours.
//
// Source: §1.3, the blog's ring; schedule as in baidu-allreduce
func RingAllReduce(p cluster.Proc, tag cluster.Tag, x []float32) error {
	v := vector{x: x, n: len(x)}
	if err := v.reduceScatter(p, tag); err != nil {
		return err
	}
	return v.allGather(p, tag)
}

// RingAllReduceTiming sends the messages of RingAllReduce over n elements and
// sums nothing: declared bytes, the same events.
func RingAllReduceTiming(p cluster.Proc, tag cluster.Tag, n int) error {
	v := vector{n: n}
	if err := v.reduceScatter(p, tag); err != nil {
		return err
	}
	return v.allGather(p, tag)
}

// ReduceScatter sums chunk (rank+1) mod N completely into this rank's x and
// returns its bounds. The other chunks of x hold partial sums.
func ReduceScatter(p cluster.Proc, tag cluster.Tag, x []float32) (lo, hi int, err error) {
	v := vector{x: x, n: len(x)}
	lo, hi = Chunk(len(x), p.Size(), p.Rank()+1)
	return lo, hi, v.reduceScatter(p, tag)
}

// AllGather spreads chunk (rank+1) mod N of every rank's x to all ranks.
func AllGather(p cluster.Proc, tag cluster.Tag, x []float32) error {
	v := vector{x: x, n: len(x)}
	return v.allGather(p, tag)
}

// Chunk returns the bounds of chunk i (mod parts) of n elements. The first
// n mod parts chunks are one element longer; with n < parts the last are empty.
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

// reduceScatter: at step i rank n sends chunk n−i and adds chunk n−i−1.
func (v *vector) reduceScatter(p cluster.Proc, tag cluster.Tag) error {
	n := p.Rank()
	for i := range p.Size() - 1 {
		if err := v.step(p, tag, n-i, n-i-1, true); err != nil {
			return err
		}
	}
	return nil
}

// allGather: at step i rank n sends chunk n+1−i and takes over chunk n−i.
func (v *vector) allGather(p cluster.Proc, tag cluster.Tag) error {
	n := p.Rank()
	for i := range p.Size() - 1 {
		if err := v.step(p, tag, n+1-i, n-i, false); err != nil {
			return err
		}
	}
	return nil
}

// step sends one chunk to the right and receives one from the left.
func (v *vector) step(p cluster.Proc, tag cluster.Tag, out, in int, sum bool) error {
	parts := p.Size()
	left, right := mod(p.Rank()-1, parts), mod(p.Rank()+1, parts)
	v.in.Body = v.inBuf
	received := p.Irecv(left, tag, &v.in)
	v.pack(Chunk(v.n, parts, out))
	sent := p.Isend(right, tag, &v.out)
	// The receive usually ends last: waiting for it first spares a wake-up.
	if err := cluster.Wait(p, received); err != nil {
		return err
	}
	if v.in.Body != nil {
		v.inBuf = v.in.Body
	}
	if err := cluster.Wait(p, sent); err != nil {
		return err
	}
	lo, hi := Chunk(v.n, parts, in)
	return v.unpack(lo, hi, &v.in, sum)
}

func mod(a, n int) int { return ((a % n) + n) % n }
