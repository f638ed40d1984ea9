package reports

// ringFormulas are the two of the blog, whose images are lost, the costs that
// its prose states, and those of the exchanges set beside it.
var ringFormulas = []formula{
	{
		ID: "bytes", Name: "Data transferred to and from each GPU",
		TeX:    `\text{data transferred} = 2\,(N-1)\cdot\frac{K}{N}`,
		Note:   "N GPUs, K the size of the array that each holds. It is K for two GPUs and tends to 2K, which the blog takes for all. Two public sources print the same formula.",
		Chance: "certain",
		Code:   []string{"shared/cluster/formula RingBytes"},
	},
	{
		ID: "seconds", Name: "Time of one all-reduce in the blog’s cluster",
		TeX:    `t \approx \frac{2.4\ \mathrm{GB}}{6\ \mathrm{GB/s}} = 400\ \mathrm{ms}`,
		Note:   "2.4 GB is 2K for 300 million parameters of four bytes, 6 GB/s the link between nodes. The next sentence of the text says 400 ms.",
		Chance: "certain",
		NoCode: "The formula above with α = 0: RingTime, which stands below.",
	},
	{
		ID: "alpha-beta", Name: "With a latency per message",
		TeX:  `T_{\mathrm{ring}} = 2\,(N-1)\left(\alpha + \frac{K}{N\,B}\right)`,
		Note: "B is the bandwidth of a link, α the latency of a message. The blog leaves α out and says so. Ours; the term with α is the one that grows with N.",
		Code: []string{"shared/cluster/formula RingTime"},
	},
	{
		ID: "naive", Name: "The single reducer",
		TeX: `T_{\mathrm{gather}} = \alpha + (N-1)\,\frac{K}{B} \qquad\qquad ` +
			`T_{\mathrm{both}} = 2\left(\alpha + (N-1)\,\frac{K}{B}\right)`,
		Note: "The blog’s 1.2 s for two GPUs and 10.8 s for ten are the gathering alone, without α; the sum must also go back, which doubles both. " +
			"Text without a formula; the second form and α are ours.",
		Code: []string{"shared/cluster/formula NaiveGatherTime", "shared/cluster/formula NaiveTime"},
	},
	{
		ID: "schedule", Name: "Which chunk moves at step i",
		TeX: `\begin{aligned}` +
			`\text{reduce-scatter:}\quad & n \text{ sends chunk } (n-i) \bmod N, && \text{adds chunk } (n-i-1) \bmod N \\` +
			`\text{all-gather:}\quad & n \text{ sends chunk } (n+1-i) \bmod N, && \text{overwrites chunk } (n-i) \bmod N` +
			`\end{aligned}`,
		Note:   "GPU n, i from 0 to N − 2. The text gives i = 0 and “backwards from there”; its tables of the first exchange are lost.",
		Chance: "certain",
		Code:   []string{"shared/cluster/collective cursor.next", "shared/cluster/collective Chunk"},
	},
	{
		ID: "halving-doubling", Name: "For comparison: recursive halving and doubling, N a power of two",
		TeX:  `T_{\mathrm{hd}} = 2\left(\alpha\,\log_2 N + \frac{N-1}{N}\cdot\frac{K}{B}\right)`,
		Note: "The same bytes as the ring in fewer, larger messages, but to partners that are not neighbours. Ours; the blog does not compare.",
		Code: []string{"shared/cluster/formula HalvingDoublingTime"},
	},
	{
		ID: "break-even", Name: "Gradients above this size are faster round the ring than by one reducer",
		TeX:  `K > \alpha B\,\frac{N(N-2)}{(N-1)^2}`,
		Note: "From the two times above, both directions. Ours.",
		Code: []string{"shared/cluster/formula BreakEven"},
	},
}
