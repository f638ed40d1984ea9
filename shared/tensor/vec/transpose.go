package vec

import "fmt"

// Transpose writes the transpose of src, rows × columns, to dst, columns × rows:
//
//	dst[c·dstStride + r] = src[r·srcStride + c]
//
// Strides are in elements and at least as long as a row; what lies between rows
// of dst stays as it was. dst and src must not overlap. It panics if a stride or
// a buffer is too short.
//
// Source: ours: between image-major and batch-inner layouts
func Transpose(dst []float32, dstStride int, src []float32, srcStride, rows, columns int) {
	if rows <= 0 || columns <= 0 {
		return
	}
	if dstStride < rows || srcStride < columns || len(dst) < (columns-1)*dstStride+rows || len(src) < (rows-1)*srcStride+columns {
		panic(fmt.Sprintf("vec: transpose %d × %d: %d elements with stride %d into %d with stride %d",
			rows, columns, len(src), srcStride, len(dst), dstStride))
	}
	wide := columns &^ 7
	height := 0
	for r := 0; r < rows; r += height {
		height = min(block, rows-r)
		if height < block && height > block/2 {
			height = block / 2 // and the rest in another turn
		}
		done := 0
		if height%(block/2) == 0 && wide > 0 && transposeBlocks(dst[r:], dstStride, src[r*srcStride:], srcStride, height, wide) {
			done = wide
		}
		for c := done; c < columns; c++ {
			to := dst[c*dstStride+r:][:height]
			for i := range to {
				to[i] = src[(r+i)*srcStride+c]
			}
		}
	}
}
