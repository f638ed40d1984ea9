package tcp

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"gradsync/shared/cluster/internal/rank"
)

// Loss is a rank that an elastic run goes on without.
//
// Source: ours: whom, when and why, for whoever looks after the processes
type Loss struct {
	Rank  int
	After time.Duration // since the run began
	Cause string
}

// Events are told of a run to whoever looks after its processes, one after the other; nil: nobody asks.
//
// Source: ours: as Loss
type Events struct {
	Here  func()     // ranks may come
	Begun func()     // all ranks have met: from now on the run goes on without those it loses
	Lost  func(Loss) // a rank, at once
}

func (e *Events) here() {
	if e.Here != nil {
		e.Here()
	}
}

func (e *Events) begun() {
	if e.Begun != nil {
		e.Begun()
	}
}

func (e *Events) lost(l Loss) {
	if e.Lost != nil {
		e.Lost(l)
	}
}

// Verdict tells how a run ended.
//
// Source: ours: as Loss
type Verdict struct {
	Lost    []Loss        // in that order
	Elapsed time.Duration // of the rank that took longest; 0 if the run failed
}

// Ranks returns the lost ranks, in that order.
//
// Source: ours: as Loss
func (v *Verdict) Ranks() (lost []int) {
	for _, l := range v.Lost {
		lost = append(lost, l.Rank)
	}
	return lost
}

// Rendezvous serves the rendezvous of one run of a job at ln in a process that is none of its ranks, so that any of
// them may be lost. It returns when the run has ended and ln is closed; the error of a run that failed is a
// *cluster.AbortError. If ctx ends, so does the run, with ctx's cause. Of cfg it ignores Rank, Host and Listen.
//
// Source: ours: a rendezvous in one of the ranks would die with it
func Rendezvous(ctx context.Context, cfg Config, ln net.Listener, tell Events) (v Verdict, err error) {
	cfg.Rank, cfg.Rendezvous = 0, ln.Addr().String()
	if cfg, err = cfg.checked(); err == nil {
		err = cfg.allowed(ln.Addr())
	}
	if err == nil {
		err = cfg.unlockRendezvous()
	}
	if err != nil {
		_ = ln.Close()
		return v, err
	}
	c := newCoordinator(&cfg, 1, ln)
	c.inform = tell
	tell.here()
	return c.alone(ctx)
}

// alone serves a rendezvous that is no rank's.
func (c *coordinator) alone(ctx context.Context) (v Verdict, err error) {
	c.rank = -1
	stop := context.AfterFunc(ctx, func() { close(c.quit) })
	defer stop()
	c.cause = func() error { return context.Cause(ctx) }
	c.serve(func() {})
	if c.verdict != nil {
		err = c.verdict.restore(nil)
	}
	return Verdict{Lost: c.losses, Elapsed: c.elapsed}, err
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

// drop closes the connection to a peer that is lost. First those stop who read and write them; then its sends are
// done, what came of its messages in part is taken back, and the rank is told.
func (n *node) drop(p *peer) {
	n.Mu.Lock()
	p.lost = true
	n.cond.Broadcast()
	n.Mu.Unlock()
	_ = p.link.Close()
	p.users.Wait()
	p.link.rests()
	n.Mu.Lock()
	defer n.Mu.Unlock()
	for _, f := range p.link.abandoned() {
		n.pending--
		if f.req != nil {
			f.req.Left--
			n.settle(f.req)
		}
	}
	var parts []*rank.Packet // two at most, in any order: Discard knows that of the receives
	for _, q := range []*rank.Packet{p.open, p.link.in.now} {
		if q != nil && !slices.Contains(parts, q) {
			parts = append(parts, q)
		}
	}
	p.open = nil
	n.self.Discard(parts)
	n.losses++
	n.self.Tell(p.rank)
	n.cond.Broadcast()
}

// rests waits until no thread flushes or polls a closed link, and none will.
func (l *link) rests() {
	l.in.Lock()
	l.in.over = true
	l.in.Unlock()
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
