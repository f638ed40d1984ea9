package ringsparse

import (
	"fmt"
	"math"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// numbers are a rank's blocks of the layer under way. Three kinds send the same messages at the same instants: stores
// hold what is trained, a model knows densities, a record what was decided when the step was made before.
type numbers interface {
	local() error                                       // the local step, S3
	density(k Kind, i, m int) float64                   // of block i, a sum of m nodes
	choose(i int) (k Kind, tie bool)                    // by S41
	encode(h Header, i int) (cluster.Msg, uint8, error) // the block of h's kind in the form of S42, and its codec
	prefetch(i int)                                     // own block i will be wanted next
	add(k Kind, i int, c codec.Codec, m *cluster.Msg) error
	turn(k Kind, i, m int) // makes the other kind of a sum of m nodes
	take(k Kind, i int, c codec.Codec, m *cluster.Msg) error
}

// newRing returns this rank's half of a ring of all ranks, or with a crew of the living.
func newRing(p cluster.Proc, crew *collective.Crew, job *Job, r rules) (*ring, error) {
	x := &ring{rules: r, p: p, all: p, job: job, log: job.Log, step: job.From}
	if crew != nil {
		x.p = crew.Proc()
	}
	if x.log == nil {
		x.log = &Log{}
	}
	x.n, x.rank, x.log.Lossy = x.p.Size(), x.p.Rank(), r.threshold > 0
	if x.cut = x.n; r.rival {
		x.cut = 1
	}
	x.stages = works(job.Layers)
	x.dw, x.dg = make([]float64, x.cut), make([]float64, x.cut)
	longest := 0
	for _, l := range job.Layers {
		x.tags = append(x.tags, make([]Kind, x.cut))
		longest = max(longest, l.Length)
	}
	if job.Task == nil {
		return x, nil
	}
	x.record = &record{ring: x}
	x.own = &stores{ring: x, params: job.Task.Params(), grads: job.Task.Grads()}
	if r.only != Gradients {
		x.own.weights = make([]float32, len(x.own.params))
	}
	if r.threshold > 0 {
		if x.own.residual = x.log.Residual; x.own.residual == nil {
			x.own.residual = make([]float32, len(x.own.params))
		}
		x.log.Residual = x.own.residual
	}
	block := (longest + x.n - 1) / x.n
	for i := range x.buf { // sums fill in: room for the longest block as bitmap and all values
		x.buf[i] = make([]byte, 0, 4*block+block/8+64)
	}
	return x, x.own.open()
}

// checkDecisions refuses a log that has not the decisions of the steps to make again.
func (x *ring) checkDecisions() error {
	if got, want := len(x.log.Decisions), int(x.job.Timed)*len(x.job.Layers)*x.cut; x.own != nil && got != want {
		return fmt.Errorf("ringsparse: rank %d: %d decisions for %d steps to make again, want %d",
			x.rank, got, x.job.Timed, want)
	}
	return nil
}

// begin returns the numbers of the step that begins.
func (x *ring) begin() numbers {
	switch {
	case x.own == nil:
		return &model{ring: x}
	case x.step < x.job.Timed:
		return x.record
	}
	if x.own.residual != nil && x.p != x.all {
		x.own.before = append(x.own.before[:0], x.own.residual...)
	}
	return x.own
}

// params returns the parameters, nil in a timing-only run.
func (x *ring) params() []float32 {
	if x.own == nil {
		return nil
	}
	return x.own.params
}

// regroup returns the ring of the living, after a loss, which repeats the step, or if given has what it led to: then
// all that this rank drops in it had been sent.
func (x *ring) regroup(crew *collective.Crew) (y *ring, given bool, err error) {
	made, err := crew.Regroup(x.step, x.params())
	if err != nil {
		return nil, false, err
	}
	if y, err = newRing(x.all, crew, x.job, x.rules); err != nil {
		return nil, false, err
	}
	y.log, y.step, given = x.log, x.step, made > x.step
	if x.own != nil && x.own.residual != nil {
		if y.own.residual = x.own.residual; !given {
			copy(y.own.residual, x.own.before)
		}
		y.log.Residual = y.own.residual
	}
	return y, given, nil
}

// stores hold, of every block, both kinds until its sum is made: the received tag may differ from what was chosen.
type stores struct {
	*ring
	params   []float32 // W0 while a step lasts
	grads    []float32 // of a block: local gradient, then partial sum, then sum
	weights  []float32 // the same of W′
	residual []float32 // what a threshold dropped
	before   []float32 // the same when the step began, where a step may be repeated
	blocks   Blocks    // nil: grads has the gradient when its layer is there
}

// part returns block i of the kind.
func (s *stores) part(k Kind, i int) []float32 {
	lo, hi := s.block(i)
	if k == Weights {
		return s.weights[lo:hi]
	}
	return s.grads[lo:hi]
}

func (s *stores) local() error {
	if s.blocks == nil {
		s.localStep()
	}
	return nil
}

// localStep folds decay and residual into the gradient and makes W′.
func (s *stores) localStep() {
	lo, hi := s.lo, s.lo+s.length
	w0, g := s.params[lo:hi], s.grads[lo:hi]
	fold(g, w0, s.job.WeightDecay, s.sign)
	if s.residual != nil {
		r := s.residual[lo:hi]
		vec.AddTo(g, r)
		clear(r)
	}
	if s.weights == nil {
		return
	}
	w := s.weights[lo:hi]
	LocalStep(w, w0, g, s.job.Rate, s.sign) // S1–S7, step 6
	if s.job.Mask != nil {
		Project(w, s.job.Mask[lo:hi])
	}
}

func (s *stores) density(k Kind, i, m int) float64 {
	switch {
	case !s.counted && !s.job.Options.LogChoices:
		return 0
	case m == 1 && s.blocks != nil:
		lo, hi := s.block(i)
		return float64(s.blocks.Nonzero(s.layer, k, i)) / float64(hi-lo)
	case k == Weights:
		return Density(s.part(k, i), 0)
	}
	return Density(s.part(k, i), s.threshold)
}

func (s *stores) choose(i int) (Kind, bool) { return s.chooseByDensity(i) }

// encode makes the block a message in buffer 0; a device may have made its form, codec bitmap's, already.
func (s *stores) encode(h Header, i int) (m cluster.Msg, id uint8, err error) {
	form := s.buf[0][:0]
	if h.Contributors == 1 {
		if form, err = s.load(form, h.Kind, i); err != nil {
			return m, 0, err
		}
	}
	src, density := s.part(h.Kind, i), s.dw[i]
	if h.Kind == Gradients {
		density = s.dg[i]
		if lo, hi := s.block(i); s.residual != nil {
			drop(src, s.residual[lo:hi], s.threshold)
		}
	}
	c := s.coderFor(len(src), func(c codec.Codec) float64 { // S4–S6, steps 3, 8
		if sized(c) {
			return c.SizeAt(len(src), density)
		}
		return float64(c.Size(src))
	})
	if _, bitmap := c.Codec.(codec.Bitmap); !bitmap || len(form) == 0 {
		form = c.Codec.Append(s.buf[0][:0], src)
	}
	s.buf[0] = form
	return cluster.Msg{Body: form}, c.Codec.ID(), nil
}

func (s *stores) add(k Kind, i int, c codec.Codec, m *cluster.Msg) error {
	if _, err := s.load(nil, k, i); err != nil {
		return err
	}
	return s.damaged(i, m, c.Accumulate(s.part(k, i), m.Body))
}

func (s *stores) turn(k Kind, i, m int) {
	lo, hi := s.block(i)
	if k == Gradients {
		ToWeights(s.weights[lo:hi], s.params[lo:hi], s.grads[lo:hi], s.job.Rate, m, s.sign)
	} else {
		ToGradients(s.grads[lo:hi], s.params[lo:hi], s.weights[lo:hi], s.job.Rate, m, s.sign)
	}
}

func (s *stores) take(k Kind, i int, c codec.Codec, m *cluster.Msg) error {
	return s.damaged(i, m, c.Decode(s.part(k, i), m.Body))
}

// damaged says where err happened, nil if nothing did.
func (s *stores) damaged(i int, m *cluster.Msg, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("ringsparse: layer %d block %d from rank %d: %w", s.layer, i, m.From, err)
}

// finish turns every block's sum into the new parameters, in the way its tag says,
// and projects them.
func (s *stores) finish() error {
	for l, layer := range s.job.Layers {
		s.lo, s.length = layer.Offset, layer.Length
		for i, k := range s.tags[l] {
			lo, hi := s.block(i)
			// S4–S6, step 11
			if k == Weights {
				AverageWeights(s.params[lo:hi], s.weights[lo:hi], s.n)
			} else {
				ApplyGradients(s.params[lo:hi], s.grads[lo:hi], s.job.Rate, s.n, s.sign)
			}
		}
	}
	if s.job.Mask != nil {
		Project(s.params, s.job.Mask)
	}
	return nil
}

// fold makes of the task's gradient what the exchange calls g: with weight decay,
// and as the direction of descent if that is the reading.
//
//	g ← ∇ + λ·W0,   or   0 − (∇ + λ·W0)
//
// 0 − x keeps +0 a +0, which −x does not.
func fold(g, w0 []float32, decay float64, s Sign) {
	if decay != 0 {
		vec.AxpyTo(g, float32(decay), w0)
	}
	if s == Printed {
		for i, v := range g {
			g[i] = 0 - v
		}
	}
}

// model knows of the layer under way how dense its blocks are on their way (hops), and no number.
type model struct {
	*ring
	silent
	path []hop // by contributors − 1
}

func (m *model) local() error {
	w, g := 1.0, 1.0
	if m.job.Density != nil {
		w, g = m.job.Density(m.layer)
	}
	if !(w >= 0 && w <= 1 && g >= 0 && g <= 1) {
		return fmt.Errorf("ringsparse: layer %d: densities %g and %g, want 0 to 1", m.layer, w, g)
	}
	m.path = hops(m.n, w, g, m.only, m.tie)
	return nil
}

func (m *model) density(k Kind, _, nodes int) float64 { return m.path[nodes-1].density(k) }

func (m *model) choose(i int) (Kind, bool) { return m.chooseByDensity(i) }

func (m *model) encode(h Header, i int) (cluster.Msg, uint8, error) {
	density := m.dw[i]
	if h.Kind == Gradients {
		density = m.dg[i]
	}
	c := m.coderFor(h.Elements, func(c codec.Codec) float64 { return c.SizeAt(h.Elements, density) })
	return cluster.Msg{Declared: int(math.Round(c.Codec.SizeAt(h.Elements, density)))}, c.Codec.ID(), nil
}

// Decision holds what a block's numbers decided when it was packed: S41's kind, S42's codec and the length that came of
// it.
// A run that makes a step again by its decisions sends the same messages at the same instants.
//
// Source: ours: a run that is killed goes on
type Decision struct {
	Kind               Kind
	Codec              uint8
	Tie                bool
	Bytes              int
	Weights, Gradients float64 // densities, where the log has choices, else 0
}

// record makes a step again by the decisions of the log.
type record struct {
	*ring
	silent
	next int
}

func (r *record) local() error { return nil }

func (r *record) density(Kind, int, int) float64 { return 0 }

func (r *record) choose(i int) (Kind, bool) {
	d := &r.log.Decisions[r.next]
	r.dw[i], r.dg[i] = d.Weights, d.Gradients
	return d.Kind, d.Tie
}

func (r *record) encode(Header, int) (cluster.Msg, uint8, error) {
	d := &r.log.Decisions[r.next]
	r.next++
	return cluster.Msg{Declared: d.Bytes}, d.Codec, nil
}

// silent is the part of numbers that computes, of those that do not.
type silent struct{}

func (silent) prefetch(int)                                    {}
func (silent) add(Kind, int, codec.Codec, *cluster.Msg) error  { return nil }
func (silent) turn(Kind, int, int)                             {}
func (silent) take(Kind, int, codec.Codec, *cluster.Msg) error { return nil }
