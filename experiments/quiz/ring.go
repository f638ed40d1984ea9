package quiz

import "slices"

var ringMakers = []maker{{"ring.sends", ringSends}, {"ring.receives", ringReceives}, {"ring.holds", ringHolds}, {"ring.complete", ringComplete}, {"ring.values", ringValues},
	{"ring.bytes", ringBytes}, {"ring.ragged", ringRagged}, {"ring.seconds", ringSeconds}, {"ring.naive", ringNaive}, {"ring.break-even", ringBreakEven}}

// The blog's sections that questions rest on.
var (
	scatterSection = both("blog, The Scatter-Reduce", "博客，The Scatter-Reduce 一节")
	gatherSection  = both("blog, The Allgather", "博客，The Allgather 一节")
	costSection    = both("blog, All-reduce communication cost", "博客，All-reduce communication cost 一节")
)

// theRing introduces the exchanges that are numbered through both loops.
var theRing = both("N ranks in a ring sum a vector that is cut into chunks 0 … N−1. Exchanges are counted from 1 through both loops: N−1 of the reduce-scatter, then N−1 of the all-gather.",
	"N 个 rank 组成一个环，对切成块 0 … N−1 的向量求和。两个循环的交换从 1 起连续编号：先是归约散发（reduce-scatter）的 N−1 次，再是全收集（all-gather）的 N−1 次。")

// step draws a ring, a rank and an exchange of one of so many loops.
func step(d draw, loops int) (n, rank, k int) {
	n = d.from(3, 7)
	return n, d.IntN(n), d.from(1, loops*(n-1))
}

// stepGiven are the numbers of such a question.
func stepGiven(n, rank, k int) []Given { return []Given{is("N", n), is("i", rank), is("k", k)} }

// section is where the blog describes exchange k of n ranks.
func section(n, k int) Text {
	if k < n {
		return scatterSection
	}
	return gatherSection
}

// walk says how exchange k of the rank follows from the first exchange of its loop,
// both as they were recorded.
func walk(chunks [][]chunk, rank, k int) Text {
	n := len(chunks)
	first, at, loop := chunks[rank][0].Number, k, Text{"reduce-scatter", "归约散发"}
	if k >= n {
		first, at, loop = chunks[rank][n-1].Number, k-n+1, Text{"all-gather", "全收集"}
	}
	now := chunks[rank][k-1].Number
	if at == 1 {
		return both("Exchange %d is the first of the %s, in which rank %d sends chunk %d.", "第 %d 次交换是%s的第一次，其中 rank %d 发送块 %d。", k, loop, rank, now)
	}
	return both("Exchange %[1]d is number %[3]d of the %[2]s. In its first, rank %[4]d sends chunk %[5]d, and from exchange to exchange one chunk lower (mod %[6]d): chunk %[7]d.",
		"第 %[1]d 次交换是%[2]s中的第 %[3]d 次。其首次交换中 rank %[4]d 发送块 %[5]d，此后每次递减一块（模 %[6]d）：块 %[7]d。", k, loop, at, rank, first, n, now)
}

func ringSends(d draw) (Question, error) {
	n, rank, k := step(d, 2)
	sent, chunks, err := chunksOf(n)
	if err != nil {
		return Question{}, err
	}
	c, to := chunks[rank][k-1].Number, sent[rank][k-1].To
	return Question{
		Text: sentences(theRing, both("Which chunk does rank i send in exchange k, and to which rank?", "第 k 次交换中 rank i 发送哪一块，发给哪个 rank？")), Given: stepGiven(n, rank, k),
		Why: sentences(walk(chunks, rank, k), both("It goes to the right neighbour, rank %d.", "它发给右邻 rank %d。", to)), Source: section(n, k),
		want: sequence(both("chunk, rank: two numbers such as 4, 1", "块, rank：两个数，例如 4, 1"), c, to)}, nil
}

