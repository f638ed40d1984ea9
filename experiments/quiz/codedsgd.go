package quiz

import (
	"fmt"
	"math/big"

	"gradsync/papers/codedsgd"
)

var codedMakers = []maker{{"codedsgd.blocks", codedBlocks}, {"codedsgd.holders", codedHolders}, {"codedsgd.packet", codedPacket}, {"codedsgd.unknown", codedUnknown},
	{"codedsgd.encode", codedEncode}, {"codedsgd.decode", codedDecode}, {"codedsgd.count", codedCount}, {"codedsgd.load", codedLoad}, {"codedsgd.time", codedTime},
	{"codedsgd.r-star", codedStar}, {"codedsgd.best", codedBest}}

// paper is a place in the paper as a source.
func paper(en, zh string) Text { return Text{"CSSGD, " + en, "CSSGD 论文，" + zh} }

// numbered says how blocks are numbered.
var numbered = both("A batch on n nodes 0 … n−1 is cut into one block for every set of r nodes; the sets are numbered from 0 in lexicographic order, {0, 1, …} first.",
	"n 个节点 0 … n−1 上的一批样本，每个 r 元节点集合对应一个样本块；集合按字典序从 0 起编号，首先是 {0, 1, …}。")

// assignment draws an assignment with at most ten blocks.
func assignment(d draw) (*codedsgd.Assignment, error) {
	size := pick(d, [2]int{3, 2}, [2]int{4, 2}, [2]int{4, 3}, [2]int{5, 2}, [2]int{5, 3})
	return codedsgd.Assign(size[0], size[1])
}

func sizes(a *codedsgd.Assignment) []Given {
	return []Given{is("n", a.Nodes()), is("r", a.Redundancy())}
}

func codedBlocks(d draw) (Question, error) {
	a, err := assignment(d)
	if err != nil {
		return Question{}, err
	}
	i := d.IntN(a.Nodes())
	var why []Text
	for _, q := range a.Of(i) {
		why = append(why, both("%d: %s.", "%d:%s。", q, setOf(a.Holders(q))))
	}
	return Question{
		Text:  sentences(numbered, both("Which blocks does node i compute?", "节点 i 计算哪些样本块？")),
		Given: append(sizes(a), is("i", i)), Why: sentences(append([]Text{both("Those whose set has node %d in it.", "集合中含有节点 %d 的那些样本块。", i)}, why...)...),
		Source: paper("Algorithm 2, line 8", "算法 2 第 8 行"), want: set(a.Of(i))}, nil
}

func codedHolders(d draw) (Question, error) {
	a, err := assignment(d)
	if err != nil {
		return Question{}, err
	}
	q := d.IntN(a.Blocks())
	first, last := a.Holders(0), a.Holders(a.Blocks()-1)
	return Question{
		Text:  sentences(numbered, both("Which nodes compute block q?", "哪些节点计算样本块 q？")),
		Given: append(sizes(a), is("q", q)),
		Why: both("%d sets from %s, block 0, to %s; set number %d is %s.", "共 %d 个集合，从样本块 0 的 %s 到 %s；第 %d 号集合是 %s。",
			a.Blocks(), setOf(first), setOf(last), q, setOf(a.Holders(q))),
		Source: paper("Algorithm 2, line 7", "算法 2 第 7 行"), want: set(a.Holders(q))}, nil
}

// count is a number of §2.4 with its closed form.
type count struct {
	what    Text
	form    string
	numbers func(n, r int) string // in the form
	source  Text
	value   func(n, r int) *big.Rat
	unit    unit
}

// choose writes a binomial coefficient.
func choose(n, k int) string { return fmt.Sprintf("C(%d,%d)", n, k) }

