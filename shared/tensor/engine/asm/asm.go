// Package asm is the fast engine for amd64: float32 kernels in assembly, written
// by the generators under gen with avo, for AVX-512 and for AVX2 with FMA. On
// every other CPU it does not register and portable does the work.
//
// Batches are laid out BatchInner: one 16-lane vector holds the same element of
// 16 images, in one zmm register or two ymm. So every lane of every output is
// its own chain of fused multiply-adds in index order, an image is read where it
// lies, taps that would read the border are skipped instead of multiplied by
// zero, and a stride costs nothing. Sums over images (gradients of parameters,
// batch statistics) keep 16 partial sums, one per lane, joined at the end by one
// fixed tree (l with l+8, l+4, l+2, l+1).
//
// Six exceptions, each by shape alone. 3×3 convolutions of many channels go by
// Winograd's F(2×2, 3×3) (see winograds), which transforms images and filters
// first. Those worth a million products per tap and image, gradients of their
// filters too, go by F(4×4, 3×3), whose rounding error is up to 2½ times that of a
// chain (see winograds4); with a stride of 2, by F(4×4, 2×2) forward and
// backward-data (see strideds), and other gradients of filters as large are one
// chain with outputs in lanes (see long). Gradients of filters with many channels
// and few pixels (see deep), and of linear layers with at least 16 inputs, put
// inputs into lanes and are one chain over the images.
//
// How it keeps its bits: the order of every sum follows from the shapes alone,
// never from the CPU, the number of threads or the size of a cache block; the
// class is called fma32. GRADSYNC_CPU alone narrows the instruction set (see package
// simd); the tests run both where they may, and --engine portable does without assembly.
package asm

// Name selects the engine (--engine); bitClass is its bit class.
const (
	Name     = "asm"
	bitClass = "fma32"
)
