package asm

import (
	"unsafe"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/explog"
	"gradsync/shared/tensor/engine/internal/team"
)

//go:generate go run ./gen/elements -out elements_amd64.s -stubs elements-stubs_amd64.go -pkg asm

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

type biasTask struct {
	isa    isa
	size   int // of a channel
	mask   []uint32
	dy, db []float32
}

func (e engine) BiasBackward(c *tensor.Call, n, ch, hw int, dy, db []float32) {
	s := stateOf(c)
	size := hw * tensor.BatchInner.Pitch(n)
	t := &s.elements.bias
	*t = biasTask{isa: e.isa, size: size, mask: s.elements.maskOf(n), dy: dy, db: db}
	s.spread(c, t, ch, ch*size)
}

// Part sums channels lo ≤ i < hi. Vector v of a channel, counted over pixels and
// groups of 16 images, goes to accumulator v mod 4; the accumulators are joined
// 0 with 1 and 2 with 3, then lanes by the tree.
func (t *biasTask) Part(s *scratch, lo, hi int) {
	lanes := team.Resize(&s.acc, (hi-lo)*tensor.Lanes)
	for i := range hi - lo {
		t.isa.total(t.dy[(lo+i)*t.size:(lo+i+1)*t.size], t.mask, lanes[i*tensor.Lanes:])
	}
	join(lanes, t.db[lo:hi])
}

func (set isa) total(x []float32, mask []uint32, lanes []float32) {
	at := unsafe.SliceData(lanes[:tensor.Lanes])
	if set == avx512 {
		total512(x, mask, at)
	} else {
		total2(x, mask, at)
	}
}

// SoftmaxCrossEntropy works in float64 on one thread and gives portable's bits:
// there are few logits, and runs are compared by their loss.
func (engine) SoftmaxCrossEntropy(c *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	e := team.Resize(&stateOf(c).elements.exps, classes)
	pitch := tensor.BatchInner.Pitch(n)
	z, d := logits[:classes*pitch], dlogits[:classes*pitch]
	var loss float64
	for i, label := range labels[:n] {
		top := z[i]
		for j := range classes {
			top = max(top, z[j*pitch+i])
		}
		var sum float64
		for j := range e {
			e[j] = explog.Exp(float64(z[j*pitch+i]) - float64(top))
			sum += e[j]
		}
		loss += explog.Log(sum) - (float64(z[int(label)*pitch+i]) - float64(top))
		for j, v := range e {
			p := v / sum
			if j == int(label) {
				p--
			}
			d[j*pitch+i] = float32(p / float64(n))
		}
	}
	for j := range classes {
		clear(d[j*pitch+n : (j+1)*pitch])
	}
	return loss / float64(n)
}
