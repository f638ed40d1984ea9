package cited

import "gradsync/reports/notebook"

// sparseFormulas lists the formulas of the patent as we restored them; S51's Pw is the
// one that survived in the text.
var sparseFormulas = []Formula{
	{
		ID: "t", Name: notebook.Both{"T: synchronising one layer without compression (S13)", "T：不压缩地同步一层（S13）"},
		TeX: `T = \frac{2\,(N-1)}{N}\cdot\frac{D}{B}`,
		Note: notebook.Both{"N GPUs, D bytes of the layer, B the bandwidth between GPUs. The text says that the time “does not " +
			"grow with the number of nodes”; by this formula it grows from D/B at N = 2 towards 2D/B.",
			"N 块 GPU，该层 D 字节，GPU 之间的带宽 B。原文说时间“不随节点数增长”；按这个公式，它从 N = 2 时的 D/B 增长，趋向 2D/B。"},
		Chance: notebook.Both{"certain", "确定"},
		Code:   []string{"papers/ringsparse/formula T"},
	},
	{
		ID: "ta", Name: notebook.Both{"Ta: sending a block as it is (S42)", "Ta：原样发送一块（S42）"},
		TeX: `T_a = \frac{D_{\mathrm{block}}}{B}`,
		Note: notebook.Both{"The text calls D the size of the layer, but what is sent is one block of N. With the layer’s size " +
			"here and the block’s in Tb, the rule favours compressing by a factor of N.",
			"原文称 D 为层的大小，但所发送的是 N 块中的一块。若这里用层的大小而 Tb 中用块的大小，规则就以 N 倍偏向压缩。"},
		Chance: notebook.Both{"above 85 % for the form", "形式上高于 85 %"},
		Code:   []string{"papers/ringsparse/formula Ta"},
	},
	{
		ID: "tb", Name: notebook.Both{"Tb: compressing, sending, decompressing (S42)", "Tb：压缩、发送、解压（S42）"},
		TeX: `T_b = T_c + \frac{\mathrm{Compres}(D_{\mathrm{block}})}{B} + T_d`,
		Note: notebook.Both{"Compres(·) is the size after compression; the text spells it so and leaves the algorithm open.",
			"Compres(·) 是压缩后的大小；原文就这样拼写，算法未定。"},
		Chance: notebook.Both{"above 85 % for the form", "形式上高于 85 %"},
		Code:   []string{"papers/ringsparse/formula Tb"},
	},
	{
		ID: "rule", Name: notebook.Both{"When a block is compressed (S42)", "何时压缩一块（S42）"},
		TeX: `\text{compress} \iff T_b < T_a \qquad\qquad \text{printed: send directly if } T_a \ge T_b`,
		Note: notebook.Both{"As printed, in both places, the rule takes the slower way. Both can be run.",
			"两处都按印出的形式时，规则选的是较慢的做法。两者都可以运行。"},
		Code: []string{"papers/ringsparse Compress", "papers/ringsparse CheapestCoder"},
	},
	{
		ID: "choice", Name: notebook.Both{"Weights or gradients (S41)", "权重还是梯度（S41）"},
		TeX: `\text{block } i \text{ travels as } \begin{cases} W_i & F(W_i) \ge F(G_i) \\ G_i & \text{else} \end{cases} \qquad ` +
			`F(x) = \frac{\#\{j : x_j = +0\}}{\#x}`,
		Note: notebook.Both{"F is not defined in the text. A promise of unchanged accuracy leaves exact zeros. Two blocks " +
			"without zeros tie, and the patent’s rule then sends weights.",
			"F 在原文中没有定义。“准确率不变”的承诺只允许恰好为零的零。两个没有零的块打平，于是专利的规则发送权重。"},
		Code: []string{"papers/ringsparse Choose", "papers/ringsparse Sparsity", "papers/ringsparse Density"},
	},
	{
		ID: "pw", Name: notebook.Both{"Pw: a partial sum of gradients turned into weights (S51)", "Pw：梯度的部分和转成权重（S51）"},
		TeX: `P_w = (k+1)\,W_0 - \eta\,(P_g' + P_g'') \qquad\qquad \text{printed: } P_w = \eta\,(P_g' + P_g'') + (k+1)\,W_0`,
		Note: notebook.Both{"Pg′ is the rank’s own gradient, Pg″ the sum received, W₀ the weights of the forward pass, k the " +
			"exchanges done, this one among them. The printed sign is right only if “gradient” means the " +
			"direction of descent.",
			"Pg′ 是该 rank 自己的梯度，Pg″ 是收到的和，W₀ 是前向传播时的权重，k 是包括本次在内已作的交换次数。只有当“梯度”指下降方向时，印出的符号才对。"},
		Code: []string{"papers/ringsparse/formula Pw", "papers/ringsparse ToWeights"},
	},
	{
		ID: "pg", Name: notebook.Both{"Pg: a partial sum of weights turned into gradients (S51)", "Pg：权重的部分和转成梯度（S51）"},
		TeX: `P_g = \frac{(k+1)\,W_0 - (P_w' + P_w'')}{\eta}`,
		Note: notebook.Both{"The inverse of Pw. In floating point it is not: (k+1)W₀ cancels, and what is left is divided by a " +
			"small η.",
			"Pw 的逆。在浮点中则不然：(k+1)W₀ 相减抵消，余下的再除以很小的 η。"},
		Chance: notebook.Both{"above 85 %", "高于 85 %"},
		Code:   []string{"papers/ringsparse/formula Pg", "papers/ringsparse ToGradients"},
	},
	{
		ID: "final", Name: notebook.Both{"The end of the ring, which the text leaves out", "环的结束，原文省略了这一步"},
		TeX: `W \leftarrow \frac{1}{N}\sum_n W_n \qquad\text{or}\qquad W \leftarrow W_0 - \frac{\eta}{N}\sum_n G_n`,
		Note: notebook.Both{"By the tag of the block; equal in exact arithmetic, not in float32. All ranks must do it from the " +
			"same bytes, or the copies drift apart.",
			"按数据块的标记；在精确算术中相等，在 float32 中不相等。所有 rank 必须由同样的字节得出它，否则各副本会渐行渐远。"},
		Code: []string{"papers/ringsparse AverageWeights", "papers/ringsparse ApplyGradients"},
	},
	{
		ID: "fill-in-law", Name: notebook.Both{"Fill-in: density after k more exchanges", "填充：再交换 k 次之后的密度"},
		TeX: `d_k = 1 - (1-d)^{k+1}`,
		Note: notebook.Both{"If the zeros of different workers are independent. Ours.",
			"若不同工作节点的零相互独立。我们给出。"},
		Code: []string{"papers/ringsparse/formula FillIn"},
	},
	{
		ID: "sizes", Name: notebook.Both{"Bytes of a compressed block, and where it pays", "压缩后数据块的字节数，以及在何处划算"},
		TeX: `\mathrm{bitmap} = \left\lceil \frac{n}{8} \right\rceil + 4dn \qquad \mathrm{coo} = 8dn \qquad ` +
			`d < \frac{31}{32} - \frac{B\,(T_c + T_d)}{4n}`,
		Note: notebook.Both{"n elements of four bytes, density d; the last is the bitmap’s break-even in Tb < Ta. Coordinates " +
			"beat the bitmap below d = 1/32. Ours; a US patent (11544067) uses the bitmap.",
			"n 个四字节元素，密度 d；最后一项是位图在 Tb < Ta 中的盈亏平衡点。密度低于 d = 1/32 时，坐标胜过位图。由我们给出；一项美国专利（11544067）使用位图。"},
		Code: []string{"papers/ringsparse/formula BitmapBytes", "papers/ringsparse/formula COOBytes", "papers/ringsparse/formula BitmapSaves"},
	},
}

