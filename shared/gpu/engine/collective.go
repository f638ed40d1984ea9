package engine

import (
	"errors"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
)

var (
	_ tensor.Collective = (*Engine)(nil)
	_ tensor.Collective = (*Libraries)(nil)
)

// Collect lets vectors be summed over devices by NCCL.
func (e *Engine) Collect(n *lib.NCCL) { e.nccl = n }

// Collector returns "NCCL 2.28.3".
func (e *Engine) Collector() string {
	if e.nccl == nil {
		return ""
	}
	return "NCCL " + e.nccl.Version()
}

// hosted returns the device for NCCL's calls.
func (e *Engine) hosted() (driver.Host, error) {
	h, ok := e.driver.(driver.Host)
	switch {
	case !ok:
		return nil, errors.New("gpu: NCCL works beside NVIDIA's driver alone")
	case e.nccl == nil:
		return nil, errors.New("gpu: nobody has given this engine NCCL")
	}
	return h, nil
}

// NewGroup is NCCL's unique id.
func (e *Engine) NewGroup() ([]byte, error) {
	h, err := e.hosted()
	if err != nil {
		return nil, err
	}
	return e.nccl.NewGroup(h)
}

// Join makes an NCCL communicator.
func (e *Engine) Join(name []byte, rank, ranks int) (tensor.Group, error) {
	h, err := e.hosted()
	if err != nil {
		return nil, err
	}
	r, err := e.nccl.Join(h, name, rank, ranks)
	if err != nil {
		return nil, err
	}
	return &group{r, e}, nil
}

// group is this device's rank of a group.
type group struct {
	*lib.Ranks
	e *Engine
}

var errRepeated = errors.New("gpu: a pass that is repeated as a graph sums over no ranks")

// SumSend sums on the stream of copies, beside what the device computes next.
func (g *group) SumSend(c *tensor.Call, src []float32) {
	l := g.e.line(c)
	if l != nil && l.state != plain {
		l.keep(errRepeated)
	} else if l != nil {
		l.leave(src, g.Ranks)
	}
}
