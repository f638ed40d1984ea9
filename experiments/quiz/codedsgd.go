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

// paper returns a place in the paper as a source.
func paper(en, zh string) Text { return Text{"CSSGD, " + en, "CSSGD 论文，" + zh} }

// numbered says how blocks are numbered.
var numbered = both("A batch on n nodes 0 … n−1 is cut into one block for every set of r nodes; the sets are numbered from 0 in "+
	"lexicographic order, {0, 1, …} first.",
	"n 个节点 0 … n−1 上的一批样本，每个 r 元节点集合对应一个样本块；集合按字典序从 0 起编号，首先是 {0, 1, …}。")

// assignment draws an assignment with at most ten blocks.
func assignment(d draw) *codedsgd.Assignment {
	size := pick(d, [2]int{3, 2}, [2]int{4, 2}, [2]int{4, 3}, [2]int{5, 2}, [2]int{5, 3})
	return kit.Must(codedsgd.Assign(size[0], size[1]))
}

func sizes(a *codedsgd.Assignment) []Given {
	return []Given{is("n", a.Nodes()), is("r", a.Redundancy())}
}

func codedBlocks(d draw) Question {
	a := assignment(d)
	i := d.IntN(a.Nodes())
	var why []Text
	for _, q := range a.Of(i) {
		why = append(why, both("%d: %s.", "%d:%s。", q, setOf(a.Holders(q))))
	}
	return Question{
		Text:  sentences(numbered, both("Which blocks does node i compute?", "节点 i 计算哪些样本块？")),
		Given: append(sizes(a), is("i", i)), Why: sentences(append([]Text{both("Those whose set has node %d in it.", "集合中含有节点 %d 的那些样本块。", i)}, why...)...),
		Source: paper("Algorithm 2, line 8", "算法 2 第 8 行"), want: set(a.Of(i))}
}

func codedHolders(d draw) Question {
	a := assignment(d)
	q := d.IntN(a.Blocks())
	first, last := a.Holders(0), a.Holders(a.Blocks()-1)
	return Question{
		Text:  sentences(numbered, both("Which nodes compute block q?", "哪些节点计算样本块 q？")),
		Given: append(sizes(a), is("q", q)),
		Why: both("%d sets from %s, block 0, to %s; set number %d is %s.", "共 %d 个集合，从样本块 0 的 %s 到 %s；第 %d 号集合是 %s。",
			a.Blocks(), setOf(first), setOf(last), q, setOf(a.Holders(q))),
		Source: paper("Algorithm 2, line 7", "算法 2 第 7 行"), want: set(a.Holders(q))}
}

// messageCount is a number of §2.4 with its closed form.
type messageCount struct {
	what    Text
	form    string
	numbers func(n, r int) string // in the form
	source  Text
	value   func(n, r int) *big.Rat
	unit    unit
}

// choose writes a binomial coefficient.
func choose(n, k int) string { return fmt.Sprintf("C(%d,%d)", n, k) }

var counts = []messageCount{
	{both("Into how many blocks is a batch cut?", "一批切成多少个样本块？"), "C(n,r)",
		choose, paper("§2.1", "§2.1"), codedsgd.BlockCount, blocks},
	{both("How many blocks does a node compute?", "一个节点计算多少个样本块？"), "C(n−1,r−1)",
		func(n, r int) string { return choose(n-1, r-1) }, paper("(20)", "式 (20)"), codedsgd.DHave, blocks},
	{both("How many blocks does a node lack?", "一个节点缺少多少个样本块？"), "C(n−1,r)",
		func(n, r int) string { return choose(n-1, r) }, paper("(21)", "式 (21)"), codedsgd.DLeft, blocks},
	{both("How many groups of r+1 nodes exchange with each other?", "有多少个由 r+1 个节点组成的交换组？"), "C(n,r+1)",
		func(n, r int) string { return choose(n, r+1) }, paper("§2.4", "§2.4"), codedsgd.GroupCount, groups},
	{both("How many coded packets does an exchange need, all nodes together?", "一次交换中所有节点合计需要多少个编码数据包？"), "C(n,r+1)·(r+1)",
		func(n, r int) string { return fmt.Sprintf("%s·%d", choose(n, r+1), r+1) }, paper("Algorithm 3, corrected", "算法 3（已更正）"), codedsgd.UsefulPackets, packets},
}

