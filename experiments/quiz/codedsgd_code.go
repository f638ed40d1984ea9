package quiz

import (
	"fmt"
	"slices"

	"gradsync/papers/codedsgd"
)

// holding is what one node knows: the gradients of its own blocks, of one layer and
// one micro-block each.
type holding struct {
	a     *codedsgd.Assignment
	node  int
	grads [][]int32 // of every block; the others' are not given out
}

// Has reports whether the node computed the block's gradient.
func (h holding) Has(block int) bool { return h.a.Holds(h.node, block) }

// Layer returns the block's gradient, or an error if the node lacks it.
func (h holding) Layer(block, _, _ int) ([]int32, error) {
	if !h.Has(block) {
		return nil, fmt.Errorf("quiz: node %d lacks block %d", h.node, block)
	}
	return h.grads[block], nil
}

// packetOf draws a group of r+1 nodes and one member's packet.
func packetOf(d draw) (a *codedsgd.Assignment, group []int, p codedsgd.Packet, err error) {
	if a, err = assignment(d); err != nil {
		return nil, nil, p, err
	}
	all := a.Groups()
	group = all[d.IntN(len(all))]
	return a, group, a.Packets(group)[d.IntN(len(group))], nil
}

// terms writes a packet's summands as block:segment.
func terms(p codedsgd.Packet) (out []string) {
	for _, t := range p.Terms {
		out = append(out, fmt.Sprintf("%d:%d", t.Block, t.Position))
	}
	return out
}

// whoHolds lists the sets of a packet's blocks.
func whoHolds(a *codedsgd.Assignment, p codedsgd.Packet) Text {
	var out []Text
	for _, t := range p.Terms {
		out = append(out, both("Block %d is on %s.", "样本块 %d 在 %s 上。", t.Block, setOf(a.Holders(t.Block))))
	}
	return sentences(out...)
}

// segmented says how a gradient is cut.
var segmented = both("Every gradient is cut into r segments, as many as its block has holders: segment s is what the s-th of them, counted from 0, sends.",
	"每个梯度切成 r 个片段，与其样本块的持有者一样多：片段 s（从 0 起）由其中第 s 个持有者发送。")

func codedPacket(d draw) (Question, error) {
	a, group, p, err := packetOf(d)
	if err != nil {
		return Question{}, err
	}
	var want [][2]int
	for _, t := range p.Terms {
		want = append(want, [2]int{t.Block, t.Position})
	}
	return Question{
		Text: sentences(numbered, segmented, both("In the group M node i multicasts one packet to the others. Of which segments is it the sum?",
			"在节点组 M 中，节点 i 向其余节点多播一个数据包。它是哪些片段之和？")),
		Given: append(sizes(a), is("M", setOf(group)), is("i", p.From)),
		Why: sentences(both("For each other member k, node %d adds its own segment of the block that k lacks and all the others hold.",
			"对每个其他成员 k，节点 %d 加上 k 所缺而其余成员都有的那个样本块中自己的片段。", p.From),
			whoHolds(a, p), both("The place of node %d among them is the segment: %s.", "节点 %d 在其中的次序就是片段号：%s。", p.From, setOf(terms(p)))),
		Source: paper("Algorithm 3, lines 7–13, and (12)", "算法 3 第 7–13 行与式 (12)"), want: pairs(both("block:segment pairs in any order, such as 4:0, 7:1", "若干 样本块:片段，顺序不限，例如 4:0, 7:1"), want)}, nil
}

func codedUnknown(d draw) (Question, error) {
	a, group, p, err := packetOf(d)
	if err != nil {
		return Question{}, err
	}
	k := p.To[d.IntN(len(p.To))]
	t, err := codedsgd.Unknown(p, holding{a: a, node: k})
	if err != nil {
		return Question{}, err
	}
	return Question{
		Text: sentences(numbered, segmented, both("In the group M node i sends the sum of the block:segment terms P. Which term is new to node k?",
			"在节点组 M 中，节点 i 发送 样本块:片段 各项 P 之和。对节点 k 来说，哪一项是新的？")),
		Given: append(sizes(a), is("M", setOf(group)), is("i", p.From), is("P", setOf(terms(p))), is("k", k)),
		Why: sentences(whoHolds(a, p), both("Node %d lacks block %d alone, so %d:%d remains when it has subtracted the rest.", "节点 %d 只缺样本块 %d，所以减去其余各项后剩下 %d:%d。",
			k, t.Block, t.Block, t.Position)),
		Source: paper("Algorithm 4, line 5", "算法 4 第 5 行"), want: pairs(both("one pair block:segment, such as 4:0", "一对 样本块:片段，例如 4:0"), [][2]int{{t.Block, t.Position}})}, nil
}

