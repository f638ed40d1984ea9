//gradsync:pure

package codedsgd

import (
	"math/big"
	"math/bits"
	"slices"
)

// Step is one statement of the proof of §2.4, or one that it rests on, as a check.
//
// Source: §2.4
type Step struct {
	Number string // the paper's: "(24)", "Alg. 3", "§2.2"
	Says   string
	// Printed is the form in the paper, Corrected the one that holds; "" where the
	// printed one does.
	Printed, Corrected string
	// sides counts left sides in e, and computes right ones for n and r: e's own, unless
	// a test asks whether a wrong formula would be noticed.
	sides func(e *Enumeration, n, r int) sides
}

// Side is one equation of a step at one (n, r): left counted, right computed.
//
// Source: §2.4
type Side struct {
	What        string
	Left, Right *big.Rat
	// Printed stands on the right in the paper; nil where it is Right, or says nothing
	// at this (n, r).
	Printed *big.Rat
}

// Sides evaluates a step: Left and Right of every side are equal, or the step is wrong.
//
// Source: §2.4
func (s *Step) Sides(e *Enumeration) []Side { return s.sides(e, e.n, e.r) }

// Proof lists the steps by their numbers.
//
// Source: §2.4
func Proof() []Step {
	const ratioForm = "(n−r)/((n−1)·r)"
	return []Step{
		{"§2.2", "coding reduces data to 1/n of the naive method in general", "1/n, 2 ≤ r < n", ratioForm + ", about 1/r", reducedToOneNth},
		{"Alg. 3", "packets of the loop over C(μ,r) combinations, 2 ≤ r", "every combination with a target",
			"r+1 in each group of r+1 nodes: C(n,r+1)·(r+1)", loopPackets},
		{"Alg. 3, r = 1", "packets of the loop without redundancy", "n multicasts to n−1 nodes", "n·(n−1) packets, as (28) counts", loopAlone},
		{"Alg. 4", "a receiver lacks one term of a packet", "1", "", oneUnknown},
		{"(16)", "segments that a missing gradient is put together from", "M⁰ … Mʳ: r+1", "M⁰ … Mʳ⁻¹: r", segmentsArrive},
		{"(19)", "coded load over per-block load", "C(n,r+1)(r+1)/r / ((n−1)C(n,r)) = " + ratioForm, "", loadRatio},
		{"(20)", "blocks that a node has", "r·C(n,r)/n = C(n−1,r−1)", "", blocksHave},
		{"(21)", "blocks that a node lacks", "C(n,r) − r·C(n,r)/n", "", blocksLeft},
		{"(22)", "𝒟 of a node are the blocks sent to it", "by definition; all 𝒟 together: r·C(n,r)", "", blocksSent},
		{"(23)", "any r nodes have one block in common", "1", "", commonOfR},
		{"(24)", "what r+1 nodes have in common", "the intersection of their 𝒟 has r+1 blocks",
			"it is empty; r+1 blocks have all their holders among them", commonOfMore},
		{"(25)", "blocks that a group exchanges", "the intersection of r+1 sets", "the r+1 blocks that all of the group but one hold", blocksExchanged},
		{"(26)", "blocks that a member sends in a group", "the intersection of r sets: 1", "r blocks: those of the group that it holds", blocksSentBy},
		{"§2.4", "groups that contain all holders of a block", "only one", "n−r; one for each node that lacks it", groupsOfBlock},
		{"(27)", "gradients that a node gets", "r·(1/r)·C(n−1,r) = C(n,r)(n−r)/n = D_left", "", gradientsGot},
		{"(28)", "load of coded packets, a multicast once", "C(n,r+1)·(r+1)/r", "", codedLoad},
		{"(29)", "load of the same blocks uncoded, per receiver", "n·D_left = (n−r)·C(n,r)", "", uncodedLoad},
		{"(30)", "load without redundancy, per receiver", "(n−1)·C(n,r)", "", normalLoad},
	}
}

// sides collects the equations of a step at one (n, r).
type sides []Side

func (s *sides) add(what string, left int, right *big.Rat) {
	*s = append(*s, Side{What: what, Left: whole(left), Right: right})
}

// all adds counts that should be one number: that number, or the least and the most of
// them where they are not; nothing where there are none.
func (s *sides) all(what string, counts []int, right, printed *big.Rat) {
	if len(counts) == 0 {
		return
	}
	least, most := slices.Min(counts), slices.Max(counts)
	if least < most {
		*s = append(*s, Side{what + ", least", whole(least), right, printed})
		what += ", most"
	}
	*s = append(*s, Side{what, whole(most), right, printed})
}

// The steps that count blocks.

// blocksHave is (20).
func blocksHave(e *Enumeration, n, r int) (s sides) {
	var have []int
	for i := range e.n {
		have = append(have, e.have(i))
	}
	s.all("blocks of a node, r·C(n,r)/n", have, DHave(n, r), nil)
	s.all("blocks of a node, C(n−1,r−1)", have, choose(n-1, r-1), nil)
	return s
}

