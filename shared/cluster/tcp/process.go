package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"gradsync/shared/cluster"
)

// Tests have a network of their own beside the system's, on a clock of theirs.
var (
	listenTCP = net.Listen
	dialTCP   = (*net.Dialer).DialContext
)

// process runs one rank from its introduction to the verdict. ln is the
// rendezvous's listener if this process hosts it.
func (n *node) process(ctx context.Context, ln net.Listener, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	n.told = ctx
	meet, cancel := context.WithCancel(ctx)
	defer cancel()
	var c *coordinator
	if ln != nil {
		c = newCoordinator(&n.cfg, n.run, ln)
		var host sync.WaitGroup
		host.Add(1)
		go func() {
			defer host.Done()
			c.serve(cancel)
		}()
		defer func() {
			if !n.crashed { // else its rendezvous outlives it
				close(c.quit)
			}
			host.Wait()
		}()
	}
	local, err := n.fabric.meet(meet)
	if err != nil {
		if c != nil && ctx.Err() == nil && meet.Err() != nil { // it failed before this rank came
			return cluster.Outcome{}, c.verdict.restore(n.local)
		}
		return cluster.Outcome{}, err
	}
	defer local.Close()
	n.control.Add(2)
	go func() {
		defer n.control.Done()
		n.ctl.write()
	}()
	go func() {
		defer n.control.Done()
		n.listen()
	}()
	stop := context.AfterFunc(ctx, func() { n.report(-1, "context", context.Cause(ctx)) })
	defer stop()
	if n.prepare(local, body) {
		n.control.Add(1)
		go n.watch()
		n.Group.Wait()
		if !n.crashed {
			n.leave()
		}
	}
	<-n.concluded
	stop()
	n.control.Wait()
	return n.outcome()
}

// introduce finds the rendezvous and opens the data listener.
func (n *node) introduce(ctx context.Context) (net.Listener, error) {
	wrong := func(err error) error {
		op := "rendezvous"
		rank := n.cfg.Rank
		if cause := context.Cause(ctx); cause != nil {
			op, rank, err = "context", -1, cause
		}
		return &cluster.AbortError{Rank: rank, Addr: n.cfg.name(rank, n.cfg.Rendezvous), Op: op, Err: err}
	}
	until := time.Now().Add(n.cfg.Join)
	for {
		raw, err := n.reach(ctx, until)
		if err != nil {
			return nil, wrong(err)
		}
		listen, advertise, err := n.cfg.dataAddress(raw.LocalAddr())
		if err != nil {
			_ = raw.Close()
			return nil, wrong(err)
		}
		ln, err := listenTCP("tcp", listen)
		if err != nil {
			_ = raw.Close()
			return nil, wrong(err)
		}
		if err := n.cfg.allowed(ln.Addr()); err != nil {
			_, _ = raw.Close(), ln.Close()
			return nil, wrong(err)
		}
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
		later, err := n.present(net.JoinHostPort(advertise, port))
		if stop() && err == nil { // or the rendezvous ended meanwhile, and conn is being closed
			return ln, nil
		}
		_, _ = raw.Close(), ln.Close()
		if !later || !pause(ctx, until) {
			return nil, wrong(err)
		}
	}
}

// reach opens the control connection to the rendezvous, which shows its certificate, and returns it as it is below TLS.
func (n *node) reach(ctx context.Context, until time.Time) (net.Conn, error) {
	for {
		raw, err := n.knock(ctx, until)
		if err != nil {
			return nil, err
		}
		conn, err := n.cfg.id.open(ctx, raw, n.cfg.Timeout, rendezvousHolder)
		if err == nil {
			n.ctl = newWire(conn, &n.cfg)
			return raw, nil
		}
		_ = raw.Close()
		if isFinal(err) || !pause(ctx, until) {
			return nil, err
		}
	}
}

// knock dials the rendezvous until somebody answers.
func (n *node) knock(ctx context.Context, until time.Time) (net.Conn, error) {
	d := net.Dialer{Deadline: until, KeepAlive: -1}
	for {
		conn, err := dialTCP(&d, ctx, "tcp", n.cfg.Rendezvous)
		if err == nil {
			if err = n.cfg.allowed(conn.RemoteAddr()); err != nil {
				_ = conn.Close()
				return nil, err
			}
			return conn, nil
		}
		if !pause(ctx, until) {
			return nil, fmt.Errorf("no answer at %s within %v: %w", n.cfg.Rendezvous, n.cfg.Join, err)
		}
	}
}

