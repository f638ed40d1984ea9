package rivals

import "gradsync/papers/dasp"

// template is a policy to copy: "pairs" waits for any two gradients, applies
// their mean, and answers both. It deadlocks nobody as long as two are present;
// a lone worker goes on alone.
type template struct{ roster }

// NewTemplate returns the policy that coursework starts from.
//
// Source: ours: an example of a method that is not in the paper
func NewTemplate(o Options) (dasp.Policy, error) {
	return &template{newRoster("template", o.Workers)}, nil
}

// Step consumes one event and says what the server does.
func (t *template) Step(ev dasp.Event) []dasp.Action {
	t.out = t.out[:0]
	switch ev.Kind {
	case dasp.EventPush:
		t.arrive(ev.Worker) // counts it, and checks that it was not waiting
		t.waiting[ev.Worker] = true
	case dasp.EventJoin:
		t.join(ev.Worker) // answers it
	case dasp.EventLeave:
		if t.waiting[ev.Worker] {
			t.drop(ev.Worker) // every gradient is applied once or dropped
		}
		t.leave(ev.Worker)
	}
	pair := t.waiters()
	if _, other := t.slowest(-1); len(pair) == 2 || len(pair) == 1 && t.alone(other) {
		t.apply(1/float64(len(pair)), pair...)
		for _, w := range pair {
			t.reply(w, dasp.QIS)
		}
	}
	return t.out
}

// alone reports whether w is the only worker present.
func (t *template) alone(w int) bool {
	_, other := t.slowest(w)
	return other < 0
}
