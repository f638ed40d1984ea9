package quiz

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

var ringMakers = []maker{{"ring.sends", ringSends}, {"ring.receives", ringReceives}, {"ring.holds", ringHolds},
	{"ring.complete", ringComplete}, {"ring.values", ringValues},
	{"ring.bytes", ringBytes}, {"ring.ragged", ringRagged}, {"ring.seconds", ringSeconds}, {"ring.naive", ringNaive}, {"ring.break-even", ringBreakEven}}

// The blog's sections that questions rest on.
var (
	scatterSection = both("blog, The Scatter-Reduce", "博客，The Scatter-Reduce 一节")
	gatherSection  = both("blog, The Allgather", "博客，The Allgather 一节")
	costSection    = both("blog, All-reduce communication cost", "博客，All-reduce communication cost 一节")
)

// theRing introduces the exchanges that are numbered through both loops.
var theRing = both("N ranks in a ring sum a vector that is cut into chunks 0 … N−1. Exchanges are counted from 1 through both loops: N−1 of "+
	"the reduce-scatter, then N−1 of the all-gather.",
	"N 个 rank 组成一个环，对切成块 0 … N−1 的向量求和。两个循环的交换从 1 起连续编号：先是归约散发（reduce-scatter）的 N−1 次，再是全收集（all-gather）的 N−1 次。")

// drawExchange draws a ring, a rank and an exchange of one of the given loops.
func drawExchange(d draw, loops int) (n, rank, k int) {
	n = d.from(3, 7)
	return n, d.IntN(n), d.from(1, loops*(n-1))
}

// stepGiven returns the numbers of such a question.
func stepGiven(n, rank, k int) []Given { return []Given{is("N", n), is("i", rank), is("k", k)} }

// section returns where the blog describes exchange k of n ranks.
func section(n, k int) Text {
	if k < n {
		return scatterSection
	}
	return gatherSection
}

// howExchanged reports how exchange k of the rank follows from the first exchange of its loop,
// both as they were recorded.
func howExchanged(chunks [][]chunk, rank, k int) Text {
	n := len(chunks)
	first, at, loop := chunks[rank][0].Number, k, Text{"reduce-scatter", "归约散发"}
	if k >= n {
		first, at, loop = chunks[rank][n-1].Number, k-n+1, Text{"all-gather", "全收集"}
	}
	now := chunks[rank][k-1].Number
	if at == 1 {
		return both("Exchange %d is the first of the %s, in which rank %d sends chunk %d.", "第 %d 次交换是%s的第一次，其中 rank %d 发送块 %d。", k, loop, rank, now)
	}
	return both("Exchange %[1]d is number %[3]d of the %[2]s. In its first, rank %[4]d sends chunk %[5]d, and from exchange to exchange one "+
		"chunk lower (mod %[6]d): chunk %[7]d.",
		"第 %[1]d 次交换是%[2]s中的第 %[3]d 次。其首次交换中 rank %[4]d 发送块 %[5]d，此后每次递减一块（模 %[6]d）：块 %[7]d。", k, loop, at, rank, first, n, now)
}

func ringSends(d draw) Question {
	n, rank, k := drawExchange(d, 2)
	sent, chunks := chunksOf(n)
	c, to := chunks[rank][k-1].Number, sent[rank][k-1].To
	return Question{
		Text:  sentences(theRing, both("Which chunk does rank i send in exchange k, and to which rank?", "第 k 次交换中 rank i 发送哪一块，发给哪个 rank？")),
		Given: stepGiven(n, rank, k),
		Why:   sentences(howExchanged(chunks, rank, k), both("It goes to the right neighbour, rank %d.", "它发给右邻 rank %d。", to)), Source: section(n, k),
		want: sequence(both("chunk, rank: two numbers such as 4, 1", "块, rank：两个数，例如 4, 1"), c, to)}
}

