package vec

import "unsafe"

// Functions of bitmaps return the bytes of values, too: written or read.

func countBlocks(x []float32) (done, count int) {
	n := len(x) &^ (block - 1)
	switch active {
	case avx512:
		return n, countAVX512(floats(x), n)
	case avx2:
		return n, countAVX2(floats(x), n)
	}
	return 0, 0
}

func packBlocks(bitmap, values []byte, src []float32) (done, used int) {
	n := len(src) &^ (block - 1)
	switch active {
	case avx512:
		return n, packAVX512(words(bitmap), words(values), floats(src), n)
	case avx2:
		return n, packAVX2(words(bitmap), words(values), floats(src), n)
	}
	return 0, 0
}

func unpackBlocks(dst []float32, bitmap, values []byte) (done, used int) {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		return n, unpackAVX512(floats(dst), words(bitmap), words(values), n)
	case avx2:
		return n, unpackAVX2(floats(dst), words(bitmap), words(values), n)
	}
	return 0, 0
}

// transposeBlocks does 8 or 16 rows; columns is a multiple of 8. It moves data only,
// and wider registers would not move it faster.
func transposeBlocks(dst []float32, dstStride int, src []float32, srcStride, rows, columns int) bool {
	if active == portable {
		return false
	}
	if rows == block {
		transpose16AVX2(floats(dst), 4*dstStride, floats(src), 4*srcStride, columns)
	} else {
		transpose8AVX2(floats(dst), 4*dstStride, floats(src), 4*srcStride, columns)
	}
	return true
}

func fixBlocks(dst []int32, src []float32, scale float64, bound float32) int {
	n := len(src) &^ (block - 1)
	switch active {
	case avx512:
		return fixAVX512(unsafe.SliceData(dst), floats(src), n, scale, bound)
	case avx2:
		return fixAVX2(unsafe.SliceData(dst), floats(src), n, scale, bound)
	}
	return 0
}

func addWideBlocks(dst []int64, src []int32) int {
	n := len(src) &^ (block - 1)
	switch active {
	case avx512:
		addWideAVX512(unsafe.SliceData(dst), unsafe.SliceData(src), n)
	case avx2:
		addWideAVX2(unsafe.SliceData(dst), unsafe.SliceData(src), n)
	default:
		return 0
	}
	return n
}