// coded draws a packet with gradients of two numbers per segment, and its content.
func coded(d draw) (a *codedsgd.Assignment, p codedsgd.Packet, grads [][]int32, cut codedsgd.Cut, content []int32, err error) {
	if a, _, p, err = packetOf(d); err != nil {
		return
	}
	length := 2 * a.Redundancy()
	grads = make([][]int32, a.Blocks())
	for q := range grads {
		for range length {
			grads[q] = append(grads[q], int32(d.from(-9, 9)))
		}
	}
	if cut, err = codedsgd.NewCut(length, [2]int{length, 1}, a.Redundancy(), codedsgd.Rows); err != nil {
		return
	}
	content = make([]int32, cut.Padded(p))
	err = codedsgd.Encode(content, p, holding{a, p.From, grads}, 0, cut, 1)
	return
}

// segments writes the segments of the terms as they are added, "[1, 2] + [3, 4]".
func segments(p codedsgd.Packet, grads [][]int32, cut codedsgd.Cut, but codedsgd.Term, sign string) (out string) {
	for _, t := range p.Terms {
		if t == but {
			continue
		}
		part := make([]int32, cut.Len(t.Position))
		cut.Gather(part, grads[t.Block], t.Position)
		if out != "" || sign == "−" {
			out += " " + sign + " "
		}
		out += listed(part)
	}
	return out
}

// theirs are the gradients of a packet's blocks but one, as givens.
func theirs(p codedsgd.Packet, grads [][]int32, but int) (given []Given) {
	for _, t := range p.Terms {
		if t.Block != but {
			given = append(given, is(fmt.Sprintf("G_%d", t.Block), listed(grads[t.Block])))
		}
	}
	return given
}

var twoNumbers = both("two numbers such as 3, −2", "两个数，例如 3, −2")

func codedEncode(d draw) (Question, error) {
	a, p, grads, cut, content, err := coded(d)
	if err != nil {
		return Question{}, err
	}
	return Question{
		Text: sentences(segmented, both("A packet is the sum of the block:segment terms P. G_q is the gradient of block q, whose segments are of two numbers each, in order. What is the packet's content?",
			"一个数据包是 样本块:片段 各项 P 之和。G_q 是样本块 q 的梯度，依次每两个数为一个片段。数据包的内容是什么？")),
		Given:  append(append(sizes(a), is("P", setOf(terms(p)))), theirs(p, grads, -1)...),
		Why:    both("%s = %s.", "%s = %s。", segments(p, grads, cut, codedsgd.Term{Block: -1}, "+"), listed(content)),
		Source: paper("Algorithm 3, line 9, and (12)", "算法 3 第 9 行与式 (12)"), want: sequence(twoNumbers, content...)}, nil
}

func codedDecode(d draw) (Question, error) {
	a, p, grads, cut, content, err := coded(d)
	if err != nil {
		return Question{}, err
	}
	k := p.To[d.IntN(len(p.To))]
	left := slices.Clone(content)
	t, err := codedsgd.Decode(left, p, holding{a, k, grads}, 0, cut, 1)
	if err != nil {
		return Question{}, err
	}
	left = left[:cut.Len(t.Position)]
	given := append(sizes(a), is("P", setOf(terms(p))), is("H", listed(content)), is("k", k))
	return Question{
		Text: sentences(segmented, both("Node k receives the packet H, the sum of the block:segment terms P. Of these blocks it knows the gradients G_q, whose segments are of two numbers each, in order. Which two numbers does it learn?",
			"节点 k 收到数据包 H，即 样本块:片段 各项 P 之和。其中它知道的梯度是 G_q，依次每两个数为一个片段。它得到哪两个新的数？")),
		Given: append(given, theirs(p, grads, t.Block)...),
		Why: both("%s%s = %s, segment %d of block %d.", "%s%s = %s，即样本块 %[5]d 的片段 %[4]d。",
			listed(content), segments(p, grads, cut, t, "−"), listed(left), t.Position, t.Block),
		Source: paper("Algorithm 4 and (15)", "算法 4 与式 (15)"), want: sequence(twoNumbers, left...)}, nil
}
