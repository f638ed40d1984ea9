package tcp

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/rank"
)

// fabric carries the frames of messages to the other ranks. Who receives them calls the sender's announce and landed.
type fabric interface {
	// meet introduces this rank to the rendezvous, and returns where it takes the data connections of others.
	meet(ctx context.Context) (net.Listener, error)
	// join reaches the other ranks, which come to ln; it blames whom it does not reach.
	join(ln net.Listener) error
	// push queues a frame for p: in the order in which it is called first pieces are announced. The caller holds the lock.
	push(p *peer, f frame)
	// flush sends what is queued for p, or sees to it that it is sent; once frames need their bodies no more it calls
	// written. It is called without the lock.
	flush(p *peer)
	// acknowledged returns the bytes of messages that have reached the others, −1: nobody counts.
	acknowledged() int64
}

// node is one rank of one run, alone in its Core. The Core's lock guards what
// follows cond.
type node struct {
	*rank.Core
	self   *rank.Rank
	cfg    Config
	run    int
	local  *siblings // other ranks of this process; nil: there are none
	fabric fabric
	ctl    *wire // to the rendezvous

	links   sync.WaitGroup // whoever uses data connections and messages' buffers
	control sync.WaitGroup // who talks to the rendezvous

	told      context.Context // Run's, which tells this rank to end
	life      context.Context // ends when the links must stop
	cancel    context.CancelFunc
	hostRank  int           // of the process that runs the rendezvous
	inbox     chan event    // the book, then begin
	concluded chan struct{} // closed when the run has ended for this rank

	cond     *sync.Cond // pending is 0, or stopping
	stopping bool       // no more goroutines for links
	open     []io.Closer
	book     book
	eager    int      // see the constant
	peers    []*peer  // by rank, nil: this one
	free     [][]byte // for pieces
	bodies   [][]byte // for whole bodies: such as were given away and have been written
	spare    []*rank.Packet
	acked    int64 // bytes of messages, says the kernel; −1: it does not

	end     *ending
	reports []*event      // of the other ranks, at rank 0 or the first that is not lost
	pending int           // frames to be written
	losses  int           // that this rank was told of
	crashed bool          // by its own body
	read    atomic.Int64  // bytes of bodies
	turn    atomic.Uint32 // of peers that are polled
}

func newNode(cfg Config, run int, local *siblings) *node {
	n := &node{
		cfg: cfg, run: run, local: local, eager: eager, told: context.Background(), inbox: make(chan event, 2), concluded: make(chan struct{}),
		peers: make([]*peer, cfg.Size),
	}
	common := rank.Config{Seed: cfg.Seed, Size: cfg.Size, Trace: cfg.Trace, Emulate: cfg.Emulate, Fail: n.report}
	if cfg.Elastic {
		common.Lose = n.crash
	}
	n.Core = rank.New(common)
	host := cluster.Host{FLOPS: 1}
	if cfg.Hosts != nil {
		host = cfg.Hosts[cfg.Rank]
	}
	n.fabric = connections{n}
	n.self = n.Join(cfg.Rank, host, n)
	n.cond = sync.NewCond(&n.Mu)
	n.life, n.cancel = context.WithCancel(context.Background())
	return n
}

// start runs f as one of those that use the links, unless the run has ended.
func (n *node) start(f func()) bool {
	n.Mu.Lock()
	defer n.Mu.Unlock()
	if n.stopping {
		return false
	}
	n.links.Add(1)
	go func() {
		defer n.links.Done()
		f()
	}()
	return true
}

// keep notes c, to be closed when the run ends, and closes it now if it has.
func (n *node) keep(c io.Closer) {
	n.Mu.Lock()
	stopping := n.stopping
	if !stopping {
		n.open = append(n.open, c)
	}
	n.Mu.Unlock()
	if stopping {
		_ = c.Close() // which may take the lock
	}
}

// conclude ends the run for this rank: with f if it failed. It first stops
// whoever touches messages, so that no buffer is used after a call has
// returned the failure. Only listen calls it, once.
func (n *node) conclude(f *failure) {
	n.Mu.Lock()
	n.stopping = true
	open := n.open
	n.open = nil
	n.cond.Broadcast()
	n.Mu.Unlock()
	n.cancel()
	for _, c := range open {
		_ = c.Close()
	}
	n.links.Wait()
	var used []*link
	n.Mu.Lock()
	for _, p := range n.peers {
		if p != nil && p.link != nil {
			used = append(used, p.link)
		}
	}
	n.Mu.Unlock()
	for _, l := range used {
		l.rests()
	}
	_ = n.ctl.conn.Close()
	n.ctl.finish()
	n.Mu.Lock()
	defer n.Mu.Unlock()
	if f != nil {
		n.Stop(f.restore(n.local))
	}
	n.cond.Broadcast()
	close(n.concluded)
}

// report tells the rendezvous that this rank failed; its verdict ends the run. Whatever fails in a rank of an elastic
// job once it was told to end is that it leaves.
func (n *node) report(rank int, op string, err error) {
	leaves := n.cfg.Elastic && n.local == nil && n.told.Err() != nil // of a Loopback all are told to end at once
	if leaves {
		rank, op, err = n.cfg.Rank, "context", context.Cause(n.told)
	}
	n.local.put(n.cfg.Rank, err)
	f := describe(rank, op, err)
	f.Origin, f.Leaves = n.cfg.Rank, leaves
	_ = n.ctl.send(kindFail, f)
}

// blame tells the rendezvous that a peer's data connection failed.
func (n *node) blame(rank int, err error) {
	if refusedByPeer(err) { // what this rank sent was not what TLS lets through
		rank = n.cfg.Rank
	}
	addr := ""
	if rank < len(n.book.Addrs) {
		addr = n.book.Addrs[rank]
	}
	if n.without(rank) {
		return // that is no news
	}
	_ = n.ctl.send(kindFail, &failure{Rank: rank, Op: lossOp(err), Origin: -1,
		Lost: &RankLost{Rank: rank, Addr: addr, NoticedBy: n.cfg.Rank, Cause: err.Error()}})
}

// state returns this rank's part in the detection of deadlock; if full, with what
// each thread waits for and the messages of each peer. The caller holds the lock.
func (n *node) state(full bool) state {
	s := state{Idle: n.Idle() && n.pending == 0, Epoch: n.Epoch, Read: n.read.Load(), Losses: n.losses}
	for _, p := range n.peers {
		to, from := int64(0), int64(0)
		if p != nil && !p.lost {
			to, from = p.count, p.arrived
		}
		s.Sent += to
		s.Arrived += from
		if full {
			s.To, s.From = append(s.To, to), append(s.From, from)
		}
	}
	if full {
		s.Waiters = n.Waiters()
	}
	return s
}
