package rank

import (
	"cmp"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// survivor is the Proc of an elastic run.
type survivor struct{ *Thread }

var _ cluster.Survivor = survivor{}

// failure returns why no call of t goes on: the run has failed or its rank is lost; nil if neither. The caller
// holds the lock.
func (t *Thread) failure() error {
	switch {
	case t.core.Abort != nil:
		return t.core.Abort
	case t.rank.gone:
		return cluster.ErrCrashed
	}
	return nil
}

func (s survivor) Lost() cluster.Req {
	t := s.Thread
	err := t.Enter()
	defer t.core.Mu.Unlock()
	unlisted := t.rank.heard > t.listed
	if err != nil || t.alarm == nil || t.alarm.done && !unlisted { // else it says what a new one would
		if t.alarm = t.rank.NewReq(losing); err != nil || unlisted {
			t.alarm.Complete(err)
		} else {
			t.rank.alarms = append(t.rank.alarms, t.alarm)
		}
	}
	return t.alarm
}

func (s survivor) Alive() (alive []int) {
	t := s.Thread
	_ = t.Enter()
	defer t.core.Mu.Unlock()
	t.listed = t.rank.heard
	for i := range t.core.cfg.Size {
		if !t.rank.Told(i) {
			alive = append(alive, i)
		}
	}
	return alive
}

// Told reports whether r was told that a rank, or Any, is lost. The caller holds the lock, as for the methods below.
func (r *Rank) Told(id int) bool { return r.told != nil && id >= 0 && r.told[id] }

// Tell tells r that another rank is lost: what it still waits for from there ends.
func (r *Rank) Tell(lost int) {
	if r.gone || r.Told(lost) {
		return
	}
	if r.told == nil {
		r.told = make([]bool, r.core.cfg.Size)
	}
	r.told[lost] = true
	r.heard++
	for _, q := range r.box.Lose(lost) {
		q.Complete(&cluster.LostError{Rank: lost})
	}
	for _, q := range r.alarms {
		q.Complete(nil)
	}
	r.alarms = nil
}

// Discard takes back messages of a rank that is lost, of which not all has come: whoever receives one goes on to
// wait, if it takes any rank's, and else ends when Tell is called. Nothing may overtake them.
func (r *Rank) Discard(parts []*Packet) {
	var open []*Req
	for _, p := range parts {
		q := p.Recv
		r.box.Forget(p.Key, func(early *Packet) bool { return q != nil || early == p })
		r.net.Recycle(p)
		if q == nil {
			continue
		}
		q.bound, p.Recv = false, nil
		open = append(open, q)
	}
	slices.SortFunc(open, func(a, b *Req) int { return cmp.Compare(a.order, b.order) })
	for _, q := range open {
		if q.unasked {
			q.Complete(cluster.ErrCancelled)
			continue
		}
		key := match.Key{From: q.Peer, Tag: q.Tag, Bcast: q.kind == broadcasting}
		if next, ok := r.box.Again(key, q, func(posted *Req) bool { return posted.order < q.order }); ok {
			r.bind(q, next)
		}
	}
}

// Die ends r's part in the run: it is lost, and each call of its threads fails.
func (r *Rank) Die() {
	r.gone = true
	for _, t := range r.core.threads {
		if t.rank == r {
			t.unblock()
		}
	}
}