func ringReceives(d draw) Question {
	n, rank, k := drawExchange(d, 2)
	sent, chunks := chunksOf(n)
	from := slices.IndexFunc(sent, func(m []message) bool { return m[k-1].To == rank })
	c := chunks[from][k-1].Number
	return Question{
		Text:  sentences(theRing, both("Which chunk does rank i receive in exchange k, and from which rank?", "第 k 次交换中 rank i 收到哪一块，来自哪个 rank？")),
		Given: stepGiven(n, rank, k),
		Why:   sentences(both("It comes from the left neighbour, rank %d.", "它来自左邻 rank %d。", from), howExchanged(chunks, from, k)), Source: section(n, k),
		want: sequence(both("chunk, rank: two numbers such as 4, 1", "块, rank：两个数，例如 4, 1"), c, from)}
}

func ringHolds(d draw) Question {
	n, rank, k := drawExchange(d, 1)
	_, chunks := chunksOf(n)
	next := chunks[rank][k] // what came in exchange k, with the rank's own term, goes on in exchange k+1
	return Question{
		Text: sentences(theRing, both("Rank i has added the chunk that it received in exchange k. The contributions of which ranks are in that sum?",
			"rank i 已把第 k 次交换收到的块加了进去。这个部分和含有哪些 rank 的贡献？")),
		Given: stepGiven(n, rank, k),
		Why: both("The chunk is number %d. It began at rank %d and every rank on its way round adds its own numbers; after exchange %d the sum "+
			"has %d terms: those of ranks %s.",
			"这一块是块 %d。它从 rank %d 出发，沿途每个 rank 都加上自己的数；第 %d 次交换之后，部分和有 %d 项：来自 rank %s。", next.Number, next.Number, k, len(next.Ranks), setOf(next.Ranks)),
		Source: scatterSection, want: set(next.Ranks)}
}

func ringComplete(d draw) Question {
	n := d.from(3, 9)
	rank := d.IntN(n)
	_, chunks := chunksOf(n)
	c := chunks[rank][n-1]
	return Question{
		Text:  sentences(theRing, both("Which chunk is complete on rank i after the reduce-scatter?", "归约散发结束后，rank i 上哪一块已是完整的总和？")),
		Given: []Given{is("N", n), is("i", rank)},
		Why: both("In exchange %d, the last of the reduce-scatter, rank %d receives chunk %d and adds the last of %d terms. It is also the chunk "+
			"that it sends first in the all-gather.",
			"第 %d 次交换是归约散发的最后一次，rank %d 收到块 %d，并加上 %d 项中的最后一项。它也是全收集中首先发送的块。", n-1, rank, c.Number, len(c.Ranks)),
		Source: scatterSection, want: whole(int64(c.Number), none)}
}

func ringValues(d draw) Question {
	n := d.from(3, 4)
	rank, k := d.IntN(n), d.from(1, n-1)
	vectors := make([][]float32, n)
	given := []Given{is("N", n), is("i", rank), is("k", k)}
	for i := range vectors {
		vectors[i] = d.small(n)
		given = append(given, is("x_"+string(rune('0'+i)), listed(vectors[i])))
	}
	own := slices.Clone(vectors[rank])
	sent := ringOf(vectors)
	held := sent[rank][k].Held // as the next exchange begins
	return Question{
		Text: sentences(theRing, both("Every chunk is one number; x_j is rank j's vector. What does rank i's vector hold after exchange k?",
			"每块只有一个数；x_j 是 rank j 的向量。第 k 次交换之后 rank i 的向量是什么？")), Given: given,
		Why: both("Rank %d begins with %s. Every exchange up to number %d adds what arrives to one chunk and leaves the others: %s.",
			"rank %d 起初为 %s。直到第 %d 次交换，每次只把收到的数加到一块上，其余不变：%s。",
			rank, listed(own), k, listed(held)),
		Source: scatterSection, want: sequence(both("the vector: numbers in order, such as 3, 0, −2", "向量：按顺序的数，例如 3, 0, −2"), held...)}
}

func ringBytes(d draw) Question {
	n := d.from(2, 12)
	k := n * d.from(2, 90) * 1000
	each := formula.RingBytes(n, float64(k))
	return Question{
		Text: both("N ranks all-reduce gradients of K bytes by a ring of equal chunks. How many bytes does each rank send in both loops together?",
			"N 个 rank 用等分块的环对 K 字节的梯度作全归约（all-reduce）。两个循环合计，每个 rank 发送多少字节？"),
		Given: []Given{is("N", n), in("K", k, bytes)},
		Why: both("2(N−1)·K/N: %d exchanges of %d bytes are %s bytes.",
			"2(N−1)·K/N：%d 次交换，每次 %d 字节，共 %s 字节。", 2*(n-1), k/n, rounded(each)), Source: costSection, want: whole(int64(each), bytes)}
}