// sparseAlgorithms are the steps S1–S7 of the patent's description.
var sparseAlgorithms = []algorithm{
	{
		ID: "s1-s7", Name: notebook.Both{"Training: S1 to S3 and S7", "训练：S1 到 S3，以及 S7"},
		In: notebook.Both{"N GPUs, a network, BatchSize, the learning rate η, the number of iterations",
			"N 块 GPU，一个网络，BatchSize，学习率 η，迭代次数"},
		Out:   notebook.Both{"the same weights on every GPU", "每块 GPU 上权重相同"},
		Place: "S1–S7, step",
		Code: []string{"papers/ringsparse Run", "papers/ringsparse ring.iterate", "papers/ringsparse stores.localStep",
			"papers/ringsparse ring.post",
			"papers/ringsparse ring.send"},
		Elsewhere: map[int]notebook.Both{
			2: notebook.Both{"before Run: every Task begins with the same weights", "在 Run 之前：每个 Task 以相同的权重开始"},
			9: notebook.Both{"closes step 3", "结束第 3 步"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"S1: give each GPU a number and two neighbours, the last joined to the first",
				"S1：给每块 GPU 一个编号和两个邻居，最后一块与第一块相连"}, false},
			{0, notebook.Both{"S1: copy the network to each, with the same initial weights",
				"S1：把网络复制到每块 GPU，初始权重相同"}, false},
			{0, notebook.Both{"S7: for each iteration:", "S7：对每次迭代："}, false},
			{1, notebook.Both{"S2: each GPU reads BatchSize/N samples that no other reads, and runs the forward pass with W_0",
				"S2：每块 GPU 读取别的 GPU 都不读的 BatchSize/N 个样本，用 W_0 作前向传播"}, false},
			{1, notebook.Both{"S3: backward pass; as soon as a layer’s error and gradient g are there:",
				"S3：反向传播；某一层的误差和梯度 g 一旦得出："}, false},
			{2, notebook.Both{"W′ ← W_0 − η g, beside W_0; keep g too", "W′ ← W_0 − η g，与 W_0 分开存放；g 也保留"}, true},
			{2, notebook.Both{"start S4–S6 for this layer, and go on with the layer before it",
				"对这一层开始 S4–S6，并继续计算它前面的一层"}, false},
			{1, notebook.Both{"wait until every layer is synchronised", "等到每一层都同步完"}, true},
			{0, notebook.Both{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "s4-s6", Name: notebook.Both{"Synchronising one layer: S4 to S6", "同步一层：S4 到 S6"},
		In:    notebook.Both{"W_0, W′ and g of the layer on each of N GPUs", "N 块 GPU 上各自的该层的 W_0、W′ 和 g"},
		Out:   notebook.Both{"the layer’s new weights, the same bits on every GPU", "该层的新权重，每块 GPU 上逐比特相同"},
		Place: "S4–S6, step",
		Code: []string{"papers/ringsparse ring.exchange", "papers/ringsparse ring.block", "papers/ringsparse ring.pack", "papers/ringsparse Choose",
			"papers/ringsparse stores.encode", "papers/ringsparse Compress", "papers/ringsparse ring.reduce",
			"papers/ringsparse ring.gather",
			"papers/ringsparse stores.finish"},
		Steps: []algorithmLine{
			{0, notebook.Both{"S41: cut W′ and g into N blocks each", "S41：把 W′ 和 g 各切成 N 块"}, false},
			{0, notebook.Both{"S41: of the pair to be sent keep the one with more zeros, W′ if they are equal, and tag it",
				"S41：在要发送的一对中保留零较多的一个，相等时保留 W′，并加上标记"}, false},
			{0, notebook.Both{"S42: compress it if T_b < T_a, and tag that; send it to the next neighbour",
				"S42：若 T_b < T_a 就压缩，并标明；发给下一个邻居"}, true},
			{0, notebook.Both{"S6: N − 1 times:", "S6：N − 1 次："}, false},
			{1, notebook.Both{"S5: receive a block, unpack it if its tag says so", "S5：接收一块，若标记表明已压缩就解压"}, false},
			{1, notebook.Both{"S5: add the own block of the same kind to it", "S5：加上自己同一种形式的块"}, false},
			{1, notebook.Both{"S51: turn a copy of the sum into the other kind", "S51：把和的一个副本转成另一种形式"}, false},
			{1, notebook.Both{"S52: keep the one with more zeros, compress it if that is sooner",
				"S52：保留零较多的一个，若更快就压缩"}, false},
			{1, notebook.Both{"S52: send it on, but after the last time", "S52：往下发送，最后一次除外"}, true},
			{0, notebook.Both{"S6: N − 1 times: receive a block, overwrite the own one with it, send it on",
				"S6：N − 1 次：接收一块，用它覆盖自己的一块，再往下发"}, false},
			{0, notebook.Both{"S6: from each block: W ← its sum / N, or W_0 − η times its sum / N, by its tag",
				"S6：由每一块：按其标记，W ← 它的和 / N，或 W_0 − η 乘以它的和 / N"}, true},
		},
	},
}
