package quiz

import (
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/tensor/codec"
)

var sparseMakers = []maker{{"ringsparse.sparsity", sparseSparsity}, {"ringsparse.kind", sparseKind},
	{"ringsparse.densities", sparseDensities}, {"ringsparse.form", sparseForm},
	{"ringsparse.cheapest", sparseCheapest}, {"ringsparse.bytes", sparseBytes}, {"ringsparse.to-gradients", sparseToGradients},
	{"ringsparse.to-weights", sparseToWeights},
	{"ringsparse.average", sparseAverage}, {"ringsparse.fill-in", sparseFillIn}, {"ringsparse.time", sparseTime}}

// The kinds of a block, in the order of ringsparse.Kind.
var kinds = []Text{{"weights", "权重"}, {"gradients", "梯度"}}

// patent returns a step of the patent as a source.
func patent(step string) Text { return both("patent, %s", "专利 %s", step) }

func sparseSparsity(d draw) Question {
	n := pick(d, 8, 16)
	x := d.sparse(n, d.from(0, n))
	f := ringsparse.Sparsity(x, 0)
	return Question{
		Text:   both("What is the sparsity F of the block x?", "块 x 的稀疏度 F 是多少？"),
		Given:  []Given{is("x", listed(x))},
		Why:    both("F is the share of exact zeros: %d of %d numbers, %s.", "F 是恰好为零的数所占的比例：%d / %d，即 %s。", int(f*float64(n)), n, rounded(f)),
		Source: patent("S41"), want: exactly(of(float32(f)), share)}
}

func sparseKind(d draw) Question {
	const n = 8
	w, g := d.sparse(n, d.from(2, n)), d.sparse(n, d.from(2, n))
	sw, sg := ringsparse.Sparsity(w, 0), ringsparse.Sparsity(g, 0)
	kind, tie := ringsparse.Choose(sw, sg, ringsparse.Weights)
	return Question{
		Text: both("A block's local weights are W, its gradients G. Which kind is sent? Where both are equally sparse, the patent takes "+
			"weights.", "某块的本地权重为 W，梯度为 G。应发送哪一种？相等时专利取权重。"),
		Given:  []Given{is("W", listed(w)), is("G", listed(g))},
		Why:    whyKind(sw, sg, kind, tie),
		Source: patent("S41"), want: oneOf(int(kind)-1, kinds...)}
}

func whyKind(sw, sg float64, kind ringsparse.Kind, tie bool) Text {
	why := both("Sw = %s and Sg = %s: the %s are sparser.", "Sw = %s，Sg = %s：更稀疏的是%s。", rounded(sw), rounded(sg), kinds[kind-1])
	if tie {
		why = both("Sw = Sg = %s: at equal sparsity Sw ≥ Sg takes the %s.", "Sw = Sg = %s：稀疏度相等时按 Sw ≥ Sg 取%s。", rounded(sw), kinds[kind-1])
	}
	return why
}

func sparseDensities(d draw) Question {
	dw, dg := float64(d.from(1, 8))/8, float64(d.from(1, 8))/8
	kind, tie := ringsparse.Choose(1-dw, 1-dg, ringsparse.Weights)
	return Question{
		Text: both("The share dw of a block's weights is not zero, and the share dg of its gradients. Which kind is sent? Where both are equally "+
			"dense, the patent takes weights.",
			"某块权重中非零数的比例为 dw，梯度中为 dg。应发送哪一种？相等时专利取权重。"),
		Given:  []Given{is("dw", rounded(dw)), is("dg", rounded(dg))},
		Why:    sentences(both("F = 1 − d.", "F = 1 − d。"), whyKind(1-dw, 1-dg, kind, tie)),
		Source: patent("S41"), want: oneOf(int(kind)-1, kinds...)}
}

// signed is W′ = W0 − η·g, which all conversions of the quiz follow.
var signed = both("The local step is W′ = W0 − η·g.", "本地更新为 W′ = W0 − η·g。")

