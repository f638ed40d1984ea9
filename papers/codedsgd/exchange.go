package codedsgd

import (
	"fmt"
	"math"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// Run trains job on all ranks; every rank calls it and gets its own Log. It repeats,
// Steps times or until OnStep says so: gradients of the node's own blocks, in fixed
// point (line 4); the exchange, of each layer while the computation goes on with what is
// before it (lines 5 and 6); the step of descent with the sum over all blocks, the same
// bits on every rank (line 7).
//
// Source: Alg. 1
func Run(p cluster.Proc, job Job) (*Log, error) {
	x, err := newNode(p, &job)
	if err != nil {
		return nil, err
	}
	own := x.store
	for stop := false; x.step < job.Steps && !stop; x.step++ { // Alg. 1, line 3
		if x.store = own; x.step < job.Timed {
			x.store = nil
		}
		if err := x.iterate(); err != nil {
			return nil, err
		}
		x.log.Ends = append(x.log.Ends, p.Now())
		if job.OnStep == nil {
			continue
		}
		// Alg. 1, line 8: it evaluates w(t) and keeps w^f
		if stop, err = job.OnStep(x.step); err != nil {
			return x.log, err
		}
	}
	if x.crew != nil {
		err = x.crew.Close(x.step, x.weights)
	}
	return x.log, err
}

// exchanger leaves the sum of all blocks' gradients in node.sum, by one of the methods.
type exchanger interface {
	// exchange makes the exchange of one step. The device has been started: node.ready waits for it. In
	// a timing-only run the same messages go without contents.
	exchange() error
}

// node is one rank's half of a run. A timing-only run has no store and no sum.
type node struct {
	p         cluster.Proc
	team      cluster.Proc     // on which gradients are exchanged: p, or that of the crew
	crew      *collective.Crew // nil: the first loss ends the run
	n, rank   int
	job       *Job
	o         Options
	a         *Assignment
	bounds    []int // of the micro-blocks
	m         int   // micro-blocks of a block
	each      int   // of them in a packet, and computed together: m, or 1 in rounds
	own       []int // D_i, in the order of computation
	last      int   // layer
	params    int
	weights   []float32 // the task's parameters
	method    exchanger
	store     *store // nil also in a step that computes nothing
	sum       []int64
	quantiser Quantiser // the task, if it makes fixed point itself; nil: the store does
	adder     Adder     // the same, if it adds too
	log       *Log
	step      int64

	stages []cluster.Work
	reqs   []cluster.Req // of this step's stages
	passed int           // the last stage that was waited for; 0: none
	due    time.Duration // charged and not yet passed
	one    [1]cluster.Req
	agreed int64 // agreement
}

func newNode(p cluster.Proc, job *Job) (*node, error) {
	o, err := job.Options.withDefaults(p.Size())
	if err == nil {
		err = job.validate()
	}
	if err != nil {
		return nil, err
	}
	x := &node{p: p, n: p.Size(), rank: p.Rank(), job: job, o: o, log: job.Log, last: len(job.Layers) - 1, step: job.From}
	if x.log == nil {
		x.log = &Log{}
	}
	// Alg. 1, line 2
	if x.a, err = Assign(x.n, o.Redundancy); err != nil {
		return nil, err
	}
	if x.o.MicroBlocks == 0 {
		x.o.MicroBlocks = x.a.Blocks()
	}
	x.m, x.own = x.o.MicroBlocks/x.a.Blocks(), x.a.sequence(x.rank) // Alg. 1, line 2: D_i
	if x.each = x.m; x.o.Rounds {
		x.each = 1
	}
	x.bounds = x.a.Split(job.Batch, x.o.MicroBlocks, o.Speeds)
	for _, l := range job.Layers {
		x.params += l.Length
	}
	x.stages = x.works()
	if o.Method == Compressed {
		x.o.Range = compressedRange(o.Range, x.o.MicroBlocks)
	}
	if job.Task != nil {
		x.quantiser, _ = job.Task.(Quantiser)
		x.adder, _ = job.Task.(Adder)
		x.store, x.sum, x.weights = newStore(x), make([]int64, x.params), job.Task.Params()
	}
	x.agreed = x.agreement()
	if err := x.join(); err != nil {
		return nil, err
	}
	x.method, err = newExchanger(x)
	return x, err
}

// newExchanger returns the method that the options name.
func newExchanger(x *node) (exchanger, error) {
	if flights := x.o.flights(x.a) * (x.last + 1) * x.rounds(); flights > maxFlights && !x.o.Literal {
		return nil, tooMany(flights)
	}
	switch {
	case x.o.Method == Compressed:
		return newCompressed(x)
	case x.o.Method != CSSGD:
		return newUncoded(x)
	case x.o.Literal:
		return newLiteral(x)
	}
	return newCoded(x)
}

// iterate is one iteration, lines 4 to 7.
func (x *node) iterate() error {
	x.start() // Alg. 1, line 4
	clear(x.sum)
	// Alg. 1, lines 5, 6: of each layer while line 4 goes on
	given, err := x.exchange()
	if err != nil {
		return fmt.Errorf("codedsgd: rank %d, step %d: %w", x.rank, x.step, err)
	}
	if err := x.finished(); err != nil || given {
		return err
	}
	// The sum of eight bytes, and the parameter that is read and written.
	work := cluster.Work{FLOP: 4 * float64(x.params), Bytes: 16 * float64(x.params)}
	if x.store == nil {
		return cluster.Compute(x.p, work, nil)
	}
	return cluster.Compute(x.p, work, func() error {
		// Alg. 1, line 7
		Update(x.weights, x.sum, x.o.Range, x.job.Batch, x.job.Rate, x.job.WeightDecay)
		return nil
	})
}

// addOwn adds the node's own gradients of a layer, quantised like everybody's, to the
// sum (the second sum of eq. 17).
func (x *node) addOwn(l int) error {
	x.coded(len(x.own) * x.m * x.job.Layers[l].Length)
	if x.store != nil {
		for _, q := range x.own {
			for j := range x.m {
				g, err := x.store.Layer(q, j, l)
				if err != nil {
					return err
				}
				Accumulate(x.sumOf(l), g)
			}
		}
	}
	return x.pass()
}

// sumOf returns the sum's part of a layer.
func (x *node) sumOf(l int) []int64 {
	at := x.job.Layers[l].Offset
	return x.sum[at : at+x.job.Layers[l].Length]
}

// coded counts numbers that were quantised, added, subtracted or summed, and charges the
// time that this takes.
func (x *node) coded(numbers int) {
	x.log.Totals.CodingBytes += 4 * int64(numbers)
	if x.o.Charge {
		x.due += time.Duration(math.Round(float64(4*numbers) / x.o.Rate * 1e9))
	}
}

// pass lets the charged time pass.
func (x *node) pass() error {
	d := x.due
	x.due = 0
	return cluster.Sleep(x.p, d)
}
