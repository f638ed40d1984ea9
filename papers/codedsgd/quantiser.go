package codedsgd

// Quantiser is a Task that makes fixed point of gradients where it computes them, on a device,
// so that the host is given what it sends and adds.
//
// Packets of blocks are made on the host: a node needs every block that it computed there,
// to decode by (Algorithm 4) and to add (17), so their sums would only come on top.
//
// Source: ours: the paper computes on CPUs; only the wire's numbers need leave a device
type Quantiser interface {
	Task
	// BlockFixed is BlockGrad, but fixed gets the sums in fixed point, and done its Quantise's
	// counts too.
	BlockFixed(step int64, lo, hi int, fixed []int32, within FixedPoint, done func(layer, saturated, notFinite int)) (loss float64, err error)
}

// Adder is a Quantiser that can leave a step's blocks where it made them, and add them up there.
// Where sums are all that is sent (compressed) the blocks need not come.
//
// Source: ours: sum, then code
type Adder interface {
	// Quantiser leaves a block whose fixed is nil on the device.
	Quantiser
	// Sums makes sums of blocks that BlockFixed has left in this step, of a layer that it is
	// done with.
	Sums(layer int, sums []BlockSum) error
}

// FixedPoint says what numbers in fixed point stand for, and within which of them they are kept.
//
// Source: §3.1
type FixedPoint struct {
	Limit float64 // Top stands for it
	// Most clips numbers to −Most … Most. What is clipped counts as saturated, but for numbers
	// one beyond, where rounding may have put them, and the range's ends, which were counted.
	Most int32
}

// quantise is Quantise in the range of Limit, clipped to Most.
//
// Source: §3.1
func (f FixedPoint) quantise(dst []int32, src []float32) (saturated, notFinite int) {
	saturated, notFinite = Quantise(dst, src, f.Limit)
	if f.Most == Top {
		return saturated, notFinite
	}
	for i, v := range dst[:len(src)] {
		if uint32(v)+uint32(f.Most) <= 2*uint32(f.Most) { // −Most ≤ v ≤ Most
			continue
		}
		dst[i] = max(-f.Most, min(f.Most, v))
		if v != Top && v != -Top && (v < -f.Most-1 || v > f.Most+1) {
			saturated++
		}
	}
	return saturated, notFinite
}

// BlockSum asks for a sum of blocks modulo 2³².
//
// Source: ours: sum, then code
type BlockSum struct {
	Dst    []int32 // numbers From … of the layer
	From   int
	Blocks []int // by their first sample; none has no samples
}

// keeps reports whether blocks stay where they are: of sums alone, which are compressed's
// unless every node has all blocks.
func (x *node) keeps() bool {
	return x.adder != nil && x.o.Method == Compressed && x.o.Redundancy < x.n
}

// kept returns own blocks by the first samples of their micro-blocks, of those that have some.
func (x *node) kept(blocks []int) (list []int) {
	for _, q := range blocks {
		for j := range x.m {
			if x.samples(q, j) > 0 {
				list = append(list, x.bounds[q*x.m+j])
			}
		}
	}
	return list
}
