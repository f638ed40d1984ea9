package train

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"gradsync/datasets"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// stream returns the data's random stream of that name for one worker.
func stream(seed uint64, worker int, name string) *rand.Rand {
	return cluster.Stream(seed, worker, "data", name)
}

// task is a model on one worker's share of a data set: the cluster.Task that
// every method trains. Its mini-batch number k depends on the seed, the worker
// and k alone, so worker n's k-th batch is the same under every method.
type task struct {
	model  *model.Model
	layers []cluster.Layer
	params []float32
	grads  []float32
	pool   *pool
	set    *datasets.Set
	batch  int
	weight float32 // of its gradient among the ranks': their batches may differ by one image
	past   *past   // of a worker whose run may go on from a state; nil: it computes all gradients

	seed   uint64
	worker int
	own    []int // the worker's images, in the order of the set's permutation
	epoch  int64 // of order; −1 before the first
	order  []int // own, shuffled for epoch
}

// newTask returns the task of worker number worker of workers; the server has
// worker −1 and no images. init is copied.
func newTask(s *shared, seed uint64, worker, workers int, init []float32) *task {
	t := newLodger(s, seed, worker, workers, slices.Clone(init))
	if worker >= 0 {
		t.grads = make([]float32, len(init))
	}
	return t
}

// newLodger is newTask for a method that lodges the task: it has no gradient before, and
// init is its parameters, not copied.
func newLodger(s *shared, seed uint64, worker, workers int, init []float32) *task {
	t := &task{model: s.model, layers: s.layers, pool: s.pool, set: s.set, batch: s.batch, weight: 1,
		seed: seed, worker: worker, epoch: -1, params: init}
	if worker >= 0 {
		t.own = shard(s.set.Train.Len(), seed, worker, workers)
		t.order = make([]int, len(t.own))
	}
	return t
}

// share gives the task its part of a batch of `all` images of all workers: the
// first all mod workers have one more. The mean of the weighted gradients over
// workers is the mean over the images.
//
//	weight = own images · workers / all
func (t *task) share(worker, workers, all int) {
	t.batch = all / workers
	if worker < all%workers {
		t.batch++
	}
	t.weight = float32(float64(t.batch*workers) / float64(all))
}

// shard returns worker's images: a contiguous piece of one permutation that the
// seed fixes. The pieces are disjoint and cover the set; sizes differ by one at
// most.
func shard(images int, seed uint64, worker, workers int) []int {
	perm := stream(seed, -1, "shards").Perm(images)
	return perm[worker*images/workers : (worker+1)*images/workers]
}

// Layers returns the model's layers with the work of one mini-batch.
func (t *task) Layers() []cluster.Layer { return t.layers }

// Params returns this rank's parameters.
func (t *task) Params() []float32 { return t.params }

// Grads returns this rank's gradient buffer, nil on the server.
func (t *task) Grads() []float32 { return t.grads }

// Lodge implements cluster.Lodger.
func (t *task) Lodge(params, grads []float32) { t.params, t.grads = params, grads }

// Grad computes the mean-loss gradient of mini-batch number step, or, where that is past, returns its loss alone.
func (t *task) Grad(step int64, done func(layer int)) (loss float64, err error) {
	if t.past != nil {
		if loss, known := t.past.again(step, t.params); known {
			clear(t.grads)
			for l := len(t.layers) - 1; l >= 0; l-- {
				done(l)
			}
			return loss, nil
		}
		defer func() { t.past.note(step, loss) }()
	}
	w, err := t.pool.borrow()
	if err != nil {
		return 0, err
	}
	defer t.pool.giveBack(w)
	if err := w.fill(t.set, &t.set.Train, t.indices(step)); err != nil {
		return 0, err
	}
	return w.stepper.Gradient(t.params, t.grads, w.x, w.labels, func(l int, g []float32) error {
		if t.weight != 1 {
			vec.Scale(t.weight, g)
		}
		done(l)
		return nil
	})
}

// indices returns the images of mini-batch number step. Each epoch is a fresh
// permutation of the worker's own images; a last batch that is not full is
// dropped, as it is in the usual training loops.
func (t *task) indices(step int64) []int {
	perEpoch := int64(len(t.own) / t.batch)
	if epoch := step / perEpoch; epoch != t.epoch {
		t.epoch = epoch
		copy(t.order, t.own)
		r := stream(t.seed, t.worker, "epoch "+strconv.FormatInt(epoch, 10))
		r.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
	}
	at := int(step%perEpoch) * t.batch
	return t.order[at : at+t.batch]
}

// checkShards refuses a batch that a worker's share cannot fill once.
func checkShards(set *datasets.Set, workers, batch int) error {
	least := set.Train.Len() / workers
	if least == 0 {
		return fmt.Errorf("train: %d workers share %d images of %s: want fewer --workers", workers, set.Train.Len(), set.Name)
	}
	if batch > least {
		return fmt.Errorf("train: batch of %d images, but a worker's share of %s is %d images: want --batch of %[3]d at most, or fewer --workers",
			batch, set.Name, least)
	}
	return nil
}

