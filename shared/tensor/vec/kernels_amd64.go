package vec

import (
	"unsafe"

	"gradsync/shared/simd"
)

// active is the set in use: the widest that this machine supports.
var active = widest()

func widest() isa {
	switch {
	case supports(avx512):
		return avx512
	case supports(avx2):
		return avx2
	}
	return portable
}

// supports reports whether the CPU has the instructions of a set's kernels, simd
// allows them and the operating system saves their registers. (Packages that papers
// are built from import no module of others, hence none for CPUID.)
func supports(set isa) bool {
	const (
		popcnt, osxsave, avx      = 1 << 23, 1 << 27, 1 << 28 // leaf 1, ECX
		ymmState, zmmState        = 0x06, 0xe6                // XCR0
		avx2Bit, bmi2             = 1 << 5, 1 << 8            // leaf 7, EBX
		f512, dq512, bw512, vl512 = 1 << 16, 1 << 17, 1 << 30, 1 << 31
	)
	if set == portable {
		return true
	}
	if leaves, _, _ := cpuid(0); leaves < 7 || !simd.AVX2() || set == avx512 && !simd.AVX512() {
		return false
	}
	const first = popcnt | osxsave | avx
	if _, _, c := cpuid(1); c&first != first {
		return false
	}
	state, second := uint32(ymmState), uint32(avx2Bit|bmi2)
	if set == avx512 {
		state, second = zmmState, avx2Bit|bmi2|f512|dq512|bw512|vl512
	}
	_, b, _ := cpuid(7)
	return b&second == second && xgetbv()&state == state
}

func floats(x []float32) *float32 { return unsafe.SliceData(x) }
func words(x []byte) *byte        { return unsafe.SliceData(x) }

// Each …Blocks function does the whole blocks at the beginning of its vectors,
// if a set is active, and returns how many elements they were. Its callers have
// checked the lengths.

func addBlocks(dst []float32, src []byte) int {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		addAVX512(floats(dst), words(src), n)
	case avx2:
		addAVX2(floats(dst), words(src), n)
	default:
		return 0
	}
	return n
}

func addToBlocks(dst []float32, src []byte) int {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		addToAVX512(floats(dst), words(src), n)
	case avx2:
		addToAVX2(floats(dst), words(src), n)
	default:
		return 0
	}
	return n
}

func scaleBlocks(dst []float32, a float32) int {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		scaleAVX512(floats(dst), n, a)
	case avx2:
		scaleAVX2(floats(dst), n, a)
	default:
		return 0
	}
	return n
}

func axpyBlocks(dst []float32, a float32, x []float32) int {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		axpyAVX512(floats(dst), floats(x), n, a)
	case avx2:
		axpyAVX2(floats(dst), floats(x), n, a)
	default:
		return 0
	}
	return n
}

func addIntBlocks(dst []int32, src []byte) int {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		addIntAVX512(unsafe.SliceData(dst), words(src), n)
	case avx2:
		addIntAVX2(unsafe.SliceData(dst), words(src), n)
	default:
		return 0
	}
	return n
}

func subIntBlocks(dst []int32, src []byte) int {
	n := len(dst) &^ (block - 1)
	switch active {
	case avx512:
		subIntAVX512(unsafe.SliceData(dst), words(src), n)
	case avx2:
		subIntAVX2(unsafe.SliceData(dst), words(src), n)
	default:
		return 0
	}
	return n
}
