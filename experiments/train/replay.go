package train

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"gradsync/papers/dasp"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// Clock is the network that keeps a run's time: its layers' work and the bytes
// of its messages, of the trained network's kind but in another size. So a
// narrow network can be trained with the events of the wide one.
type Clock struct {
	Width float64 `json:"width"` // 0: 1
	Image int     `json:"image"` // 0: the network's own side
	Batch int     `json:"batch"` // 0: the run's
}

// replay trains in two passes. The first is a timing-only run of the clock's
// network: who pushed when, on which version, and which update used it. The
// second computes the same gradients and updates in that order, several workers
// at a time. No rule of a method reads a gradient, so that both passes together
// are the run; with the trained network as its own clock they give its bits.
func (r *runner) replay(ctx context.Context) error {
	log, elapsed, err := r.events(ctx)
	if err != nil {
		return err
	}
	r.out.fromLog(log, r.cfg.Warmup)
	r.clock(elapsed)
	if r.shared == nil {
		return nil
	}
	return r.follow(ctx, log)
}

// events is the first pass.
func (r *runner) events(ctx context.Context) (*dasp.Log, time.Duration, error) {
	c := r.cfg
	policy, f, err := c.method()
	if err != nil {
		return nil, 0, input(err)
	}
	m, err := model.Build(model.Spec{Name: c.Model, Width: c.Clock.Width, Image: c.Clock.Image, Classes: c.Classes})
	if err != nil {
		return nil, 0, input(err)
	}
	if c.Clock.Batch > 0 {
		c.Batch = c.Clock.Batch
	}
	if r.shared != nil {
		c.Progress = nil // the second pass is the work
	}
	timed := &runner{cfg: c, out: r.out, layers: c.work(m.Layers())}
	return timed.serve(ctx, policy, nil, f)
}

// follower is one worker of the second pass.
type follower struct {
	task   *Task
	pushes []dasp.Push // whose gradients were used, in order
	next   int         // of them: under way, or waiting for its version
	busy   bool        // under way
	done   chan error
}

// follow is the second pass.
func (r *runner) follow(ctx context.Context, log *dasp.Log) (err error) {
	c := r.cfg
	server := newTask(r.shared, c.Seed, -1, c.Workers, r.init)
	r.final = server.params
	nodes := make([]follower, c.Workers)
	for w := range nodes {
		nodes[w] = follower{task: newTask(r.shared, c.Seed, w, c.Workers, r.init), done: make(chan error, 1)}
	}
	for _, p := range log.Pushes {
		if p.Applied > 0 {
			nodes[p.Worker].pushes = append(nodes[p.Worker].pushes, p)
		}
	}
	defer func() { // a failed run leaves no gradient behind
		for w := range nodes {
			if nodes[w].busy {
				<-nodes[w].done
			}
		}
	}()
	f := &second{runner: r, nodes: nodes, sum: make([]float32, len(r.final)), cores: make(chan struct{}, runtime.GOMAXPROCS(0)),
		opt: dasp.Optimiser{Rate: c.Rate, Momentum: c.Momentum, WeightDecay: c.WeightDecay}, saved: time.Now()}
	return f.run(ctx, log.Updates)
}

// second is the state of a second pass.
type second struct {
	*runner
	nodes []follower
	opt   dasp.Optimiser
	sum   []float32
	cores chan struct{} // bounds the gradients computed at once
	saved time.Time     // of the last checkpoint
}

func (f *second) run(ctx context.Context, updates []dasp.Update) error {
	version, err := f.restore(updates)
	if err != nil {
		return err
	}
	for w := range f.nodes {
		if f.nodes[w].next < len(f.nodes[w].pushes) && f.nodes[w].pushes[f.nodes[w].next].Pulled < version {
			f.start(&f.nodes[w]) // on the weights that the checkpoint kept
		}
	}
	f.begin(version)
	var used int64
	if version > 0 {
		used = updates[version-1].Pushes
	}
	tell := f.onUpdate(used)
	for _, u := range updates[version:] {
		if err := f.update(u); err != nil {
			return err
		}
		tell(u, f.final)
		if err := f.checkpoint(ctx, u); err != nil {
			return err
		}
		f.begin(u.Version)
	}
	return nil
}

// begin lets every worker that was handed this version compute on it.
func (f *second) begin(version int64) {
	for w := range f.nodes {
		n := &f.nodes[w]
		if n.busy || n.next == len(n.pushes) || n.pushes[n.next].Pulled != version {
			continue
		}
		copy(n.task.params, f.final)
		f.start(n)
	}
}

// start computes n's next gradient on the weights that its task holds. A panic in
// a kernel ends the process: it is a programmer's mistake.
func (f *second) start(n *follower) {
	n.busy = true
	step := n.pushes[n.next].Step
	go func() {
		f.cores <- struct{}{}
		_, err := n.task.Grad(step, func(int) {})
		<-f.cores
		n.done <- err
	}()
}

// update makes one global update: the gradients are summed in the order of the
// first pass.
func (f *second) update(u dasp.Update) error {
	for i, w := range u.Workers {
		n := &f.nodes[w]
		if !n.busy || n.pushes[n.next].Applied != u.Version {
			return fmt.Errorf("train: update %d uses a gradient of worker %d that is not under way", u.Version, w)
		}
		n.busy = false
		if err := <-n.done; err != nil {
			return fmt.Errorf("train: worker %d, step %d: %w", w, n.pushes[n.next].Step, err)
		}
		n.next++
		if i == 0 {
			copy(f.sum, n.task.grads)
		} else {
			vec.AddTo(f.sum, n.task.grads)
		}
	}
	f.opt.Step(f.final, f.sum, u.Weight)
	return nil
}

// inFlight lists the workers whose gradient is under way.
func (f *second) inFlight() (ws []int) {
	for w := range f.nodes {
		if f.nodes[w].busy {
			ws = append(ws, w)
		}
	}
	return slices.Clip(ws)
}
