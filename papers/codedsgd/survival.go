package codedsgd

import (
	"errors"
	"fmt"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/vec"
)

// A run goes on without the nodes that it loses, as long as every block has a living holder. Redundancy is what makes
// this free of recomputation by others: the r holders of a block have the same integers, any of them can send them, and
// sums of integers have no order, so the parameters are those of a run that loses nobody, to the bit.
//
// Until the first loss packets are coded. From then on one living holder of each block sends it, uncoded, to the living
// that lack it, in one message from each node to each other. That the living agree on the step, and that the parameters
// of one that is ahead bring the others forward, is the crew's part; no node is more than one step ahead, since a step
// needs a message of every other node.

// BlockLostError ends a run in which nobody is left who computed a block: more nodes were lost than redundancy
// makes up for.
//
// Source: ours: r holders of a block survive r − 1 losses
type BlockLostError struct {
	Block   int
	Holders []int // all are lost
}

// Error names the block and the nodes that had it.
//
// Source: ours: as the type
func (e *BlockLostError) Error() string {
	r := len(e.Holders)
	return fmt.Sprintf("codedsgd: block %d is lost with all nodes that compute it, %v: redundancy %d survives the loss of %d", e.Block, e.Holders, r, r-1)
}

// join makes the node one of a crew; not where the runtime ends with the first loss, where every node has all blocks and
// hears of nobody, and of methods whose redundancy is not the code's.
func (x *node) join() (err error) {
	x.team = x.p
	if x.o.Method != CSSGD || x.o.Redundancy == x.n {
		return nil
	}
	if x.crew, err = collective.NewCrew(x.p, cluster.Tag(len(x.job.Layers))); x.crew != nil {
		x.team = x.crew.Proc()
	}
	return err
}

// exchange makes the exchange of one step, however many nodes are lost meanwhile. It reports whether another had made
// the step and gave the parameters that it led to.
func (x *node) exchange() (given bool, err error) {
	if x.team.Size() == x.n {
		err = x.method.exchange()
	} else {
		err = x.among()
	}
	for x.crew != nil && errors.Is(err, cluster.ErrLost) {
		var made int64
		if made, err = x.crew.Regroup(x.step, x.weights); err != nil || made > x.step {
			return made > x.step, err
		}
		x.log.Repeated++
		err = x.among()
	}
	return false, err
}

// among exchanges a step's blocks among the living.
func (x *node) among() error {
	if err := x.allReady(); err != nil {
		return err
	}
	sends, err := x.senders()
	if err != nil {
		return err
	}
	alive, me := x.crew.Alive(), x.team.Rank()
	others := slices.Concat(alive[me+1:], alive[:me]) // from this node's neighbour on, so that not all send to one
	in, reqs := make([]cluster.Msg, len(others)), make([]cluster.Req, 0, 2*len(others))
	for i := range others {
		reqs = append(reqs, x.team.Irecv((me+1+i)%len(alive), 0, &in[i]))
	}
	for i, k := range others {
		reqs = append(reqs, x.team.Isend((me+1+i)%len(alive), 0, x.give(x.lackedBy(k, sends[x.rank]))))
	}
	if err := cluster.Wait(x.team, reqs...); err != nil {
		return err
	}
	clear(x.sum)
	for l := range x.job.Layers {
		if err := x.addOwn(l); err != nil {
			return err
		}
	}
	for i, k := range others {
		if err := x.take(k, &in[i], x.lackedBy(x.rank, sends[k])); err != nil {
			return err
		}
	}
	return x.pass()
}

// senders returns which blocks each node sends: of a block's living holders each in turn, so that all send about as much.
func (x *node) senders() ([][]int, error) {
	sends := make([][]int, x.n)
	for q := range x.a.Blocks() {
		holders := x.a.Holders(q)
		living := slices.DeleteFunc(slices.Clone(holders), func(k int) bool { return !slices.Contains(x.crew.Alive(), k) })
		if len(living) == 0 {
			return nil, &BlockLostError{q, holders}
		}
		k := living[q%len(living)]
		sends[k] = append(sends[k], q)
	}
	return sends, nil
}

// lackedBy returns the blocks that a node did not compute.
func (x *node) lackedBy(node int, blocks []int) (lacked []int) {
	for _, q := range blocks {
		if !x.a.Holds(node, q) {
			lacked = append(lacked, q)
		}
	}
	return lacked
}

// mark returns what a message says of its step.
func (x *node) mark() [4]int64 { return [4]int64{x.step, int64(x.team.Size()), x.agreed} }

// give returns a message of blocks, all micro-blocks and layers of each; none is a message too.
func (x *node) give(blocks []int) *cluster.Msg {
	size := 4 * x.params * x.m * len(blocks)
	m := &cluster.Msg{Meta: x.mark(), Declared: size}
	if x.store != nil {
		m.Body, m.Given = make([]byte, 0, size), true
		for _, q := range blocks {
			for j := range x.m {
				m.Body = vec.AppendInt32(m.Body, x.store.micro(q, j))
			}
		}
	}
	t := &x.log.Totals
	t.Packets++
	t.Bytes += int64(size)
	t.Delivered += int64(size)
	return m
}

// take adds the blocks of a message to the sum.
func (x *node) take(from int, m *cluster.Msg, blocks []int) error {
	each := 4 * x.params
	if size := each * x.m * len(blocks); m.Meta != x.mark() || m.Size() != size || (m.Body == nil) != (x.store == nil) {
		return fmt.Errorf("rank %d sent %d bytes marked %v, want %d marked %v of blocks %v: do all ranks have the same options?",
			from, m.Size(), m.Meta, size, x.mark(), blocks)
	}
	x.log.Totals.Received += int64(m.Size())
	x.log.Totals.Useful += int64(m.Size())
	x.coded(x.params * x.m * len(blocks))
	if x.store == nil {
		return nil
	}
	buffer := make([]int32, x.params)
	for i := range blocks {
		for j := range x.m {
			at := (i*x.m + j) * each
			if err := vec.FromInt32(buffer, m.Body[at:at+each]); err != nil {
				return err
			}
			Accumulate(x.sum, buffer)
		}
	}
	return nil
}
