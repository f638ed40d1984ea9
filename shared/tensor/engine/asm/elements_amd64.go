package asm

import (
	"unsafe"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

//go:generate go run ./gen/elements -out elements_amd64.s -stubs elements_stubs_amd64.go -pkg asm

// elementTasks are the element-wise passes, pools, norms and losses.
type elementTasks struct {
	norm normTask
	bias biasTask
	pass passTask
	pool poolTask
	exps []float64 // of one image's logits

	mask   []uint32 // see maskOf
	masked int      // the number of images it is for
}

// small is how many elements one thread finishes before a second has started.
const small = 1 << 16

// spread runs a task that touches that number of elements: on one thread if they
// are few.
func (s *state) spread(c *tensor.Call, t team.Task[scratch], parts, elements int) {
	threads := c.Threads
	if elements < small {
		threads = 1
	}
	s.Run(threads, t, parts)
}

// maskVectors is the most vectors a masked kernel takes at once.
const maskVectors = 4

// maskOf says where in a channel of n images the images are: element i is one if
// mask[i mod len(mask)] has its bits set, padding if it is 0. The length is a
// multiple of a kernel's block.
func (e *elementTasks) maskOf(n int) []uint32 {
	if e.masked == n {
		return e.mask
	}
	e.masked = n
	pitch := tensor.BatchInner.Pitch(n)
	if n == pitch { // no padding: every vector is alike
		n, pitch = tensor.Lanes, tensor.Lanes
	}
	mask := team.Resize(&e.mask, maskVectors*pitch)
	for i := range mask {
		mask[i] = 0
		if i%pitch < n {
			mask[i] = ^uint32(0)
		}
	}
	return mask
}

// join sums the 16 lanes of each of len(out) vectors by the fixed tree.
func join(lanes, out []float32) {
	reduce16(len(out), unsafe.SliceData(lanes[:tensor.Lanes*len(out)]), unsafe.SliceData(out))
}
