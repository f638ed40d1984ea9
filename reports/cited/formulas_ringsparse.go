package cited

// sparseFormulas are those of the patent as we restored them; S51's Pw is the
// one that survived in the text.
var sparseFormulas = []Formula{
	{
		ID: "t", Name: said{"T: synchronising one layer without compression (S13)", "T：不压缩地同步一层（S13）"},
		TeX: `T = \frac{2\,(N-1)}{N}\cdot\frac{D}{B}`,
		Note: said{"N GPUs, D bytes of the layer, B the bandwidth between GPUs. The text says that the time “does not " +
			"grow with the number of nodes”; by this formula it grows from D/B at N = 2 towards 2D/B.",
			"N 块 GPU，该层 D 字节，GPU 之间的带宽 B。原文说时间“不随节点数增长”；按这个公式，它从 N = 2 时的 D/B 增长，趋向 2D/B。"},
		Chance: "certain",
		Code:   []string{"papers/ringsparse/formula T"},
	},
	{
		ID: "ta", Name: said{"Ta: sending a block as it is (S42)", "Ta：原样发送一块（S42）"},
		TeX: `T_a = \frac{D_{\mathrm{block}}}{B}`,
		Note: said{"The text calls D the size of the layer, but what is sent is one block of N. With the layer’s size " +
			"here and the block’s in Tb, the rule favours compressing by a factor of N.",
			"原文称 D 为层的大小，但所发送的是 N 块中的一块。若这里用层的大小而 Tb 中用块的大小，规则就以 N 倍偏向压缩。"},
		Chance: "above 85 % for the form",
		Code:   []string{"papers/ringsparse/formula Ta"},
	},
	{
		ID: "tb", Name: said{"Tb: compressing, sending, decompressing (S42)", "Tb：压缩、发送、解压（S42）"},
		TeX: `T_b = T_c + \frac{\mathrm{Compres}(D_{\mathrm{block}})}{B} + T_d`,
		Note: said{"Compres(·) is the size after compression; the text spells it so and leaves the algorithm open.",
			"Compres(·) 是压缩后的大小；原文就这样拼写，算法未定。"},
		Chance: "above 85 % for the form",
		Code:   []string{"papers/ringsparse/formula Tb"},
	},
	{
		ID: "rule", Name: said{"When a block is compressed (S42)", "何时压缩一块（S42）"},
		TeX: `\text{compress} \iff T_b < T_a \qquad\qquad \text{printed: send directly if } T_a \ge T_b`,
		Note: said{"As printed, in both places, the rule takes the slower way. Both can be run.",
			"两处都按印出的形式时，规则选的是较慢的做法。两者都可以运行。"},
		Code: []string{"papers/ringsparse Compress", "papers/ringsparse CheapestCoder"},
	},
	{
		ID: "choice", Name: said{"Weights or gradients (S41)", "权重还是梯度（S41）"},
		TeX: `\text{block } i \text{ travels as } \begin{cases} W_i & F(W_i) \ge F(G_i) \\ G_i & \text{else} \end{cases} \qquad ` +
			`F(x) = \frac{\#\{j : x_j = +0\}}{\#x}`,
		Note: said{"F is not defined in the text. A promise of unchanged accuracy leaves exact zeros. Two blocks " +
			"without zeros tie, and the patent’s rule then sends weights.",
			"F 在原文中没有定义。“准确率不变”的承诺只允许恰好为零的零。两个没有零的块打平，于是专利的规则发送权重。"},
		Code: []string{"papers/ringsparse Choose", "papers/ringsparse Sparsity", "papers/ringsparse Density"},
	},
	{
		ID: "pw", Name: said{"Pw: a partial sum of gradients turned into weights (S51)", "Pw：梯度的部分和转成权重（S51）"},
		TeX: `P_w = (k+1)\,W_0 - \eta\,(P_g' + P_g'') \qquad\qquad \text{printed: } P_w = \eta\,(P_g' + P_g'') + (k+1)\,W_0`,
		Note: said{"Pg′ is the rank’s own gradient, Pg″ the sum received, W₀ the weights of the forward pass, k the " +
			"exchanges done, this one among them. The printed sign is right only if “gradient” means the " +
			"direction of descent.",
			"Pg′ 是该 rank 自己的梯度，Pg″ 是收到的和，W₀ 是前向传播时的权重，k 是包括本次在内已作的交换次数。只有当“梯度”指下降方向时，印出的符号才对。"},
		Code: []string{"papers/ringsparse/formula Pw", "papers/ringsparse ToWeights"},
	},
	{
		ID: "pg", Name: said{"Pg: a partial sum of weights turned into gradients (S51)", "Pg：权重的部分和转成梯度（S51）"},
		TeX: `P_g = \frac{(k+1)\,W_0 - (P_w' + P_w'')}{\eta}`,
		Note: said{"The inverse of Pw. In floating point it is not: (k+1)W₀ cancels, and what is left is divided by a " +
			"small η.",
			"Pw 的逆。在浮点中则不然：(k+1)W₀ 相减抵消，余下的再除以很小的 η。"},
		Chance: "above 85 %",
		Code:   []string{"papers/ringsparse/formula Pg", "papers/ringsparse ToGradients"},
	},
	{
		ID: "final", Name: said{"The end of the ring, which the text leaves out", "环的结束，原文省略了这一步"},
		TeX: `W \leftarrow \frac{1}{N}\sum_n W_n \qquad\text{or}\qquad W \leftarrow W_0 - \frac{\eta}{N}\sum_n G_n`,
		Note: said{"By the tag of the block; equal in exact arithmetic, not in float32. All ranks must do it from the " +
			"same bytes, or the copies drift apart.",
			"按数据块的标记；在精确算术中相等，在 float32 中不相等。所有 rank 必须由同样的字节得出它，否则各副本会渐行渐远。"},
		Code: []string{"papers/ringsparse AverageWeights", "papers/ringsparse ApplyGradients"},
	},
	{
		ID: "fill-in-law", Name: said{"Fill-in: density after k more exchanges", "填充：再交换 k 次之后的密度"},
		TeX: `d_k = 1 - (1-d)^{k+1}`,
		Note: said{"If the zeros of different workers are independent. Ours.",
			"若不同工作节点的零相互独立。我们给出。"},
		Code: []string{"papers/ringsparse/formula FillIn"},
	},
	{
		ID: "sizes", Name: said{"Bytes of a compressed block, and where it pays", "压缩后数据块的字节数，以及在何处划算"},
		TeX: `\mathrm{bitmap} = \left\lceil \frac{n}{8} \right\rceil + 4dn \qquad \mathrm{coo} = 8dn \qquad ` +
			`d < \frac{31}{32} - \frac{B\,(T_c + T_d)}{4n}`,
		Note: said{"n elements of four bytes, density d; the last is the bitmap’s break-even in Tb < Ta. Coordinates " +
			"beat the bitmap below d = 1/32. Ours; a US patent (11544067) uses the bitmap.",
			"n 个四字节元素，密度 d；最后一项是位图在 Tb < Ta 中的盈亏平衡点。密度低于 d = 1/32 时，坐标胜过位图。由我们给出；一项美国专利（11544067）使用位图。"},
		Code: []string{"papers/ringsparse/formula BitmapBytes", "papers/ringsparse/formula COOBytes", "papers/ringsparse/formula BitmapSaves"},
	},
}
