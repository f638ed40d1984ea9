package cited

// ringFormulas are the two of the blog, whose images are lost, the costs that
// its prose states, and those of the exchanges set beside it.
var ringFormulas = []Formula{
	{
		ID: "bytes", Name: said{"Data transferred to and from each GPU", "每块 GPU 收发的数据量"},
		TeX: `\text{data transferred} = 2\,(N-1)\cdot\frac{K}{N}`,
		Note: said{"N GPUs, K the size of the array that each holds. It is K for two GPUs and tends to 2K, which the " +
			"blog takes for all. Two public sources print the same formula.",
			"N 块 GPU，K 是每块 GPU 所持数组的大小。两块 GPU 时为 K，并趋于 2K，而博客对所有情形都用这个值。有两处公开来源印出同一公式。"},
		Chance: "certain",
		Code:   []string{"shared/cluster/formula RingBytes"},
	},
	{
		ID: "seconds", Name: said{"Time of one all-reduce in the blog’s cluster", "博客的集群中一次全归约的时间"},
		TeX: `t \approx \frac{2.4\ \mathrm{GB}}{6\ \mathrm{GB/s}} = 400\ \mathrm{ms}`,
		Note: said{"2.4 GB is 2K for 300 million parameters of four bytes, 6 GB/s the link between nodes. The next " +
			"sentence of the text says 400 ms.",
			"2.4 GB 即 300 M 个四字节参数的 2K，6 GB/s 是节点间的链路。正文的下一句说是 400 ms。"},
		Chance: "certain",
		NoCode: said{"The formula above with α = 0: RingTime, which stands below.",
			"上式中 α = 0 的情形：即下文的 RingTime。"},
	},
	{
		ID: "alpha-beta", Name: said{"With a latency per message", "每条消息有延迟时"},
		TeX: `T_{\mathrm{ring}} = 2\,(N-1)\left(\alpha + \frac{K}{N\,B}\right)`,
		Note: said{"B is the bandwidth of a link, α the latency of a message. The blog leaves α out and says so. Ours; " +
			"the term with α is the one that grows with N.",
			"B 是一条链路的带宽，α 是一条消息的延迟。博客略去了 α，并说明了这一点。由我们加入；含 α 的一项才是随 N 增长的。"},
		Code: []string{"shared/cluster/formula RingTime"},
	},
	{
		ID: "naive", Name: said{"The single reducer", "单个归约节点"},
		TeX: `T_{\mathrm{gather}} = \alpha + (N-1)\,\frac{K}{B} \qquad\qquad ` +
			`T_{\mathrm{both}} = 2\left(\alpha + (N-1)\,\frac{K}{B}\right)`,
		Note: said{"The blog’s 1.2 s for two GPUs and 10.8 s for ten are the gathering alone, without α; the sum must " +
			"also go back, which doubles both. Text without a formula; the second form and α are ours.",
			"博客的两块 GPU 1.2 s 和十块 10.8 s 只是收集，不含 α；和还必须返回，使两者都加倍。正文中没有公式；第二种形式和 α 是我们的。"},
		Code: []string{"shared/cluster/formula NaiveGatherTime", "shared/cluster/formula NaiveTime"},
	},
	{
		ID: "schedule", Name: said{"Which chunk moves at step i", "第 i 步移动哪一块"},
		TeX: `\begin{aligned}` +
			`\text{reduce-scatter:}\quad & n \text{ sends chunk } (n-i) \bmod N, && \text{adds chunk } (n-i-1) \bmod N \\` +
			`\text{all-gather:}\quad & n \text{ sends chunk } (n+1-i) \bmod N, && \text{overwrites chunk } (n-i) \bmod N` +
			`\end{aligned}`,
		Note: said{"GPU n, i from 0 to N − 2. The text gives i = 0 and “backwards from there”; its tables of the first " +
			"exchange are lost.",
			"GPU n，i 从 0 到 N − 2。正文给出 i = 0 和“从那里向后进行”；它列出第一次交换的各表缺失。"},
		Chance: "certain",
		Code:   []string{"shared/cluster/collective cursor.next", "shared/cluster/collective Chunk"},
	},
	{
		ID: "halving-doubling", Name: said{"For comparison: recursive halving and doubling, N a power of two",
			"作为比较：递归减半加倍，N 为二的幂"},
		TeX: `T_{\mathrm{hd}} = 2\left(\alpha\,\log_2 N + \frac{N-1}{N}\cdot\frac{K}{B}\right)`,
		Note: said{"The same bytes as the ring in fewer, larger messages, but to partners that are not neighbours. " +
			"Ours; the blog does not compare.",
			"与环的字节数相同，消息更少、更大，但发给的不是邻居。由我们加入；博客没有比较。"},
		Code: []string{"shared/cluster/formula HalvingDoublingTime"},
	},
	{
		ID: "break-even", Name: said{"Gradients above this size are faster round the ring than by one reducer",
			"梯度大于该大小时，环比单个归约节点更快"},
		TeX: `K > \alpha B\,\frac{N(N-2)}{(N-1)^2}`,
		Note: said{"From the two times above, both directions. Ours.",
			"由上面两个时间得出，含两个方向。我们给出。"},
		Code: []string{"shared/cluster/formula BreakEven"},
	},
}