// Work turns a network's costs per image into the work of a mini-batch. The backward pass moves
// twice the bytes of the forward pass. Launch and Overhead enter as the operations that the
// reference device would do in their time, so that they scale with the machine, or with HostFixed
// as that time itself, on every machine.
func (c *Config) Work(infos []model.LayerInfo) []cluster.Layer {
	n := float64(c.Batch)
	out := make([]cluster.Layer, len(infos))
	for i, l := range infos {
		out[i] = cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length,
			Forward:  cluster.Work{FLOP: n * l.ForwardFLOP, Bytes: n * l.Bytes},
			Backward: cluster.Work{FLOP: n * l.BackwardFLOP, Bytes: 2 * n * l.Bytes}}
		c.host(&out[i].Forward, c.Launch)
		c.host(&out[i].Backward, 2*c.Launch)
	}
	if len(out) > 0 {
		c.host(&out[0].Forward, c.Overhead)
	}
	return out
}

// host adds to w what the host of the reference device takes beside the arithmetic.
func (c *Config) host(w *cluster.Work, cost time.Duration) {
	if c.Host == HostFixed {
		w.Fixed += cost
	} else {
		w.FLOP += float64(cost.Seconds() * ReferenceFLOPS)
	}
}

// shared holds what the tasks of all ranks have in common.
type shared struct {
	model  *model.Model
	layers []cluster.Layer
	set    *datasets.Set
	batch  int
	engine string // what computes, and its bit class
	pool   *pool  // mini-batches
	eval   *pool  // test batches

	mu   sync.Mutex
	lent []func() error // give back what ranks were lent of a device
}

// atEnd keeps what gives back a rank's memory of a device. A failed run's ranks return while
// their computations go on, and close waits for these.
func (s *shared) atEnd(giveBack func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent = append(s.lent, giveBack)
}

// close gives back a device's memory; nil has none.
func (s *shared) close() error {
	if s == nil {
		return nil
	}
	errs := []error{s.pool.close(), s.eval.close()}
	for _, giveBack := range s.lent {
		errs = append(errs, giveBack())
	}
	return errors.Join(errs...)
}

// workspace is a stepper with its input buffers.
type workspace struct {
	stepper model.Stepper
	c, h, w int
	x       []float32
	labels  []uint8
}

// fill loads the images of indices.
func (w *workspace) fill(set *datasets.Set, split *datasets.Split, indices []int) error {
	n := len(indices) * w.c * w.h * w.w
	if n > cap(w.x) || len(indices) > cap(w.labels) {
		return fmt.Errorf("train: %d images in a workspace for %d", len(indices), cap(w.labels))
	}
	w.x, w.labels = w.x[:n], w.labels[:len(indices)]
	for i, k := range indices {
		w.labels[i] = split.Labels[k]
	}
	return set.Fill(w.x, split, indices, w.c, w.h, w.w)
}

// pool lends workspaces: as many exist as were ever borrowed at once, which is
// about one per core, not one per rank. A workspace carries nothing from one
// borrower to the next but memory. On a device there are no more than it has room for, and
// who finds none waits: a gradient waits for nobody else, so one is given back.
type pool struct {
	idle  chan *workspace
	slots chan struct{} // one per workspace borrowed; nil without a bound
	make  func() (*workspace, error)

	mu     sync.Mutex
	closed bool           // who comes now is refused
	within sync.WaitGroup // who uses the device
}

// maxIdle bounds the workspaces kept; more are left to the collector.
const maxIdle = 64

// opener is a Stepper that a device may refuse its memory; model.Workspace is one.
type opener interface {
	Opened() error
	Close() error
}

// newPool makes a pool of at most bound workspaces at a time, 0: any number.
func newPool(m *model.Model, batch, bound int, stepper func(batch int) (model.Stepper, error)) *pool {
	c, h, w := m.Input()
	var slots chan struct{}
	if bound > 0 {
		slots = make(chan struct{}, bound)
	}
	return &pool{idle: make(chan *workspace, maxIdle), slots: slots, make: func() (*workspace, error) {
		s, err := stepper(batch)
		if err != nil {
			return nil, err
		}
		if d, ok := s.(opener); ok { // nobody may compute on it, and then nobody would be told
			if err := d.Opened(); err != nil {
				return nil, errors.Join(err, d.Close())
			}
		}
		return &workspace{stepper: s, c: c, h: h, w: w,
			x: make([]float32, batch*c*h*w), labels: make([]uint8, batch)}, nil
	}}
}

func (p *pool) borrow() (*workspace, error) {
	if p.slots != nil {
		p.slots <- struct{}{}
	}
	if err := p.enter(); err != nil {
		p.free()
		return nil, err
	}
	select {
	case w := <-p.idle:
		return w, nil
	default:
	}
	w, err := p.make()
	if err != nil {
		p.within.Done()
		p.free()
	}
	return w, err
}

// enter says that the device will be used, until p.within.Done: close waits for that. After close
// it is an error: computations of a run that was cancelled go on while its ranks have returned.
func (p *pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errEnded
	}
	p.within.Add(1)
	return nil
}

var errEnded = errors.New("train: the run has ended")

func (p *pool) giveBack(w *workspace) {
	select {
	case p.idle <- w:
	default:
	}
	p.within.Done()
	p.free()
}

// free lets the next borrower come.
func (p *pool) free() {
	if p.slots != nil {
		<-p.slots
	}
}

// close lends nothing any more, waits for who uses a device, and gives back what the device lent
// to workspaces. On the host there is nothing to wait for.
func (p *pool) close() error {
	if p.slots != nil {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.within.Wait()
	}
	var errs []error
	for {
		select {
		case w := <-p.idle:
			errs = append(errs, closeStepper(w.stepper))
		default:
			return errors.Join(errs...)
		}
	}
}

// closeStepper closes a Stepper that can be closed.
func closeStepper(s model.Stepper) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
