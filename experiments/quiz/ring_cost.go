package quiz

import (
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/tensor/vec"
)

func ringBytes(d draw) (Question, error) {
	n := d.from(2, 12)
	k := n * d.from(2, 90) * 1000
	each := formula.RingBytes(n, float64(k))
	return Question{
		Text: both("N ranks all-reduce gradients of K bytes by a ring of equal chunks. How many bytes does each rank send in both loops together?",
			"N 个 rank 用等分块的环对 K 字节的梯度作全归约（all-reduce）。两个循环合计，每个 rank 发送多少字节？"),
		Given: []Given{is("N", n), in("K", k, bytes)},
		Why: both("2(N−1)·K/N: %d exchanges of %d bytes are %s bytes.",
			"2(N−1)·K/N：%d 次交换，每次 %d 字节，共 %s 字节。", 2*(n-1), k/n, rounded(each)), Source: costSection, want: whole(int64(each), bytes)}, nil
}

func ringRagged(d draw) (Question, error) {
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
	sent, err := ringOf(vectors)
	if err != nil {
		return Question{}, err
	}
	total := 0
	var each []int
	for _, m := range sent[rank] {
		each = append(each, m.Bytes)
		total += m.Bytes
	}
	return Question{
		Text: both("N ranks all-reduce a vector of L float32 by a ring. The first L mod N chunks are one element longer. How many bytes does rank i send in both loops together?",
			"N 个 rank 用环对 L 个 float32 的向量作全归约（all-reduce）。前 L mod N 块多一个元素。两个循环合计，rank i 发送多少字节？"),
		Given: []Given{is("N", n), is("L", length), is("i", rank)},
		Why: both("Chunks 0 … N−1 have %s elements of %d bytes. Rank %d sends chunk %d first and one chunk lower each time, through both loops: %s bytes, together %d.",
			"块 0 … N−1 各有 %s 个元素，每个 %d 字节。rank %d 先发送块 %d，此后每次递减一块，贯穿两个循环：%s 字节，合计 %d。", listed(sizes), vec.Bytes(1), rank, rank, listed(each), total),
		Source: both("blog, All-reduce communication cost; even cuts as in collective.Chunk",
			"博客，All-reduce communication cost 一节；切块方式同 collective.Chunk"), want: whole(int64(total), bytes)}, nil
}

// link draws a bandwidth in bytes per second and a latency in seconds.
func link(d draw) (b, alpha float64) {
	return float64(d.from(1, 10)) * 1e8, float64(d.from(1, 20)) * 1e-4
}

func linkGiven(n, k int, b, alpha float64) []Given {
	return []Given{is("N", n), in("K", k, bytes), in("B", rounded(b), perSecond), in("α", rounded(1e3*alpha), milliseconds)}
}

func ringSeconds(d draw) (Question, error) {
	n := d.from(2, 10)
	k := n * d.from(1, 60) * 1_000_000
	b, alpha := link(d)
	t := formula.RingTime(n, float64(k), alpha, b)
	return Question{
		Text: both("N ranks all-reduce gradients of K bytes by a ring of equal chunks, on links of B bytes per second; a message takes α longer than its bytes. How long does it last?",
			"N 个 rank 用等分块的环对 K 字节的梯度作全归约（all-reduce），链路带宽为每秒 B 字节；一条消息除传输字节外另需 α。共需多长时间？"),
		Given: linkGiven(n, k, b, alpha),
		Why: both("2(N−1)·(α + K/(N·B)): %d exchanges of %s + %s ms are %s s.", "2(N−1)·(α + K/(N·B))：%d 次交换，每次 %s + %s 毫秒，共 %s 秒。",
			2*(n-1), rounded(1e3*alpha), rounded(1e3*float64(k/n)/b), rounded(t)),
		Source: sentences(costSection, both("(α is ours)", "（α 为本仓库所加）")), want: about(t, seconds)}, nil
}

func ringNaive(d draw) (Question, error) {
	n := d.from(3, 12)
	k := n * d.from(1, 60) * 1_000_000
	b, alpha := link(d)
	t, ring := formula.NaiveTime(n, float64(k), alpha, b), formula.RingTime(n, float64(k), alpha, b)
	return Question{
		Text: both("N ranks send gradients of K bytes to one of them, which sums and sends the sum back to each; its link of B bytes per second is the bottleneck both ways. Each way takes α longer than its bytes. How long does it last?",
			"N 个 rank 把 K 字节的梯度发给其中一个，由它求和再发回各 rank；它每秒 B 字节的链路在两个方向上都是瓶颈。每个方向除传输字节外另需 α。共需多长时间？"),
		Given: linkGiven(n, k, b, alpha),
		Why: both("2·(α + (N−1)·K/B): twice %s ms and %d times %s ms are %s s. The ring of the same ranks takes %s s.",
			"2·(α + (N−1)·K/B)：%s 毫秒与 %d 倍的 %s 毫秒之和的两倍，为 %s 秒。同样的 rank 用环只需 %s 秒。",
			rounded(1e3*alpha), n-1, rounded(1e3*float64(k)/b), rounded(t), rounded(ring)),
		Source: both("blog, The communication problem", "博客，The communication problem 一节"), want: about(t, seconds)}, nil
}

func ringBreakEven(d draw) (Question, error) {
	n := d.from(3, 10)
	b, alpha := link(d)
	k := formula.BreakEven(n, alpha, b)
	return Question{
		Text: both("A ring of N ranks takes 2(N−1)(α + K/(N·B)), one reducer 2(α + (N−1)K/B). From how many bytes K on is the ring faster?",
			"N 个 rank 的环需 2(N−1)(α + K/(N·B))，单个归约节点需 2(α + (N−1)K/B)。K 超过多少字节时环更快？"),
		Given: []Given{is("N", n), in("B", rounded(b), perSecond), in("α", rounded(1e3*alpha), milliseconds)},
		Why: both("Solved for K: α·B·N(N−2)/(N−1)² = %s · %d/%d = %s bytes.",
			"解出 K：α·B·N(N−2)/(N−1)² = %s · %d/%d = %s 字节。", rounded(alpha*b), n*(n-2), (n-1)*(n-1), rounded(k)),
		Source: both("ours, from both times of the blog", "由博客的两个时间式推得（本仓库）"), want: about(k, bytes)}, nil
}