func ringRagged(d draw) Question {
	n := d.from(3, 6)
	length := n*d.from(1, 5) + d.from(1, n-1)
	rank := d.IntN(n)
	vectors := make([][]float32, n)
	var sizes []int
	for i := range vectors {
		vectors[i] = make([]float32, length)
		lo, hi := collective.Chunk(length, n, i)
		sizes = append(sizes, hi-lo)
	}
	sent := ringOf(vectors)
	total := 0
	var each []int
	for _, m := range sent[rank] {
		each = append(each, m.Bytes)
		total += m.Bytes
	}
	return Question{
		Text: both("N ranks all-reduce a vector of L float32 by a ring. The first L mod N chunks are one element longer. How many bytes does rank "+
			"i send in both loops together?",
			"N 个 rank 用环对 L 个 float32 的向量作全归约（all-reduce）。前 L mod N 块多一个元素。两个循环合计，rank i 发送多少字节？"),
		Given: []Given{is("N", n), is("L", length), is("i", rank)},
		Why: both("Chunks 0 … N−1 have %s elements of %d bytes. Rank %d sends chunk %d first and one chunk lower each time, through both loops: "+
			"%s bytes, together %d.",
			"块 0 … N−1 各有 %s 个元素，每个 %d 字节。rank %d 先发送块 %d，此后每次递减一块，贯穿两个循环：%s 字节，合计 %d。", listed(sizes), vec.Bytes(1), rank, rank, listed(each), total),
		Source: both("blog, All-reduce communication cost; even cuts as in collective.Chunk",
			"博客，All-reduce communication cost 一节；切块方式同 collective.Chunk"), want: whole(int64(total), bytes)}
}

// link draws a bandwidth in bytes per second and a latency in seconds.
func link(d draw) (b, alpha float64) {
	return float64(d.from(1, 10)) * 1e8, float64(d.from(1, 20)) * 1e-4
}

func linkGiven(n, k int, b, alpha float64) []Given {
	return []Given{is("N", n), in("K", k, bytes), in("B", rounded(b), perSecond), in("α", rounded(1e3*alpha), milliseconds)}
}

func ringSeconds(d draw) Question {
	n := d.from(2, 10)
	k := n * d.from(1, 60) * 1_000_000
	b, alpha := link(d)
	t := formula.RingTime(n, float64(k), alpha, b)
	return Question{
		Text: both("N ranks all-reduce gradients of K bytes by a ring of equal chunks, on links of B bytes per second; a message takes α longer "+
			"than its bytes. How long does it last?",
			"N 个 rank 用等分块的环对 K 字节的梯度作全归约（all-reduce），链路带宽为每秒 B 字节；一条消息除传输字节外另需 α。共需多长时间？"),
		Given: linkGiven(n, k, b, alpha),
		Why: both("2(N−1)·(α + K/(N·B)): %d exchanges of %s + %s ms are %s s.", "2(N−1)·(α + K/(N·B))：%d 次交换，每次 %s + %s 毫秒，共 %s 秒。",
			2*(n-1), rounded(1e3*alpha), rounded(1e3*float64(k/n)/b), rounded(t)),
		Source: sentences(costSection, both("(α is ours)", "（α 为本仓库所加）")), want: about(t, seconds)}
}

