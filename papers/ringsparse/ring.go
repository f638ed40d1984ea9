package ringsparse

import (
	"errors"
	"fmt"
	"math"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/codec"
)

// This file is the patent's control flow from the top down: Run is S7, iterate S2, exchange S3 to S6, post and send the
// ring of S1. What computes is behind the interface numbers (numbers.go), of three kinds: stores computes, model is a
// run that only takes its time, record takes the decisions of a log once more where a run goes on. The rules are pure
// functions (rules.go): Choose is S41, CheapestCoder S42, ToWeights and ToGradients, which stores.turn calls, are S51.
// Symbols are those of doc.go's Notation. "S1–S7, step n" and "S4–S6, step n" are lines of the two algorithms as
// the page ringsparse.html prints them.

// Run trains job on a ring of all ranks; every rank calls it and gets its own Log.
// A step is a forward pass on the rank's own shard (S2) and a backward pass; meanwhile
// each layer, last first, makes its local step and is exchanged as soon as its gradient is
// there (S3 to S6); then every rank makes the new parameters of the blocks' sums, the same
// bits everywhere. Run takes Steps steps, or stops when OnStep says so.
//
// Layers are exchanged one at a time in the same order everywhere, by the thread
// that called Run. Parameters are W0 until all layers are there, since the
// backward pass still reads them.
//
// On a cluster.Survivor the ring closes over the living after a loss. If none of them had
// finished the step, they repeat it; if one had, the others take the parameters that it
// has. The mean is over the living from then on.
//
// Source: S7
func Run(p cluster.Proc, job Job) (*Log, error) {
	if job.Task != nil && job.Layers == nil {
		job.Layers = job.Task.Layers()
	}
	r, err := job.Options.rules()
	if err == nil {
		err = job.validate()
	}
	if err != nil {
		return nil, err
	}
	crew, err := collective.NewCrew(p, cluster.Tag(len(job.Layers))) // nil unless p is a cluster.Survivor
	if err != nil {
		return nil, err
	}
	x, err := newRing(p, crew, &job, r)
	if err == nil {
		err = x.checkDecisions()
	}
	if err != nil {
		return nil, err
	}
	for stop := false; x.step < job.Steps && !stop; { // S1–S7, step 3
		given := false // a rank had finished the step, and we have its parameters
		err := x.iterate()
		if crew != nil && errors.Is(err, cluster.ErrLost) {
			if x, given, err = x.regroup(crew); err == nil && !given {
				continue
			}
		} else if err == nil {
			err = x.update()
		}
		if err != nil {
			return nil, err
		}
		x.step++
		x.log.Ends = append(x.log.Ends, p.Now())
		if job.OnStep == nil {
			continue
		}
		if stop, err = job.OnStep(x.step - 1); err != nil {
			return x.log, err
		}
	}
	if crew != nil {
		if err := crew.Close(x.step, x.params()); err != nil {
			return nil, err
		}
	}
	return x.log, nil
}

// ring is one rank's side of the exchange; it holds one step and one layer at a time.
type ring struct {
	rules                // the options as the exchange uses them: only, tie, coder, rival, rates (options.go)
	p       cluster.Proc // the crew's, if there is one
	all     cluster.Proc // the run's
	n, rank int
	job     *Job
	log     *Log
	step    int64
	stages  []cluster.Work // of an iteration
	tags    [][]Kind       // [layer][block]: of which kind the sum is

	own     *stores // nil: a timing-only run
	record  *record
	numbers // of this step: local, density, choose, encode, prefetch, add, turn, take (numbers.go)

	msg [2]cluster.Msg
	buf [2][]byte
	due time.Duration // what spend charged and wait has not let pass yet

	// Of the layer under way:
	layer      int
	lo, length int           // where it is among the parameters
	cut        int           // blocks of a layer: n; 1 of the baseline allGather (allgather.go)
	dw, dg     []float64     // densities by block
	forms      []cluster.Msg // messages of allGather, by rank
}

// block returns the bounds of block i within the parameters.
func (x *ring) block(i int) (lo, hi int) {
	lo, hi = Block(x.length, x.cut, i) // S4–S6, step 1
	return x.lo + lo, x.lo + hi
}

// iterate is S2 to S6 of one iteration.
func (x *ring) iterate() error {
	last := len(x.job.Layers) - 1
	x.numbers = x.begin()
	// The first request is the forward pass, the others are the layers' gradients, last first.
	reqs := x.p.Start(x.pass(last), x.stages...) // S1–S7, steps 4, 5
	if x.job.Options.NoOverlap {
		if err := cluster.Wait(x.p, reqs...); err != nil {
			return err
		}
	}
	for l := last; l >= 0; l-- {
		// S1–S7, step 5: its gradient is there
		if err := cluster.Wait(x.p, reqs[1+last-l]); err != nil {
			return err
		}
		x.layer, x.lo, x.length = l, x.job.Layers[l].Offset, x.job.Layers[l].Length
		exchange := x.exchange
		if x.rival {
			exchange = x.allGather
		}
		// S1–S7, step 7: the device goes on meanwhile
		if err := exchange(); err != nil {
			return err
		}
	}
	return cluster.Wait(x.p, reqs...) // S1–S7, step 8
}

