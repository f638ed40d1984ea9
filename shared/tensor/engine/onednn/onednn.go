// Package onednn is the engine that lends its convolutions and matrix products
// to Intel's oneDNN when the machine has it: a peer to measure against, never
// what committed results are made with. The library is opened at run time with
// purego; neither cgo nor a compiler nor its headers are needed.
//
// Convolutions let oneDNN choose its layouts: a part of the batch is reordered,
// convolved and reordered back while it is in the cache. Primitives, reorders
// and buffers are kept in Call.Scratch. What is not worth a foreign call (pools,
// norms, loss, sums, ReLU) is done by the portable engine.
//
// How it keeps its bits: oneDNN may split a sum by its number of threads, so it
// is always told to use one (omp_set_num_threads, on the operating-system thread
// that calls it). Threads are ours: a batch is cut into as many equal parts as
// its size alone says (the largest divisor up to maxParts, or up to filterParts
// for the filter gradient), parts are distributed over Call.Threads goroutines,
// and their filter gradients are added in part order. Gemm and the linear layers run on one thread. So the bits
// do not depend on Call.Threads or GOMAXPROCS; they do depend on oneDNN's version
// and on the CPU, for which it chooses its kernels: the bit class is "onednn"
// and two machines need not agree.
package onednn

// Name selects the engine (--engine), and names its bit class.
const Name = "onednn"

// maxParts is how many parts a batch is cut into at most, and so how many
// threads a call can use. Filter gradients have fewer: every part has its own
// copy of the filter to fill, reorder and add.
const (
	maxParts    = 4
	filterParts = 2
)

// parts returns the largest number of equal parts, up to most, of n images.
func parts(n, most int) int {
	for p := most; p > 1; p-- {
		if n%p == 0 {
			return p
		}
	}
	return 1
}
