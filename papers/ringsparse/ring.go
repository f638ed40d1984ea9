package ringsparse

import (
	"fmt"
	"math"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// ring is one rank's half of the exchange, S4 to S6: its stores and its buffers.
// Timing-only runs have no stores.
type ring struct {
	rules
	p    cluster.Proc
	job  *Job
	log  *Log
	step int64

	params   []float32 // W0 while a step lasts
	grads    []float32 // of a block: local gradient, then partial sum, then sum
	weights  []float32 // the same of W′
	residual []float32 // what a threshold dropped
	tags     [][]Kind  // [layer][block]: which store holds the sum

	msg [2]cluster.Msg
	buf [2][]byte
	due time.Duration // charged and not yet passed

	// Of the layer under way:
	layer       int
	lo, length  int
	dw, dg      []float64 // densities by block
	localWeight float64   // timing-only: of one worker's blocks
	localGrad   float64
}

func newRing(p cluster.Proc, job *Job, r rules) *ring {
	x := &ring{rules: r, p: p, job: job, log: &Log{Lossy: r.threshold > 0}}
	n, longest := p.Size(), 0
	x.dw, x.dg = make([]float64, n), make([]float64, n)
	for _, l := range job.Layers {
		x.tags = append(x.tags, make([]Kind, n))
		longest = max(longest, l.Length)
	}
	if job.Task == nil {
		return x
	}
	x.params, x.grads = job.Task.Params(), job.Task.Grads()
	if r.only != Gradients {
		x.weights = make([]float32, len(x.params))
	}
	if r.threshold > 0 {
		x.residual = make([]float32, len(x.params))
	}
	for i := range x.buf { // sums fill in: room for the longest dense block
		x.buf[i] = make([]byte, 0, 4*((longest+n-1)/n)+longest/8+64)
	}
	return x
}

// block returns the bounds of block i within the parameters.
func (x *ring) block(i int) (lo, hi int) {
	lo, hi = Block(x.length, x.p.Size(), i)
	return x.lo + lo, x.lo + hi
}

// exchange sums layer l over the ring: reduce-scatter, then all-gather. At its
// end the sum of every block is in the store that its tag names, on every rank
// from the same bytes.
//
// At step i rank r sends block r−i and adds block r−i−1; in the all-gather it
// forwards block r+1−i as it came and takes over block r−i.
func (x *ring) exchange(l int) error {
	x.layer, x.lo, x.length = l, x.job.Layers[l].Offset, x.job.Layers[l].Length
	if err := x.enter(); err != nil {
		return err
	}
	n, r := x.p.Size(), x.p.Rank()
	for i := range n - 1 {
		received := x.post(1)
		h, err := x.pack(r-i, i, false)
		if err != nil {
			return err
		}
		if err := x.transfer(received, 0, h, i); err != nil {
			return err
		}
		if err := x.reduce(r-i-1, i+1); err != nil {
			return err
		}
	}
	h, err := x.pack(r+1, n-1, true)
	if err != nil {
		return err
	}
	cur := 0
	for i := range n - 1 {
		received := x.post(1 - cur)
		sent := x.p.Isend(mod(r+1, n), x.tag(), &x.msg[cur])
		x.log.Totals.sent(h, x.msg[cur].Size(), -1)
		// The block is decoded while its bytes travel on.
		if h, err = x.overwrite(r+1-i, cur); err != nil {
			return err
		}
		if err := x.arrive(received, 1-cur, sent); err != nil {
			return err
		}
		cur = 1 - cur
		if h, err = x.header(r-i, cur, n); err != nil {
			return err
		}
	}
	_, err = x.overwrite(r+2-n, cur)
	return err
}

func (x *ring) tag() cluster.Tag { return cluster.Tag(x.layer) }

func mod(a, n int) int { return ((a % n) + n) % n }

// post posts the receive from the left neighbour into buffer b.
func (x *ring) post(b int) cluster.Req {
	x.msg[b] = cluster.Msg{Body: x.buf[b]}
	return x.p.Irecv(mod(x.p.Rank()-1, x.p.Size()), x.tag(), &x.msg[b])
}

// transfer sends message b of header h to the right and waits for both ways.
func (x *ring) transfer(received cluster.Req, b int, h Header, hop int) error {
	sent := x.p.Isend(mod(x.p.Rank()+1, x.p.Size()), x.tag(), &x.msg[b])
	x.log.Totals.sent(h, x.msg[b].Size(), hop)
	return x.arrive(received, 1-b, sent)
}

// arrive waits for a receive into buffer b and a send.
func (x *ring) arrive(received cluster.Req, b int, sent cluster.Req) error {
	if err := cluster.Wait(x.p, received, sent); err != nil {
		return err
	}
	if x.msg[b].Body != nil {
		x.buf[b] = x.msg[b].Body // it may have grown
	}
	return nil
}

// pass lets the charged time pass.
func (x *ring) pass() error {
	d := x.due
	x.due = 0
	return cluster.Sleep(x.p, d)
}

// spend charges what takes so many bytes at a rate.
func (x *ring) spend(bytes int, rate float64) {
	if x.charge && rate > 0 {
		x.due += time.Duration(math.Round(float64(bytes) / rate * 1e9))
	}
}

// enter is S3 and the counting part of S4 for a layer whose local gradient is
// there: the local step beside W0, and the sparsities of the 2N blocks.
func (x *ring) enter() error {
	if x.job.Task != nil {
		x.localStep()
	} else {
		x.localWeight, x.localGrad = 1, 1
		if x.job.Density != nil {
			x.localWeight, x.localGrad = x.job.Density(x.layer)
		}
		if !(x.localWeight >= 0 && x.localWeight <= 1 && x.localGrad >= 0 && x.localGrad <= 1) {
			return fmt.Errorf("ringsparse: layer %d: densities %g and %g, want 0 to 1", x.layer, x.localWeight, x.localGrad)
		}
	}
	if x.only != Gradients {
		x.spend(4*x.length, x.convert) // W′ is made by the same pass as a conversion
	}
	for i := range x.p.Size() {
		x.measure(i, 1)
	}
	return nil
}

// localStep folds decay and residual into the gradient and makes W′.
func (x *ring) localStep() {
	lo, hi := x.lo, x.lo+x.length
	w0, g := x.params[lo:hi], x.grads[lo:hi]
	fold(g, w0, x.job.WeightDecay, x.sign)
	if x.residual != nil {
		r := x.residual[lo:hi]
		for i, v := range r {
			g[i] += v
		}
		clear(r)
	}
	if x.weights == nil {
		return
	}
	w := x.weights[lo:hi]
	LocalStep(w, w0, g, x.job.Rate, x.sign)
	if x.job.Mask != nil {
		Project(w, x.job.Mask[lo:hi])
	}
}

// measure notes the densities of block i, a sum of m nodes.
func (x *ring) measure(i, m int) {
	if !x.measured {
		return
	}
	i = mod(i, x.p.Size())
	lo, hi := x.block(i)
	x.dw[i], x.dg[i] = 0, 0
	if x.only != Gradients {
		x.spend(4*(hi-lo), x.count)
		if x.dw[i] = x.localWeight; x.job.Task != nil {
			x.dw[i] = Density(x.weights[lo:hi], 0)
		}
	}
	if x.only != Weights {
		x.spend(4*(hi-lo), x.count)
		if x.dg[i] = FillIn(x.localGrad, m-1); x.job.Task != nil {
			x.dg[i] = Density(x.grads[lo:hi], x.threshold)
		}
	}
}

// pack decides about block i (S41, S42; S52 after the first hop) and makes it
// message 0.
func (x *ring) pack(i, hop int, gather bool) (Header, error) {
	i = mod(i, x.p.Size())
	lo, hi := x.block(i)
	h := Header{Kind: x.only, Contributors: hop + 1, Elements: hi - lo}
	tie := false
	if x.only == 0 {
		h.Kind, tie = Choose(1-x.dw[i], 1-x.dg[i], x.tie)
	}
	density, store := x.dw[i], x.weights
	if h.Kind == Gradients {
		density, store = x.dg[i], x.grads
	}
	var src []float32
	if x.job.Task != nil {
		src = store[lo:hi]
		if h.Kind == Gradients && x.residual != nil {
			Drop(src, x.residual[lo:hi], x.threshold)
		}
	}
	c := x.coderFor(src, hi-lo, density)
	h.Codec = c.Codec.ID()
	m := &x.msg[0]
	*m = cluster.Msg{Meta: h.Meta()}
	if src == nil && x.job.Task == nil {
		m.Declared = int(math.Round(c.Codec.SizeAt(hi-lo, density)))
	} else {
		x.buf[0] = c.Codec.Append(x.buf[0][:0], src)
		m.Body = x.buf[0]
	}
	if h.Codec != 0 {
		x.spend(4*(hi-lo), c.Encode)
	}
	x.note(h, i, hop, gather, tie, m.Size())
	return h, x.pass()
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
		if src == nil || sized(c) {
			return c.SizeAt(n, density)
		}
		return float64(c.Size(src))
	})
}