// computes reports whether the step computes: not in a timing-only run, nor where a log is taken once more.
func (x *ring) computes() bool { return x.numbers == numbers(x.own) }

// pass is the device's forward and backward pass, nil if the step computes nothing.
func (x *ring) pass(last int) func(done func(int)) error {
	if !x.computes() {
		return nil
	}
	task, step := x.job.Task, x.step
	return func(done func(int)) error {
		_, err := task.Grad(step, func(layer int) {
			if layer == last { // the task does not say when its forward pass ends
				done(0)
			}
			done(1 + last - layer)
		})
		return err
	}
}

// works are the device's stages of one iteration: the forward pass, then every
// layer's backward pass, last first.
func works(layers []cluster.Layer) []cluster.Work {
	stages := []cluster.Work{{}}
	for i := len(layers) - 1; i >= 0; i-- {
		stages[0].FLOP += layers[i].Forward.FLOP
		stages[0].Bytes += layers[i].Forward.Bytes
		stages[0].Fixed += layers[i].Forward.Fixed
		stages = append(stages, layers[i].Backward)
	}
	return stages
}

// exchange sums the layer over the ring: reduce-scatter, then all-gather. At its
// end the sum of every block is of the kind that its tag names, on every rank
// from the same bytes.
//
// At step i rank r sends block r−i and adds block r−i−1; in the all-gather it
// forwards block r+1−i as it came and takes over block r−i.
func (x *ring) exchange() error {
	if err := x.enter(); err != nil {
		return err
	}
	for i := range x.n - 1 { // S4–S6, step 4
		received, own := x.post(1), mod(x.rank-i-1, x.n) // own block: the one that arrives is added to it
		// S4–S6, steps 2, 3, 8: from the second round on it is step 8
		if err := x.pack(x.rank-i, i, false); err != nil {
			return err
		}
		x.prefetch(own)
		// S4–S6, steps 3, 5, 9: what the last round receives goes round in gather
		sent := x.send(0, i)
		if err := x.arrive(received, 1, sent); err != nil {
			return err
		}
		// S4–S6, steps 5–7
		if err := x.reduce(own, i+1); err != nil {
			return err
		}
	}
	if err := x.pack(x.rank+1, x.n-1, true); err != nil {
		return err
	}
	return x.gather()
}

// enter is S3 and the counting part of S4: the local step beside W0, and the sparsities of the 2N blocks.
func (x *ring) enter() error {
	if err := x.local(); err != nil {
		return err
	}
	if x.only != Gradients {
		x.spend(entryBytes*x.length, x.convert) // LocalStep is ToWeights of one node: it takes as long
	}
	for i := range x.n {
		x.measure(i, 1)
	}
	return nil
}

// measure notes the densities of block i, a sum of m nodes, of the kinds that may be sent. It charges time for counting
// if S41 or S42 needs them, not if the log alone wants them.
func (x *ring) measure(i, m int) {
	lo, hi := x.block(i)
	for _, of := range [...]struct {
		k  Kind
		to *float64
	}{{Weights, &x.dw[i]}, {Gradients, &x.dg[i]}} {
		if x.only != 0 && x.only != of.k {
			continue
		}
		if x.counted {
			x.spend(entryBytes*(hi-lo), x.count)
		}
		*of.to = 0 // of an empty block
		if lo < hi {
			*of.to = x.density(of.k, i, m)
		}
	}
}

// pack decides about block i, which holds the sum of hop receives (S41 and S42,
// from the first receive on S52), and makes it message 0.
func (x *ring) pack(i, hop int, gather bool) error {
	i = mod(i, x.cut)
	lo, hi := x.block(i)
	kind, tie := x.choose(i) // S4–S6, steps 2, 8: by chooseByDensity, or as the log has it
	h := Header{Kind: kind, Contributors: hop + 1, Elements: hi - lo}
	m, id, err := x.encode(h, i) // S4–S6, steps 3, 8: with a threshold, what is dropped goes to the residual
	if err != nil {
		return err
	}
	if h.Codec = id; id != 0 {
		x.spend(entryBytes*h.Elements, x.coders[id].Encode)
	}
	m.From, m.Meta = x.rank, h.Meta()
	x.msg[0] = m
	x.note(h, i, hop, gather, tie)
	return x.wait()
}

// chooseByDensity is S41 by the densities of block i.
func (x *ring) chooseByDensity(i int) (k Kind, tie bool) {
	if x.only != 0 {
		return x.only, false
	}
	return Choose(1-x.dw[i], 1-x.dg[i], x.tie)
}

