package dasp

import "testing"

// told is a policy that decides what it is told.
type told struct{ Decision }

func (told) Name() string        { return "told" }
func (told) Step(Event) []Action { return nil }
func (p told) Decided() Decision { return p.Decision }

// plain is a policy without decisions.
type plain struct{ Policy }

// States are adjusted where one other than QIS begins or ends, and nowhere else.
func TestAdjusts(t *testing.T) {
	reply := func(s State) []Action { return []Action{{Kind: Apply}, {Kind: Reply, State: s}} }
	decides := func(s State) Policy { return told{Decision{State: s}} }
	for _, c := range []struct {
		name    string
		policy  Policy
		kind    EventKind
		actions []Action
		want    bool
	}{
		{"QIS, answered", decides(QIS), EventPush, reply(QIS), false},
		{"QIS joins a group", decides(QIS), EventPush, nil, false},
		{"WSS begins", decides(WSS), EventPush, []Action{{Kind: SetTimer}}, true},
		{"FSS begins", decides(FSS), EventPush, nil, true},
		{"WSS that waits for nothing", decides(WSS), EventPush, reply(WSS), true},
		{"QIS ends others' FSS", decides(QIS), EventPush, append(reply(QIS), reply(FSS)...), true},
		{"a timer ends WSS", decides(FSS), EventTimer, reply(WSS), true},
		{"a timer that finds the worker held", decides(FSS), EventTimer, nil, false},
		{"a join", decides(FSS), EventJoin, reply(QIS), false},
		{"a death while free", decides(FSS), EventLeave, nil, false},
		{"a death while held", decides(QIS), EventLeave, []Action{{Kind: Drop}}, true},
		{"no states", plain{}, EventPush, reply(0), false},
	} {
		s := &server{policy: c.policy}
		if got := s.adjusts(Event{Kind: c.kind}, c.actions); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
