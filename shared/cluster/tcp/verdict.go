package tcp

import (
	"fmt"
	"io"
	"time"
)

// isReady counts ranks whose mesh stands; the last one begins the run.
func (c *coordinator) isReady() {
	if c.ready++; c.ready == c.cfg.Size {
		c.begun, c.since = true, time.Now()
		c.all(kindBegin, nil)
		c.tellWatchers(kindBegin, nil)
		c.inform.begun()
	}
}

// isDone keeps a rank's report; the last one ends the run.
func (c *coordinator) isDone(m *member, e event) error {
	var r report
	raw, err := decode(e.h, e.body, &r)
	if err != nil {
		return err
	}
	m.elapsed = r.Elapsed
	if m.report, err = control(nil, jobHash(c.cfg.Job), m.rank, kindReport, r, raw); err != nil {
		return err
	}
	c.done++
	c.finish()
	return nil
}

// finish ends the run well once every rank that is not lost has sent its report. The first of them gets the others'.
func (c *coordinator) finish() {
	if c.done < c.cfg.Size-len(c.lost) {
		return
	}
	end := ending{Lost: c.lost}
	var first *member
	for _, m := range c.members {
		switch {
		case m.lost:
			continue
		case first == nil:
			first = m
		default:
			first.wire.pass(m.report)
		}
		end.Elapsed = max(end.Elapsed, m.elapsed)
	}
	c.all(kindEnd, end)
	c.tellWatchers(kindEnd, end)
	c.ended, c.elapsed = true, end.Elapsed
}

// startWave asks every rank for its state once all have said that they are
// idle and as many messages arrived as were sent. If no state differs from what
// the rank said before, nothing happened in between, and nothing ever will:
// Mattern's four counters. With stuck it asks if messages are still on their way.
func (c *coordinator) startWave(stuck bool) {
	if !c.begun || c.answers > 0 || c.ended {
		return
	}
	var open int64
	for _, m := range c.members {
		if m.lost {
			continue
		}
		if !m.last.Idle || m.last.Losses != len(c.lost) {
			c.unmoved = time.Time{}
			return
		}
		open += m.last.Sent - m.last.Arrived
	}
	if (open != 0) != stuck {
		return
	}
	c.wave++
	c.answers = c.cfg.Size - len(c.lost)
	c.all(kindWave, wave{Number: c.wave})
}

// answered counts a wave's answers; the last one decides.
func (c *coordinator) answered() {
	if c.answers--; c.answers > 0 {
		return
	}
	quiet, moved, open := true, false, int64(0)
	f := &failure{Rank: -1, Op: "deadlock", Origin: -1}
	for _, m := range c.members {
		if m.lost {
			continue
		}
		quiet = quiet && m.answer.still(&m.last)
		moved = moved || m.answer.Read != m.last.Read
		open += m.answer.Sent - m.answer.Arrived
		f.Waiters = append(f.Waiters, m.answer.Waiters...)
		m.last = m.answer
	}
	switch {
	case !quiet || open != 0 && moved:
		c.unmoved = time.Time{}
		c.startWave(false)
	case open != 0 && c.unmoved.IsZero():
		c.unmoved = time.Now()
	case open != 0 && time.Since(c.unmoved) >= c.cfg.Timeout*7/8:
		c.stuck()
	case open == 0 && len(f.Waiters) > 0:
		c.fail(f)
	}
}

// stuck ends a run in which every rank waits and a message that was sent does
// not arrive although its connection stands.
func (c *coordinator) stuck() {
	for _, from := range c.members {
		for _, to := range c.members {
			if from.lost || to.lost || len(from.answer.To) != c.cfg.Size || len(to.answer.From) != c.cfg.Size {
				continue
			}
			if sent, arrived := from.answer.To[to.rank], to.answer.From[from.rank]; sent != arrived {
				c.without(&failure{Rank: to.rank, Op: "silent", Origin: -1, Lost: &RankLost{Rank: to.rank, Addr: to.addr, NoticedBy: -1,
					Cause: fmt.Sprintf("%d of %d messages of rank %d have arrived, and nothing more came within %v", arrived, sent, from.rank, c.cfg.Timeout)}})
				return
			}
		}
	}
}

// lose goes on without a rank whose connection ended, or ends the run.
func (c *coordinator) lose(rank, by int, err error) {
	op, addr := lossOp(err), ""
	if m := c.members[rank]; m != nil {
		addr = m.addr
	}
	c.without(&failure{Rank: rank, Op: op, Lost: &RankLost{Rank: rank, Addr: addr, NoticedBy: by, Cause: err.Error()}, Origin: -1})
}

// leaves goes on without a rank that was told to end, as if its process had died. If that process has the rendezvous,
// or not all have begun, the run ends; so it does if who serves the rendezvous was told to end, too, as by Ctrl-C.
func (c *coordinator) leaves(m *member, f *failure) {
	f.Rank, f.Lost = m.rank, nil
	switch {
	case c.cause != nil && c.cause() != nil:
		c.giveUp()
	case c.cfg.Elastic && c.begun && m.rank != c.rank:
		f.Op = leftRun
		c.without(f)
	default:
		c.fail(f)
	}
}

// without ends the run because a rank is lost; an elastic one that has begun goes on without it.
func (c *coordinator) without(f *failure) {
	if !c.cfg.Elastic || !c.begun || f.Rank < 0 || f.Rank >= c.cfg.Size {
		c.fail(f)
		return
	}
	m := c.members[f.Rank]
	if c.ended || m.lost {
		return
	}
	m.lost = true
	c.lost = append(c.lost, m.rank)
	c.count(f)
	if m.report != nil {
		c.done--
	}
	// If its process lives, it is told that it takes no part any more.
	f.Addr = c.cfg.name(m.rank, m.addr)
	_ = m.wire.send(kindAbort, f)
	m.wire.finish()
	time.AfterFunc(c.cfg.beat(), func() { _ = m.wire.conn.Close() })
	if len(c.lost) == c.cfg.Size {
		c.fail(&failure{Rank: m.rank, Op: "lost", Text: "every rank of the run is lost", Origin: -1})
		return
	}
	c.all(kindLost, losses{Ranks: c.lost})
	// What was said about idleness counted messages of the lost.
	c.wave++
	c.answers, c.unmoved = 0, time.Time{}
	c.finish()
}

// fail ends the run: the first failure is everybody's.
func (c *coordinator) fail(f *failure) {
	if c.ended {
		return
	}
	c.ended = true
	if f.Rank >= 0 && f.Rank < c.cfg.Size && f.Addr == "" {
		if m := c.members[f.Rank]; m != nil {
			f.Addr = c.cfg.name(f.Rank, m.addr)
		}
	}
	c.verdict = f
	c.all(kindAbort, f)
	c.tellWatchers(kindAbort, f)
}

// drain closes a connection after the other end has, so that what was sent
// last is not lost, or after a beat: who goes on sending holds nobody up.
func (w *wire) drain() {
	if half, ok := w.conn.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	if w.conn.SetReadDeadline(time.Now().Add(w.beat)) == nil {
		_, _ = io.Copy(io.Discard, w.conn.Conn)
	}
	_ = w.conn.Close()
}

// lossOp classifies the error of a connection.
func lossOp(err error) string {
	switch {
	case isSilent(err):
		return "silent"
	case isCorrupt(err):
		return "corrupt"
	}
	return "lost"
}
