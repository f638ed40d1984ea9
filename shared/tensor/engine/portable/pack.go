package portable

// packPairs writes the m×k matrix A as panels of two rows, k pairs each, an odd
// last row beside zeros. Element (i, l) is at a[i·rs+l·cs].
func packPairs(dst, a []float32, m, k, rs, cs int) {
	for i := 0; i < m; i += 2 {
		d := dst[i*k : (i+2)*k]
		if i+1 == m {
			for l := 0; l < k; l++ {
				d[2*l], d[2*l+1] = a[i*rs+l*cs], 0
			}
			continue
		}
		p, q := i*rs, (i+1)*rs
		for l := 0; l < k; l++ {
			d[2*l], d[2*l+1] = a[p], a[q]
			p += cs
			q += cs
		}
	}
}

// packQuad writes columns j … j+3 of the k×n matrix B as k quadruples, missing
// columns as zeros. B is row-major, or [n][k] when trans.
func packQuad(dst, b []float32, j, k, n int, trans bool) {
	dst = dst[:4*k]
	width := min(4, n-j)
	switch {
	case width < 4:
		for l := 0; l < k; l++ {
			for c := 0; c < 4; c++ {
				v := float32(0)
				if c < width && trans {
					v = b[(j+c)*k+l]
				} else if c < width {
					v = b[l*n+j+c]
				}
				dst[4*l+c] = v
			}
		}
	case trans:
		r0, r1, r2, r3 := b[j*k:(j+1)*k], b[(j+1)*k:(j+2)*k], b[(j+2)*k:(j+3)*k], b[(j+3)*k:(j+4)*k]
		for l := range r0 {
			*(*[4]float32)(dst[4*l:]) = [4]float32{r0[l], r1[l], r2[l], r3[l]}
		}
	default:
		for l := 0; l < k; l++ {
			*(*[4]float32)(dst[4*l:]) = *(*[4]float32)(b[l*n+j:])
		}
	}
}

// store writes a tile's first rows×cols elements at out[0], rows ld apart.
func store(out []float32, ld, rows, cols int, c *[8]float32) {
	if cols == 4 {
		*(*[4]float32)(out) = [4]float32(c[:4])
		if rows == 2 {
			*(*[4]float32)(out[ld:]) = [4]float32(c[4:])
		}
		return
	}
	for r := 0; r < rows; r++ {
		for j := 0; j < cols; j++ {
			out[r*ld+j] = c[4*r+j]
		}
	}
}