var loads = []messageCount{
	{both("What do all nodes send in coded packets, a multicast counted once?", "所有节点以编码数据包合计发送多少（一次多播计一次）？"), "C(n,r)·(n−r)/r",
		func(n, r int) string { return fmt.Sprintf("%s·%d/%d", choose(n, r), n-r, r) }, paper("(28)", "式 (28)"), codedsgd.LCoding, gradients},
	{both("What do all nodes send if every node is sent all the blocks that it lacks, one by one?", "若逐个向每个节点发送其缺少的所有样本块，合计发送多少？"), "(n−r)·C(n,r)",
		func(n, r int) string { return fmt.Sprintf("%d·%s", n-r, choose(n, r)) }, paper("(29)", "式 (29)"), codedsgd.LUncoding, gradients},
	{both("What is sent if every one of C(n,r) blocks is computed by one node alone and sent to all others, counted once per receiver?",
		"若 C(n,r) 个样本块各只由一个节点计算并发给其余所有节点（按接收者计数），合计发送多少？"), "(n−1)·C(n,r)",
		func(n, r int) string { return fmt.Sprintf("%d·%s", n-1, choose(n, r)) }, paper("(30)", "式 (30)"), codedsgd.LNormal, gradients},
	{both("Which share of L_normal is L_coding?", "L_coding 是 L_normal 的几分之几？"), "(n−r)/((n−1)·r)",
		func(n, r int) string { return fmt.Sprintf("%d/(%d·%d)", n-r, n-1, r) }, paper("(19)", "式 (19)"), codedsgd.LRatio, share},
	{both("Which share of the same blocks multicast uncoded are coded packets, a multicast counted once both "+
		"times?", "编码数据包是同样的样本块不编码多播的几倍（两者的多播都计一次）？"), "(n−r)/r",
		func(n, r int) string { return fmt.Sprintf("%d/%d", n-r, r) }, both("ours: (28) over (29), both counted once per packet",
			"本仓库：式 (28) 比式 (29)，都按数据包计数"), codedsgd.LikeForLike, share},
}

func codedCount(d draw) Question {
	n := d.from(3, 7)
	return counts[d.IntN(len(counts))].ask(n, d.from(1, n-1))
}

func codedLoad(d draw) Question {
	n := d.from(3, 8)
	return loads[d.IntN(len(loads))].ask(n, d.from(1, n-1))
}

// ask asks for the number of n nodes at redundancy r.
func (c messageCount) ask(n, r int) Question {
	value := c.value(n, r)
	return Question{
		Text: sentences(both("CSSGD on n nodes, every block computed by r of them; a load's unit is the gradient of one block.",
			"n 个节点上的 CSSGD，每个样本块由 r 个节点计算；负载的单位是一个样本块的梯度。"), c.what),
		Given:  []Given{is("n", n), is("r", r)},
		Why:    both("%s = %s = %s; C(n,r) is %s.", "%s = %s = %s；C(n,r) 为 %s。", c.form, c.numbers(n, r), near(value), decimal(codedsgd.BlockCount(n, r))),
		Source: c.source, want: exactly(value, c.unit)}
}

// model draws n nodes and the seconds of ordinary SSGD's computation and exchange.
func model(d draw) (n int, calc, comm *big.Rat, given []Given) {
	n, calc = d.from(4, 10), rat(int64(d.from(1, 8)), 1)
	comm = rat(int64(d.from(10, 80)), 1)
	return n, calc, comm, []Given{is("n", n), in("T_calc", decimal(calc), seconds), in("T_comm", decimal(comm), seconds)}
}

