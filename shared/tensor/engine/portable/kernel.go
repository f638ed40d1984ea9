package portable

// tile computes one 2×4 block of a product from packed panels:
//
//	c[4r+j] = Σ_i a[2i+r]·b[4i+j],   i = 0 … k−1 in that order
//
// a holds k pairs, b holds k quadruples. Eight accumulators and their operands
// just fit the 15 registers Go's compiler uses on amd64; unrolling twice is
// worth 1.4× there, larger tiles spill.
//
// Panics if a or b is shorter than its panel.
func tile(k int, a, b []float32, c *[8]float32) {
	var c00, c01, c02, c03, c10, c11, c12, c13 float32
	a = a[: k*2 : k*2]
	b = b[: k*4 : k*4]
	for len(a) >= 4 && len(b) >= 8 {
		p := (*[4]float32)(a)
		q := (*[8]float32)(b)
		a0, a1 := p[0], p[1]
		x := q[0]
		c00 += float32(x * a0)
		c10 += float32(x * a1)
		x = q[1]
		c01 += float32(x * a0)
		c11 += float32(x * a1)
		x = q[2]
		c02 += float32(x * a0)
		c12 += float32(x * a1)
		x = q[3]
		c03 += float32(x * a0)
		c13 += float32(x * a1)
		a0, a1 = p[2], p[3]
		x = q[4]
		c00 += float32(x * a0)
		c10 += float32(x * a1)
		x = q[5]
		c01 += float32(x * a0)
		c11 += float32(x * a1)
		x = q[6]
		c02 += float32(x * a0)
		c12 += float32(x * a1)
		x = q[7]
		c03 += float32(x * a0)
		c13 += float32(x * a1)
		a = a[4:]
		b = b[8:]
	}
	if len(a) >= 2 && len(b) >= 4 { // k is odd
		p := (*[2]float32)(a)
		q := (*[4]float32)(b)
		c00 += float32(q[0] * p[0])
		c10 += float32(q[0] * p[1])
		c01 += float32(q[1] * p[0])
		c11 += float32(q[1] * p[1])
		c02 += float32(q[2] * p[0])
		c12 += float32(q[2] * p[1])
		c03 += float32(q[3] * p[0])
		c13 += float32(q[3] * p[1])
	}
	*c = [8]float32{c00, c01, c02, c03, c10, c11, c12, c13}
}

// dots continues one 2×4 block of inner products along the pixels:
//
//	c[4r+j] += Σ_i Σ_l a_r[4i+l]·b[i·stride+4j+l],   i, then l = 0 … 3
//
// a0 and a1 are n quadruples of two output channels' gradients, b is the
// gathered image in blocks of stride floats per quadruple of pixels.
func dots(n, stride int, a0, a1, b []float32, c *[8]float32) {
	c00, c01, c02, c03, c10, c11, c12, c13 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	a0 = a0[: n*4 : n*4]
	a1 = a1[: n*4 : n*4]
	for len(a0) >= 4 && len(a1) >= 4 {
		p0 := (*[4]float32)(a0)
		p1 := (*[4]float32)(a1)
		q := (*[16]float32)(b)
		x, y := p0[0], p1[0]
		c00 += float32(q[0] * x)
		c10 += float32(q[0] * y)
		c01 += float32(q[4] * x)
		c11 += float32(q[4] * y)
		c02 += float32(q[8] * x)
		c12 += float32(q[8] * y)
		c03 += float32(q[12] * x)
		c13 += float32(q[12] * y)
		x, y = p0[1], p1[1]
		c00 += float32(q[1] * x)
		c10 += float32(q[1] * y)
		c01 += float32(q[5] * x)
		c11 += float32(q[5] * y)
		c02 += float32(q[9] * x)
		c12 += float32(q[9] * y)
		c03 += float32(q[13] * x)
		c13 += float32(q[13] * y)
		x, y = p0[2], p1[2]
		c00 += float32(q[2] * x)
		c10 += float32(q[2] * y)
		c01 += float32(q[6] * x)
		c11 += float32(q[6] * y)
		c02 += float32(q[10] * x)
		c12 += float32(q[10] * y)
		c03 += float32(q[14] * x)
		c13 += float32(q[14] * y)
		x, y = p0[3], p1[3]
		c00 += float32(q[3] * x)
		c10 += float32(q[3] * y)
		c01 += float32(q[7] * x)
		c11 += float32(q[7] * y)
		c02 += float32(q[11] * x)
		c12 += float32(q[11] * y)
		c03 += float32(q[15] * x)
		c13 += float32(q[15] * y)
		a0 = a0[4:]
		a1 = a1[4:]
		b = b[min(stride, len(b)):]
	}
	*c = [8]float32{c00, c01, c02, c03, c10, c11, c12, c13}
}
