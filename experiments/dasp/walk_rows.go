package dasp

import (
	"fmt"
	"slices"
	"time"

	"gradsync/papers/dasp"
)

// What a row of the walk tells of.
const (
	walkPush    = "push"    // a gradient arrives and Algorithm 1 decides; QIS is answered at once
	walkTimer   = "timer"   // T_wait is over and the version to hand out is still too far ahead
	walkUsed    = "used"    // a waiting worker's gradient is in another's update
	walkRelease = "release" // a waiting worker is answered
)

// Why a worker is answered, or not yet.
const (
	whyAtOnce  = "within Smin"
	whyWeak    = "T_wait"
	whyForce   = "beyond Smax"
	whyZero    = "T_wait is 0"
	whyOver    = "T_wait is over"
	whyMoved   = "within Smax again"
	whyHeld    = "T_wait is over, yet beyond Smax"
	whyTooNear = "T_wait is 0, yet beyond Smax"
	whyInGroup = "group of a released worker"
)

// walkRow is one event. Versions, gaps and staleness are in updates; -1 is none.
type walkRow struct {
	At        time.Duration
	Worker    int
	What, Why string
	By        int // whose gradient or timer it was that this follows from
	Held      int64
	dasp.Decision
	Ends            time.Duration // WSS: when T_wait is over
	Min             int64
	Oldest          int
	Staleness       int64
	Group           int // K
	After           []int64
	Newest          int64
	Sent            time.Duration // the weights leave the server
	Answered, Waits bool
}

// openPush is a worker's latest push, which may wait.
type openPush struct {
	row   walkRow
	index int // in the log
	group int
}

// walkRows turns the policy's steps up to the arrival of so many gradients into rows.
func walkRows(l *dasp.Log, steps []witnessed, pushes int) (rows []walkRow) {
	open := make([]openPush, l.Workers)
	arrived := 0
	for _, s := range steps {
		if s.Kind == dasp.EventPush {
			if arrived == pushes {
				return rows
			}
			n := s.Worker
			open[n] = openPush{index: arrived, row: walkRow{At: s.At, Worker: n, By: n, What: walkPush, Held: s.Before.V[n], Decision: s.Decision, Staleness: -1}}
			arrived++
		}
		rows = append(rows, stepRows(l, s, open)...)
	}
	return rows
}

// stepRows are the rows of one step, in the order of its actions.
func stepRows(l *dasp.Log, s witnessed, open []openPush) (rows []walkRow) {
	held, newest := slices.Clone(s.Before.V), s.Before.Newest
	add := func(r walkRow) {
		r.After, r.Newest = slices.Clone(held), newest
		r.Min, r.Oldest = s.Before.Oldest() // what Algorithm 1 compared with
		if r.What != walkPush {
			v := s.Before
			v.V = held
			r.Min, r.Oldest = v.Oldest()
		}
		rows = append(rows, r)
	}
	own := open[s.Worker].row
	switch {
	case s.Kind == dasp.EventTimer && !answers(s.Actions, s.Worker):
		own.At, own.What, own.Why = s.At, walkTimer, whyHeld
		add(own)
	case s.Kind == dasp.EventPush && s.Decision.State != dasp.QIS:
		own.Why, own.Waits = whyForce, true
		if s.Decision.State == dasp.WSS {
			own.Why, own.Ends = whyWeak, s.At+s.Decision.Wait
			if s.Decision.Wait <= 0 && !answers(s.Actions, s.Worker) {
				own.Why = whyTooNear
			}
		}
		open[s.Worker].row = own
		add(own)
	}
	for _, a := range s.Actions {
		switch a.Kind {
		case dasp.Apply:
			newest++
			for _, w := range a.Workers {
				open[w].group = len(a.Workers)
				if !answers(s.Actions, w) {
					used := open[w].row
					used.At, used.By, used.What, used.Why = s.At, s.Worker, walkUsed, whyInGroup
					used.Group, used.Staleness = len(a.Workers), newest-1-used.Held
					add(used)
				}
			}
		case dasp.Reply:
			for _, w := range a.Workers {
				held[w] = newest
				add(answered(l, s, open[w]))
			}
		}
	}
	return rows
}

// answered is the row of an answer: of a push that is answered at once, or a release.
func answered(l *dasp.Log, s witnessed, o openPush) walkRow {
	r, p := o.row, l.Pushes[o.index]
	r.Group, r.Staleness, r.Sent, r.Answered = o.group, p.Applied-1-p.Pulled, p.Replied, true
	if r.Waits {
		r.At, r.By, r.What, r.Waits = s.At, s.Worker, walkRelease, false
	}
	switch {
	case r.What == walkPush:
		r.Why = whyAtOnce
	case r.State == dasp.WSS && s.Worker == r.Worker && s.Kind == dasp.EventTimer:
		r.Why = whyOver
	case r.State == dasp.WSS && s.Worker == r.Worker:
		r.Why = whyZero
	default:
		r.Why = whyMoved
	}
	return r
}

// answers reports whether actions answer worker w.
func answers(actions []dasp.Action, w int) bool {
	return slices.ContainsFunc(actions, func(a dasp.Action) bool { return a.Kind == dasp.Reply && slices.Contains(a.Workers, w) })
}

// until says until when the worker of r waits: a time, or a worker.
func (r walkRow) until() string {
	switch {
	case r.Why == whyWeak:
		return fmt.Sprintf("%.2f ms", ms(r.Ends))
	case r.Why == whyForce || r.Why == whyHeld || r.Why == whyTooNear:
		return fmt.Sprintf("worker %d", r.Oldest+1)
	}
	return ""
}

func ms(d time.Duration) float64 { return 1e3 * d.Seconds() }