// timeModel is §3.2.4's.
var timeModel = both("A batch takes T(r) = r·T_calc + (n−r)/((n−1)·r)·T_comm at redundancy r.", "冗余度为 r 时，一批需 T(r) = r·T_calc + (n−r)/((n−1)·r)·T_comm。")

func codedTime(d draw) Question {
	n, calc, comm, given := model(d)
	r := d.from(1, n)
	t := codedsgd.BatchTime(n, r, calc, comm)
	return Question{
		Text: sentences(timeModel, both("How long does a batch take?", "一批需多长时间？")), Given: append(given, is("r", r)),
		Why:    both("%d · %s + %s · %s = %s s.", "%d · %s + %s · %s = %s 秒。", r, decimal(calc), decimal(codedsgd.LRatio(n, r)), decimal(comm), near(t)),
		Source: paper("§3.2.4, with (19)", "§3.2.4，代入式 (19)"), want: exactly(t, seconds)}
}

func codedStar(d draw) Question {
	n, calc, comm, given := model(d)
	rho := new(big.Rat).Quo(comm, calc)
	star := codedsgd.RStar(n, rho, false)
	return Question{
		Text: sentences(timeModel, both("At which real r* is T least?", "T 在哪个实数 r* 处最小？")), Given: given,
		Why: both("The derivative is 0 at r*² = n/(n−1)·T_comm/T_calc = %s, r* = %s.", "导数为 0 处 r*² = n/(n−1)·T_comm/T_calc = %s，r* = %s。",
			near(codedsgd.RStarSquared(n, rho, false)), rounded(star)),
		Source: both("ours: the derivative of CSSGD §3.2.4", "本仓库：CSSGD 论文 §3.2.4 的导数"), want: about(star, none)}
}

