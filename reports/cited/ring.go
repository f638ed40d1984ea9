package cited

import "gradsync/reports/notebook"

// ringFormulas lists the two formulas of the blog, whose images are lost, the costs that
// its prose states, and the costs of the exchanges set beside it.
var ringFormulas = []Formula{
	{
		ID: "bytes", Name: notebook.Both{"Data transferred to and from each GPU", "每块 GPU 收发的数据量"},
		TeX: `D = 2\,(N-1)\cdot\frac{K}{N}`,
		Note: notebook.Both{"D is what each of N GPUs sends, and receives; K is the size of the array that each holds. D is K for two GPUs " +
			"and tends to 2K, which the blog takes for all. Two public sources print the same formula.",
			"D 是 N 块 GPU 中每一块的发送量，也是它的接收量；K 是每块 GPU 所持数组的大小。两块 GPU 时 D 为 K，并趋于 2K，而博客对所有情形都用这个值。有两处公开来源印出同一公式。"},
		Chance: notebook.Both{"certain", "确定"},
		Code:   []string{"shared/cluster/formula RingBytes"},
	},
	{
		ID: "seconds", Name: notebook.Both{"Time of one all-reduce in the blog’s cluster", "博客的集群中一次全归约的时间"},
		TeX: `t \approx \frac{2.4\ \mathrm{GB}}{6\ \mathrm{GB/s}} = 400\ \mathrm{ms}`,
		Note: notebook.Both{"2.4 GB is 2K for 300 million parameters of four bytes, 6 GB/s the link between nodes. The next " +
			"sentence of the text says 400 ms.",
			"2.4 GB 即 300 M 个四字节参数的 2K，6 GB/s 是节点间的链路。正文的下一句说是 400 ms。"},
		Chance: notebook.Both{"certain", "确定"},
		NoCode: notebook.Both{"The formula with a latency per message, for α = 0.",
			"即“每条消息有延迟时”的公式中 α = 0 的情形。"},
	},
	{
		ID: "alpha-beta", Name: notebook.Both{"With a latency per message", "每条消息有延迟时"},
		TeX: `T_{\mathrm{ring}} = 2\,(N-1)\left(\alpha + \frac{K}{N\,B}\right)`,
		Note: notebook.Both{"B is the bandwidth of a link, α the latency of a message. The blog leaves α out and says so. Ours; " +
			"the term with α is the one that grows with N.",
			"B 是一条链路的带宽，α 是一条消息的延迟。博客略去了 α，并说明了这一点。由我们加入；含 α 的一项才是随 N 增长的。"},
		Code: []string{"shared/cluster/formula RingTime"},
	},
	{
		ID: "naive", Name: notebook.Both{"The single reducer", "单个归约节点"},
		TeX: `T_{\mathrm{gather}} = \alpha + (N-1)\,\frac{K}{B} \qquad\qquad ` +
			`T_{\mathrm{both}} = 2\left(\alpha + (N-1)\,\frac{K}{B}\right)`,
		Note: notebook.Both{"The blog’s 1.2 s for two GPUs and 10.8 s for ten are the gathering alone, without α; the sum must " +
			"also go back, which doubles both. Text without a formula; the second form and α are ours.",
			"博客的两块 GPU 1.2 s 和十块 10.8 s 只是收集，不含 α；和还必须返回，使两者都加倍。正文中没有公式；第二种形式和 α 是我们的。"},
		Code: []string{"shared/cluster/formula NaiveGatherTime", "shared/cluster/formula NaiveTime"},
	},
	{
		ID: "schedule", Name: notebook.Both{"Which chunk moves at step i", "第 i 步移动哪一块"},
		TeX: `\begin{aligned}` +
			`\text{reduce-scatter:}\quad & n \text{ sends chunk } (n-i) \bmod N, && \text{adds chunk } (n-i-1) \bmod N \\` +
			`\text{all-gather:}\quad & n \text{ sends chunk } (n+1-i) \bmod N, && \text{overwrites chunk } (n-i) \bmod N` +
			`\end{aligned}`,
		Note: notebook.Both{"GPU n, i from 0 to N − 2. The text gives i = 0 and “backwards from there”; its tables of the first " +
			"exchange are lost.",
			"GPU n，i 从 0 到 N − 2。正文给出 i = 0 和“从那里向后进行”；它列出第一次交换的各表缺失。"},
		Chance: notebook.Both{"certain", "确定"},
		Code:   []string{"shared/cluster/collective cursor.next", "shared/cluster/collective Chunk"},
	},
	{
		ID: "halving-doubling", Name: notebook.Both{"For comparison: recursive halving and doubling, N a power of two",
			"作为比较：递归减半加倍，N 为二的幂"},
		TeX: `T_{\mathrm{hd}} = 2\left(\alpha\,\log_2 N + \frac{N-1}{N}\cdot\frac{K}{B}\right)`,
		Note: notebook.Both{"The same bytes as the ring in fewer, larger messages, but to partners that are not neighbours. " +
			"Ours; the blog does not compare.",
			"与环的字节数相同，消息更少、更大，但发给的不是邻居。由我们加入；博客没有比较。"},
		Code: []string{"shared/cluster/formula HalvingDoublingTime"},
	},
	{
		ID: "break-even", Name: notebook.Both{"Gradients above this size are faster round the ring than by one reducer",
			"梯度大于该大小时，环比单个归约节点更快"},
		TeX: `K > \alpha B\,\frac{N(N-2)}{(N-1)^2}`,
		Note: notebook.Both{"From the two times above, both directions. Ours.",
			"由上面两个时间得出，含两个方向。我们给出。"},
		Code: []string{"shared/cluster/formula BreakEven"},
	},
}

