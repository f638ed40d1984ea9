package codedsgd

import (
	"math/big"
	"math/bits"
)

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
	s.all("blocks that a group exchanges", blocks, DExchange(n, r), whole(0)) // the intersection is empty
	s.all("segments that a group exchanges, r of each block", segments, timesInt(DExchange(n, r), r), nil)
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
	s.all("blocks in a member's packet", sent, DSend(n, r), whole(1))
	s.all("packets of a member in a group", times, whole(1), nil)
	s.add("packets", packets, UsefulPackets(n, r))
	s.add("blocks that the sender lacks itself", lacking, whole(0))
	return s
}

// oneUnknown is what Algorithm 4 rests on.
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

// segmentsArrive is (16).
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
	s.all("r·(1/r)·C(n−1,r)", got, GroupsOf(n, r), nil)
	s.all("C(n,r)·(n−r)/n", got, times(BlockCount(n, r), ratio(n-r, n)), nil)
	s.all("D_left", got, DLeft(n, r), nil)
	for k := range s { // elements → gradients
		s[k].Left = over(s[k].Left, whole(e.r))
	}
	s.all("groups of a node", groups, GroupsOf(n, r), nil)
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

// loopPackets compares the packets that are needed with those of the printed loop.
func loopPackets(e *Enumeration, n, r int) (s sides) {
	if e.r == 1 {
		return s
	}
	return needed(e, n, r)
}

// loopAlone is the same without redundancy.
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
