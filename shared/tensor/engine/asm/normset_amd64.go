package asm

import (
	"unsafe"

	"gradsync/shared/tensor"
)

// squares writes 16 lanes of Σ (x−mean)².
func (set isa) squares(x []float32, mask []uint32, mean float32, lanes []float32) {
	at := unsafe.SliceData(lanes[:tensor.Lanes])
	if set == avx512 {
		squares512(x, mask, mean, at)
	} else {
		squares2(x, mask, mean, at)
	}
}

func (set isa) normalise(x, y []float32, mean, slope, shift, floor float32) {
	if set == avx512 {
		normalise512(x, y, mean, slope, shift, floor)
	} else {
		normalise2(x, y, mean, slope, shift, floor)
	}
}

func (set isa) normaliseAdd(x, other, y []float32, mean, slope, shift, floor float32) {
	if set == avx512 {
		normaliseAdd512(x, other, y, mean, slope, shift, floor)
	} else {
		normaliseAdd2(x, other, y, mean, slope, shift, floor)
	}
}

// normSumsBehind is normSums behind the ReLU with output y of dy + more, nil for
// dy alone; it writes the gradient d, too.
func (set isa) normSumsBehind(x, y, dy, more, d []float32, mask []uint32, mean float32, lanes []float32) {
	at := unsafe.SliceData(lanes[:2*tensor.Lanes])
	switch {
	case set == avx512 && more == nil:
		normSumsBehind512(x, y, dy, d, mask, mean, at)
	case set == avx512:
		normSumsBehindBoth512(x, y, dy, more, d, mask, mean, at)
	case more == nil:
		normSumsBehind2(x, y, dy, d, mask, mean, at)
	default:
		normSumsBehindBoth2(x, y, dy, more, d, mask, mean, at)
	}
}

// normSums writes 16 lanes of Σ d, then 16 of Σ d·(x−mean). d is dy behind the
// ReLU with output y, nil for none.
func (set isa) normSums(x, y, dy []float32, mask []uint32, mean float32, lanes []float32) {
	at := unsafe.SliceData(lanes[:2*tensor.Lanes])
	switch {
	case set == avx512 && y == nil:
		normSums512(x, dy, mask, mean, at)
	case set == avx512:
		normSumsGated512(x, y, dy, mask, mean, at)
	case y == nil:
		normSums2(x, dy, mask, mean, at)
	default:
		normSumsGated2(x, y, dy, mask, mean, at)
	}
}

// normSumsRecomputed is normSums behind the norm's own ReLU.
func (set isa) normSumsRecomputed(x, dy []float32, mask []uint32, mean, slope, shift float32, lanes []float32) {
	at := unsafe.SliceData(lanes[:2*tensor.Lanes])
	if set == avx512 {
		normSumsRecomputed512(x, dy, mask, mean, slope, shift, at)
	} else {
		normSumsRecomputed2(x, dy, mask, mean, slope, shift, at)
	}
}

// normDataRecomputed is normData behind the norm's own ReLU.
func (set isa) normDataRecomputed(x, dy, dx []float32, mask []uint32, mean, slope, shift, offset, tilt float32) {
	if set == avx512 {
		normDataRecomputed512(x, dy, dx, mask, mean, slope, shift, offset, tilt)
	} else {
		normDataRecomputed2(x, dy, dx, mask, mean, slope, shift, offset, tilt)
	}
}

// normData writes dx, see normTask.backward.
func (set isa) normData(x, y, dy, dx []float32, mask []uint32, mean, slope, offset, tilt float32) {
	switch {
	case set == avx512 && y == nil:
		normData512(x, dy, dx, mask, mean, slope, offset, tilt)
	case set == avx512:
		normDataGated512(x, y, dy, dx, mask, mean, slope, offset, tilt)
	case y == nil:
		normData2(x, dy, dx, mask, mean, slope, offset, tilt)
	default:
		normDataGated2(x, y, dy, dx, mask, mean, slope, offset, tilt)
	}
}
