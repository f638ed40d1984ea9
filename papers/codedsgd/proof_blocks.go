package codedsgd

import "math/bits"

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

// blocksLeft is (21).
func blocksLeft(e *Enumeration, n, r int) (s sides) {
	lacks := make([]int, e.n)
	e.missing(func(_, node int) { lacks[node]++ })
	s.all("blocks that a node lacks", lacks, DLeft(n, r), nil)
	return s
}

// blocksSent is (22).
func blocksSent(e *Enumeration, n, r int) (s sides) {
	places, strange := 0, 0
	for q, h := range e.holders {
		places += bits.OnesCount64(h)
		strange += bits.OnesCount64(h ^ e.sent[q])
	}
	s.add("sizes of all 𝒟 together", places, DAll(n, r))
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
	s.all("blocks that r nodes have in common", common, DCommon(n, r), nil)
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
	s.all("blocks whose holders are among r+1 nodes", within, DWithin(n, r), nil)
	s.add("of all sets of r+1 nodes together", all, times(GroupCount(n, r), DWithin(n, r)))
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