// blocksLeft checks (21).
func blocksLeft(e *Enumeration, n, r int) (s sides) {
	lacks := make([]int, e.n)
	e.missing(func(_, node int) { lacks[node]++ })
	s.all("blocks that a node lacks", lacks, DLeft(n, r), nil)
	return s
}

// blocksSent checks (22).
func blocksSent(e *Enumeration, n, r int) (s sides) {
	places, strange := 0, 0
	for q, h := range e.holders {
		places += bits.OnesCount64(h)
		strange += bits.OnesCount64(h ^ e.sent[q])
	}
	s.add("sizes of all 𝒟 together", places, dAll(n, r))
	s.add("blocks in a 𝒟 that were not sent to its node, or sent and not in it", strange, whole(0))
	return s
}

// commonOfR is (23).
func commonOfR(e *Enumeration, n, r int) (s sides) {
	var common []int
	all := 0
	for _, set := range e.ofSize(e.r) {
		common = append(common, e.common(set))
		all += e.common(set)
	}
	s.all("blocks that r nodes have in common", common, dCommon(n, r), nil)
	s.add("of all sets of r nodes together", all, BlockCount(n, r))
	return s
}

// commonOfMore is (24). What r+1 nodes have in common is computed to be nothing.
func commonOfMore(e *Enumeration, n, r int) (s sides) {
	var common, within []int
	all := 0
	for _, set := range e.ofSize(e.r + 1) {
		common, within = append(common, e.common(set)), append(within, e.within(set))
		all += e.within(set)
	}
	s.all("blocks that r+1 nodes have in common", common, whole(0), whole(r+1))
	s.all("blocks whose holders are among r+1 nodes", within, dWithin(n, r), nil)
	s.add("of all sets of r+1 nodes together", all, times(GroupCount(n, r), dWithin(n, r)))
	return s
}

// groupsOfBlock is the sentence from which the text concludes that groups never send
// the same thing twice. A block is in n−r groups, but each time for another node.
func groupsOfBlock(e *Enumeration, n, r int) (s sides) {
	if e.r == e.n {
		return s
	}
	var block, node []int
	for _, h := range e.holders {
		block = append(block, e.containing(h))
	}
	e.missing(func(q, i int) { node = append(node, e.containing(e.holders[q]|1<<i)) })
	s.all("groups with all holders of a block", block, whole(n-r), whole(1))
	s.all("groups with all holders of a block and a node that lacks it", node, whole(1), nil)
	s.add("blocks and nodes that lack them", len(node), timesInt(BlockCount(n, r), n-r))
	return s
}

// uncodedLoad is (29).
func uncodedLoad(e *Enumeration, n, r int) (s sides) {
	messages := 0
	e.missing(func(int, int) { messages++ })
	s.add("n·D_left", messages, timesInt(DLeft(n, r), n))
	s.add("(n−r)·C(n,r)", messages, LUncoding(n, r))
	return s
}

// normalLoad is (30).
func normalLoad(e *Enumeration, n, r int) (s sides) {
	s.add("blocks and nodes that did not compute them", e.alone(), LNormal(n, r))
	return s
}

// The steps that count packets.

// blocksExchanged is (25).
func blocksExchanged(e *Enumeration, n, r int) (s sides) {
	var blocks, segments []int
	outside := 0
	for g, packets := range e.packets {
		carried, terms := make([]bool, len(e.holders)), 0
		for _, p := range packets {
			for _, t := range p.Terms {
				carried[t.Block] = true
				terms++
				if e.holders[t.Block]&^e.groups[g] != 0 {
					outside++
				}
			}
		}
		distinct := 0
		for _, c := range carried {
			if c {
				distinct++
			}
		}
		blocks, segments = append(blocks, distinct), append(segments, terms)
	}
	s.all("blocks that a group exchanges", blocks, dExchange(n, r), whole(0)) // the intersection is empty
	s.all("segments that a group exchanges, r of each block", segments, timesInt(dExchange(n, r), r), nil)
	s.add("of them, with a holder outside the group", outside, whole(0))
	s.add("groups", len(e.groups), GroupCount(n, r))
	return s
}

// blocksSentBy is (26). The intersection of r sets is one block, by (23).
func blocksSentBy(e *Enumeration, n, r int) (s sides) {
	var sent, times []int
	lacking, packets := 0, 0
	for g, members := range e.groups {
		for i := range e.n {
			if !has(members, i) {
				continue
			}
			count := 0
			for _, p := range e.packets[g] {
				if p.From != i {
					continue
				}
				count++
				sent = append(sent, len(p.Terms))
				for _, t := range p.Terms {
					if !has(e.holders[t.Block], i) {
						lacking++
					}
				}
			}
			times = append(times, count)
			packets += count
		}
	}
	s.all("blocks in a member's packet", sent, dSend(n, r), whole(1))
	s.all("packets of a member in a group", times, whole(1), nil)
	s.add("packets", packets, UsefulPackets(n, r))
	s.add("blocks that the sender lacks itself", lacking, whole(0))
	return s
}