// conversion draws m nodes' weights and gradients of a block of n numbers: W0, η, and
// both sums. η is a power of two and all numbers are small, so nothing is rounded.
func conversion(d draw, n int) (w0, sumG, sumW []float32, eta float64, m int) {
	w0, sumG, sumW = d.small(n), d.small(n), make([]float32, n)
	eta, m = pick(d, 0.5, 0.25), d.from(2, 5)
	ringsparse.ToWeights(sumW, w0, sumG, eta, m, ringsparse.Descent)
	return w0, sumG, sumW, eta, m
}

func sparseToGradients(d draw) Question {
	w0, _, pw, eta, m := conversion(d, 3)
	pg := make([]float32, len(w0))
	ringsparse.ToGradients(pg, w0, pw, eta, m, ringsparse.Descent)
	return Question{
		Text: sentences(signed, both("Pw is the sum of m nodes' local weights of a block. Turn it into the sum Pg of their gradients.",
			"Pw 是 m 个节点在某块上的本地权重之和。把它换成梯度之和 Pg。")),
		Given: []Given{is("W0", listed(w0)), is("η", eta), is("m", m), is("Pw", listed(pw))},
		Why: both("Pg = (m·W0 − Pw)/η, entry by entry; the first: (%d · %v − %v)/%v = %v.", "Pg = (m·W0 − Pw)/η，逐项计算；第一项：(%d · %v − %v)/%v = %v。",
			m, bracketed(w0[0]), bracketed(pw[0]), eta, pg[0]),
		Source: patent("S51"), want: sequence(threeNumbers, pg...)}
}

var threeNumbers = both("three numbers such as 3, 0.5, −2", "三个数，例如 3, 0.5, −2")

func sparseToWeights(d draw) Question {
	w0, pg, pw, eta, m := conversion(d, 3)
	return Question{
		Text: sentences(signed, both("Pg is the sum of m nodes' gradients of a block. Turn it into the sum Pw of their local weights.",
			"Pg 是 m 个节点在某块上的梯度之和。把它换成本地权重之和 Pw。")),
		Given: []Given{is("W0", listed(w0)), is("η", eta), is("m", m), is("Pg", listed(pg))},
		Why: both("Pw = m·W0 − η·Pg, entry by entry; the first: %d · %v − %v · %v = %v.", "Pw = m·W0 − η·Pg，逐项计算；第一项：%d · %v − %v · %v = %v。",
			m, bracketed(w0[0]), eta, bracketed(pg[0]), pw[0]),
		Source: patent("S51"), want: sequence(threeNumbers, pw...)}
}

func sparseAverage(d draw) Question {
	w0, sum := d.small(3), d.small(3)
	n, eta := pick(d, 2, 4), pick(d, 1, 0.5)
	w := append([]float32{}, w0...)
	first := w[0]
	ringsparse.ApplyGradients(w, sum, eta, n, ringsparse.Descent)
	why := both("W0 − (η/N)·Σg; the first entry: %v − %v/%d · %v = %v.", "W0 − (η/N)·Σg；第一项：%v − %v/%d · %v = %v。", first, eta, n, bracketed(sum[0]), w[0])
	text := both("A block arrives complete as gradients, the sum S over N nodes. What are its new weights?", "某块以梯度形式求和完毕，S 是 N 个节点之和。新的权重是什么？")
	given := []Given{is("W0", listed(w0)), is("η", eta), is("N", n), is("S", listed(sum))}
	if d.coin() {
		ringsparse.AverageWeights(w, sum, n)
		why = both("ΣW/N; the first entry: %v/%d = %v.", "ΣW/N；第一项：%v/%d = %v。", sum[0], n, w[0])
		text = both("A block arrives complete as weights, the sum S over N nodes. What are its new weights?", "某块以权重形式求和完毕，S 是 N 个节点之和。新的权重是什么？")
	}
	return Question{Text: text, Given: given, Why: why, Source: both(
		"ours: the patent names no division, and S6 says that all parameters agree", "本仓库：专利未写除法，而 S6 称所有参数一致"),
		want: sequence(threeNumbers, w...)}
}

