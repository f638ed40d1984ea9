package retrace

import (
	"testing"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// A timer that ends in the nanosecond of a push: the log says which came first.
// Two workers, Smin = 0, Smax = 9, α = 1; worker 1 computes 10 ms, worker 0 2 ms.
func TestRetraceFindsTheOrderOfATie(t *testing.T) {
	ms, o := time.Millisecond, rivals.Defaults(2)
	o.Smin, o.Smax, o.Alpha = 0, 9, 1
	fresh := PolicyOf("dasp", o)
	push := func(w int, pulled int64, at, compute int, s dasp.State) dasp.Push {
		return dasp.Push{Worker: w, Pulled: pulled, Received: time.Duration(at) * ms, Compute: time.Duration(compute) * ms, State: s}
	}
	// Worker 0's second push waits 8 ms from 12 to 20; worker 1 pushes at 20. If the timer is first worker 0 makes version
	// 3 and goes with it, worker 1 makes 4. If the push is first worker 1 makes version 3, and worker 0 goes with 4.
	log := func(zero, one int64) *dasp.Log {
		return &dasp.Log{Workers: 2, Pushes: []dasp.Push{push(1, 0, 9, 10, dasp.QIS), push(0, 0, 10, 2, dasp.QIS), push(0, 2, 12, 2, dasp.WSS),
			push(1, 1, 20, 10, dasp.QIS), push(0, zero, 30, 2, dasp.QIS), push(1, one, 30, 10, dasp.WSS)}}
	}
	for name, c := range map[string]struct {
		zero, one int64
		ok        bool
	}{"timer first": {3, 4, true}, "push first": {4, 3, true}, "neither": {4, 4, false}} {
		l := log(c.zero, c.one)
		l.Pushes[4].Abandoned, l.Pushes[5].Abandoned = true, true // their answers are not the point
		var views []int64
		err := Log(l, fresh, dasp.DurationCompute, func(s Sight) { views = append(views, s.View.Newest) }, nil)
		if (err == nil) != c.ok || c.ok && len(views) != len(l.Pushes) {
			t.Errorf("%s: %v, %d pushes told of", name, err, len(views))
		}
		if c.ok && views[3] != map[string]int64{"timer first": 3, "push first": 2}[name] {
			t.Errorf("%s: version %d as the tied push arrives", name, views[3])
		}
	}
}
