package quiz

import (
	"fmt"
	"math/big"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/papers/codedsgd"
)

var codedMakers = []maker{{"codedsgd.blocks", codedBlocks}, {"codedsgd.holders", codedHolders}, {"codedsgd.packet", codedPacket},
	{"codedsgd.unknown", codedUnknown},
	{"codedsgd.encode", codedEncode}, {"codedsgd.decode", codedDecode}, {"codedsgd.count", codedCount}, {"codedsgd.load", codedLoad}, {"codedsgd.time", codedTime},
	{"codedsgd.r-star", codedStar}, {"codedsgd.best", codedBest}}

// assignment draws an assignment with at most ten blocks.
func assignment(d draw) *codedsgd.Assignment {
	size := pick(d, [2]int{3, 2}, [2]int{4, 2}, [2]int{4, 3}, [2]int{5, 2}, [2]int{5, 3})
	return kit.Must(codedsgd.Assign(size[0], size[1]))
}

func codedBlocks(d draw) (expected, facts) {
	a := assignment(d)
	i := d.IntN(a.Nodes())
	return set(a.Of(i)), facts{"a": a, "i": i}
}

func codedHolders(d draw) (expected, facts) {
	a := assignment(d)
	q := d.IntN(a.Blocks())
	return set(a.Holders(q)), facts{"a": a, "q": q}
}

// messageCount is a number of §2.4, by its name in questions.tmpl.
type messageCount struct {
	name  string
	value func(n, r int) *big.Rat
	unit  unit
}

var counts = []messageCount{{"blocks", codedsgd.BlockCount, blocks}, {"have", codedsgd.DHave, blocks}, {"left", codedsgd.DLeft, blocks},
	{"groups", codedsgd.GroupCount, groups}, {"packets", codedsgd.UsefulPackets, packets}}

var loads = []messageCount{{"coded", codedsgd.LCoding, gradients}, {"uncoded", codedsgd.LUncoding, gradients}, {"normal", codedsgd.LNormal, gradients},
	{"ratio", codedsgd.LRatio, share}, {"alike", codedsgd.LikeForLike, share}}

func codedCount(d draw) (expected, facts) {
	n := d.from(3, 7)
	return counts[d.IntN(len(counts))].ask(n, d.from(1, n-1))
}

func codedLoad(d draw) (expected, facts) {
	n := d.from(3, 8)
	return loads[d.IntN(len(loads))].ask(n, d.from(1, n-1))
}

// ask asks for the number of n nodes at redundancy r.
func (c messageCount) ask(n, r int) (expected, facts) {
	value := c.value(n, r)
	return exactly(value, c.unit), facts{variant: c.name, "n": n, "r": r, "rest": n - r, "value": value, "blocks": codedsgd.BlockCount(n, r)}
}

// model draws n nodes and the seconds of ordinary SSGD's computation and exchange.
func model(d draw) (n int, calc, comm *big.Rat, says facts) {
	n, calc = d.from(4, 10), rat(int64(d.from(1, 8)), 1)
	comm = rat(int64(d.from(10, 80)), 1)
	star := codedsgd.RStar(n, new(big.Rat).Quo(comm, calc), false)
	return n, calc, comm, facts{"n": n, "calc": calc, "comm": comm, "star": star}
}

func codedTime(d draw) (expected, facts) {
	n, calc, comm, says := model(d)
	r := d.from(1, n)
	t := codedsgd.BatchTime(n, r, calc, comm)
	says["r"], says["ratio"], says["time"] = r, codedsgd.LRatio(n, r), t
	return exactly(t, seconds), says
}

func codedStar(d draw) (expected, facts) {
	n, calc, comm, says := model(d)
	says["squared"] = codedsgd.RStarSquared(n, new(big.Rat).Quo(comm, calc), false)
	return about(says["star"].(float64), none), says
}

