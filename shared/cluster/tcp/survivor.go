package tcp

import (
	"context"
	"fmt"
	"net"

	"gradsync/shared/cluster/internal/rank"
)

// Rendezvous serves the rendezvous of one run of a job at ln in a process that is none of its ranks, so that any of
// them may be lost. It returns when the run has ended and ln is closed: the ranks that an elastic run went on without,
// in order, and the *cluster.AbortError of a run that failed. Of cfg it ignores Rank, Host and Listen.
//
// Source: ours: a rendezvous in one of the ranks would die with it
func Rendezvous(ctx context.Context, cfg Config, ln net.Listener) (lost []int, err error) {
	cfg.Rank, cfg.Rendezvous = 0, ln.Addr().String()
	cfg, err = cfg.checked()
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	c := newCoordinator(&cfg, 1, ln)
	return c.alone(ctx)
}

// alone serves a rendezvous that is no rank's.
func (c *coordinator) alone(ctx context.Context) (lost []int, err error) {
	c.rank = -1
	stop := context.AfterFunc(ctx, func() { close(c.quit) })
	defer stop()
	c.serve(func() {})
	if c.verdict != nil {
		err = c.verdict.restore(nil)
	}
	return c.lost, err
}

// crash is called, with the lock held, when a thread ended with cluster.ErrCrashed: this rank says no word more.
func (n *node) crash(int) {
	n.crashed = true
	n.self.Die()
	_ = n.ctl.conn.Close() // its reader concludes
}

// gone reports whether this rank has crashed.
func (n *node) gone() bool {
	n.Mu.Lock()
	defer n.Mu.Unlock()
	return n.crashed
}

// without reports whether this rank was told that another is lost.
func (n *node) without(rank int) bool {
	n.Mu.Lock()
	defer n.Mu.Unlock()
	return rank < len(n.peers) && n.peers[rank] != nil && n.peers[rank].lost
}

// lose goes on without ranks: all that are lost so far, those that this rank was told of before them.
func (n *node) lose(ranks []int) error {
	n.Mu.Lock()
	peers, told := n.peers, n.losses
	n.Mu.Unlock()
	for _, r := range ranks[min(told, len(ranks)):] {
		if r < 0 || r >= len(peers) || peers[r] == nil {
			return fmt.Errorf("%w: rank %d is lost", errFrame, r)
		}
		n.drop(peers[r])
	}
	return nil
}

// drop closes the connections to a peer that is lost. First those stop who read and write them; then its sends are
// done, what came of its messages in part is taken back, and the rank is told.
func (n *node) drop(p *peer) {
	n.Mu.Lock()
	p.lost = true
	n.cond.Broadcast()
	n.Mu.Unlock()
	for _, l := range p.links {
		_ = l.Close()
	}
	p.users.Wait()
	for _, l := range p.links {
		l.rests()
	}
	n.Mu.Lock()
	defer n.Mu.Unlock()
	open := map[*packet]bool{}
	for _, q := range p.arriving {
		open[q] = true
	}
	for _, l := range p.links {
		for _, f := range l.abandoned() {
			n.pending--
			if f.req != nil {
				f.req.Left--
				n.settle(f.req)
			}
		}
		if l.now != nil {
			open[l.now] = true
		}
	}
	clear(p.arriving)
	var parts []*rank.Packet
	for q := range open { // in any order: Discard knows that of the receives
		parts = append(parts, &q.Packet)
	}
	n.self.Discard(parts)
	n.losses++
	n.self.Tell(p.rank)
	n.cond.Broadcast()
}

// rests waits until nobody flushes a closed link, and nobody will.
func (l *link) rests() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.at {
		l.cond.Wait()
	}
}

// abandoned returns the frames of a link at rest that nobody will write any more.
func (l *link) abandoned() (left []frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy {
		left = append(left, l.out.batch...)
	}
	left = append(left, l.queue...)
	l.queue, l.rest, l.busy = nil, nil, false
	return left
}