// bracketed writes a number behind an operator.
func bracketed(x float32) string {
	if x < 0 {
		return "(" + decimal(of(x)) + ")"
	}
	return decimal(of(x))
}

func sparseFillIn(d draw) Question {
	density, k := pick(d, 0.5, 0.25, 0.1, 0.2), d.from(1, 3)
	f := ringsparse.FillIn(density, k)
	return Question{
		Text: both("Blocks of density d with independent zeros are summed round the ring. What density does a block have after k receives?",
			"密度为 d、零的位置相互独立的块沿环求和。接收 k 次之后，块的密度是多少？"),
		Given: []Given{is("d", density), is("k", k)},
		Why: both("1 − (1−d)^(k+1): %d terms leave a zero only where all are zero, 1 − %s^%d = %s.",
			"1 − (1−d)^(k+1)：%d 项全为零处才仍为零，1 − %s^%d = %s。", k+1, rounded(1-density), k+1, rounded(f)),
		Source: both("ours: why S52 chooses anew at every hop", "本仓库：S52 为何每一跳都重新选择"), want: about(f, share)}
}

func sparseTime(d draw) Question {
	n := d.from(2, 8)
	size, b := n*d.from(1, 50)*1_000_000, float64(d.from(1, 10))*1e8
	t := formula.T(n, float64(size), b)
	return Question{
		Text: both("N nodes synchronise a layer of D bytes, uncompressed, on links of B bytes per second. How long does it take?",
			"N 个节点同步一层共 D 字节的数据，不压缩，链路带宽为每秒 B 字节。需多长时间？"),
		Given:  []Given{is("N", n), in("D", size, bytes), in("B", rounded(b), perSecond)},
		Why:    both("T = 2(N−1)/N · D/B = %d/%d · %s s = %s s.", "T = 2(N−1)/N · D/B = %d/%d · %s 秒 = %s 秒。", 2*(n-1), n, rounded(float64(size)/b), rounded(t)),
		Source: patent("S13"), want: about(t, seconds)}
}

// ways are how a block travels.
var ways = []Text{{"direct", "直接"}, {"compressed", "压缩"}}

func sparseForm(d draw) Question {
	size := d.from(2, 20) * 1000
	b := float64(d.from(1, 5)) * 1000
	short := size * d.from(2, 9) / 10
	tc, td := float64(d.from(1, 30))/10, float64(d.from(1, 30))/10
	ta, tb := ringsparse.CostDirect(float64(size), b), ringsparse.CostCompressed(tc, float64(short), b, td)
	way, than := 0, "≥"
	if ringsparse.Compress(ta, tb, false) {
		way, than = 1, "<"
	}
	return Question{
		Text: both("A block of D bytes would be C bytes compressed. Compressing takes Tc, decompressing Td, the link carries B bytes per second. "+
			"Does it travel direct or compressed, if the sooner way is taken, and of equal ones the direct one?",
			"某块 D 字节，压缩后为 C 字节。压缩需 Tc，解压需 Td，链路每秒传 B 字节。取较快的方式，相等时取直接：该块直接发送还是压缩发送？"),
		Given: []Given{in("D", size, bytes), in("C", short, bytes), in("B", b, perSecond), in("Tc", tc, seconds), in("Td", td, seconds)},
		Why: both("Ta = D/B = %s s and Tb = Tc + C/B + Td = %s s: Tb %s Ta, so %s. The patent prints the rule the other way round.",
			"Ta = D/B = %s 秒，Tb = Tc + C/B + Td = %s 秒：Tb %s Ta，所以%s。专利印的规则正好相反。",
			rounded(ta), rounded(tb), than, ways[way]),
		Source: patent("S42"), want: oneOf(way, ways...)}
}

// forms lists the codecs that a block may travel by.
var forms = []codec.Codec{codec.Dense{}, codec.Bitmap{}, codec.COO{}}

