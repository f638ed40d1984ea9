package ringsparse

import (
	"math"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// measure notes the densities of block i, a sum of m nodes, of the kinds that may
// be sent.
func (x *ring) measure(i, m int) {
	i = mod(i, x.n)
	lo, hi := x.block(i)
	if x.only != Gradients {
		x.dw[i] = x.densityOf(Weights, i, m, lo, hi)
	}
	if x.only != Weights {
		x.dg[i] = x.densityOf(Gradients, i, m, lo, hi)
	}
}

// densityOf counts entries lo to hi of block i, a sum of m nodes, if the rules need it,
// which takes time, or the log, which takes none.
func (x *ring) densityOf(k Kind, i, m, lo, hi int) float64 {
	if x.counted {
		x.spend(4*(hi-lo), x.count)
	}
	switch {
	case x.again():
		return 0
	case lo == hi || !x.counted && !x.job.Options.LogChoices && x.job.Task != nil:
		return 0
	case x.job.Task == nil:
		return x.path[m-1].density(k)
	case m == 1 && x.blocks != nil:
		return float64(x.blocks.Nonzero(x.layer, k, i)) / float64(hi-lo)
	case k == Weights:
		return Density(x.weights[lo:hi], 0)
	}
	return Density(x.grads[lo:hi], x.threshold)
}

// pack decides about block i, which holds the sum of hop receives (S41 and S42,
// from the first receive on S52), and makes it message 0.
func (x *ring) pack(i, hop int, gather bool) error {
	i = mod(i, x.n)
	lo, hi := x.block(i)
	h := Header{Kind: x.only, Contributors: hop + 1, Elements: hi - lo}
	tie := false
	if x.again() {
		d := x.decided()
		h.Kind, tie, x.dw[i], x.dg[i] = d.Kind, d.Tie, d.Weights, d.Gradients
	} else if x.only == 0 {
		h.Kind, tie = Choose(1-x.dw[i], 1-x.dg[i], x.tie) // S4–S6, steps 2, 8
	}
	density := x.dw[i]
	if h.Kind == Gradients {
		density = x.dg[i]
	}
	var form []byte
	if hop == 0 {
		var err error
		if form, err = x.load(x.buf[0][:0], h.Kind, i); err != nil {
			return err
		}
	}
	h, x.msg[0] = x.encode(h, lo, hi, density, form)
	x.decide(h, i, x.msg[0].Size(), tie)
	x.note(h, i, hop, gather, tie, x.msg[0].Size())
	return x.pass()
}

// encode makes entries lo to hi a message in buffer 0, in the form that S42 takes; form may be
// theirs of codec bitmap, in buffer 0 already.
func (x *ring) encode(h Header, lo, hi int, density float64, form []byte) (Header, cluster.Msg) {
	if x.again() {
		return x.encodeAgain(h)
	}
	var src []float32
	if x.job.Task != nil {
		src = x.store(h.Kind, lo, hi)
		if h.Kind == Gradients && x.residual != nil {
			Drop(src, x.residual[lo:hi], x.threshold)
		}
	}
	c := x.coderFor(src, hi-lo, density) // S4–S6, steps 3, 8
	h.Codec = c.Codec.ID()
	m := cluster.Msg{From: x.rank, Meta: h.Meta()}
	if x.job.Task == nil {
		m.Declared = int(math.Round(c.Codec.SizeAt(hi-lo, density)))
	} else if _, bitmap := c.Codec.(codec.Bitmap); bitmap && len(form) > 0 {
		x.buf[0] = form
		m.Body = form
	} else {
		x.buf[0] = c.Codec.Append(x.buf[0][:0], src)
		m.Body = x.buf[0]
	}
	if h.Codec != 0 {
		x.spend(4*(hi-lo), c.Encode)
	}
	return h, m
}

// coderFor is S42 for a block of n entries, src's unless it is a timing-only run.
func (x *ring) coderFor(src []float32, n int, density float64) Coder {
	if x.coder != nil {
		return *x.coder
	}
	of := n
	if x.layerSize {
		of = x.length
	}
	return CheapestCoder(x.candidates, n, of, x.bandwidth, x.printed, func(c codec.Codec) float64 {
		if x.job.Task == nil || sized(c) {
			return c.SizeAt(n, density)
		}
		return float64(c.Size(src))
	})
}

// note logs a choice. Blocks without entries are nobody's choice.
func (x *ring) note(h Header, i, hop int, gather, tie bool, bytes int) {
	if h.Elements == 0 {
		return
	}
	t := &x.log.Totals
	t.Choices++
	t.Chosen[h.Kind]++
	if tie {
		t.Ties++
	}
	if x.job.Options.LogChoices {
		x.log.Choices = append(x.log.Choices, Choice{Step: x.step, Layer: x.layer, Block: i, Hop: hop, Gather: gather,
			Kind: h.Kind, Codec: h.Codec, Tie: tie, WeightDensity: x.dw[i], GradientDensity: x.dg[i],
			Contributors: h.Contributors, Bytes: bytes, DenseBytes: 4 * h.Elements})
	}
}
