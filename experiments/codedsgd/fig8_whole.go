package codedsgd

import (
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// wholeRun sets a training with whole gradients beside the shared one: the same
// batches in as many blocks as nodes, quantised in larger sums.
type wholeRun struct {
	net           network
	nodes         int
	seed          uint64
	target        float64
	micro, whole  trajectory
	blocks, parts int
}

// wholeGradients trains the first seed once more, on the largest number of nodes, as
// SSGD with one summed gradient per node.
func (s *school) wholeGradients(c course) (wholeRun, error) {
	n := c.plan.most()
	w := wholeRun{net: c.plan.Net, nodes: n, seed: c.seeds[0], target: c.target, micro: c.ssgd[0], parts: c.plan.blocks(n), blocks: n}
	cfg := c.plan.synchronous(n, w.seed)
	o := *cfg.Coded
	o.MicroBlocks = n
	cfg.Coded = &o
	var err error
	w.whole, err = s.get(fmt.Sprintf("%s, %d nodes, whole gradients", w.net.Title, n), cfg)
	return w, err
}

func (w wholeRun) table() result.Table {
	t := result.Table{ID: "whole-gradients", Title: "The trajectory of whole gradients", Kind: result.Trained,
		Caption: fmt.Sprintf("Seed %d on %d nodes, the whole length, trained twice: with the batch in %d micro-blocks, and in %d blocks, one summed gradient per node. Not held: elements of gradients outside ±10, which int32 stands for (§3.1); they are clipped.", w.seed, w.nodes, w.parts, w.blocks),
		Columns: []result.Column{{Key: "pieces", Title: "pieces of the batch"}, {Key: "updates", Title: "updates to the target", Digits: 1},
			{Key: "best", Title: "best accuracy", Unit: "%", Digits: 2}, {Key: "final", Title: "final accuracy", Unit: "%", Digits: 2}, {Key: "clipped", Title: "elements not held"}}}
	for _, x := range []struct {
		pieces int
		t      trajectory
	}{{w.parts, w.micro}, {w.blocks, w.whole}} {
		t.Rows = append(t.Rows, []any{x.pieces, exp.OrNone(reach(x.t.Curve, w.target, updatesOf)), 100 * x.t.best(), 100 * x.t.Accuracy, x.t.Clipped})
	}
	return t
}

func (w wholeRun) note() string {
	if w.whole.Clipped == 0 && w.micro.Clipped == 0 {
		return fmt.Sprintf("Whole gradients are timed on the micro-blocks' trajectory. Trained by themselves (seed %d, %d nodes) they make no other picture: int32 held every element, and what differs is rounding.", w.seed, w.nodes)
	}
	return fmt.Sprintf("Whole gradients are timed on the micro-blocks' trajectory. Trained by themselves (seed %d, %d nodes) they clip %d elements that leave ±10, micro-blocks %d: gradients of blocks are sums over samples, and larger blocks have larger sums. Final accuracy: %.1f against %.1f %%.",
		w.seed, w.nodes, w.whole.Clipped, w.micro.Clipped, 100*w.whole.Accuracy, 100*w.micro.Accuracy)
}