func codedBest(d draw) Question {
	n, calc, comm, given := model(d)
	best := codedsgd.BestRedundancy(n, calc, comm, false)
	why := []Text{both("Beside r* = %s:", "r* = %s 附近：", rounded(codedsgd.RStar(n, new(big.Rat).Quo(comm, calc), false)))}
	for _, r := range []int{best - 1, best, best + 1} {
		if r >= 1 && r <= n {
			why = append(why, both("T(%d) = %s s.", "T(%d) = %s 秒。", r, near(codedsgd.BatchTime(n, r, calc, comm))))
		}
	}
	return Question{
		Text: sentences(timeModel, both("At which whole r from 1 to n is T least (of equal ones the smallest)?", "在 1 到 n 的整数中，T 在哪个 r 处最小（相等时取较小者）？")), Given: given,
		Why: sentences(why...), Source: paper("§3.2.4", "§3.2.4"), want: whole(int64(best), none)}
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
func packetOf(d draw) (a *codedsgd.Assignment, group []int, p codedsgd.Packet) {
	a = assignment(d)
	all := a.Groups()
	group = all[d.IntN(len(all))]
	return a, group, a.Packets(group)[d.IntN(len(group))]
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

func codedPacket(d draw) Question {
	a, group, p := packetOf(d)
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
		Source: paper("Algorithm 3, lines 7–13, and (12)", "算法 3 第 7–13 行与式 (12)"),
		want:   pairs(both("block:segment pairs in any order, such as 4:0, 7:1", "若干 样本块:片段，顺序不限，例如 4:0, 7:1"), want)}
}

func codedUnknown(d draw) Question {
	a, group, p := packetOf(d)
	k := p.To[d.IntN(len(p.To))]
	t := kit.Must(codedsgd.Unknown(p, knownBlocks{a: a, node: k}))
	return Question{
		Text: sentences(numbered, segmented, both("In the group M node i sends the sum of the block:segment terms P. Which term is new to node k?",
			"在节点组 M 中，节点 i 发送 样本块:片段 各项 P 之和。对节点 k 来说，哪一项是新的？")),
		Given: append(sizes(a), is("M", setOf(group)), is("i", p.From), is("P", setOf(terms(p))), is("k", k)),
		Why: sentences(whoHolds(a, p), both("Node %d lacks block %d alone, so %d:%d remains when it has subtracted the rest.", "节点 %d 只缺样本块 %d，所以减去其余各项后剩下 %d:%d。",
			k, t.Block, t.Block, t.Position)),
		Source: paper("Algorithm 4, line 5", "算法 4 第 5 行"), want: pairs(both("one pair block:segment, such as 4:0", "一对 样本块:片段，例如 4:0"),
			[][2]int{{t.Block, t.Position}})}
}

// coded draws a packet with gradients of two numbers per segment, and its content.
func coded(d draw) (a *codedsgd.Assignment, p codedsgd.Packet, grads [][]int32, cut codedsgd.Cut, content []int32) {
	a, _, p = packetOf(d)
	length := 2 * a.Redundancy()
	grads = make([][]int32, a.Blocks())
	for q := range grads {
		for range length {
			grads[q] = append(grads[q], int32(d.from(-9, 9)))
		}
	}
	cut = kit.Must(codedsgd.NewCut(length, [2]int{length, 1}, a.Redundancy(), codedsgd.Rows))
	content = make([]int32, cut.Padded(p))
	return a, p, grads, cut, kit.Must(content, codedsgd.Encode(content, p, knownBlocks{a, p.From, grads}, 0, cut, 1))
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

// theirs returns the gradients of a packet's blocks but one, as givens.
func theirs(p codedsgd.Packet, grads [][]int32, but int) (given []Given) {
	for _, t := range p.Terms {
		if t.Block != but {
			given = append(given, is(fmt.Sprintf("G_%d", t.Block), listed(grads[t.Block])))
		}
	}
	return given
}

var twoNumbers = both("two numbers such as 3, −2", "两个数，例如 3, −2")

func codedEncode(d draw) Question {
	a, p, grads, cut, content := coded(d)
	return Question{
		Text: sentences(segmented, both("A packet is the sum of the block:segment terms P. G_q is the gradient of block q, whose segments are of "+
			"two numbers each, in order. What is the packet's content?",
			"一个数据包是 样本块:片段 各项 P 之和。G_q 是样本块 q 的梯度，依次每两个数为一个片段。数据包的内容是什么？")),
		Given:  append(append(sizes(a), is("P", setOf(terms(p)))), theirs(p, grads, -1)...),
		Why:    both("%s = %s.", "%s = %s。", segments(p, grads, cut, codedsgd.Term{Block: -1}, "+"), listed(content)),
		Source: paper("Algorithm 3, line 9, and (12)", "算法 3 第 9 行与式 (12)"), want: sequence(twoNumbers, content...)}
}

func codedDecode(d draw) Question {
	a, p, grads, cut, content := coded(d)
	k := p.To[d.IntN(len(p.To))]
	left := slices.Clone(content)
	t := kit.Must(codedsgd.Decode(left, p, knownBlocks{a, k, grads}, 0, cut, 1))
	left = left[:cut.Len(t.Position)]
	given := append(sizes(a), is("P", setOf(terms(p))), is("H", listed(content)), is("k", k))
	return Question{
		Text: sentences(segmented, both("Node k receives the packet H, the sum of the block:segment terms P. Of these blocks it knows the "+
			"gradients G_q, whose segments are of two numbers each, in order. Which two numbers does it learn?",
			"节点 k 收到数据包 H，即 样本块:片段 各项 P 之和。其中它知道的梯度是 G_q，依次每两个数为一个片段。它得到哪两个新的数？")),
		Given: append(given, theirs(p, grads, t.Block)...),
		Why: both("%s%s = %s, segment %d of block %d.", "%s%s = %s，即样本块 %[5]d 的片段 %[4]d。",
			listed(content), segments(p, grads, cut, t, "−"), listed(left), t.Position, t.Block),
		Source: paper("Algorithm 4 and (15)", "算法 4 与式 (15)"), want: sequence(twoNumbers, left...)}
}
