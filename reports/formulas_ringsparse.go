package reports

// sparseFormulas are those of the patent as we restored them; S51's Pw is the
// one that survived in the text.
var sparseFormulas = []formula{
	{
		ID: "t", Name: "T: synchronising one layer without compression (S13)",
		TeX:    `T = \frac{2\,(N-1)}{N}\cdot\frac{D}{B}`,
		Note:   "N GPUs, D bytes of the layer, B the bandwidth between GPUs. The text says that the time “does not grow with the number of nodes”; by this formula it grows from D/B at N = 2 towards 2D/B.",
		Chance: "certain",
		Code:   []string{"papers/ringsparse/formula T"},
	},
	{
		ID: "ta", Name: "Ta: sending a block as it is (S42)",
		TeX:    `T_a = \frac{D_{\mathrm{block}}}{B}`,
		Note:   "The text calls D the size of the layer, but what is sent is one block of N. With the layer’s size here and the block’s in Tb, the rule favours compressing by a factor of N.",
		Chance: "above 85 % for the form",
		Code:   []string{"papers/ringsparse/formula Ta"},
	},
	{
		ID: "tb", Name: "Tb: compressing, sending, decompressing (S42)",
		TeX:    `T_b = T_c + \frac{\mathrm{Compres}(D_{\mathrm{block}})}{B} + T_d`,
		Note:   "Compres(·) is the size after compression; the text spells it so and leaves the algorithm open.",
		Chance: "above 85 % for the form",
		Code:   []string{"papers/ringsparse/formula Tb"},
	},
	{
		ID: "rule", Name: "When a block is compressed (S42)",
		TeX:  `\text{compress} \iff T_b < T_a \qquad\qquad \text{printed: send directly if } T_a \ge T_b`,
		Note: "As printed, in both places, the rule takes the slower way. Both can be run.",
		Code: []string{"papers/ringsparse Compress", "papers/ringsparse CheapestCoder"},
	},
	{
		ID: "choice", Name: "Weights or gradients (S41)",
		TeX: `\text{block } i \text{ travels as } \begin{cases} W_i & F(W_i) \ge F(G_i) \\ G_i & \text{else} \end{cases} \qquad ` +
			`F(x) = \frac{\#\{j : x_j = +0\}}{\#x}`,
		Note: "F is not defined in the text. A promise of unchanged accuracy leaves exact zeros. Two blocks without zeros tie, and the patent’s rule then sends weights.",
		Code: []string{"papers/ringsparse Choose", "papers/ringsparse Sparsity", "papers/ringsparse Density"},
	},
	{
		ID: "pw", Name: "Pw: a partial sum of gradients turned into weights (S51)",
		TeX:  `P_w = (k+1)\,W_0 - \eta\,(P_g' + P_g'') \qquad\qquad \text{printed: } P_w = \eta\,(P_g' + P_g'') + (k+1)\,W_0`,
		Note: "Pg′ is the rank’s own gradient, Pg″ the sum received, W₀ the weights of the forward pass, k the exchanges done, this one among them. The printed sign is right only if “gradient” means the direction of descent.",
		Code: []string{"papers/ringsparse/formula Pw", "papers/ringsparse ToWeights"},
	},
	{
		ID: "pg", Name: "Pg: a partial sum of weights turned into gradients (S51)",
		TeX:    `P_g = \frac{(k+1)\,W_0 - (P_w' + P_w'')}{\eta}`,
		Note:   "The inverse of Pw. In floating point it is not: (k+1)W₀ cancels, and what is left is divided by a small η.",
		Chance: "above 85 %",
		Code:   []string{"papers/ringsparse/formula Pg", "papers/ringsparse ToGradients"},
	},
	{
		ID: "final", Name: "The end of the ring, which the text leaves out",
		TeX:  `W \leftarrow \frac{1}{N}\sum_n W_n \qquad\text{or}\qquad W \leftarrow W_0 - \frac{\eta}{N}\sum_n G_n`,
		Note: "By the tag of the block; equal in exact arithmetic, not in float32. All ranks must do it from the same bytes, or the copies drift apart.",
		Code: []string{"papers/ringsparse AverageWeights", "papers/ringsparse ApplyGradients"},
	},
	{
		ID: "fill-in-law", Name: "Fill-in: density after k more exchanges",
		TeX:  `d_k = 1 - (1-d)^{k+1}`,
		Note: "If the zeros of different workers are independent. Ours.",
		Code: []string{"papers/ringsparse/formula FillIn"},
	},
	{
		ID: "sizes", Name: "Bytes of a compressed block, and where it pays",
		TeX: `\mathrm{bitmap} = \left\lceil \frac{n}{8} \right\rceil + 4dn \qquad \mathrm{coo} = 8dn \qquad ` +
			`d < \frac{31}{32} - \frac{B\,(T_c + T_d)}{4n}`,
		Note: "n elements of four bytes, density d; the last is the bitmap’s break-even in Tb < Ta. Coordinates beat the bitmap below d = 1/32. Ours; a US patent (11544067) uses the bitmap.",
		Code: []string{"papers/ringsparse/formula BitmapBytes", "papers/ringsparse/formula COOBytes", "papers/ringsparse/formula BitmapSaves"},
	},
}
