package tcp

import (
	"context"
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

// Watch follows an elastic run of a job from a process that is none of its ranks, as that which looks after those of
// another host, until it ends. Its results are those of Rendezvous, which it joins before it tells that ranks may come. It
// must be there before the last rank is. cfg.Rank is a rank of that host, whose certificate it shows, which gives it no
// right but to hear; it takes no rank's place. Of cfg it ignores Host and Listen.
//
// Source: ours: on every host the one who started processes must know which of them the run can do without
func Watch(ctx context.Context, cfg Config, tell Events) (v Verdict, err error) {
	cfg.Host = false
	if cfg, err = cfg.checked(); err == nil {
		err = cfg.unlock()
	}
	if err != nil {
		return v, err
	}
	n := newNode(cfg, 1, nil)
	wrong := func(op string, err error) error {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return &cluster.AbortError{Rank: -1, Addr: cfg.Rendezvous, Op: op, Err: err}
	}
	if err = n.attend(ctx); err != nil {
		return v, wrong("rendezvous", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = n.ctl.conn.Close() })
	defer stop()
	go n.ctl.write()
	defer func() {
		n.ctl.finish()
		_ = n.ctl.conn.Close()
		<-n.ctl.ended
	}()
	tell.here()
	for {
		h, body, err := n.ctl.read(cluster.MaxPiece)
		if err != nil {
			return v, wrong(lossOp(err), &RankLost{Rank: -1, Addr: cfg.Rendezvous, NoticedBy: -1, Cause: err.Error()})
		}
		switch h.Tag {
		case kindLost:
			var l Loss
			if _, err = decode(h, body, &l); err == nil {
				v.Lost = append(v.Lost, l)
				tell.lost(l)
			}
		case kindBegin:
			tell.begun()
		case kindEnd:
			var e ending
			_, err = decode(h, body, &e)
			if v.Elapsed = e.Elapsed; err == nil {
				return v, nil
			}
		case kindAbort:
			var f failure
			if _, err = decode(h, body, &f); err == nil {
				return v, f.restore(nil)
			}
		default:
			err = fmt.Errorf("%w: kind %d of the rendezvous", errFrame, h.Tag)
		}
		if err != nil {
			return v, wrong("corrupt", err)
		}
	}
}

// attend opens a control connection as a launcher.
func (n *node) attend(ctx context.Context) error {
	for until := time.Now().Add(n.cfg.Join); ; {
		raw, err := n.reach(ctx, until)
		if err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
		later, err := n.ask(hello{Job: n.cfg.Job, Run: n.run, Rank: n.cfg.Rank, Size: n.cfg.Size, Watch: true})
		if stop() && err == nil {
			return nil
		}
		_ = raw.Close()
		if !later || !pause(ctx, until) {
			return err
		}
	}
}

// watch takes a launcher in.
func (c *coordinator) watch(w *wire) {
	c.watchers = append(c.watchers, w)
	_ = w.send(kindWelcome, book{HostRank: c.rank})
	c.group.Add(2)
	go func() {
		defer c.group.Done()
		defer w.conn.Close()
		for { // it has nothing to say
			if _, _, err := w.read(maxText); err != nil {
				return
			}
		}
	}()
	go func() {
		defer c.group.Done()
		w.write()
	}()
}

// tellWatchers sends a frame to the launchers.
func (c *coordinator) tellWatchers(kind cluster.Tag, v any) {
	for _, w := range c.watchers {
		_ = w.send(kind, v)
	}
}

// count keeps a loss and tells those who are no ranks.
func (c *coordinator) count(f *failure) {
	l := Loss{Rank: f.Rank, After: time.Since(c.since)}
	if f.Lost != nil {
		l.Cause = f.Lost.Cause
	} else if f.Op == leftRun {
		l.Cause = leftRun + ": " + f.Text
	}
	c.losses = append(c.losses, l)
	c.tellWatchers(kindLost, l)
	c.inform.lost(l)
}