var counts = []count{
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

var loads = []count{
	{both("What do all nodes send in coded packets, a multicast counted once?", "所有节点以编码数据包合计发送多少（一次多播计一次）？"), "C(n,r)·(n−r)/r",
		func(n, r int) string { return fmt.Sprintf("%s·%d/%d", choose(n, r), n-r, r) }, paper("(28)", "式 (28)"), codedsgd.LCoding, gradients},
	{both("What do all nodes send if every node is sent all the blocks that it lacks, one by one?", "若逐个向每个节点发送其缺少的所有样本块，合计发送多少？"), "(n−r)·C(n,r)",
		func(n, r int) string { return fmt.Sprintf("%d·%s", n-r, choose(n, r)) }, paper("(29)", "式 (29)"), codedsgd.LUncoding, gradients},
	{both("What is sent if every one of C(n,r) blocks is computed by one node alone and sent to all others, counted once per receiver?",
		"若 C(n,r) 个样本块各只由一个节点计算并发给其余所有节点（按接收者计数），合计发送多少？"), "(n−1)·C(n,r)",
		func(n, r int) string { return fmt.Sprintf("%d·%s", n-1, choose(n, r)) }, paper("(30)", "式 (30)"), codedsgd.LNormal, gradients},
	{both("Which share of L_normal is L_coding?", "L_coding 是 L_normal 的几分之几？"), "(n−r)/((n−1)·r)",
		func(n, r int) string { return fmt.Sprintf("%d/(%d·%d)", n-r, n-1, r) }, paper("(19)", "式 (19)"), codedsgd.LRatio, share},
	{both("Which share of the same blocks multicast uncoded are coded packets, a multicast counted once both times?", "编码数据包是同样的样本块不编码多播的几倍（两者的多播都计一次）？"), "(n−r)/r",
		func(n, r int) string { return fmt.Sprintf("%d/%d", n-r, r) }, both("ours: (28) over (29), both counted once per packet",
			"本仓库：式 (28) 比式 (29)，都按数据包计数"), codedsgd.LikeForLike, share},
}

func codedCount(d draw) (Question, error) {
	n := d.from(3, 7)
	return counts[d.IntN(len(counts))].ask(n, d.from(1, n-1)), nil
}

func codedLoad(d draw) (Question, error) {
	n := d.from(3, 8)
	return loads[d.IntN(len(loads))].ask(n, d.from(1, n-1)), nil
}

// ask asks for the number of n nodes at redundancy r.
func (c count) ask(n, r int) Question {
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

func codedTime(d draw) (Question, error) {
	n, calc, comm, given := model(d)
	r := d.from(1, n)
	t := codedsgd.BatchTime(n, r, calc, comm)
	return Question{
		Text: sentences(timeModel, both("How long does a batch take?", "一批需多长时间？")), Given: append(given, is("r", r)),
		Why:    both("%d · %s + %s · %s = %s s.", "%d · %s + %s · %s = %s 秒。", r, decimal(calc), decimal(codedsgd.LRatio(n, r)), decimal(comm), near(t)),
		Source: paper("§3.2.4, with (19)", "§3.2.4，代入式 (19)"), want: exactly(t, seconds)}, nil
}

func codedStar(d draw) (Question, error) {
	n, calc, comm, given := model(d)
	rho := new(big.Rat).Quo(comm, calc)
	star := codedsgd.RStar(n, rho, false)
	return Question{
		Text: sentences(timeModel, both("At which real r* is T least?", "T 在哪个实数 r* 处最小？")), Given: given,
		Why: both("The derivative is 0 at r*² = n/(n−1)·T_comm/T_calc = %s, r* = %s.", "导数为 0 处 r*² = n/(n−1)·T_comm/T_calc = %s，r* = %s。",
			near(codedsgd.RStarSquared(n, rho, false)), rounded(star)),
		Source: both("ours: the derivative of CSSGD §3.2.4", "本仓库：CSSGD 论文 §3.2.4 的导数"), want: about(star, none)}, nil
}

func codedBest(d draw) (Question, error) {
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
		Why: sentences(why...), Source: paper("§3.2.4", "§3.2.4"), want: whole(int64(best), none)}, nil
}
