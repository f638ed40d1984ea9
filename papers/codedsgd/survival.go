package codedsgd

import (
	"errors"
	"fmt"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// survival lets a run go on without the nodes that it loses, as long as every block has a living holder. Redundancy
// is what makes this free of recomputation: the r holders of a block have the same integers, any of them can send
// them, and sums of integers have no order, so the parameters are those of a run that loses nobody, to the bit.
//
// Until the first loss packets are coded. From then on one living holder of each block sends it, uncoded, to the living
// that lack it, in one message from each node to each other. A loss is an epoch: whoever is told gives up the exchange
// that it is in, tells all how many steps it has made, and then all repeat the step that some have not made. Messages of
// an epoch have tags of their own, so that none of an exchange that was given up is taken for another's. No node is
// more than one step ahead, since a step needs a message of every other node; who is ahead has kept the gradients of
// the step before.
type survival struct {
	x      *node
	p      cluster.Survivor
	alive  []int // ascending, this node among them
	epoch  int   // losses that this node was told of
	alarm  cluster.Req
	late   bool          // nodes were lost before this one began: it has told nobody yet
	stores [2]*store     // of even and odd steps; nil in a timing-only run
	over   []cluster.Req // by rank: it has made all steps; nil while this node has not
	buffer []int32
}

// errGivenUp says that a node was lost while an exchange went on.
var errGivenUp = errors.New("codedsgd: a node was lost")

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

// newSurvival returns nil where the runtime ends with the first loss, where every node has all blocks and hears of
// nobody, and of methods whose redundancy is not the code's.
func newSurvival(x *node) *survival {
	p, ok := x.p.(cluster.Survivor)
	if !ok || x.o.Method != CSSGD || x.o.Redundancy == x.n {
		return nil
	}
	s := &survival{x: x, p: p}
	if x.store != nil {
		s.stores = [2]*store{x.store, newStore(x)}
		s.buffer = make([]int32, x.params)
	}
	s.look()
	s.late = s.epoch > 0
	return s
}

// look takes note of the losses so far.
func (s *survival) look() {
	s.alive = s.p.Alive()
	s.epoch, s.alarm = s.x.n-len(s.alive), s.p.Lost()
}

// begin gives a step the store of its own.
func (s *survival) begin() {
	if s.x.store != nil {
		s.x.store = s.stores[s.x.step%2]
	}
}

// wait waits for r; a loss gives up.
func (s *survival) wait(r cluster.Req) error {
	i, err := s.p.WaitAny(0, r, s.alarm)
	if i == 1 && err == nil || errors.Is(err, cluster.ErrLost) {
		return errGivenUp
	}
	return err
}

// exchange makes the exchange of one step, however many nodes are lost meanwhile.
func (s *survival) exchange() error {
	var err error
	if s.late {
		s.late, err = false, errGivenUp
	} else if s.epoch > 0 {
		err = s.among(s.x.step, s.alive)
	} else {
		err = s.x.method.exchange()
	}
	for errors.Is(err, errGivenUp) || errors.Is(err, cluster.ErrLost) {
		if err = s.recover(); err == nil {
			s.x.log.Repeated++
		}
	}
	return err
}

// recover brings all the living, and this node, to the end of the step that it is in.
func (s *survival) recover() error {
	s.look()
	made, behind, err := s.compare()
	if err != nil {
		return err
	}
	if made < s.x.step {
		if err := s.among(made, behind); err != nil {
			return err
		}
		behind = s.alive
	}
	return s.among(s.x.step, behind)
}

// compare tells the living how many steps this node has made and returns how many all have made, and who has made no
// more.
func (s *survival) compare() (made int64, behind []int, err error) {
	tag := s.tag(0)
	steps := make([]int64, s.x.n)
	in := make([]cluster.Msg, s.x.n)
	reqs := make([]cluster.Req, s.x.n)
	for _, k := range s.others() {
		s.p.Isend(k, tag, &cluster.Msg{Meta: [4]int64{s.x.step, int64(s.epoch)}, Body: []byte{}})
	}
	for _, k := range s.others() {
		reqs[k] = s.p.Irecv(k, tag, &in[k])
	}
	if err := s.all(reqs); err != nil {
		return 0, nil, err
	}
	made = s.x.step
	for _, k := range s.alive {
		steps[k] = s.x.step
		if k != s.x.rank && !s.isOver(k) {
			steps[k] = in[k].Meta[0]
		}
		made = min(made, steps[k])
	}
	for _, k := range s.alive {
		switch steps[k] {
		case made:
			behind = append(behind, k)
		case made + 1:
		default:
			return 0, nil, fmt.Errorf("codedsgd: rank %d has made %d steps and another %d: they can be one apart", k, steps[k], made)
		}
	}
	return made, behind, nil
}

// tag returns one of two tags of this epoch, behind those of the layers and that of close.
func (s *survival) tag(i int) cluster.Tag { return cluster.Tag(s.x.last + 2 + 2*s.epoch + i) }

// others returns the other living nodes, from this one's neighbour on, so that not all send to one.
func (s *survival) others() []int {
	at := slices.Index(s.alive, s.x.rank)
	return slices.Concat(s.alive[at+1:], s.alive[:at])
}

// isOver reports whether a node is known to have made all steps, and may have gone.
func (s *survival) isOver(k int) bool {
	return s.over != nil && s.over[k] != nil && s.over[k].Done() && s.over[k].Err() == nil
}

// all waits for a receive of each other node, by rank, or until that is over. Of those that it gives up none writes to its
// message any more.
func (s *survival) all(receives []cluster.Req) (err error) {
	for k, r := range receives {
		for r != nil && err == nil && !r.Done() && !s.isOver(k) {
			wait := []cluster.Req{r, s.alarm}
			if s.over != nil {
				wait = append(wait, s.over[k])
			}
			var i int
			if i, err = s.p.WaitAny(0, wait...); i == 1 || errors.Is(err, cluster.ErrLost) {
				err = errGivenUp
			}
		}
		if r != nil && err == nil && r.Done() && r.Err() != nil {
			err = errGivenUp
		}
	}
	for _, r := range receives {
		if r != nil {
			s.p.Cancel(r) // harmless if it is done
		}
	}
	return err
}

// sender returns which of the living sends a block: of its holders each in turn, so that all send about as much.
func (s *survival) sender(block int) (int, error) {
	holders := s.x.a.Holders(block)
	living := slices.DeleteFunc(slices.Clone(holders), func(k int) bool { return !slices.Contains(s.alive, k) })
	if len(living) == 0 {
		return 0, &BlockLostError{block, holders}
	}
	return living[block%len(living)], nil
}

// among exchanges the blocks of a step, this node's or the one before, for nodes that have not its sum. If this node is
// one of them, it has the sum in the end.
func (s *survival) among(step int64, lacking []int) error {
	x := s.x
	if step == x.step {
		if err := x.allReady(); err != nil {
			return err
		}
	}
	sends := make([][]int, x.n) // blocks, by who sends them
	for q := range x.a.Blocks() {
		k, err := s.sender(q)
		if err != nil {
			return err
		}
		sends[k] = append(sends[k], q)
	}
	meta := [4]int64{step, int64(s.epoch), x.agreed}
	in, reqs := make([]cluster.Msg, x.n), make([]cluster.Req, x.n)
	if slices.Contains(lacking, x.rank) {
		for _, k := range s.others() {
			reqs[k] = s.p.Irecv(k, s.tag(1), &in[k])
		}
	}
	var out []cluster.Req
	for _, k := range s.others() {
		if slices.Contains(lacking, k) {
			out = append(out, s.give(k, step, meta, s.lackedBy(k, sends[x.rank])))
		}
	}
	if err := s.all(reqs); err != nil {
		return err
	}
	for _, r := range out {
		if err := s.wait(r); err != nil {
			return err
		}
	}
	if !slices.Contains(lacking, x.rank) {
		return nil
	}
	clear(x.sum)
	for l := range x.job.Layers {
		if err := x.addOwn(l); err != nil {
			return err
		}
	}
	for _, k := range s.others() {
		if err := s.take(k, &in[k], meta, s.lackedBy(x.rank, sends[k])); err != nil {
			return err
		}
	}
	return x.pass()
}

// lackedBy returns the blocks that a node did not compute.
func (s *survival) lackedBy(node int, blocks []int) (lacked []int) {
	for _, q := range blocks {
		if !s.x.a.Holds(node, q) {
			lacked = append(lacked, q)
		}
	}
	return lacked
}

// give sends blocks of a step, all micro-blocks and layers of each; none is a message too.
func (s *survival) give(to int, step int64, meta [4]int64, blocks []int) cluster.Req {
	x := s.x
	size := 4 * x.params * x.m * len(blocks)
	m := &cluster.Msg{Meta: meta, Declared: size}
	if x.store != nil {
		m.Body, m.Given = make([]byte, 0, size), true
		for _, q := range blocks {
			for j := range x.m {
				m.Body = vec.AppendInt32(m.Body, s.stores[step%2].micro(q, j))
			}
		}
	}
	t := &x.log.Totals
	t.Packets++
	t.Bytes += int64(size)
	t.Delivered += int64(size)
	return s.p.Isend(to, s.tag(1), m)
}

// take adds the blocks of a message to the sum, or with a Rule keeps their pieces.
func (s *survival) take(from int, m *cluster.Msg, meta [4]int64, blocks []int) error {
	x := s.x
	each := 4 * x.params
	if size := each * x.m * len(blocks); m.Meta != meta || m.Size() != size || (m.Body == nil) != (x.store == nil) {
		return fmt.Errorf("rank %d sent %d bytes marked %v, want %d marked %v of blocks %v: do all ranks have the same options?",
			from, m.Size(), m.Meta, size, meta, blocks)
	}
	x.log.Totals.Received += int64(m.Size())
	x.log.Totals.Useful += int64(m.Size())
	if x.pieces == nil {
		x.coded(x.params * x.m * len(blocks))
	}
	if x.store == nil {
		return nil
	}
	for i, q := range blocks {
		for j := range x.m {
			at := (i*x.m + j) * each
			if err := vec.FromInt32(s.buffer, m.Body[at:at+each]); err != nil {
				return err
			}
			if x.pieces == nil {
				Accumulate(x.sum, s.buffer)
				continue
			}
			for _, l := range x.job.Layers {
				x.pieces.keepOwn(q*x.m+j, l, s.buffer[l.Offset:l.Offset+l.Length])
			}
		}
	}
	return nil
}

// close waits until all the living have made all steps, of which this node has made the last: until then somebody may
// need its blocks. Who has heard so of everybody goes, for then nobody needs anything.
func (s *survival) close() error {
	tag := cluster.Tag(s.x.last + 1)
	s.over = make([]cluster.Req, s.x.n)
	for _, k := range s.others() {
		s.p.Isend(k, tag, &cluster.Msg{Body: []byte{}})
		s.over[k] = s.p.Irecv(k, tag, &cluster.Msg{})
	}
	for {
		var err error
		for _, k := range s.others() {
			if err == nil {
				err = s.wait(s.over[k])
			}
		}
		for errors.Is(err, errGivenUp) || errors.Is(err, cluster.ErrLost) {
			if err = s.help(); err == nil {
				err = errAgain
			}
		}
		if !errors.Is(err, errAgain) {
			return err
		}
	}
}

// errAgain has close look again who is over.
var errAgain = errors.New("codedsgd: again")

// help sends those who have not made the last step what they need of it.
func (s *survival) help() error {
	s.look()
	if !slices.ContainsFunc(s.others(), func(k int) bool { return !s.over[k].Done() }) {
		return nil
	}
	made, behind, err := s.compare()
	if err != nil || made == s.x.step {
		return err
	}
	return s.among(made, behind)
}
