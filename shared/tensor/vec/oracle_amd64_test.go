package vec

func unpackAddBlocks(dst []float32, bitmap, values []byte) (done, used int) {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		return n, unpackAddAVX512(floats(dst), words(bitmap), words(values), n)
	case avx2:
		return n, unpackAddAVX2(floats(dst), words(bitmap), words(values), n)
	}
	return 0, 0
}

func quantiseBlocks(dst []byte, src []float32, scale, bound float32, limit int32, counts *[3][block]uint32) int {
	n := len(src) &^ (block - 1)
	switch active {
	case avx512:
		quantiseAVX512(words(dst), floats(src), n, scale, bound, limit, &counts[0][0])
	case avx2:
		quantiseAVX2(words(dst), floats(src), n, scale, bound, limit, &counts[0][0])
	default:
		return 0
	}
	return n
}
