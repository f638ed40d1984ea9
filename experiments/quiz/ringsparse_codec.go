package quiz

import (
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/codec"
)

// ways are how a block travels.
var ways = []Text{{"direct", "直接"}, {"compressed", "压缩"}}

func sparseForm(d draw) (Question, error) {
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
		Text: both("A block of D bytes would be C bytes compressed. Compressing takes Tc, decompressing Td, the link carries B bytes per second. Does it travel direct or compressed, if the sooner way is taken, and of equal ones the direct one?",
			"某块 D 字节，压缩后为 C 字节。压缩需 Tc，解压需 Td，链路每秒传 B 字节。取较快的方式，相等时取直接：该块直接发送还是压缩发送？"),
		Given: []Given{in("D", size, bytes), in("C", short, bytes), in("B", b, perSecond), in("Tc", tc, seconds), in("Td", td, seconds)},
		Why: both("Ta = D/B = %s s and Tb = Tc + C/B + Td = %s s: Tb %s Ta, so %s. The patent prints the rule the other way round.",
			"Ta = D/B = %s 秒，Tb = Tc + C/B + Td = %s 秒：Tb %s Ta，所以%s。专利印的规则正好相反。",
			rounded(ta), rounded(tb), than, ways[way]),
		Source: patent("S42"), want: oneOf(way, ways...)}, nil
}

// forms are what a block may travel as, by the name of the codec.
var forms = []codec.Codec{codec.Dense{}, codec.Bitmap{}, codec.COO{}}

func formNames() (names []Text) {
	for _, c := range forms {
		names = append(names, same(c.Name()))
	}
	return names
}

func sparseCheapest(d draw) (Question, error) {
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
		Text: both("Of a block of n float32, z are not zero. It may travel dense, as a bitmap with values (⌈n/8⌉ + 4z bytes) or as coordinates with values, coo (8z bytes). Coding and decoding each pass R bytes of the dense block per second, the link B. Which form is soonest there (of equal ones the first named)?",
			"某块有 n 个 float32，其中 z 个非零。它可以按 dense 发送，或按位图加数值 bitmap（⌈n/8⌉ + 4z 字节），或按坐标加数值 coo（8z 字节）。编码和解码各以每秒 R 字节处理稠密块，链路每秒 B 字节。哪种形式最先到达（相同时取先列出者）？"),
		Given: []Given{is("n", n), is("z", nonzero), in("R", rate, perSecond), in("B", b, perSecond)},
		Why: both("Dense: %s s. Bitmap: %s s of coding and %s bytes, together %s s. Coo: %s s of coding and %s bytes, together %s s. The soonest is %s.",
			"dense：%s 秒。bitmap：编解码 %s 秒，%s 字节，共 %s 秒。coo：编解码 %s 秒，%s 字节，共 %s 秒。最先到达的是 %s。",
			append(costs, best.Codec.Name())...),
		Source: patent("S42"), want: oneOf(right, formNames()...)}, nil
}

func sparseBytes(d draw) (Question, error) {
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
		Source: both("patent, S42; the codec is ours: shared/tensor/codec", "专利 S42；编码为本仓库所加：shared/tensor/codec"), want: whole(int64(size), bytes)}, nil
}
