//gradsync:pure

package rivals

import "gradsync/papers/dasp"

// asp is asynchronous parallel: nobody waits.
type asp struct {
	roster
	weight float64
}

// NewASP returns asynchronous parallel: every gradient is an update of weight
// 1/N, or 1 with ASPWeight "1", and is answered at once.
//
// Source: §1
func NewASP(o Options) (dasp.Policy, error) {
	weight := 1 / float64(o.Workers)
	if whole, err := choose("ASP's weight", o.ASPWeight, "1/N", "1"); err != nil {
		return nil, err
	} else if whole {
		weight = 1
	}
	return &asp{newRoster("asp", o.Workers), weight}, nil
}

// Step consumes one event.
func (a *asp) Step(ev dasp.Event) []dasp.Action {
	a.out = a.out[:0]
	switch ev.Kind {
	case dasp.EventPush:
		a.arrive(ev.Worker)
		a.apply(a.weight, ev.Worker)
		a.reply(ev.Worker, dasp.QIS)
	case dasp.EventJoin:
		a.join(ev.Worker)
	case dasp.EventLeave:
		a.leave(ev.Worker)
	}
	return a.out
}
