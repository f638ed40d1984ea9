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
	switch w := ev.Worker; ev.Kind {
	case dasp.EventPush:
		t.arrive(w) // counts it, and checks that it was not waiting
		t.waiting[w] = true
	case dasp.EventJoin:
		t.join(w) // answers it
	case dasp.EventLeave:
		if t.waiting[w] {
			t.drop(w) // every gradient is applied once or dropped
		}
		t.leave(w)
	}
	if pair := t.waiters(); len(pair) > 0 && len(pair) == min(2, t.here()) {
		t.apply(1/float64(len(pair)), pair...)
		for _, w := range pair {
			t.reply(w, dasp.QIS)
		}
	}
	return t.out
}
