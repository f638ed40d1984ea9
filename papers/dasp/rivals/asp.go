package rivals

import "gradsync/papers/dasp"

// asp is asynchronous parallel: nobody waits.
type asp struct{ roster }

// NewASP returns asynchronous parallel: every gradient is an update of weight
// 1/N and is answered at once.
//
// Source: §1
func NewASP(o Options) (dasp.Policy, error) {
	return &asp{newRoster("asp", o.Workers)}, nil
}

// Step consumes one event.
func (a *asp) Step(ev dasp.Event) []dasp.Action {
	a.out = a.out[:0]
	switch ev.Kind {
	case dasp.EventPush:
		a.arrive(ev.Worker)
		a.apply(1/float64(a.n()), ev.Worker)
		a.reply(ev.Worker, dasp.QIS)
	case dasp.EventJoin:
		a.join(ev.Worker)
	case dasp.EventLeave:
		a.leave(ev.Worker)
	}
	return a.out
}
