package rank

import "gradsync/shared/cluster"

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
		if t.alarm = t.rank.NewReq("lost"); err != nil || unlisted {
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

// Die ends r's part in the run: it is lost, and each call of its threads fails.
func (r *Rank) Die() {
	r.gone = true
	for _, t := range r.core.threads {
		if t.rank == r {
			t.unblock()
		}
	}
}
