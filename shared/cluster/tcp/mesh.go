package tcp

import (
	"context"
	"fmt"
	"net"

	"gradsync/shared/cluster"
)

// arrival is a data connection that another rank opened, or why there is none.
type arrival struct {
	from        int
	conn        net.Conn
	base, extra int64
	err         error
}

// mesh opens the data connections: each rank dials those below it and accepts
// those above. It blames the first rank that does not come.
func (n *node) mesh(ln net.Listener) error {
	ctx, cancel := context.WithTimeout(n.life, n.cfg.Timeout)
	defer cancel()
	defer ln.Close()
	n.Mu.Lock()
	for r := range n.peers {
		if r != n.cfg.Rank {
			n.peers[r] = &peer{n: n, rank: r, job: jobHash(n.cfg.Job)}
		}
	}
	n.Mu.Unlock()
	arrivals := make(chan arrival)
	if !n.start(func() { n.admit(ctx, ln, arrivals) }) {
		return errStopped
	}
	for r := range n.cfg.Rank {
		a := n.dial(ctx, r)
		if a.err != nil {
			return n.unmeshed(r, a.err)
		}
		n.attach(a)
	}
	for missing := n.cfg.Size - 1 - n.cfg.Rank; missing > 0; {
		select {
		case a := <-arrivals:
			if n.attach(a) {
				missing--
			}
		case <-ctx.Done():
			if n.life.Err() != nil {
				return errStopped
			}
			for r := n.cfg.Rank + 1; r < n.cfg.Size; r++ {
				if n.peers[r].link == nil {
					return n.unmeshed(r, fmt.Errorf("no data connection within %v: %w", n.cfg.Timeout, ctx.Err()))
				}
			}
		}
	}
	// Else ranks of this process would poll in place of those they wait for.
	if n.cfg.poll > 0 || n.local == nil && n.cfg.poll == 0 {
		n.Poll = n.poll
	}
	for _, p := range n.peers {
		if p == nil {
			continue
		}
		for _, use := range []func(){p.link.read, p.link.write} {
			p.users.Add(1)
			if !n.start(func() { defer p.users.Done(); use() }) {
				return errStopped
			}
		}
	}
	return nil
}

// unmeshed blames a rank and waits for the verdict.
func (n *node) unmeshed(rank int, err error) error {
	n.blame(rank, err)
	return err
}

// attach takes a connection into the mesh; a second one of the same rank is closed.
func (n *node) attach(a arrival) bool {
	p := n.peers[a.from]
	if p.link != nil {
		_ = a.conn.Close()
		return false
	}
	if n.cfg.wrap != nil {
		a.conn = n.cfg.wrap(a.from, a.conn)
	}
	l := newLink(n, p, a.conn)
	if l.direct != nil {
		n.eager = 0
	}
	l.base, l.extra = a.base, a.extra
	n.keep(l)
	n.Mu.Lock()
	defer n.Mu.Unlock()
	p.link = l
	return true
}

// dial opens the data connection to a rank below, again if it breaks off: where too many
// strangers knock, it may have had to make room (door).
func (n *node) dial(ctx context.Context, to int) arrival {
	until, _ := ctx.Deadline()
	for {
		a := n.call(ctx, to)
		if a.err == nil || a.conn == nil || !brokeOff(a.err) || !pause(ctx, until) {
			return a
		}
		_ = a.conn.Close()
	}
}

