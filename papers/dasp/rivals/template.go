//gradsync:pure

package rivals

import (
	"fmt"

	"gradsync/papers/dasp"
)

func init() {
	Register("template", func(o Options) (dasp.Policy, error) {
		group := int(o.Param("template-group", 2)) // the flag of experiments/method/template.go
		if group < 1 {
			return nil, fmt.Errorf("rivals: template: groups of %d gradients, want at least 1", group)
		}
		return &template{newRoster("template", o.Workers), group}, nil
	})
}

// template is a policy to copy, an example of a method that is not in the paper: it waits for
// any two gradients, or for as many as --template-group says, applies their mean, and answers
// their workers. It deadlocks nobody: where fewer workers are present it waits for those.
type template struct {
	roster
	group int
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
	if group := t.waiters(); len(group) > 0 && len(group) == min(t.group, t.here()) {
		t.apply(1/float64(len(group)), group...)
		for _, w := range group {
			t.reply(w, dasp.QIS)
		}
	}
	return t.out
}
