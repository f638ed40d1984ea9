package ring

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// iteration is data-parallel training without its arithmetic: per step a forward
// and a backward pass, the all-reduce of every bucket of layers, an update.
type iteration struct {
	Stack   stack
	Overlap bool // buckets are exchanged while earlier layers are still computed
	Bucket  int  // bytes: consecutive layers are exchanged together until so large; 0: each alone
	Steps   int
	Seed    uint64
	Trace   bool
}

// bucket is layers from … to, both included, from ≥ to: the backward pass runs
// from the last layer to the first.
type bucket struct{ from, to, params int }

// buckets cuts the layers in the order in which their gradients come.
func (it iteration) buckets() (out []bucket) {
	open := bucket{from: -1}
	for i := len(it.Stack.Blocks) - 1; i >= 0; i-- {
		if open.from < 0 {
			open = bucket{from: i}
		}
		open.to, open.params = i, open.params+it.Stack.Blocks[i].Params
		if 4*open.params >= it.Bucket || i == 0 {
			out = append(out, open)
			open = bucket{from: -1}
		}
	}
	return out
}

// name is that of the bucket's layers: "gru7" or "gru7 … gru5".
func (it iteration) name(b bucket) string {
	if b.from == b.to {
		return it.Stack.Blocks[b.from].Name
	}
	return it.Stack.Blocks[b.from].Name + " … " + it.Stack.Blocks[b.to].Name
}

// body is one rank. Every rank exchanges the buckets in the same order.
func (it iteration) body(p cluster.Proc, layers []cluster.Layer) error {
	var forward cluster.Work
	stages := make([]cluster.Work, 1, len(layers)+1)
	for i := len(layers) - 1; i >= 0; i-- {
		forward.FLOP += layers[i].Forward.FLOP
		stages = append(stages, layers[i].Backward)
	}
	stages[0] = forward
	last, buckets := len(layers)-1, it.buckets()
	for range it.Steps {
		reqs := p.Start(nil, stages...)
		if !it.Overlap {
			if err := cluster.Wait(p, reqs...); err != nil {
				return err
			}
		}
		for k, b := range buckets {
			if err := cluster.Wait(p, reqs[1+last-b.to]); err != nil {
				return err
			}
			if err := collective.RingAllReduceTiming(p, cluster.Tag(k), b.params); err != nil {
				return err
			}
		}
		if err := cluster.Wait(p, reqs...); err != nil {
			return err
		}
		if err := cluster.Compute(p, it.Stack.update(), nil); err != nil {
			return err
		}
	}
	return nil
}

// lap is what a run of iterations gave.
type lap struct {
	Seconds float64 // of one iteration: the last rank's end over the steps
	Bytes   int64   // that the busiest rank sent in one iteration
	Trace   *cluster.Trace
}

// run runs it on the first n workers of p.
func (it iteration) run(ctx context.Context, p *cluster.Platform, n int) (lap, error) {
	return it.runFor(ctx, p, n, blogSingle)
}

// runFor is run with another time on one GPU.
func (it iteration) runFor(ctx context.Context, p *cluster.Platform, n int, single float64) (lap, error) {
	layers := it.Stack.layers(&p.Workers[0], single)
	rt := virtual.New(p, virtual.Config{Workers: n, Seed: it.Seed, Trace: it.Trace})
	ends, trace, err := cluster.Run(ctx, rt, func(p cluster.Proc) (time.Duration, error) {
		err := it.body(p, layers)
		return p.Now(), err
	})
	if err != nil {
		return lap{}, fmt.Errorf("ring: %s on %d of %s: %w", it.Stack.Key, n, p.Name, err)
	}
	l := lap{Seconds: slices.Max(ends).Seconds() / float64(it.Steps), Trace: trace}
	l.Bytes = timed{Sent: trace.Sent}.busiest() / int64(it.Steps)
	return l, nil
}
