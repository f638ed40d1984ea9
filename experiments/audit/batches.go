package audit

import (
	"fmt"
	"slices"
	"strconv"

	"gradsync/shared/cluster"
)

// batches draws the mini-batches of all workers anew, and knows which images each has had in its epoch.
type batches struct {
	*Header
	nodes []shuffled
}

// shuffled is one worker's epoch.
type shuffled struct {
	epoch int64
	own   []int         // its piece, in the order of the permutation
	order []int         // own in the order of the epoch
	had   map[int]int64 // image → the push of this epoch that had it
}

// newBatches returns nil for a run without images.
func newBatches(h *Header) *batches {
	if h.Data == nil {
		return nil
	}
	b := &batches{Header: h, nodes: make([]shuffled, h.Workers)}
	all := cluster.Stream(h.Seed, -1, "data", "shards").Perm(h.Data.Images)
	for n := range b.nodes {
		first, end := n*h.Data.Images/h.Workers, (n+1)*h.Data.Images/h.Workers
		b.nodes[n] = shuffled{epoch: -1, own: all[first:end]}
	}
	return b
}

// check returns what is wrong with the images of a push, "" if nothing, and what the rule gives.
func (b *batches) check(worker int, p *Push) (wrong, rule string) {
	if b == nil {
		if len(p.Batch) > 0 {
			return brief(p.Batch), "none in a timing-only run"
		}
		return "", ""
	}
	n := &b.nodes[worker]
	perEpoch := int64(len(n.own) / b.Batch)
	if epoch := p.Step / perEpoch; epoch != n.epoch {
		n.epoch, n.had, n.order = epoch, map[int]int64{}, slices.Clone(n.own)
		r := cluster.Stream(b.Seed, worker, "data", "epoch "+strconv.FormatInt(epoch, 10))
		r.Shuffle(len(n.order), func(i, j int) { n.order[i], n.order[j] = n.order[j], n.order[i] })
	}
	if len(p.Batch) != b.Batch {
		return fmt.Sprintf("%d images", len(p.Batch)), fmt.Sprintf("%d", b.Batch)
	}
	for _, image := range p.Batch {
		if before, twice := n.had[image]; twice {
			return fmt.Sprintf("image %d", image), fmt.Sprintf("one that push %d of the same epoch of the worker has not", before)
		}
		n.had[image] = p.Number
	}
	at := int(p.Step%perEpoch) * b.Batch
	if want := n.order[at : at+b.Batch]; !slices.Equal(p.Batch, want) {
		return brief(p.Batch), brief(want)
	}
	return "", ""
}

// brief writes the images of a batch, the first 16 of many.
func brief(images []int) string {
	if len(images) > 16 {
		return fmt.Sprint(images[:16]) + fmt.Sprintf(" and %d more", len(images)-16)
	}
	return fmt.Sprint(images)
}