// oneUnknown checks on what Algorithm 4 rests: a receiver lacks one term of a packet.
func oneUnknown(e *Enumeration, n, r int) (s sides) {
	var unknown []int
	e.eachPacket(func(_ int, p Packet) {
		for _, i := range p.To {
			lacks := 0
			for _, t := range p.Terms {
				if !has(e.holders[t.Block], i) {
					lacks++
				}
			}
			unknown = append(unknown, lacks)
		}
	})
	s.all("terms of a packet that a receiver lacks", unknown, whole(1), nil)
	s.add("packets and receivers", len(unknown), timesInt(UsefulPackets(n, r), r))
	return s
}

// segmentsArrive checks (16).
func segmentsArrive(e *Enumeration, n, r int) (s sides) {
	arrived, all := make([][]uint64, len(e.holders)), 0 // of block and node: positions, as a set
	for q := range arrived {
		arrived[q] = make([]uint64, e.n)
	}
	e.eachPacket(func(_ int, p Packet) {
		for _, i := range p.To {
			for _, t := range p.Terms {
				if !has(e.holders[t.Block], i) {
					arrived[t.Block][i] |= 1 << t.Position
					all++
				}
			}
		}
	})
	var segments []int
	e.missing(func(q, i int) { segments = append(segments, bits.OnesCount64(arrived[q][i])) })
	s.all("segments that a node gets of a block that it lacks", segments, whole(r), whole(r+1))
	s.add("of all nodes and blocks together, none twice", all, timesInt(timesInt(DLeft(n, r), n), r))
	return s
}

// gradientsGot is (27). With gradients of r elements, r elements are one.
func gradientsGot(e *Enumeration, n, r int) (s sides) {
	groups, got := make([]int, e.n), make([]int, e.n)
	for _, g := range e.groups {
		for i := range e.n {
			if has(g, i) {
				groups[i]++
			}
		}
	}
	e.eachPacket(func(_ int, p Packet) {
		for _, i := range p.To {
			got[i] += e.elements(p)
		}
	})
	s.all("r·(1/r)·C(n−1,r)", got, groupsOf(n, r), nil)
	s.all("C(n,r)·(n−r)/n", got, times(BlockCount(n, r), ratio(n-r, n)), nil)
	s.all("D_left", got, DLeft(n, r), nil)
	for k := range s { // elements → gradients
		s[k].Left = over(s[k].Left, whole(e.r))
	}
	s.all("groups of a node", groups, groupsOf(n, r), nil)
	return s
}

// codedLoad is (28).
func codedLoad(e *Enumeration, n, r int) (s sides) {
	load := ratio(e.Counts().Elements, e.r)
	return append(s, Side{What: "C(n,r+1)·(r+1)/r", Left: load, Right: LCoding(n, r)},
		Side{What: "C(n,r)·(n−r)/r", Left: load, Right: times(BlockCount(n, r), ratio(n-r, r))})
}

// loadRatio is (19).
func loadRatio(e *Enumeration, n, r int) (s sides) {
	if e.n < 2 {
		return s
	}
	counted := ratio(e.Counts().Elements, e.r*e.alone())
	return append(s, Side{What: "its middle", Left: counted, Right: over(times(choose(n, r+1), ratio(r+1, r)), timesInt(choose(n, r), n-1))},
		Side{What: "its right", Left: counted, Right: LRatio(n, r)})
}

// reducedToOneNth is the sentence of §2.2. At r = 1 nothing is coded, at r = n nothing
// sent.
func reducedToOneNth(e *Enumeration, n, r int) sides {
	if e.n < 2 {
		return nil
	}
	var printed *big.Rat
	if e.r >= 2 && e.r < e.n {
		printed = ratio(1, e.n)
	}
	return sides{{"coded over per-block load", ratio(e.Counts().Elements, e.r*e.alone()), LRatio(n, r), printed}}
}

// loopPackets compares the packets that are needed with the printed loop's, r ≥ 2.
func loopPackets(e *Enumeration, n, r int) (s sides) {
	if e.r == 1 {
		return s
	}
	return needed(e, n, r)
}

// loopAlone compares them at r = 1.
func loopAlone(e *Enumeration, n, r int) (s sides) {
	if e.r > 1 {
		return s
	}
	return needed(e, n, r)
}

func needed(e *Enumeration, n, r int) sides {
	var printed *big.Rat
	if c, ok := e.Loop(); ok {
		printed = big.NewRat(c.Packets, 1)
	}
	return sides{{"packets", whole(e.Counts().Packets), UsefulPackets(n, r), printed}}
}