func formNames() (names []Text) {
	for _, c := range forms {
		names = append(names, same(c.Name()))
	}
	return names
}

func sparseCheapest(d draw) Question {
	n := 96
	nonzero := pick(d, 1, 2, 24, 48, 72, 90)
	b, rate := float64(pick(d, 1, 2, 4, 8)), float64(pick(d, 8, 16, 96))
	coders := []ringsparse.Coder{{Codec: codec.Bitmap{}, Encode: rate, Decode: rate}, {Codec: codec.COO{}, Encode: rate, Decode: rate}}
	size := func(c codec.Codec) float64 { return c.SizeAt(n, float64(nonzero)/float64(n)) }
	best := ringsparse.CheapestCoder(coders, n, n, b, false, size)
	ta := ringsparse.CostDirect(float64(4*n), b)
	costs := []any{rounded(ta)}
	right := 0
	for i, c := range coders {
		tc, td := c.Costs(float64(4 * n))
		costs = append(costs, rounded(tc+td), rounded(size(c.Codec)), rounded(ringsparse.CostCompressed(tc, size(c.Codec), b, td)))
		if c.Codec.ID() == best.Codec.ID() {
			right = i + 1
		}
	}
	return Question{
		Text: both("Of a block of n float32, z are not zero. It may travel dense, as a bitmap with values (⌈n/8⌉ + 4z bytes) or as coordinates "+
			"with values, coo (8z bytes). Coding and decoding each pass R bytes of the dense block per second, the link B. Which form is soonest "+
			"there (of equal ones the first named)?",
			"某块有 n 个 float32，其中 z 个非零。它可以按 dense 发送，或按位图加数值 bitmap（⌈n/8⌉ + 4z 字节），或按坐标加数值 coo（8z 字节）。编码和解码各以每秒 R 字节处理稠密块，链路每秒 B 字节。哪种形式最先到达（相同时取先列出者）？"),
		Given: []Given{is("n", n), is("z", nonzero), in("R", rate, perSecond), in("B", b, perSecond)},
		Why: both("Dense: %s s. Bitmap: %s s of coding and %s bytes, together %s s. Coo: %s s of coding and %s bytes, together %s s. The soonest is %s.",
			"dense：%s 秒。bitmap：编解码 %s 秒，%s 字节，共 %s 秒。coo：编解码 %s 秒，%s 字节，共 %s 秒。最先到达的是 %s。",
			append(costs, best.Codec.Name())...),
		Source: patent("S42"), want: oneOf(right, formNames()...)}
}

func sparseBytes(d draw) Question {
	n := d.from(9, 20)
	x := d.sparse(n, d.from(1, 6))
	i := d.from(1, len(forms)-1)
	c := forms[i]
	nonzero := int(float64(n)*ringsparse.Density(x, 0) + 0.5)
	size := c.Size(x)
	why := both("One bit per element, in whole bytes: %d. %d values of %d bytes: %d. Together %d bytes.", "每个元素一位，取整字节：%d。%d 个数值，每个 %d 字节：%d。共 %d 字节。",
		size-4*nonzero, nonzero, 4, 4*nonzero, size)
	if i == 2 {
		why = both("%d numbers are not zero, each an index and a value of %d bytes together: %d bytes.", "%d 个数非零，每个的下标加数值共 %d 字节：%d 字节。", nonzero, 8, size)
	}
	return Question{
		Text: both("How many bytes does the block x of float32 take on the wire as %s (%s)?", "块 x（float32）以 %s（%s）的形式传输，占多少字节？", c.Name(),
			[]Text{{}, {"one bit per element, then the values that are not zero",
				"每个元素一位，然后是非零的数值"}, {"an index of 4 bytes and a value for each number that is not zero", "每个非零数一个 4 字节下标和一个数值"}}[i]),
		Given:  []Given{is("x", listed(x))},
		Why:    why,
		Source: both("patent, S42; the codec is ours: shared/tensor/codec", "专利 S42；编码为本仓库所加：shared/tensor/codec"), want: whole(int64(size), bytes)}
}