// note logs a choice.
func (x *ring) note(h Header, i, hop int, gather, tie bool, bytes int) {
	if h.Elements > 0 {
		t := &x.log.Totals
		t.Choices++
		t.Chosen[h.Kind]++
		if tie {
			t.Ties++
		}
	}
	if x.job.Options.LogChoices {
		x.log.Choices = append(x.log.Choices, Choice{Step: x.step, Layer: x.layer, Block: i, Hop: hop, Gather: gather,
			Kind: h.Kind, Codec: h.Codec, Tie: tie, WeightDensity: x.dw[i], GradientDensity: x.dg[i],
			Contributors: h.Contributors, Bytes: bytes, DenseBytes: 4 * h.Elements})
	}
}

// header reads message b, a sum of m nodes for block i.
func (x *ring) header(i, b, m int) (Header, error) {
	lo, hi := x.block(i)
	h, _, err := ReadHeader(&x.msg[b], m, hi-lo)
	if err == nil && x.only != 0 && h.Kind != x.only {
		err = fmt.Errorf("ringsparse: rank %d sent %v, want %v", x.msg[b].From, h.Kind, x.only)
	}
	return h, err
}

// reduce adds message 1, a sum of m nodes, to block i (S5), converts the sum to
// the other kind (S51) and counts both.
func (x *ring) reduce(i, m int) error {
	h, err := x.header(i, 1, m)
	if err != nil {
		return err
	}
	lo, hi := x.block(i)
	x.decoding(h)
	if x.job.Task != nil {
		c, _ := codec.ByID(h.Codec)
		store := x.grads
		if h.Kind == Weights {
			store = x.weights
		}
		if err := c.Accumulate(store[lo:hi], x.msg[1].Body); err != nil {
			return fmt.Errorf("ringsparse: block %d of layer %d from rank %d: %w", mod(i, x.p.Size()), x.layer, x.msg[1].From, err)
		}
	}
	if x.only == 0 {
		x.turn(h.Kind, lo, hi, m+1)
	}
	x.measure(i, m+1)
	return nil
}

