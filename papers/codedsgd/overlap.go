package codedsgd

import (
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

// works lists the device's stages of an iteration, round by round: per own block, in sequence, one for all
// that comes before the backward pass of its last micro-block (its forward pass, the
// micro-blocks before it, and first of all what an iteration costs beside), then one
// per layer of that backward pass, last first. A micro-block's forward pass costs
// Pass per layer beside its arithmetic, its backward pass twice that; a micro-block
// without samples costs nothing.
func (x *node) works() []cluster.Work {
	stages := make([]cluster.Work, 0, x.rounds()*len(x.own)*(x.last+2))
	before := x.job.Iteration
	for i := range x.rounds() * len(x.own) {
		q, first := x.own[i%len(x.own)], i/len(x.own)*x.each
		last := first + x.each - 1
		add := func(w *cluster.Work, layer, j, passes int) {
			of := x.job.Layers[layer].Forward
			if passes == 2 {
				of = x.job.Layers[layer].Backward
			}
			if samples := x.samples(q, j); samples > 0 {
				more(w, of, samples)
				more(w, x.job.Pass, passes)
			}
		}
		for j := first; j <= last; j++ {
			for l := range x.job.Layers {
				add(&before, l, j, 1)
				if j < last {
					add(&before, l, j, 2)
				}
			}
		}
		stages = append(stages, before)
		before = cluster.Work{}
		for l := x.last; l >= 0; l-- {
			var backward cluster.Work
			add(&backward, l, last, 2)
			stages = append(stages, backward)
		}
	}
	return stages
}

// more adds of to w, times times.
func more(w *cluster.Work, of cluster.Work, times int) {
	w.FLOP += float64(of.FLOP * float64(times))
	w.Bytes += float64(of.Bytes * float64(times))
	w.Fixed += of.Fixed * time.Duration(times)
}

// samples returns how many micro-block j of block q has.
func (x *node) samples(q, j int) int { return x.bounds[q*x.m+j+1] - x.bounds[q*x.m+j] }

// rounds returns in how many rounds micro-blocks are computed and sent.
func (x *node) rounds() int { return x.m / x.each }

// stage returns where the gradient of own block i, all micro-blocks of a round, is final in
// a layer.
func (x *node) stage(round, i, layer int) int {
	return (round*len(x.own)+i)*(x.last+2) + 1 + x.last - layer
}

// start starts the device on the step's gradients.
func (x *node) start() {
	var work func(done func(int)) error
	if x.store != nil {
		work = x.gradients(x.step)
	}
	x.reqs, x.passed = x.team.Start(work, x.stages...), 0
}

// gradients computes the own blocks' gradients, micro-block by micro-block.
func (x *node) gradients(step int64) func(done func(int)) error {
	return func(done func(int)) error {
		x.store.loss = 0
		for k := range x.rounds() * len(x.own) {
			round, i := k/len(x.own), k%len(x.own)
			q, last := x.own[i], (round+1)*x.each-1
			for j := round * x.each; j <= last; j++ {
				report := func(layer int) {
					if j < last {
						return
					}
					if layer == x.last {
						done(x.stage(round, i, layer) - 1)
					}
					done(x.stage(round, i, layer))
				}
				if err := x.gradient(step, q, j, report); err != nil {
					return fmt.Errorf("codedsgd: rank %d, step %d, block %d: %w", x.rank, step, q, err)
				}
			}
		}
		return nil
	}
}

// gradient computes micro-block j of block q and quantises each layer into the store
// when it is there. It reports each, the first one when nothing is left to do: who has
// waited for the last stage has the loss and the counts too.
func (x *node) gradient(step int64, q, j int, report func(layer int)) error {
	s, next := x.store, x.last
	inOrder := func(layer int) {
		if layer != next {
			panic(fmt.Sprintf("codedsgd: the task is done with layer %d, want %d: last layer first, each once", layer, next))
		}
	}
	fixed := func(layer, saturated, notFinite int) {
		inOrder(layer)
		next--
		s.count(layer, saturated, notFinite)
		if layer > 0 {
			report(layer)
		}
	}
	final := func(layer int) {
		inOrder(layer) // before it is written: a layer that was reported is read
		saturated, notFinite := s.put(q, j, layer)
		fixed(layer, saturated, notFinite)
	}
	if lo, hi := x.bounds[q*x.m+j], x.bounds[q*x.m+j+1]; lo < hi {
		var loss float64
		var err error
		// Alg. 1, line 4
		if x.quantiser != nil {
			loss, err = x.quantiser.BlockFixed(step, lo, hi, s.micro(q, j), s.within, fixed)
		} else {
			loss, err = x.job.Task.BlockGrad(step, lo, hi, s.grads, final)
		}
		if err != nil {
			return err
		}
		s.loss += loss
	} else {
		clear(s.grads)
		for l := x.last; l >= 0; l-- {
			if x.keeps() {
				fixed(l, 0, 0)
			} else {
				final(l)
			}
		}
	}
	if next >= 0 {
		return fmt.Errorf("the task has not done layers 0 to %d", next)
	}
	report(0)
	return nil
}

// ready waits until own block i's gradient of the last round, and so of all, is there in a
// layer.
func (x *node) ready(i, layer int) error { return x.reach(x.stage(x.rounds()-1, i, layer)) }

// reach waits for a stage of the device, and with NoOverlap for all. Stages pass in
// order, so all earlier ones have passed too.
func (x *node) reach(stage int) error {
	if x.o.NoOverlap {
		stage = len(x.stages) - 1
	}
	if stage <= x.passed {
		return nil
	}
	if err := x.wait(x.reqs[stage]); err != nil {
		return err
	}
	for x.passed < stage {
		x.passed++
		if k := x.passed % (x.last + 2); k > 0 {
			x.coded(x.each * x.job.Layers[x.last+1-k].Length)
		}
	}
	return x.pass()
}

// allReady waits for all own gradients.
func (x *node) allReady() error { return x.ready(len(x.own)-1, 0) }

// wait waits for one request without a new list of one.
func (x *node) wait(r cluster.Req) error {
	x.one[0] = r
	_, err := x.team.WaitAny(0, x.one[:]...)
	return err
}

// finished waits for the device and takes stock of its gradients.
func (x *node) finished() error {
	if err := x.allReady(); err != nil || x.store == nil {
		return err
	}
	s, samples := x.store, 0
	for _, q := range x.own {
		samples += x.bounds[(q+1)*x.m] - x.bounds[q*x.m]
	}
	x.log.Losses = append(x.log.Losses, s.loss/float64(max(samples, 1)))
	return s.stock(&x.log.Totals, x.step)
}

// store holds a node's own gradients in fixed point and gives out no others: a node decodes
// by the gradients that it computed.
type store struct {
	rank   int
	layers []cluster.Layer
	within FixedPoint
	m      int
	place  []int     // of a block among the node's own; −1: it lacks it
	grads  []float32 // of the micro-block that is being computed
	fixed  [][]int32 // [place·m + micro-block]; of blocks that stay on a device nil
	loss   float64   // of the step, a sum over samples

	saturated, notFinite int64 // of the step
	layer                int   // the last that had something not finite
}

func newStore(x *node) *store {
	s := &store{rank: x.rank, layers: x.job.Layers, within: FixedPoint{x.o.Range, Top}, m: x.m, grads: make([]float32, x.params)}
	s.place = make([]int, x.a.Blocks())
	for q := range s.place {
		s.place[q] = -1
	}
	for i, q := range x.own {
		s.place[q] = i
	}
	s.fixed = make([][]int32, len(x.own)*x.m)
	if x.o.Method == Compressed {
		s.within.Most = summand(x.o.MicroBlocks)
	}
	if x.keeps() {
		return s
	}
	for i := range s.fixed {
		s.fixed[i] = make([]int32, x.params)
	}
	return s
}

// Has says whether the node computes a block.
func (s *store) Has(block int) bool { return block >= 0 && block < len(s.place) && s.place[block] >= 0 }

// Layer returns micro-block j of a block's gradient of one layer. A block that the
// node lacks is an error.
func (s *store) Layer(block, j, layer int) ([]int32, error) {
	if !s.Has(block) {
		return nil, fmt.Errorf("codedsgd: rank %d reads the gradient of block %d, which it lacks", s.rank, block)
	}
	l := s.layers[layer]
	return s.micro(block, j)[l.Offset : l.Offset+l.Length], nil
}

// micro returns micro-block j of one of the node's blocks, all layers.
func (s *store) micro(block, j int) []int32 { return s.fixed[s.place[block]*s.m+j] }

// put quantises what grads has of a layer as micro-block j's of a block of the node, and
// returns Quantise's counts.
func (s *store) put(block, j, layer int) (saturated, notFinite int) {
	l := s.layers[layer]
	return s.within.quantise(s.micro(block, j)[l.Offset:], s.grads[l.Offset:l.Offset+l.Length])
}

// count adds what could not be represented of a layer.
func (s *store) count(layer, saturated, notFinite int) {
	s.saturated += int64(saturated)
	s.notFinite += int64(notFinite)
	if notFinite > 0 {
		s.layer = layer
	}
}

// stock moves the step's counts to t. Numbers out of range were saturated, which
// training survives; NaN and infinities are an error.
func (s *store) stock(t *Totals, step int64) error {
	bad := s.notFinite
	t.Saturated += s.saturated
	t.NotFinite += bad
	s.saturated, s.notFinite = 0, 0
	if bad > 0 {
		return &notFiniteError{Rank: s.rank, Step: step, Numbers: bad, Layer: s.layer, Name: s.layers[s.layer].Name}
	}
	return nil
}

// notFiniteError ends a run whose gradients are no numbers any more: it has diverged.
//
// Source: ours: no integer stands for NaN
type notFiniteError struct {
	Rank    int
	Step    int64
	Numbers int64 // NaN and infinite ones, of the rank's own gradients
	Layer   int   // the last that has some
	Name    string
}

// Error says where.
//
// Source: ours: as the type
func (e *notFiniteError) Error() string {
	return fmt.Sprintf("codedsgd: rank %d, step %d: %d numbers of its gradients are NaN or infinite, the last in layer %d %q",
		e.Rank, e.Step, e.Numbers, e.Layer, e.Name)
}
