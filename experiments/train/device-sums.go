package train

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/method"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// CheckCollective refuses a training whose gradients devices cannot sum instead of the ranks'
// messages, as Devices want it.
func (c *Config) CheckCollective() error {
	plain := method.Readers("collective")
	switch {
	case !slices.Contains(plain, c.Sync):
		return fmt.Errorf("train: devices sum gradients for %s, not for %s", strings.Join(plain, ", "), c.Sync)
	case c.Runtime != "local" && c.Runtime != "tcp":
		return fmt.Errorf("train: devices sum gradients on a real clock: on the runtime local or tcp, not on %s", c.Runtime)
	case c.TimingOnly || c.Backend != "native":
		return errors.New("train: devices sum gradients that they compute: with the backend native, and not in a timing-only run")
	case c.Bucket > 0 || c.Segment > 0 || c.NoOverlap:
		return errors.New("train: devices sum gradients layer by layer beside the backward pass: no buckets, no segments, no exchange after it")
	case c.Workers > 0 && c.BatchSize%c.Workers != 0:
		return fmt.Errorf("train: devices sum gradients of equal weight: %d images for all workers are no multiple of %d workers", c.BatchSize, c.Workers)
	}
	here := c.Workers
	if c.TCP != nil {
		here = 1
	}
	if c.Devices != nil && len(c.Devices) != here {
		return fmt.Errorf("train: %d devices for the %d ranks of this process", len(c.Devices), here)
	}
	return nil
}

// summedTask is a rank's task whose gradient the devices of all ranks sum before it comes to the
// host.
type summedTask struct {
	*task
	device tensor.Collective
	group  tensor.Group
	done   func(layer int)
}

// tagGroup is the tag of messages about a group of devices. No method uses it.
const tagGroup = cluster.MaxTag - 2

// join makes the rank's device one of the group of all ranks'. The library waits for ranks that
// cannot come, so rank 0 tells the group's name when it has heard of all.
func (x *replica) join() (*summedTask, error) {
	p := x.p
	t := &summedTask{task: x.task, device: x.cfg.Devices[p.Rank()%len(x.cfg.Devices)]}
	all, name := make([]int, p.Size()), &cluster.Msg{Body: []byte{}}
	var reqs []cluster.Req
	for rank := range all {
		all[rank] = rank
		if p.Rank() == 0 && rank > 0 {
			reqs = append(reqs, p.Irecv(rank, tagGroup, &cluster.Msg{}))
		}
	}
	if p.Rank() > 0 {
		reqs = append(reqs, p.Isend(0, tagGroup, &cluster.Msg{Body: []byte{}}))
	}
	err := cluster.Wait(p, reqs...)
	if err == nil && p.Rank() == 0 {
		name.Body, err = t.device.NewGroup()
	}
	if err == nil {
		err = cluster.Wait(p, p.Ibcast(all, 0, tagGroup, name))
	}
	if err != nil {
		return nil, err
	}
	if t.group, err = t.device.Join(name.Body, p.Rank(), p.Size()); err != nil {
		return nil, err
	}
	m := x.shared.model
	t.pool = newPool(m, x.cfg.Batch, 1, func(batch int) (model.Stepper, error) { return m.NewWorkspace(t.device, batch, 1), nil })
	x.shared.atEnd(t.pool.close)
	return t, nil
}

// leave leaves the group: after an error, of another rank's too, sums under way are given up.
func (t *summedTask) leave(err error) error {
	if err == nil {
		err = t.group.Close()
	}
	if err != nil {
		_ = t.group.Abort() // the first error counts
	}
	return err
}

// Grad computes the sum of all ranks' gradients of mini-batch number step.
func (t *summedTask) Grad(step int64, done func(layer int)) (float64, error) {
	t.done = done
	return t.gradTo(t.indices(step), t)
}

// Queue queues the sum of a layer.
func (t *summedTask) Queue(c *tensor.Call, _ int, _, grads []float32) { t.group.SumSend(c, grads) }

// Receive receives it.
func (t *summedTask) Receive(c *tensor.Call, layer int) error {
	l := t.layers[layer]
	err := t.device.Receive(c, t.grads[l.Offset:l.Offset+l.Length])
	if err == nil {
		t.done(layer)
	}
	return err
}
