package dasp

import (
	"slices"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// witnessed holds one step of the policy: what reached it, what Algorithm 1 found if
// that was a gradient, what was ordered, and the versions held before and after.
type witnessed struct {
	dasp.Event
	Decision      dasp.Decision
	Actions       []dasp.Action
	Before, After dasp.View
}

// witnessing is a policy that writes down its steps.
type witnessing struct {
	dasp.Policy
	config dasp.Config
	steps  []witnessed
}

// Step consumes one event.
func (w *witnessing) Step(e dasp.Event) []dasp.Action {
	s := witnessed{Event: e, Before: w.view()}
	if e.Kind == dasp.EventPush {
		v := w.view()
		v.Finished(e.Worker, e.Compute) // Algorithm 1, line 2
		s.Decision = w.config.Decide(v, e.Worker)
	}
	actions := w.Policy.Step(e)
	for _, a := range actions {
		a.Workers = append([]int{}, a.Workers...)
		s.Actions = append(s.Actions, a)
	}
	s.After = w.view()
	w.steps = append(w.steps, s)
	return actions
}

// view copies what the policy knows of the nodes.
func (w *witnessing) view() dasp.View {
	v := w.Policy.(interface{ View() dasp.View }).View()
	return dasp.View{V: append(v.V[:0:0], v.V...), F: append(v.F[:0:0], v.F...), Present: append(v.Present[:0:0], v.Present...), Newest: v.Newest}
}

// witness returns every step of the policy in the run that l is the log of: a policy
// is pure, so it takes the same steps again, and retrace refuses where it does not.
func witness(l *dasp.Log, o rivals.Options) ([]witnessed, error) {
	config, err := o.Config()
	if err != nil {
		return nil, err
	}
	f, err := o.F()
	if err != nil {
		return nil, err
	}
	var last *witnessing
	fresh := func() (dasp.Policy, error) {
		p, err := dasp.New(config)
		last = &witnessing{Policy: p, config: config}
		return last, err
	}
	if err := retrace(l, fresh, f, nil, nil); err != nil {
		return nil, err
	}
	return last.steps, nil
}

// What a row of the walk tells of.
const (
	walkPush    = "push"    // a gradient arrives and Algorithm 1 decides; QIS is answered at once
	walkTimer   = "timer"   // T_wait is over and the version to hand out is still too far ahead
	walkUsed    = "used"    // a waiting worker's gradient is in another's update
	walkRelease = "release" // a waiting worker is answered
)

// Why a worker is answered, or not yet.
const (
	whyAtOnce  = "within-smin"
	whyWeak    = "wait"
	whyForce   = "beyond-smax"
	whyZero    = "wait-zero"
	whyOver    = "wait-over"
	whyMoved   = "within-smax-again"
	whyHeld    = "wait-over-beyond-smax"
	whyTooNear = "wait-zero-beyond-smax"
	whyInGroup = "group-of-released"
)

// walkRow holds one event. Versions, gaps and staleness are in updates; -1 is none.
type walkRow struct {
	Event     int // counts from 1
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

// openPush holds a worker's latest push, which may wait.
type openPush struct {
	row   walkRow
	index int // in the log
	group int
}

// walkRows turns the policy's steps into rows, up to the arrival of a number of pushes.
func walkRows(l *dasp.Log, steps []witnessed, pushes int) (rows []walkRow) {
	open := make([]openPush, l.Workers)
	arrived := 0
	for _, s := range steps {
		if s.Kind == dasp.EventPush {
			if arrived == pushes {
				break
			}
			n := s.Worker
			row := walkRow{At: s.At, Worker: n, By: n, What: walkPush, Held: s.Before.V[n], Decision: s.Decision, Staleness: -1}
			open[n] = openPush{index: arrived, row: row}
			arrived++
		}
		rows = append(rows, stepRows(l, s, open)...)
	}
	for i := range rows {
		rows[i].Event = i + 1
	}
	return rows
}

// stepRows returns the rows of one step, in the order of its actions.
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

// answered returns the row of an answer: of a push that is answered at once, or a release.
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

// answers tells whether actions answer worker w.
func answers(actions []dasp.Action, w int) bool {
	return slices.ContainsFunc(actions, func(a dasp.Action) bool { return a.Kind == dasp.Reply && slices.Contains(a.Workers, w) })
}

// waitsForWorker tells whether r waits for the oldest worker, not for an instant.
func (r walkRow) waitsForWorker() bool {
	return r.Why == whyForce || r.Why == whyHeld || r.Why == whyTooNear
}

func ms(d time.Duration) float64 { return 1e3 * d.Seconds() }
