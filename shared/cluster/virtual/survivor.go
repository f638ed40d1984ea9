package virtual

import (
	"time"

	"gradsync/shared/cluster"
)

// survivor is the Proc of an elastic run.
type survivor struct{ *thread }

var _ cluster.Survivor = survivor{}

// proc returns the Proc that t's body gets.
func (t *thread) proc() cluster.Proc {
	if t.e.cfg.Elastic {
		return survivor{t}
	}
	return t
}

// failure returns why no call of t goes on: the run has failed or its rank is lost; nil if neither.
func (t *thread) failure() error {
	switch {
	case t.e.abort != nil:
		return t.e.abort
	case t.rank.gone:
		return cluster.ErrCrashed
	}
	return nil
}

func (s survivor) Lost() cluster.Req {
	t, e := s.thread, s.e
	if err := t.enter(); err != nil {
		return e.failed(e.newReq(t.rank, kindLost), err)
	}
	unlisted := t.rank.heard > t.listed
	if t.alarm == nil || t.alarm.at >= 0 && !unlisted { // else it says what a new one would
		if t.alarm = e.newReq(t.rank, kindLost); unlisted {
			e.finishAt(t.alarm, e.now)
		} else {
			t.rank.alarms = append(t.rank.alarms, t.alarm)
		}
	}
	return t.alarm
}

func (s survivor) Alive() (alive []int) {
	t := s.thread
	_ = t.enter()
	t.listed = t.rank.heard
	for i := range t.e.ranks {
		if !t.rank.heardOf(i) {
			alive = append(alive, i)
		}
	}
	return alive
}

// heardOf reports whether r was told that a rank, or Any, is lost.
func (r *rank) heardOf(id int) bool { return r.told != nil && id >= 0 && r.told[id] }

// lose ends r's part in the run: its threads' calls fail, and the others are told.
func (e *engine) lose(r *rank) {
	r.gone, r.goneAt = true, e.now
	e.lost = append(e.lost, r.id)
	for _, t := range e.threads {
		if t.rank == r && !t.ended {
			e.wakeAt(t, e.now)
		}
	}
	for i := range e.ranks {
		to := &e.ranks[i]
		if to.gone {
			continue
		}
		at := e.now
		if e.cfg.Notice > 0 {
			if to.notice == nil {
				to.notice = cluster.Stream(e.cfg.Seed, i, "", "cluster/notice")
			}
			at = e.later(at, time.Duration(to.notice.Int64N(int64(e.cfg.Notice)+1)).Seconds())
		}
		to.toldAt = max(to.toldAt, at)
		p := e.newPacket()
		p.from, p.to, p.notice = r, to, true
		e.events.push(event{at: to.toldAt, seq: e.nextSeq(), who: ^p.id})
	}
}

// drops deals with a packet that does not go on: the notice of a loss, and a message that no one receives
// any more or whose sender was lost before it had left.
func (e *engine) drops(p *packet) bool {
	switch {
	case p.to.gone:
	case p.notice:
		e.hear(p.to, p.from.id)
	case !p.from.gone || p.sent <= p.from.goneAt && !p.to.heardOf(p.from.id):
		return false
	}
	e.freePacket(p)
	return true
}

// hear tells r that another rank is lost.
func (e *engine) hear(r *rank, of int) {
	if r.told == nil {
		r.told = make([]bool, len(e.ranks))
	}
	r.told[of] = true
	r.heard++
	for _, q := range r.box.Lose(of) {
		q.rest().err = &cluster.LostError{Rank: of}
		e.complete(q)
	}
	alarms := r.alarms
	r.alarms = nil
	for _, q := range alarms {
		e.complete(q)
	}
}