// ringAlgorithms are the two loops of the blog.
var ringAlgorithms = []algorithm{
	{
		ID: "reduce-scatter", Name: notebook.Both{"Reduce-scatter (the blog’s “scatter-reduce”)",
			"归约散发（reduce-scatter，博客称“scatter-reduce”）"},
		In: notebook.Both{"N GPUs in a ring, on each an array cut into N chunks",
			"环上的 N 块 GPU，每块 GPU 上有一个切成 N 块的数组"},
		Out:   notebook.Both{"chunk n + 1 of GPU n is the sum over all", "GPU n 的块 n + 1 是全体之和"},
		Place: "reduce-scatter, step",
		Code:  []string{"shared/cluster/collective Ring.reduceScatter", "shared/cluster/collective line.run", "shared/cluster/collective vector.unpack"},
		Elsewhere: map[int]notebook.Both{
			5: notebook.Both{"closes step 1", "结束第 1 步"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"on GPU n, for i from 0 to N − 2, all GPUs at once:",
				"在 GPU n 上，i 从 0 到 N − 2，所有 GPU 同时进行："}, false},
			{1, notebook.Both{"send chunk n − i (mod N) to the right neighbour", "把块 n − i（mod N）发给右邻"}, true},
			{1, notebook.Both{"receive chunk n − i − 1 (mod N) from the left neighbour", "从左邻接收块 n − i − 1（mod N）"}, true},
			{1, notebook.Both{"add what came to the own chunk", "把收到的加到自己的块上"}, false},
			{0, notebook.Both{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "all-gather", Name: notebook.Both{"All-gather", "全收集（all-gather）"},
		In:    notebook.Both{"chunk n + 1 of GPU n is final", "GPU n 的块 n + 1 已经完成"},
		Out:   notebook.Both{"every GPU has every final chunk", "每块 GPU 有全部完成的块"},
		Place: "all-gather, step",
		Code: []string{"shared/cluster/collective Ring.allGather", "shared/cluster/collective line.run", "shared/cluster/collective line.take",
			"shared/cluster/collective vector.unpack"},
		Elsewhere: map[int]notebook.Both{
			5: notebook.Both{"closes step 1", "结束第 1 步"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"on GPU n, for i from 0 to N − 2, all GPUs at once:",
				"在 GPU n 上，i 从 0 到 N − 2，所有 GPU 同时进行："}, false},
			{1, notebook.Both{"send chunk n + 1 − i (mod N) to the right neighbour", "把块 n + 1 − i（mod N）发给右邻"}, true},
			{1, notebook.Both{"receive chunk n − i (mod N) from the left neighbour", "从左邻接收块 n − i（mod N）"}, true},
			{1, notebook.Both{"overwrite the own chunk with what came", "用收到的覆盖自己的块"}, false},
			{0, notebook.Both{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "overlapped", Name: notebook.Both{"Applied to training", "用于训练"},
		In: notebook.Both{"a network, copied to every GPU; a mini-batch, shared out",
			"一个网络，复制到每块 GPU；一个小批量，分给各 GPU"},
		Out:   notebook.Both{"the same new weights on every GPU", "每块 GPU 上有同样的新权重"},
		Place: "training, step",
		Code:  []string{"experiments/train replica.exchange", "experiments/train replica.dense"},
		Steps: []algorithmLine{
			{0, notebook.Both{"forward pass over the own samples", "在自己的样本上作前向传播"}, false},
			{0, notebook.Both{"backward pass, from the output layer to the input layer:", "反向传播，从输出层到输入层："}, false},
			{1, notebook.Both{"as soon as a layer’s gradient is there, start its all-reduce and go on with the next layer",
				"某层的梯度一得到，就开始它的全归约，并继续计算下一层"}, false},
			{0, notebook.Both{"wait for the last all-reduce", "等待最后一次全归约"}, false},
			{0, notebook.Both{"divide the sums by N", "把总和除以 N"}, true},
			{0, notebook.Both{"update the weights with the mean gradient", "用平均梯度更新权重"}, false},
		},
	},
}
