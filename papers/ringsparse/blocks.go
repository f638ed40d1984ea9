package ringsparse

import "gradsync/shared/cluster"

// Blocks holds a rank's own blocks of a step where its gradient is computed, on a device: both
// kinds, counted and packed there. It does S3 and S41's counting of a layer before the task
// reports that layer, and then gives each block in the kind that the ring needs: at hop 0 the
// one that is sent, later the one that the block from the left is added to. So what crosses to
// the host is what the wire would have of it. Sums, and what is made of them (S5, S51, S52),
// are the host's: every one needs what arrived there.
//
// Source: ours: the patent computes on devices and does not say what leaves them
type Blocks interface {
	// Nonzero returns how many entries of a layer's block are not +0.
	Nonzero(layer int, k Kind, block int) int
	// Fetch begins to bring a block for which Load will most likely be called next.
	Fetch(layer int, k Kind, block int)
	// Load writes a block to dst. With a form that is not nil it also appends the form of
	// codec bitmap to that, if it has it.
	Load(dst []float32, form []byte, layer int, k Kind, block int) ([]byte, error)
}

// Local says what Blocks are made of: of layer g, after fold and sign, and W′.
//
//	g ← ∇ + λ·W0,   or with sign Printed   0 − (∇ + λ·W0)
//	W′ = W0 + s·η·g, projected by the mask
//
// Every product and every sum is rounded to float32, as package vec does.
//
// Source: S3
type Local struct {
	Layers      []cluster.Layer
	Blocks      int     // of a layer, cut by Block
	Kinds       []Kind  // that may be sent, in order
	WeightDecay float32 // λ
	Step        float32 // s·η
	Sign        Sign
	Mask        []bool // nil: all are kept
}

// open asks the job for Blocks. A threshold has none: what it drops at any hop is known
// to the host alone, and belongs to the next gradient before that is counted.
func (s *stores) open() (err error) {
	if s.job.Blocks == nil || s.threshold > 0 {
		return nil
	}
	kinds := []Kind{Weights, Gradients}
	if s.only != 0 {
		kinds = []Kind{s.only}
	}
	s.blocks, err = s.job.Blocks(Local{Layers: s.job.Layers, Blocks: s.cut, Kinds: kinds,
		WeightDecay: float32(s.job.WeightDecay), Step: float32(float64(s.sign) * s.job.Rate), Sign: s.sign, Mask: s.job.Mask})
	return err
}

// prefetch begins to bring own block i in the kind that this rank would choose: the rank before
// sees much the same zeros. It comes while the ring waits.
func (s *stores) prefetch(i int) {
	if s.blocks != nil {
		k, _ := s.chooseByDensity(i)
		s.blocks.Fetch(s.layer, k, i)
	}
}

// load brings own block i of a kind to its store, and appends its form to one that is not nil.
func (s *stores) load(form []byte, k Kind, i int) ([]byte, error) {
	if s.blocks == nil {
		return form, nil
	}
	return s.blocks.Load(s.part(k, i), form, s.layer, k, i)
}
