package tcp

import (
	"net"
	"time"

	"gradsync/shared/cluster"
)

// prepare builds the mesh and starts the body once every rank is ready. It says
// whether the body runs.
func (n *node) prepare(ln net.Listener, body func(cluster.Proc) ([]byte, error)) bool {
	e, ok := n.next(kindBook)
	if !ok {
		return false
	}
	if _, err := decode(e.h, e.body, &n.book); err != nil || len(n.book.Addrs) != n.cfg.Size {
		n.report(n.cfg.Rank, "rendezvous", errFrame)
		return false
	}
	if n.fabric.join(ln) != nil {
		return false
	}
	_ = n.ctl.send(kindReady, nil)
	if _, ok = n.next(kindBegin); !ok {
		return false
	}
	n.Mu.Lock()
	defer n.Mu.Unlock()
	n.Begin = n.local.begin()
	for _, p := range n.peers {
		if p != nil && p.link != nil && p.link.conn.over != nil {
			p.link.extra = p.link.conn.sent.Load() // handshake and all: what follows is messages
		}
	}
	n.self.Run(body)
	return true
}

// next waits for the rendezvous's next word, which must be of a kind.
func (n *node) next(kind cluster.Tag) (event, bool) {
	select {
	case e := <-n.inbox:
		if e.h.Tag != kind {
			n.report(n.cfg.Rank, "rendezvous", errFrame)
		}
		return e, e.h.Tag == kind
	case <-n.concluded:
		return event{}, false
	}
}

// watch reports when this rank has become idle, so that ranks that all wait for
// each other are told.
func (n *node) watch() {
	defer n.control.Done()
	tick := time.NewTicker(idleTick)
	defer tick.Stop()
	var before, told state
	for {
		select {
		case <-n.concluded:
			return
		case <-tick.C:
		}
		n.Mu.Lock()
		now := n.state(false)
		n.Mu.Unlock()
		if now.still(&before) && !now.still(&told) {
			_ = n.ctl.send(kindIdle, now)
			told = now
		}
		before = now
	}
}

// idleTick is how often a rank looks whether it is idle: a rank that waits for
// a message for a moment tells nobody.
const idleTick = 5 * time.Millisecond

// leave sends what this rank leaves to the rendezvous, once its messages have
// left and, where the kernel counts, have arrived.
func (n *node) leave() {
	n.Mu.Lock()
	_, op, err := n.Unseen()
	for err == nil && n.pending > 0 && !n.stopping {
		n.cond.Wait()
	}
	stopping := n.stopping
	n.Mu.Unlock()
	if stopping {
		return
	}
	if err != nil {
		n.report(n.cfg.Rank, op, err)
		return
	}
	r := report{Kernel: n.fabric.acknowledged()}
	r.Counted = r.Kernel >= 0
	n.Mu.Lock()
	n.acked = r.Kernel
	n.Mu.Unlock()
	out, _ := n.Outcome() // whether the run failed is not known yet
	result := out.Results[n.cfg.Rank]
	r.Sent, r.Elapsed, r.Spans, r.Nothing = out.Trace.Sent[n.cfg.Rank], out.Elapsed, out.Trace.Spans, result == nil
	if err := n.ctl.send(kindDone, r, result); err != nil {
		n.report(n.cfg.Rank, "result", err)
	}
}

// kernel returns the bytes of messages that the kernel says the other ends have
// acknowledged, −1 if it does not count. Everything has been written; it waits
// until that is acknowledged.
func (n *node) kernel() (total int64) {
	until := time.Now().Add(n.cfg.Timeout)
	for _, p := range n.peers {
		if p == nil {
			continue
		}
		l := p.link
		acked, all := progress(l.conn.Conn)
		for !all && acked >= 0 && time.Now().Before(until) {
			time.Sleep(100 * time.Microsecond)
			acked, all = progress(l.conn.Conn)
		}
		if acked < 0 || !all || l.base < 0 {
			return -1
		}
		total += acked - l.base - l.extra
	}
	if !counts {
		return -1
	}
	return total
}

// outcome gathers what this rank knows of the run; at rank 0, or the first that is not lost, what all left.
func (n *node) outcome() (cluster.Outcome, error) {
	out, err := n.Outcome()
	if err != nil {
		clear(out.Results)
		return out, err
	}
	n.Mu.Lock()
	defer n.Mu.Unlock()
	out.Elapsed, out.Trace.Lost = n.end.Elapsed, n.end.Lost
	counted := n.acked >= 0
	out.Trace.Kernel = make([]int64, n.cfg.Size)
	out.Trace.Kernel[n.cfg.Rank] = n.acked
	for _, e := range n.reports {
		var r report
		raw, err := decode(e.h, e.body, &r)
		if err != nil || e.h.From >= n.cfg.Size {
			return out, &cluster.AbortError{Rank: n.cfg.Rank, Addr: n.cfg.name(n.cfg.Rank, ""), Op: "result", Err: errFrame}
		}
		if !r.Nothing {
			out.Results[e.h.From] = raw
		}
		out.Trace.Sent[e.h.From] = r.Sent
		out.Trace.Spans = append(out.Trace.Spans, r.Spans...)
		if counted = counted && r.Counted; counted {
			out.Trace.Kernel[e.h.From] = r.Kernel
		}
	}
	if !counted {
		out.Trace.Kernel = nil
	}
	out.Trace.Sort()
	return out, nil
}
