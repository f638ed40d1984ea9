package codedsgd

import (
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// wholeRun sets a training with whole gradients beside the shared one: the same
// batches in as many blocks as nodes, quantised in larger sums.
type wholeRun struct {
	net           network
	nodes         int
	seed          uint64
	updates       int64 // of it: a part of the whole where that would take too long
	target        float64
	micro, whole  trajectory
	parts, blocks int
	equal         bool // both are as long, and so are their counts
}

// wholeGradients trains the first seed once more, on the largest number of nodes, as
// SSGD with one summed gradient per node.
func (s *school) wholeGradients(c *largest) (wholeRun, error) {
	n := c.plan.most()
	w := wholeRun{net: c.plan.Net, nodes: n, seed: c.seeds[0], updates: c.plan.Updates / c.plan.Part, target: c.target,
		micro: c.ssgd[0], parts: c.plan.blocks(n), blocks: n, equal: c.plan.Part == 1}
	var err error
	w.whole, err = s.get(lesson{fmt.Sprintf("%s, %d nodes, whole gradients", w.net.Title, n), c.plan.wholeConfig(w.seed)})
	return w, err
}

// wholeConfig is the training of whole gradients: the first part of the synchronous one
// on the most nodes, a block for each.
func (s schooling) wholeConfig(seed uint64) train.Config {
	c := s.synchronous(s.most(), seed)
	o := *c.Coded
	o.MicroBlocks = s.most()
	c.Coded, c.MaxUpdates = &o, s.Updates/s.Part
	return c
}

// lastIn is the accuracy of the last evaluation of the first so many updates.
func (t trajectory) lastIn(updates int64) (a float64) {
	for _, p := range t.Curve {
		if p.Updates <= updates {
			a = p.Accuracy
		}
	}
	return a
}

func (w wholeRun) table() result.Table {
	t := result.Table{ID: "whole-gradients", Title: "The trajectory of whole gradients", Kind: result.Trained,
		Caption: fmt.Sprintf("Seed %d on %d nodes, the first %d updates, trained twice: with the batch in %d micro-blocks, and in %d blocks, one summed gradient per node. Clipped: elements of gradients outside ±10, which int32 stands for (§3.1), of all updates; empty where the trainings are not as long.", w.seed, w.nodes, w.updates, w.parts, w.blocks),
		Columns: []result.Column{{Key: "pieces", Title: "pieces of the batch"}, {Key: "updates", Title: "updates to the target", Digits: 1},
			{Key: "best", Title: "best accuracy", Unit: "%", Digits: 2}, {Key: "last", Title: "last accuracy", Unit: "%", Digits: 2}, {Key: "clipped", Title: "elements clipped"}}}
	row := func(pieces int, t trajectory, clipped any) []any {
		return []any{pieces, exp.OrNone(reach(t.Curve, w.target, updatesOf)), 100 * t.bestIn(w.updates), 100 * t.lastIn(w.updates), clipped}
	}
	var micro any
	if w.equal {
		micro = w.micro.Clipped
	}
	t.Rows = [][]any{row(w.parts, w.micro, micro), row(w.blocks, w.whole, w.whole.Clipped)}
	return t
}

// clips says, for captions, that the trajectory is not quite theirs.
func (w wholeRun) clips() string {
	if w.whole.Clipped == 0 && w.micro.Clipped == 0 {
		return " The updates are the micro-blocks'; whole gradients differ from them by rounding."
	}
	return fmt.Sprintf(" The updates are the micro-blocks', not to the last bit those of whole gradients, of which int32 clips %s.", w.counts())
}

func (w wholeRun) counts() string {
	out := fmt.Sprintf("%d elements (seed %d, %d nodes, %d updates)", w.whole.Clipped, w.seed, w.nodes, w.updates)
	if w.equal {
		out += fmt.Sprintf("; of micro-blocks %d", w.micro.Clipped)
	}
	return out
}

// note says how far whole gradients' own training is from that which times them.
func (w wholeRun) note() string {
	of := fmt.Sprintf("Whole gradients are timed on the micro-blocks' trajectory. Trained by themselves (seed %d, %d nodes, %d updates) they come to %.1f %% at best, micro-blocks to %.1f %%. ",
		w.seed, w.nodes, w.updates, 100*w.whole.bestIn(w.updates), 100*w.micro.bestIn(w.updates))
	if w.whole.Clipped == 0 && w.micro.Clipped == 0 {
		return of + "int32 held every element: what differs is rounding."
	}
	of += fmt.Sprintf("They clip %d elements that leave ±10", w.whole.Clipped)
	if w.equal {
		of += fmt.Sprintf(", micro-blocks %d", w.micro.Clipped)
	}
	return of + ": gradients of blocks are sums over samples, and larger blocks have larger sums."
}
