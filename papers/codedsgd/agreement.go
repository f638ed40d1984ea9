package codedsgd

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// agreement is a hash of what all ranks must have alike, or their parameters drift
// apart: the options but for those that only take time, the micro-blocks' bounds, the
// model's layers and shapes, and the step of descent.
func (x *node) agreement() int64 {
	o, job, h := x.o, x.job, fnv.New64a()
	o.NoOverlap, o.Charge, o.Rate = false, false, 0
	o.Speeds = nil // they are in the bounds
	fmt.Fprint(h, x.n, o, job.Shapes, job.Batch, job.Rate, job.WeightDecay, job.Steps)
	for _, l := range job.Layers {
		fmt.Fprint(h, " ", l.Length)
	}
	var word [8]byte
	for _, b := range x.bounds {
		binary.LittleEndian.PutUint64(word[:], uint64(b))
		h.Write(word[:])
	}
	return int64(h.Sum64())
}

// sign puts the hash of the rank's options and job into the bits of a header's first
// word that the set of n receivers leaves, and takes it out of a header that a rank of
// the same hash has signed. So every packet says whether its sender has the same, and is
// no longer. The word leaves 64−n bits: another job passes once in 2⁶⁴⁻ⁿ times.
func (x *node) sign(h Header) Header {
	h[0] ^= x.agreed << x.n
	return h
}
