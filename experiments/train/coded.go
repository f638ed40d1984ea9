package train

import (
	"fmt"
	"slices"
	"sync"

	"gradsync/datasets"
	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// CodingRate is the default rate of quantising, adding and subtracting int32 terms on virtual time,
// in bytes per second: an assumption, well below what `gradsync bench coded` measures on one core.
const CodingRate = 2e9

// codedOptions completes the method's options.
func (c *Config) codedOptions() codedsgd.Options {
	var o codedsgd.Options
	if c.Coded != nil {
		o = *c.Coded
	}
	o.Method, o.NoOverlap = c.Sync, o.NoOverlap || c.NoOverlap
	o.Charge = c.modelled()
	set(&o.Rate, CodingRate)
	if c.SpeedAware {
		o.Speeds = nil
		for _, w := range c.Platform.Workers[:c.Workers] {
			o.Speeds = append(o.Speeds, w.FLOPS)
		}
	}
	return o
}

// codedJob returns the job of every rank, but for its task.
func (r *runner) codedJob(steps int64) codedsgd.Job {
	c := r.cfg
	one := c
	one.Batch, one.Launch, one.Overhead = 1, 0, 0
	infos := r.model.Layers()
	job := codedsgd.Job{Layers: one.Work(infos), Shapes: shapes(r.model), Batch: c.BatchSize, Rate: c.Rate, WeightDecay: c.WeightDecay,
		Steps: steps, Options: c.codedOptions()}
	c.host(&job.Pass, c.Launch)
	c.host(&job.Iteration, c.Overhead)
	return job
}

// shapes returns the layers' weight matrices, outputs by inputs; a convolution's row is one
// filter.
func shapes(m *model.Model) [][2]int {
	var out [][2]int
	for _, l := range m.Layers() {
		at := slices.IndexFunc(m.Params(), func(p model.Param) bool { return p.Offset == l.Offset })
		p := m.Params()[at]
		out = append(out, [2]int{p.Shape[0], p.Length / p.Shape[0]})
	}
	return out
}

// code runs the loop of the methods of codedsgd.
func (x *replica) code(blocks *blocks) error {
	job := x.codedJob(x.steps)
	if x.task != nil {
		var err error
		if job.Task, err = x.onDevice(&codedTask{x.task, blocks}); err != nil {
			return err
		}
	}
	job.OnStep = func(step int64) (bool, error) { return x.ended(step + 1) }
	x.codedLog = &codedsgd.Log{}
	var err error
	if job.From, err = x.begin(); err != nil {
		return err
	}
	job.Timed, job.Log = x.replayed(), x.codedLog
	log, err := codedsgd.Run(x.p, job)
	if err != nil {
		return err
	}
	if x.end.Hash == "" {
		x.finish()
	}
	x.end.Ends, x.end.Coded = log.Ends, log.Totals
	return nil
}

// onDevice returns the task that rounds on a device, where there is one.
func (x *replica) onDevice(task *codedTask) (codedsgd.Task, error) {
	e, err := x.task.pool.exchanger()
	if err != nil || e == nil {
		return task, err
	}
	f, err := newDeviceFixed(task.task, e)
	fixed := &fixedTask{codedTask: task, deviceFixed: f}
	if task.blocks != nil { // a block comes once for all ranks that hold it
		x.shared.atEnd(fixed.close)
		return fixed, err
	}
	kept := &keptTask{fixedTask: fixed, kept: map[int][]int32{}}
	x.shared.atEnd(kept.close)
	return kept, err
}

// checkWhole refuses a batch of all nodes that the set cannot fill once.
func checkWhole(set *datasets.Set, batch int) error {
	if all := set.Train.Len(); batch > all {
		return fmt.Errorf("train: batch of %d images of all nodes, but %s has %d", batch, set.Name, all)
	}
	return nil
}

// CodedOutcome holds the part of an Outcome that only methods of codedsgd have.
type CodedOutcome struct {
	Options codedsgd.Options `json:"options"`
	Totals  codedsgd.Totals  `json:"totals"` // over all ranks
}

// sharedBlocks lets the ranks of a virtual run, which have one machine's cores,
// compute each block once; on a real clock every holder computes it.
func (r *runner) sharedBlocks() *blocks {
	if !r.cfg.coded() || r.shared == nil || r.cfg.Runtime != "virtual" || r.cfg.Elastic.Elastic {
		return nil
	}
	if n := max(r.cfg.codedOptions().Redundancy, 1); n > 1 {
		return newBlocks(n)
	}
	return nil
}

// replicaTask returns a rank's task: its share of the images, or, where blocks of one batch go to
// several ranks, all of them in one order.
func (r *runner) replicaTask(rank int) *task {
	if !r.cfg.coded() {
		return newTask(r.shared, r.cfg.Seed, rank, r.cfg.Workers, r.init)
	}
	t := newTask(r.shared, r.cfg.Seed, 0, 1, r.init)
	t.batch = r.cfg.BatchSize
	return t
}

// passImages bounds the images of one pass: a longer block is computed in passes,
// whose sums are added in order.
const passImages = 128

// codedTask is a task whose mini-batches are all nodes' and are computed block by
// block.
type codedTask struct {
	*task
	blocks *blocks // nil: every holder computes its blocks itself
}

var _ codedsgd.Task = (*codedTask)(nil)

// BlockGrad writes the sum of the gradients of images lo … hi−1 of mini-batch
// number step.
func (t *codedTask) BlockGrad(step int64, lo, hi int, grads []float32, done func(layer int)) (float64, error) {
	if t.blocks == nil {
		return t.blockGrad(step, lo, hi, grads, done)
	}
	b := t.blocks.get(blockKey{step, lo, hi})
	computed := false
	b.once.Do(func() {
		computed = true
		if b.loss, b.err = t.blockGrad(step, lo, hi, grads, done); b.err == nil {
			b.grads = append([]float32(nil), grads...)
		}
	})
	if computed || b.err != nil {
		return b.loss, b.err
	}
	copy(grads, b.grads)
	for l := len(t.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return b.loss, nil
}

func (t *codedTask) blockGrad(step int64, lo, hi int, grads []float32, done func(layer int)) (loss float64, err error) {
	images := t.indices(step)[lo:hi]
	if len(images) <= passImages && len(images) > 0 {
		return t.pass(images, grads, done)
	}
	clear(grads)
	part := make([]float32, len(grads))
	for from := 0; from < len(images); from += passImages {
		l, err := t.pass(images[from:min(from+passImages, len(images))], part, nil)
		if err != nil {
			return 0, err
		}
		loss += l
		vec.AddTo(grads, part)
	}
	for l := len(t.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// pass computes the sum of some images' gradients, which an engine gives as a mean.
func (t *codedTask) pass(images []int, grads []float32, done func(layer int)) (float64, error) {
	w, err := t.pool.borrow()
	if err != nil {
		return 0, err
	}
	defer t.pool.giveBack(w)
	if err := w.fill(t.set, &t.set.Train, images); err != nil {
		return 0, err
	}
	n := len(images)
	loss, err := w.stepper.Gradient(t.params, grads, w.x, w.labels, func(l int, g []float32) error {
		vec.Scale(float32(n), g)
		if done != nil {
			done(l)
		}
		return nil
	})
	return loss * float64(n), err
}

// blocks holds the gradients that several ranks of this process need. The first rank that asks for
// one computes it for all: their parameters are the same to the bit.
type blocks struct {
	mu      sync.Mutex
	holders int // of each block
	open    map[blockKey]*block
}

type blockKey struct {
	step   int64
	lo, hi int
}

type block struct {
	once    sync.Once
	asked   int
	grads   []float32
	fixed   []int32  // the same, rounded on a device
	clipped [][2]int // by layer, what Quantise counts
	loss    float64
	err     error
}

func newBlocks(holders int) *blocks { return &blocks{holders: holders, open: map[blockKey]*block{}} }

// get returns the block, and forgets it with its last holder.
func (b *blocks) get(k blockKey) *block {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.open[k]
	if e == nil {
		e = &block{}
		b.open[k] = e
	}
	if e.asked++; e.asked == b.holders {
		delete(b.open, k)
	}
	return e
}
