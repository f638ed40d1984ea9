//gradsync:pure

package codedsgd

import (
	"fmt"
	"math/big"
	"slices"
)

// Sum is c(A, k): slice k of the gradients of all blocks that node k lacks and whose t
// lowest holders are A, added up. Every node of A can make it by itself.
//
// Source: ours: sum, then code, which the paper's reference [14] proposes
type Sum struct {
	Slice  int   // k, the node that lacks it
	Common []int // A, sorted
	Blocks []int // ascending, at least one
}

// SumTerm is one of the t segments of a sum: the one that its node of rank Position in
// Common sends.
//
// Source: ours: Term of sums
type SumTerm struct{ Sum, Position int }

// SumPacket is the sum of Terms, multicast to To: Terms[j] is what To[j] lacks.
//
// Source: ours: Packet of sums
type SumPacket struct {
	From  int
	Terms []SumTerm
	To    []int
}

// SumPlan says who sends what in an exchange of method compressed. Node k reduces slice
// k, the k-th of n parts of each layer, of the blocks it lacks; then it multicasts the
// sum of all blocks' slice k to the others.
//
// For a depth t, 1 ≤ t ≤ r, every block S ∌ k is sent on by its t lowest holders A(S),
// in c(A, k). In each group M of t+1 nodes with
//
//	K(M) = { k ∈ M : there is a sum c(M∖{k}, k) }
//
// each i ∈ M multicasts, to K(M)∖{i}, the sum over k ∈ K(M)∖{i} of the segment of
// c(M∖{k}, k) at the rank of i in M∖{k}. Receiver k knows the sums of all other k′,
// since k ∈ M∖{k′}, and is left with its own segment.
//
// Source: ours: sum, then code, which the paper's reference [14] proposes
type SumPlan struct {
	a       *Assignment
	depth   int
	sums    []Sum
	packets []SumPacket
}

// PlanSums makes the plan for the assignment and a depth, 0: BestDepth.
//
// Source: ours: Alg. 3 over sums
func PlanSums(a *Assignment, depth int) (*SumPlan, error) {
	n, r := a.Nodes(), a.Redundancy()
	if depth < 0 || depth > r {
		return nil, fmt.Errorf("codedsgd: depth %d, want 1 to the redundancy, %d, or 0", depth, r)
	}
	if depth == 0 {
		depth = BestDepth(n, r)
	}
	families, err := Assign(n, depth) // its blocks are the sets A
	if err != nil {
		return nil, err
	}
	p := &SumPlan{a: a, depth: depth}
	if r == n { // nobody lacks anything
		return p, nil
	}
	at := p.collect(families)
	for _, group := range families.Groups() {
		var lacks []SumTerm // of each k ∈ K(M), Position unset
		var nodes []int
		for i, k := range group {
			others := slices.Delete(slices.Clone(group), i, i+1)
			if s := at[families.Index(others)*n+k]; s >= 0 {
				lacks, nodes = append(lacks, SumTerm{Sum: s}), append(nodes, k)
			}
		}
		for _, i := range group {
			packet := SumPacket{From: i}
			for j, k := range nodes {
				if k == i {
					continue
				}
				term := lacks[j]
				term.Position = slices.Index(p.sums[term.Sum].Common, i)
				packet.Terms, packet.To = append(packet.Terms, term), append(packet.To, k)
			}
			if len(packet.To) > 0 {
				p.packets = append(p.packets, packet)
			}
		}
	}
	return p, nil
}

// collect makes the sums and returns where c(A, k) is: at A's index times n plus k, −1
// where it is empty.
func (p *SumPlan) collect(families *Assignment) []int {
	n := p.a.Nodes()
	at := make([]int, families.Blocks()*n)
	for i := range at {
		at[i] = -1
	}
	for q := range p.a.Blocks() {
		common := p.a.Holders(q)[:p.depth]
		for k := range n {
			if p.a.Holds(k, q) {
				continue
			}
			s := &at[families.Index(common)*n+k]
			if *s < 0 {
				*s = len(p.sums)
				p.sums = append(p.sums, Sum{Slice: k, Common: common})
			}
			p.sums[*s].Blocks = append(p.sums[*s].Blocks, q)
		}
	}
	return at
}

// Sums returns all sums that are sent.
//
// Source: ours: sum, then code
func (p *SumPlan) Sums() []Sum { return p.sums }

// Packets returns the packets of the reduce-scatter in the order in which all nodes
// take part in them.
//
// Source: ours: Alg. 3 over sums
func (p *SumPlan) Packets() []SumPacket { return p.packets }

// gathers reports whether slices are gathered: not if every node has all blocks.
//
// Source: ours: sum, then code
func (p *SumPlan) gathers() bool { return len(p.sums) > 0 }

// Load counts the plan's packets, in gradient units, a multicast once: 1/(n·t) for each
// of the reduce-scatter's, 1/n for each slice gathered.
//
// Source: ours: CompressedLoad, enumerated
func (p *SumPlan) Load() *big.Rat {
	n := int64(p.a.Nodes())
	load := big.NewRat(int64(len(p.packets)), n*int64(p.depth))
	if p.gathers() {
		load.Add(load, big.NewRat(n, n))
	}
	return load
}

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

// checkSums demands that every block that a node lacks is in one sum of its slice, and no
// other block is.
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

// checkPacket demands that the sender can make the packet and that each receiver is left
// with one term.
func (p *SumPlan) checkPacket(packet SumPacket) error {
	if len(packet.To) != len(packet.Terms) || len(packet.To) == 0 {
		return fmt.Errorf("%d terms for %d receivers", len(packet.Terms), len(packet.To))
	}
	for _, term := range packet.Terms {
		if term.Sum < 0 || term.Sum >= len(p.sums) || term.Position < 0 || term.Position >= p.depth {
			return fmt.Errorf("no segment %d of sum %d", term.Position, term.Sum)
		}
		if !p.knows(packet.From, term.Sum) {
			return fmt.Errorf("sender %d does not know sum %d", packet.From, term.Sum)
		}
	}
	for j, k := range packet.To {
		for i, term := range packet.Terms {
			switch {
			case i == j && p.sums[term.Sum].Slice != k: // of its own slice it knows no sum
				return fmt.Errorf("receiver %d is sent slice %d", k, p.sums[term.Sum].Slice)
			case i != j && !p.knows(k, term.Sum):
				return fmt.Errorf("receiver %d cannot cancel sum %d", k, term.Sum)
			}
		}
	}
	return nil
}

// knows reports whether a node holds all blocks of a sum.
//
// Source: ours: what a node may subtract
func (p *SumPlan) knows(node, sum int) bool {
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

// length returns the elements of a packet for a layer: of its longest term. Shorter
// ones are padded with 0, receivers trim. A packet of none is not sent.
//
// Source: ours: padding of ragged segments
func (p *SumPlan) length(length int, packet SumPacket) (most int) {
	for _, term := range packet.Terms {
		lo, hi := p.within(length, term)
		most = max(most, hi-lo)
	}
	return most
}

// Volume counts what all nodes send for a layer: the packets that are not empty, their
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
		count(p.length(length, packet), len(packet.To))
	}
	if n := p.a.Nodes(); p.gathers() {
		for k := range n {
			lo, hi := p.Slice(length, k)
			count(hi-lo, n-1)
		}
	}
	return packets, elements, delivered
}
