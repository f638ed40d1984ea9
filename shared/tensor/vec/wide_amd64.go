package vec

import "unsafe"

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
