package collective

import (
	"math/bits"

	"gradsync/shared/cluster"
)

// HalvingDoubling leaves in every rank's x the sum over ranks in 2·log₂N
// exchanges: reduce-scatter by recursive halving, in which ranks N/2, N/4, … 1
// apart swap the halves they do not keep, then all-gather by doubling, the same
// backwards. It moves the ring's bytes in fewer messages, between ranks that
// are far apart.
//
// If N is no power of two, with P the next lower one, rank P+i first sends its
// vector to rank i and is sent the sum at the end. Every element is summed as
// one balanced tree, for N = 4 (x_0 + x_2) + (x_1 + x_3), after each folded
// vector was added to its partner's.
//
// Source: ours: Rabenseifner's all-reduce, as in Thakur et al. 2005, for comparison
func HalvingDoubling(p cluster.Proc, tag cluster.Tag, x []float32) error {
	return halvingDoubling(p, tag, summed(x))
}

// HalvingDoublingTiming sends the messages of HalvingDoubling over n elements
// and sums nothing.
//
// Source: ours: Rabenseifner's all-reduce, for comparison
func HalvingDoublingTiming(p cluster.Proc, tag cluster.Tag, n int) error {
	return halvingDoubling(p, tag, declared(n))
}

func halvingDoubling(p cluster.Proc, tag cluster.Tag, v vector) error {
	rank, power := p.Rank(), 1<<(bits.Len(uint(p.Size()))-1)
	s := swapper{vector: v, tag: tag, parts: power}
	if rank >= power {
		if err := s.send(p, rank-power); err != nil {
			return err
		}
		return s.receive(p, rank-power, false)
	}
	folded := rank+power < p.Size()
	if folded {
		if err := s.receive(p, rank+power, true); err != nil {
			return err
		}
	}
	lo := 0 // this rank's sums are of chunks lo … lo+2d−1
	for d := power / 2; d > 0; d /= 2 {
		give := lo + d
		if rank&d != 0 {
			lo, give = give, lo
		}
		if err := s.swap(p, rank^d, give, lo, d, true); err != nil {
			return err
		}
	}
	for d := 1; d < power; d *= 2 {
		if err := s.swap(p, rank^d, lo, lo^d, d, false); err != nil {
			return err
		}
		lo &^= d
	}
	if folded {
		return s.send(p, rank+power)
	}
	return nil
}

// swapper exchanges runs of chunks between pairs and keeps the buffers.
type swapper struct {
	vector
	tag     cluster.Tag
	parts   int
	in, out cluster.Msg
}

// swap sends d chunks from chunk give on and receives d from chunk take on.
func (s *swapper) swap(p cluster.Proc, peer, give, take, d int, sum bool) error {
	received := p.Irecv(peer, s.tag, &s.in)
	s.pack(&s.out, s.start(give), s.start(give+d))
	sent := p.Isend(peer, s.tag, &s.out)
	if err := cluster.Wait(p, received, sent); err != nil {
		return err
	}
	return s.unpack(&s.in, s.start(take), s.start(take+d), sum)
}

// start returns the first element of chunk c, n for the chunk after the last.
func (s *swapper) start(c int) int {
	if c == s.parts {
		return s.n
	}
	lo, _ := Chunk(s.n, s.parts, c)
	return lo
}

// send sends the whole vector.
func (s *swapper) send(p cluster.Proc, to int) error {
	s.pack(&s.out, 0, s.n)
	return cluster.Wait(p, p.Isend(to, s.tag, &s.out))
}

// receive receives a whole vector.
func (s *swapper) receive(p cluster.Proc, from int, sum bool) error {
	if err := cluster.Wait(p, p.Irecv(from, s.tag, &s.in)); err != nil {
		return err
	}
	return s.unpack(&s.in, 0, s.n, sum)
}
