package dasp

import (
	"testing"
	"time"
)

// Every part of what happened changes the digest; what a method noted of its reasons does not.
func TestDigest(t *testing.T) {
	fresh := func() *Log {
		return &Log{Workers: 2, Params: 3, Bytes: 4, End: 9,
			Pushes:  []Push{{Worker: 1, Step: 2, Pulled: 1, Applied: 2, Sent: 1, Received: 5, Replied: 6, Compute: time.Second}},
			Updates: []Update{{Version: 1, At: 5, Workers: []int{1}, Pushes: 1, Weight: 0.5}}}
	}
	want := fresh().Digest()
	for name, change := range map[string]func(*Log){
		"workers": func(l *Log) { l.Workers++ }, "params": func(l *Log) { l.Params++ }, "bytes": func(l *Log) { l.Bytes++ },
		"end": func(l *Log) { l.End++ }, "a push less": func(l *Log) { l.Pushes = nil }, "an update less": func(l *Log) { l.Updates = nil },
		"worker": func(l *Log) { l.Pushes[0].Worker-- }, "step": func(l *Log) { l.Pushes[0].Step++ },
		"held": func(l *Log) { l.Pushes[0].Pulled++ }, "applied": func(l *Log) { l.Pushes[0].Applied++ },
		"sent": func(l *Log) { l.Pushes[0].Sent++ }, "arrived": func(l *Log) { l.Pushes[0].Received++ },
		"answered": func(l *Log) { l.Pushes[0].Replied++ }, "abandoned": func(l *Log) { l.Pushes[0].Abandoned = true },
		"version": func(l *Log) { l.Updates[0].Version++ }, "instant": func(l *Log) { l.Updates[0].At++ },
		"members": func(l *Log) { l.Updates[0].Workers = []int{0} }, "used": func(l *Log) { l.Updates[0].Pushes++ },
		"weight": func(l *Log) { l.Updates[0].Weight = 1 },
	} {
		l := fresh()
		if change(l); l.Digest() == want {
			t.Errorf("%s: another run, the same digest", name)
		}
	}
	l := fresh()
	l.Pushes[0].State, l.Pushes[0].Gap, l.Pushes[0].Clock = WSS, 7, 8
	if l.Digest() != want {
		t.Error("what a method noted changed the digest")
	}
}