// coderFor is S42 for a block of n entries; size gives the bytes that a codec makes of it.
func (x *ring) coderFor(n int, size func(codec.Codec) float64) Coder {
	if x.coder != nil {
		return *x.coder
	}
	direct := n
	if x.layerSize {
		direct = x.length
	}
	return CheapestCoder(x.candidates, n, direct, x.bandwidth, x.printed, size)
}

// reduce adds message 1, a sum of m nodes, to the local block of its kind (S5),
// turns the sum into the other kind too (S51) and counts both.
func (x *ring) reduce(i, m int) error {
	h, c, err := x.open(i, 1, m) // S4–S6, step 5: by its tag
	if err != nil {
		return err
	}
	// S4–S6, steps 5, 6: unpacked as it is added
	if err := x.add(h.Kind, i, c, &x.msg[1]); err != nil {
		return err
	}
	if x.only == 0 { // S4–S6, step 7
		t := &x.log.Totals
		t.Converted += int64(h.Elements)
		x.spend(entryBytes*h.Elements, x.convert)
		if h.Kind == Gradients {
			t.ToWeights++
		} else {
			t.ToGradients++
		}
		x.turn(h.Kind, i, m+1)
	}
	x.measure(i, m+1)
	return nil
}

// gather sends the owned block round the ring, message 0, and takes over the
// others. Bytes are forwarded as they came, never coded again.
func (x *ring) gather() error {
	// S4–S6, step 10
	for i, cur := 0, 0; ; i, cur = i+1, 1-cur {
		block := mod(x.rank+1-i, x.n)
		h, c, err := x.open(block, cur, x.n)
		if err != nil {
			return err
		}
		if i == x.n-1 {
			return x.overwrite(block, cur, h, c)
		}
		received := x.post(1 - cur)
		sent := x.send(cur, -1)
		// The block is decoded while its bytes travel on.
		if err := x.overwrite(block, cur, h, c); err != nil {
			return err
		}
		if err := x.arrive(received, 1-cur, sent); err != nil {
			return err
		}
	}
}

// open reads the header of message b, a sum of m nodes for block i.
func (x *ring) open(i, b, m int) (h Header, c codec.Codec, err error) {
	lo, hi := x.block(i)
	if h, c, err = ReadHeader(&x.msg[b], m, hi-lo); err != nil {
		return h, c, err
	}
	if x.only != 0 && h.Kind != x.only {
		return h, c, fmt.Errorf("ringsparse: rank %d sent %v, want %v: do all ranks have the same options?",
			x.msg[b].From, h.Kind, x.only)
	}
	if h.Codec != 0 {
		x.spend(entryBytes*h.Elements, x.coders[h.Codec].Decode)
	}
	return h, c, nil
}

// overwrite takes over message b as block i's sum (S6), the owner as everybody.
func (x *ring) overwrite(i, b int, h Header, c codec.Codec) error {
	x.tags[x.layer][i] = h.Kind
	if err := x.take(h.Kind, i, c, &x.msg[b]); err != nil {
		return err
	}
	return x.wait()
}

// update makes new parameters of all sums (stores.finish). A parameter takes 2 FLOP, 12 bytes: its sum is read, it is
// read and written. It is charged to the run's Proc, so that no loss stops it half-way.
func (x *ring) update() error {
	params := 0
	for _, l := range x.job.Layers {
		params += l.Length
	}
	work := cluster.Work{FLOP: 2 * float64(params), Bytes: 12 * float64(params)}
	if !x.computes() {
		return cluster.Compute(x.all, work, nil)
	}
	return cluster.Compute(x.all, work, x.own.finish)
}

// post posts the receive from the left neighbour into buffer b. The message's tag is the number of the layer, so that
// layers cannot be mixed up; the tag of S41, a block's kind, is in its Meta.
func (x *ring) post(b int) cluster.Req {
	x.msg[b] = cluster.Msg{Body: x.buf[b]}
	return x.p.Irecv(mod(x.rank-1, x.n), cluster.Tag(x.layer), &x.msg[b]) // S1–S7, step 1
}

// send sends message b to the right. The log alone needs hop, which is −1 in the all-gather.
func (x *ring) send(b, hop int) cluster.Req {
	x.log.Totals.sent(&x.msg[b], hop)
	return x.p.Isend(mod(x.rank+1, x.n), cluster.Tag(x.layer), &x.msg[b]) // S1–S7, step 1
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

const entryBytes = 4 // of a float32

// spend charges the time of `bytes` bytes at a rate. A ring of one sends nothing, and so
// counts, converts and codes nothing.
func (x *ring) spend(bytes int, rate float64) {
	if x.charge && rate > 0 && x.n > 1 {
		x.due += time.Duration(math.Round(float64(bytes) / rate * 1e9))
	}
}

// wait lets the charged time pass.
func (x *ring) wait() error {
	d := x.due
	x.due = 0
	return cluster.Sleep(x.p, d)
}

func mod(a, n int) int { return ((a % n) + n) % n }