func ringReceives(d draw) (Question, error) {
	n, rank, k := step(d, 2)
	sent, chunks, err := chunksOf(n)
	if err != nil {
		return Question{}, err
	}
	from := slices.IndexFunc(sent, func(m []message) bool { return m[k-1].To == rank })
	c := chunks[from][k-1].Number
	return Question{
		Text: sentences(theRing, both("Which chunk does rank i receive in exchange k, and from which rank?", "第 k 次交换中 rank i 收到哪一块，来自哪个 rank？")), Given: stepGiven(n, rank, k),
		Why: sentences(both("It comes from the left neighbour, rank %d.", "它来自左邻 rank %d。", from), walk(chunks, from, k)), Source: section(n, k),
		want: sequence(both("chunk, rank: two numbers such as 4, 1", "块, rank：两个数，例如 4, 1"), c, from)}, nil
}

func ringHolds(d draw) (Question, error) {
	n, rank, k := step(d, 1)
	_, chunks, err := chunksOf(n)
	if err != nil {
		return Question{}, err
	}
	next := chunks[rank][k] // what came in exchange k, with the rank's own term, goes on in exchange k+1
	return Question{
		Text: sentences(theRing, both("Rank i has added the chunk that it received in exchange k. The contributions of which ranks are in that sum?",
			"rank i 已把第 k 次交换收到的块加了进去。这个部分和含有哪些 rank 的贡献？")),
		Given: stepGiven(n, rank, k),
		Why: both("The chunk is number %d. It began at rank %d and every rank on its way round adds its own numbers; after exchange %d the sum has %d terms: those of ranks %s.",
			"这一块是块 %d。它从 rank %d 出发，沿途每个 rank 都加上自己的数；第 %d 次交换之后，部分和有 %d 项：来自 rank %s。", next.Number, next.Number, k, len(next.Ranks), setOf(next.Ranks)),
		Source: scatterSection, want: set(next.Ranks)}, nil
}

func ringComplete(d draw) (Question, error) {
	n := d.from(3, 9)
	rank := d.IntN(n)
	_, chunks, err := chunksOf(n)
	if err != nil {
		return Question{}, err
	}
	c := chunks[rank][n-1]
	return Question{
		Text:  sentences(theRing, both("Which chunk is complete on rank i after the reduce-scatter?", "归约散发结束后，rank i 上哪一块已是完整的总和？")),
		Given: []Given{is("N", n), is("i", rank)},
		Why: both("In exchange %d, the last of the reduce-scatter, rank %d receives chunk %d and adds the last of %d terms. It is also the chunk that it sends first in the all-gather.",
			"第 %d 次交换是归约散发的最后一次，rank %d 收到块 %d，并加上 %d 项中的最后一项。它也是全收集中首先发送的块。", n-1, rank, c.Number, len(c.Ranks)),
		Source: scatterSection, want: whole(int64(c.Number), none)}, nil
}

func ringValues(d draw) (Question, error) {
	n := d.from(3, 4)
	rank, k := d.IntN(n), d.from(1, n-1)
	vectors := make([][]float32, n)
	given := []Given{is("N", n), is("i", rank), is("k", k)}
	for i := range vectors {
		vectors[i] = d.small(n)
		given = append(given, is("x_"+string(rune('0'+i)), listed(vectors[i])))
	}
	own := slices.Clone(vectors[rank])
	sent, err := ringOf(vectors)
	if err != nil {
		return Question{}, err
	}
	held := sent[rank][k].Held // as the next exchange begins
	return Question{
		Text: sentences(theRing, both("Every chunk is one number; x_j is rank j's vector. What does rank i's vector hold after exchange k?",
			"每块只有一个数；x_j 是 rank j 的向量。第 k 次交换之后 rank i 的向量是什么？")), Given: given,
		Why: both("Rank %d begins with %s. Every exchange up to number %d adds what arrives to one chunk and leaves the others: %s.",
			"rank %d 起初为 %s。直到第 %d 次交换，每次只把收到的数加到一块上，其余不变：%s。",
			rank, listed(own), k, listed(held)),
		Source: scatterSection, want: sequence(both("the vector: numbers in order, such as 3, 0, −2", "向量：按顺序的数，例如 3, 0, −2"), held...)}, nil
}
