package codedsgd

import (
	"fmt"
	"slices"
)

// Check proves from the sets and packets alone that the exchange leaves each node k
// with slice k of all blocks it lacks, once:
//
//   - the blocks of the sums of slice k are those that k lacks, each in one sum;
//   - the sender of a packet holds all blocks of all its terms;
//   - each receiver holds all blocks of all terms but one, which is of its slice;
//   - of each sum every segment arrives once.
//
// The error names the first packet, sum or block that is not so.
//
// Source: ours: what Alg. 4 asserts, of sums
func (p *SumPlan) Check() error {
	if err := p.checkSums(); err != nil {
		return err
	}
	arrived := make([]int, len(p.sums)*p.depth)
	for i, packet := range p.packets {
		if err := p.checkPacket(packet); err != nil {
			return fmt.Errorf("codedsgd: packet %d: %w", i, err)
		}
		for _, term := range packet.Terms {
			arrived[term.Sum*p.depth+term.Position]++
		}
	}
	for i, times := range arrived {
		if times != 1 {
			return fmt.Errorf("codedsgd: segment %d of sum %d arrives %d times", i%p.depth, i/p.depth, times)
		}
	}
	return nil
}

// checkSums: every block that a node lacks is in one sum of its slice, no other is.
func (p *SumPlan) checkSums() error {
	n, blocks := p.a.Nodes(), p.a.Blocks()
	times := make([]int, n*blocks)
	for _, s := range p.sums {
		for _, q := range s.Blocks {
			times[s.Slice*blocks+q]++
		}
	}
	for k := range n {
		for q := range blocks {
			want := 1
			if p.a.Holds(k, q) {
				want = 0
			}
			if got := times[k*blocks+q]; got != want {
				return fmt.Errorf("codedsgd: block %d is in %d sums of slice %d, want %d", q, got, k, want)
			}
		}
	}
	return nil
}

// checkPacket: the sender can make the packet, each receiver is left with one term.
func (p *SumPlan) checkPacket(packet SumPacket) error {
	if len(packet.To) != len(packet.Terms) || len(packet.To) == 0 {
		return fmt.Errorf("%d terms for %d receivers", len(packet.Terms), len(packet.To))
	}
	for _, term := range packet.Terms {
		if term.Sum < 0 || term.Sum >= len(p.sums) || term.Position < 0 || term.Position >= p.depth {
			return fmt.Errorf("no segment %d of sum %d", term.Position, term.Sum)
		}
		if !p.Knows(packet.From, term.Sum) {
			return fmt.Errorf("sender %d does not know sum %d", packet.From, term.Sum)
		}
	}
	for j, k := range packet.To {
		for i, term := range packet.Terms {
			switch {
			case i == j && p.sums[term.Sum].Slice != k: // of its own slice it knows no sum
				return fmt.Errorf("receiver %d is sent slice %d", k, p.sums[term.Sum].Slice)
			case i != j && !p.Knows(k, term.Sum):
				return fmt.Errorf("receiver %d cannot cancel sum %d", k, term.Sum)
			}
		}
	}
	return nil
}

// Knows reports whether a node holds all blocks of a sum.
//
// Source: ours: what a node may subtract
func (p *SumPlan) Knows(node, sum int) bool {
	return !slices.ContainsFunc(p.sums[sum].Blocks, func(q int) bool { return !p.a.Holds(node, q) })
}

// Slice returns the bounds of slice k of a layer, ragged as segments are. Layers are cut
// where they lie in memory, whatever Options.Split is: slices are of sums, which no matrix
// bounds.
//
// Source: ours: slices of a reduce-scatter
func (p *SumPlan) Slice(length, k int) (lo, hi int) { return Segment(length, p.a.Nodes(), k) }

// within returns where the term's segment lies within its slice.
func (p *SumPlan) within(length int, term SumTerm) (lo, hi int) {
	from, to := p.Slice(length, p.sums[term.Sum].Slice)
	return Segment(to-from, p.depth, term.Position)
}

// Length returns the elements of a packet for a layer: of its longest term. Shorter
// ones are padded with 0, receivers trim. A packet of none is not sent.
//
// Source: ours: padding of ragged segments
func (p *SumPlan) Length(length int, packet SumPacket) (most int) {
	for _, term := range packet.Terms {
		lo, hi := p.within(length, term)
		most = max(most, hi-lo)
	}
	return most
}

// Volume returns what all nodes send for a layer: the packets that are not empty, their
// elements, a multicast once, and once per receiver. If n·t divides the length, elements
// are the length times Load.
//
// Source: ours: CompressedLoad of real lengths
func (p *SumPlan) Volume(length int) (packets, elements, delivered int64) {
	count := func(size, receivers int) {
		if size > 0 {
			packets++
			elements += int64(size)
			delivered += int64(size) * int64(receivers)
		}
	}
	for _, packet := range p.packets {
		count(p.Length(length, packet), len(packet.To))
	}
	if n := p.a.Nodes(); p.Gathers() {
		for k := range n {
			lo, hi := p.Slice(length, k)
			count(hi-lo, n-1)
		}
	}
	return packets, elements, delivered
}