func codedBest(d draw) (expected, facts) {
	n, calc, comm, says := model(d)
	best := codedsgd.BestRedundancy(n, calc, comm, false)
	times := map[int]*big.Rat{}
	for r := max(best-1, 1); r <= min(best+1, n); r++ {
		times[r] = codedsgd.BatchTime(n, r, calc, comm)
	}
	says["times"] = times
	return whole(int64(best), none), says
}

// knownBlocks holds what one node knows: the gradients of its own blocks, of one layer and one
// micro-block each.
type knownBlocks struct {
	a     *codedsgd.Assignment
	node  int
	grads [][]int32 // of every block; the others' are not given out
}

// Has reports whether the node computed the block's gradient.
func (h knownBlocks) Has(block int) bool { return h.a.Holds(h.node, block) }

// Layer returns the block's gradient, or an error if the node lacks it.
func (h knownBlocks) Layer(block, _, _ int) ([]int32, error) {
	if !h.Has(block) {
		return nil, fmt.Errorf("quiz: node %d lacks block %d", h.node, block)
	}
	return h.grads[block], nil
}

// packetOf draws a group of r+1 nodes and one member's packet.
func packetOf(d draw) (a *codedsgd.Assignment, p codedsgd.Packet, says facts) {
	a = assignment(d)
	all := a.Groups()
	group := all[d.IntN(len(all))]
	p = a.Packets(group)[d.IntN(len(group))]
	var terms []string // block:segment
	for _, t := range p.Terms {
		terms = append(terms, fmt.Sprintf("%d:%d", t.Block, t.Position))
	}
	return a, p, facts{"a": a, "group": group, "p": p, "terms": terms}
}

func codedPacket(d draw) (expected, facts) {
	_, p, says := packetOf(d)
	return pairs(p.Terms...), says
}

func codedUnknown(d draw) (expected, facts) {
	a, p, says := packetOf(d)
	k := p.To[d.IntN(len(p.To))]
	t := kit.Must(codedsgd.Unknown(p, knownBlocks{a: a, node: k}))
	says["k"], says["new"] = k, t
	return pairs(t), says
}

// coded draws a packet with gradients of two numbers per segment, and its content.
func coded(d draw) (p codedsgd.Packet, known knownBlocks, cut codedsgd.Cut, content []int32, says facts) {
	a, p, says := packetOf(d)
	length := 2 * a.Redundancy()
	grads := make([][]int32, a.Blocks())
	for q := range grads {
		for range length {
			grads[q] = append(grads[q], int32(d.from(-9, 9)))
		}
	}
	cut = kit.Must(codedsgd.NewCut(length, [2]int{length, 1}, a.Redundancy(), codedsgd.Rows))
	known, content = knownBlocks{a, p.From, grads}, make([]int32, cut.Padded(p))
	says["grads"], says["content"] = grads, kit.Must(content, codedsgd.Encode(content, p, known, 0, cut, 1))
	return p, known, cut, content, says
}

// segments returns the segments of a packet's terms but one, in order.
func segments(p codedsgd.Packet, grads [][]int32, cut codedsgd.Cut, but codedsgd.Term) (out [][]int32) {
	for _, t := range p.Terms {
		if t != but {
			part := make([]int32, cut.Len(t.Position))
			cut.Gather(part, grads[t.Block], t.Position)
			out = append(out, part)
		}
	}
	return out
}

func codedEncode(d draw) (expected, facts) {
	p, known, cut, content, says := coded(d)
	all := codedsgd.Term{Block: -1}
	says["new"], says["segments"] = all, segments(p, known.grads, cut, all)
	return sequence(content...), says
}

func codedDecode(d draw) (expected, facts) {
	p, known, cut, content, says := coded(d)
	k := p.To[d.IntN(len(p.To))]
	left := slices.Clone(content)
	known.node = k
	t := kit.Must(codedsgd.Decode(left, p, known, 0, cut, 1))
	left = left[:cut.Len(t.Position)]
	says["k"], says["new"], says["left"], says["segments"] = k, t, left, segments(p, known.grads, cut, t)
	return sequence(left...), says
}