// call is one attempt of dial.
func (n *node) call(ctx context.Context, to int) (a arrival) {
	a = arrival{from: to}
	d := net.Dialer{KeepAlive: -1}
	if n.cfg.Listen != "" {
		if host, _, err := net.SplitHostPort(n.book.Addrs[n.cfg.Rank]); err == nil {
			d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(host)}
		}
	}
	conn, err := dialTCP(&d, ctx, "tcp", n.book.Addrs[to])
	if err == nil {
		if err = n.cfg.allowed(conn.RemoteAddr()); err != nil {
			_ = conn.Close()
		}
	}
	if err != nil {
		a.err = err
		return a
	}
	n.keep(conn)
	tune(conn, n.cfg.Timeout)
	a.conn, a.base = conn, acknowledged(conn)
	if conn, err = n.cfg.id.open(ctx, conn, n.cfg.Timeout, holderOf(to)); err != nil {
		a.err = err
		return a
	}
	a.conn = conn
	s := newSteady(conn, n.cfg.Timeout)
	var h cluster.Header
	var body []byte
	if a.extra, a.err = n.say(s, jobHash(n.cfg.Job), kindJoin, join{Job: n.cfg.Job, Run: n.run, From: n.cfg.Rank, To: to}); a.err != nil {
		return a
	}
	if h, body, a.err = readControl(s, maxText); a.err != nil {
		return a
	}
	if h.Tag != kindJoined {
		var r refusal
		_, a.err = decode(h, body, &r)
		if a.err == nil {
			a.err = fmt.Errorf("tcp: data connection refused: %s", r.Reason)
		}
	}
	return a
}

// say writes one control frame of job on a data connection and returns its bytes.
func (n *node) say(s *steady, job uint32, kind cluster.Tag, v any) (int64, error) {
	b, err := control(nil, job, n.cfg.Rank, kind, v)
	if err != nil {
		return 0, err
	}
	return int64(len(b)), s.writeAll(&net.Buffers{b})
}

// admit takes data connections until the listener closes, and greets each on
// its own, so that a stranger who says nothing holds nobody up.
func (n *node) admit(ctx context.Context, ln net.Listener, arrivals chan<- arrival) {
	door := door{ranks: n.cfg.Size}
	defer door.close()
	acceptAll(ln, ctx.Done(), func(conn net.Conn) {
		if !door.enter(conn) {
			return
		}
		started := n.start(func() {
			var a arrival
			err := hear(conn, n.cfg.Timeout, func() (err error) {
				a, err = n.greet(conn)
				return err
			})
			here := door.leave(conn)
			if err == nil && here {
				a.extra, err = n.say(newSteady(a.conn, n.cfg.Timeout), jobHash(n.cfg.Job), kindJoined, nil)
			}
			if err != nil || !here {
				_ = conn.Close()
				return
			}
			select {
			case arrivals <- a:
			case <-ctx.Done():
				_ = conn.Close()
			}
		})
		if !started {
			_ = conn.Close()
		}
	})
}

// greet checks who opened a data connection. Whoever is taken is told so afterwards.
func (n *node) greet(conn net.Conn) (a arrival, err error) {
	tune(conn, n.cfg.Timeout)
	a = arrival{conn: conn, base: acknowledged(conn)}
	conn, who, err := n.cfg.id.take(conn, n.cfg.Timeout)
	if err != nil {
		return a, err
	}
	a.conn = conn
	s := newSteady(conn, n.cfg.Timeout)
	h, body, err := readControl(s, maxText)
	if err != nil {
		return a, err
	}
	var j join
	if h.Tag != kindJoin {
		return a, fmt.Errorf("%w: kind %d on a data connection", errFrame, h.Tag)
	}
	if _, err = decode(h, body, &j); err != nil {
		return a, err
	}
	if who != "" && who != holderOf(j.From) {
		return a, fmt.Errorf("tcp: refused rank %d: its certificate is of %s", j.From, who)
	}
	if !sameJob(j.Job, n.cfg.Job) {
		_, _ = n.say(s, 0, kindRefuse, refusal{Reason: anotherJob})
		return a, fmt.Errorf("tcp: refused rank %d of job %.64q: %s", j.From, j.Job, anotherJob)
	}
	if j.Run != n.run || j.To != n.cfg.Rank || j.From <= n.cfg.Rank || j.From >= n.cfg.Size {
		reason := fmt.Sprintf("rank %d of run %d, connection to rank %d; this is rank %d of run %d",
			j.From, j.Run, j.To, n.cfg.Rank, n.run)
		_, _ = n.say(s, jobHash(n.cfg.Job), kindRefuse, refusal{Reason: reason})
		return a, fmt.Errorf("tcp: refused %s", reason)
	}
	a.from = j.From
	return a, nil
}