// turn makes the other kind of a block of m nodes' sum of kind k.
func (x *ring) turn(k Kind, lo, hi, m int) {
	t := &x.log.Totals
	t.Converted += int64(hi - lo)
	x.spend(4*(hi-lo), x.convert)
	if k == Gradients {
		t.ToWeights++
	} else {
		t.ToGradients++
	}
	switch {
	case x.job.Task == nil:
	case k == Gradients:
		ToWeights(x.weights[lo:hi], x.params[lo:hi], x.grads[lo:hi], x.job.Rate, m, x.sign)
	default:
		ToGradients(x.grads[lo:hi], x.params[lo:hi], x.weights[lo:hi], x.job.Rate, m, x.sign)
	}
}

// overwrite takes over message b as block i's sum (S6), the owner as everybody.
func (x *ring) overwrite(i, b int) (Header, error) {
	i = mod(i, x.p.Size())
	h, err := x.header(i, b, x.p.Size())
	if err != nil {
		return h, err
	}
	x.tags[x.layer][i] = h.Kind
	x.decoding(h)
	if x.job.Task != nil {
		lo, hi := x.block(i)
		c, _ := codec.ByID(h.Codec)
		store := x.grads
		if h.Kind == Weights {
			store = x.weights
		}
		if err := c.Decode(store[lo:hi], x.msg[b].Body); err != nil {
			return h, fmt.Errorf("ringsparse: block %d of layer %d from rank %d: %w", i, x.layer, x.msg[b].From, err)
		}
	}
	return h, x.pass()
}

// decoding charges Td of a block that came compressed.
func (x *ring) decoding(h Header) {
	if h.Codec != 0 && int(h.Codec) < len(x.decoders) {
		x.spend(4*h.Elements, x.decoders[h.Codec].Decode)
	}
}

// finish turns every block's sum into the new parameters, in the way its tag says,
// and projects them.
func (x *ring) finish() {
	n := x.p.Size()
	for l, layer := range x.job.Layers {
		x.lo, x.length = layer.Offset, layer.Length
		for i, k := range x.tags[l] {
			lo, hi := x.block(i)
			if k == Weights {
				AverageWeights(x.params[lo:hi], x.weights[lo:hi], n)
			} else {
				ApplyGradients(x.params[lo:hi], x.grads[lo:hi], x.job.Rate, n, x.sign)
			}
		}
	}
	if x.job.Mask != nil {
		Project(x.params, x.job.Mask)
	}
}