func ringNaive(d draw) Question {
	n := d.from(3, 12)
	k := n * d.from(1, 60) * 1_000_000
	b, alpha := link(d)
	t, ring := formula.NaiveTime(n, float64(k), alpha, b), formula.RingTime(n, float64(k), alpha, b)
	return Question{
		Text: both("N ranks send gradients of K bytes to one of them, which sums and sends the sum back to each; its link of B bytes per second "+
			"is the bottleneck both ways. Each way takes α longer than its bytes. How long does it last?",
			"N 个 rank 把 K 字节的梯度发给其中一个，由它求和再发回各 rank；它每秒 B 字节的链路在两个方向上都是瓶颈。每个方向除传输字节外另需 α。共需多长时间？"),
		Given: linkGiven(n, k, b, alpha),
		Why: both("2·(α + (N−1)·K/B): twice %s ms and %d times %s ms are %s s. The ring of the same ranks takes %s s.",
			"2·(α + (N−1)·K/B)：%s 毫秒与 %d 倍的 %s 毫秒之和的两倍，为 %s 秒。同样的 rank 用环只需 %s 秒。",
			rounded(1e3*alpha), n-1, rounded(1e3*float64(k)/b), rounded(t), rounded(ring)),
		Source: both("blog, The communication problem", "博客，The communication problem 一节"), want: about(t, seconds)}
}

func ringBreakEven(d draw) Question {
	n := d.from(3, 10)
	b, alpha := link(d)
	k := formula.BreakEven(n, alpha, b)
	return Question{
		Text: both("A ring of N ranks takes 2(N−1)(α + K/(N·B)), one reducer 2(α + (N−1)K/B). From how many bytes K on is the ring faster?",
			"N 个 rank 的环需 2(N−1)(α + K/(N·B))，单个归约节点需 2(α + (N−1)K/B)。K 超过多少字节时环更快？"),
		Given: []Given{is("N", n), in("B", rounded(b), perSecond), in("α", rounded(1e3*alpha), milliseconds)},
		Why: both("Solved for K: α·B·N(N−2)/(N−1)² = %s · %d/%d = %s bytes.",
			"解出 K：α·B·N(N−2)/(N−1)² = %s · %d/%d = %s 字节。", rounded(alpha*b), n*(n-2), (n-1)*(n-1), rounded(k)),
		Source: both("ours, from both times of the blog", "由博客的两个时间式推得（本仓库）"), want: about(k, bytes)}
}

// message holds what one rank sent in one exchange.
type message struct {
	To    int
	Bytes int
	Body  []float32
	Held  []float32 // the rank's whole vector as it sent
}

// ringOf runs collective.RingAllReduce on one vector per rank and returns what each
// rank sent, by exchange. The vectors become the sum.
func ringOf(vectors [][]float32) [][]message {
	hosts := cluster.Uniform(len(vectors), cluster.Host{Name: "gpu", FLOPS: 1e12, Bandwidth: 1e9}, nil)
	sent, _, err := cluster.Run(context.Background(), virtual.New(hosts, virtual.Config{}), func(p cluster.Proc) (sent []message, bad error) {
		x := vectors[p.Rank()]
		note := func(to []int, m *cluster.Msg) {
			body := make([]float32, len(m.Body)/4)
			bad = cmp.Or(bad, vec.FromBytes(body, m.Body))
			sent = append(sent, message{to[0], len(m.Body), body, slices.Clone(x)})
		}
		err := collective.RingAllReduce(&kit.Spy{Proc: p, Sent: note}, 0, x)
		return sent, cmp.Or(err, bad)
	})
	return kit.Must(sent, err)
}

// chunk is a chunk on its way: its number, and one bit for each rank whose numbers
// are in it.
type chunk struct {
	Number int
	Ranks  []int
}

// chunksOf runs a ring of n ranks whose vectors have two numbers per chunk c, 2^rank
// and c. Sums of both are exact, so that every message says which chunk it is and
// whose contributions it holds.
func chunksOf(n int) (sent [][]message, chunks [][]chunk) {
	vectors := make([][]float32, n)
	for rank := range vectors {
		for c := range n {
			vectors[rank] = append(vectors[rank], float32(uint32(1)<<rank), float32(c))
		}
	}
	sent, chunks = ringOf(vectors), make([][]chunk, n)
	for rank, messages := range sent {
		for _, m := range messages {
			holds := uint32(m.Body[0])
			c := chunk{Number: int(m.Body[1]) / bits.OnesCount32(holds)}
			for i := range n {
				if holds>>i&1 == 1 {
					c.Ranks = append(c.Ranks, i)
				}
			}
			chunks[rank] = append(chunks[rank], c)
		}
	}
	return sent, chunks
}