// pause waits a moment before another attempt and reports whether there is time.
func pause(ctx context.Context, until time.Time) bool {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return time.Now().Before(until)
	case <-ctx.Done():
		return false
	}
}

// present introduces this rank, whose data listener is at addr.
func (n *node) present(addr string) (later bool, err error) {
	return n.ask(hello{Job: n.cfg.Job, Run: n.run, Rank: n.cfg.Rank, Size: n.cfg.Size, Addr: addr, Host: n.cfg.Host,
		Elastic: n.cfg.Elastic})
}

// ask sends an introduction and reads the answer.
func (n *node) ask(h hello) (later bool, err error) {
	b, err := control(nil, n.ctl.job, n.cfg.Rank, kindHello, h)
	if err != nil {
		return false, err
	}
	if err = n.ctl.conn.writeAll(&net.Buffers{b}); err != nil {
		return true, err
	}
	head, body, err := readControl(n.ctl.r, maxText)
	switch {
	case refusedByPeer(err):
		return false, secured(n.ctl.conn, err)
	case err != nil:
		return !isCorrupt(err), fmt.Errorf("rendezvous at %s: %w", n.cfg.Rendezvous, err)
	case head.Tag == kindRefuse:
		var r refusal
		if _, err = decode(head, body, &r); err != nil {
			return false, err
		}
		return r.Later, errors.New("refused: " + r.Reason)
	case head.Tag != kindWelcome:
		return false, fmt.Errorf("%w: kind %d for a welcome", errFrame, head.Tag)
	}
	var w book
	_, err = decode(head, body, &w)
	n.hostRank = w.HostRank
	return false, err
}

// listen reads what the rendezvous says, until its verdict.
func (n *node) listen() {
	for {
		h, body, err := n.ctl.read(cluster.MaxPiece)
		over := false
		if err == nil {
			over, err = n.hear(h, body)
		}
		if err != nil && n.gone() {
			n.conclude(&failure{Rank: n.cfg.Rank, Addr: n.cfg.name(n.cfg.Rank, n.book.Addrs[n.cfg.Rank]), Op: "crash", Text: cluster.ErrCrashed.Error(), Origin: -1})
		} else if err != nil {
			rank := n.hostRank
			cause := err.Error()
			if rank >= 0 {
				cause = "rendezvous: " + cause
			}
			n.conclude(&failure{Rank: rank, Addr: n.cfg.name(rank, n.cfg.Rendezvous), Op: lossOp(err), Origin: -1,
				Lost: &RankLost{Rank: rank, Addr: n.cfg.Rendezvous, NoticedBy: n.cfg.Rank, Cause: cause}})
		}
		if over || err != nil {
			return
		}
	}
}

// hear acts on one frame and reports whether it was the verdict.
func (n *node) hear(h cluster.Header, body []byte) (over bool, err error) {
	switch h.Tag {
	case kindBook, kindBegin:
		select {
		case n.inbox <- event{h: h, body: body}:
		default:
			err = fmt.Errorf("%w: kind %d once too often", errFrame, h.Tag)
		}
	case kindWave:
		var w wave
		if _, err = decode(h, body, &w); err != nil {
			return false, err
		}
		n.Mu.Lock()
		s := n.state(true)
		n.Mu.Unlock()
		s.Wave = w.Number
		err = n.ctl.send(kindState, s)
	case kindReport:
		n.Mu.Lock()
		n.reports = append(n.reports, &event{h: h, body: body})
		n.Mu.Unlock()
	case kindLost:
		var l losses
		if _, err = decode(h, body, &l); err == nil {
			err = n.lose(l.Ranks)
		}
	case kindAbort:
		var f failure
		if _, err = decode(h, body, &f); err == nil {
			n.conclude(&f)
			over = true
		}
	case kindEnd:
		var e ending
		if _, err = decode(h, body, &e); err == nil {
			n.Mu.Lock()
			n.end = &e
			n.Mu.Unlock()
			n.conclude(nil)
			over = true
		}
	default:
		err = fmt.Errorf("%w: kind %d of the rendezvous", errFrame, h.Tag)
	}
	return over, err
}
