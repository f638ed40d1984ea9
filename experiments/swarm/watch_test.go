package swarm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
)

// script is a policy that orders what it is told to.
type script struct{ orders []dasp.Action }

func (*script) Name() string                    { return "script" }
func (s *script) Step(dasp.Event) []dasp.Action { return s.orders }

// order makes an action of some workers.
func order(kind dasp.ActionKind, workers ...int) dasp.Action {
	return dasp.Action{Kind: kind, Workers: workers, Weight: 1}
}

// TestWatchFinds: each broken promise is named, and what keeps it is not. Workers 0 and 1 take part, worker 2 crashes at
// once and leaves first. A step is one worker's push, and what is ordered.
func TestWatchFinds(t *testing.T) {
	const ms = time.Millisecond
	type step struct {
		worker int
		orders []dasp.Action
	}
	use := func(w int) []dasp.Action { return []dasp.Action{order(dasp.Apply, w), order(dasp.Reply, w)} }
	keep := func(w int) []dasp.Action { return []dasp.Action{order(dasp.Apply, w)} }
	far := order(dasp.Reply, 0)
	far.State = dasp.FSS
	for _, c := range []struct {
		method, want string
		steps        []step
	}{
		{"asp", "", []step{{0, use(0)}, {0, use(0)}, {1, use(1)}}},
		{"asp", "1 workers wait", []step{{0, keep(0)}}},
		{"asp", "that is used, has not come", []step{{0, use(0)}, {1, use(0)}}},
		{"asp", "has not asked", []step{{0, use(0)}, {1, []dasp.Action{order(dasp.Reply, 0)}}}},
		{"asp", "whose gradient is open", []step{{0, []dasp.Action{order(dasp.Reply, 0)}}}},
		{"asp", "which has left or waits", []step{{2, nil}}},
		{"asp", "on the newest version, 0, is dropped", []step{{0, []dasp.Action{order(dasp.Drop, 0), order(dasp.Reply, 0)}}}},
		{"ssp", "", []step{{0, use(0)}, {0, use(0)}, {0, keep(0)}, {1, append(use(1), order(dasp.Reply, 0))}}},
		{"ssp", "answered 3 clocks ahead of the slowest of the living, want at most 2", []step{{0, use(0)}, {0, use(0)}, {0, use(0)}}},
		{"ssp", "waits 2 clocks ahead of the slowest of the living; up to 2", []step{{0, use(0)}, {0, keep(0)}}},
		{"dssp", "", []step{{0, use(0)}, {0, use(0)}, {0, use(0)}}},
		{"dssp", "want at most 3", []step{{0, use(0)}, {0, use(0)}, {0, use(0)}, {0, use(0)}}},
		{"dssp", "up to 1 it goes on", []step{{0, keep(0)}}},
		{"gssp", "want at most 2", []step{{0, use(0)}, {0, use(0)}, {0, use(0)}}},
		{"bsp", "", []step{{0, nil}, {1, []dasp.Action{order(dasp.Apply, 0, 1), order(dasp.Reply, 0, 1)}}}},
		{"bsp", "round 1 has 1 gradients of 2 living workers, want 2", []step{{0, use(0)}}},
		{"bsp", "2 workers wait, and 2 end a round", []step{{0, nil}, {1, nil}}},
		{"dasp", "a version 5 ahead of the oldest of the living, Smax is 4",
			[]step{{0, use(0)}, {0, use(0)}, {0, use(0)}, {0, use(0)}, {0, []dasp.Action{order(dasp.Apply, 0), far}}}},
		{"dasp", "want at most Smax + N − 2 = 5", []step{{0, use(0)}, {0, use(0)}, {0, use(0)}, {0, use(0)}, {0, use(0)}, {0, use(0)}}},
	} {
		o := rivals.Defaults(3)
		o.Staleness, o.Lower, o.Upper, o.Smax, o.Groups = 2, 1, 3, 4, [][]int{{0}, {1, 2}}
		w, s := newWatch(c.method, o, 10*ms, []faults.Host{{}, {}, {}, {Crash: 5 * ms}}), &script{}
		p := w.of(s)
		p.Step(dasp.Event{Kind: dasp.EventLeave, Worker: 2, At: 10 * ms})
		for i, e := range c.steps {
			s.orders = e.orders
			p.Step(dasp.Event{Kind: dasp.EventPush, Worker: e.worker, At: time.Duration(20+i) * ms})
		}
		if c.want == "" && w.broken != "" || !strings.Contains(w.broken, c.want) {
			t.Errorf("%s, %v: %q, want %q", c.method, c.steps, w.broken, c.want)
		}
	}
}

// TestWatchTimesWaits: by hand, workers 2, 0 and 1 push once, in QIS, and hold versions 1, 2 and 3. Then worker 0, whose f is
// 6 ms, pushes at 20 ms: it is one version ahead of worker 2, whose f is 26 ms, and waits 0.5 · (26 − 6) = 10 ms. Worker 1, whose f
// is 16 ms, pushes at 25 ms, two ahead: 0.5 · (26 − 16) = 5 ms. Both are answered at 30 ms.
func TestWatchTimesWaits(t *testing.T) {
	const ms = time.Millisecond
	timer := func(w int, at time.Duration) []dasp.Action {
		return []dasp.Action{{Kind: dasp.SetTimer, Workers: []int{w}, At: at * ms}}
	}
	waited := order(dasp.Reply, 0, 1)
	waited.State = dasp.WSS
	type step struct {
		kind        dasp.EventKind
		worker      int
		at, compute time.Duration
		orders      []dasp.Action
	}
	asleep := faults.Host{Pauses: []faults.Window{{From: 29 * ms, To: 33 * ms}}}
	for _, c := range []struct {
		method, gap, want string
		server            faults.Host
		change            func(s []step)
	}{
		{"dasp", "", "", faults.Host{}, func([]step) {}},
		{"dasp", "", "waits until 40ms; by equation (1) until 30ms", faults.Host{}, func(s []step) { s[3].orders = timer(0, 40) }},
		{"dasp", "", "waits until 25ms; by equation (1) until 30ms", faults.Host{}, func(s []step) { s[3].orders = timer(0, 25) }},
		{"dasp", "", "waits until 20ms; by equation (1) until 30ms", faults.Host{}, func(s []step) { s[3].orders = nil }},
		{"dasp", "", "waits until 15ms; by equation (1) until 14ms", faults.Host{}, func(s []step) { s[2].orders = append(s[2].orders, timer(1, 15)...) }},
		{"dasp", "", "at 29ms worker 0 is answered, which by equation (1) waits until 30ms", faults.Host{}, func(s []step) { s[5].at = 29 }},
		{"dasp", "", "at 33ms worker 0's wait is over, by equation (1) at 30ms", faults.Host{}, func(s []step) { s[5].at = 33 }},
		{"dasp", "", "", asleep, func(s []step) { s[5].at = 33 }},
		{"dasp", "post", "waits until 14ms; by equation (1) until 19ms", faults.Host{}, func([]step) {}},
		{"template", "", "", faults.Host{}, func(s []step) { s[3].orders, s[5].at = timer(0, 40), 40 }},
	} {
		steps := []step{{dasp.EventPush, 2, 10, 26, nil}, {dasp.EventPush, 0, 12, 6, nil}, {dasp.EventPush, 1, 14, 16, nil},
			{dasp.EventPush, 0, 20, 6, timer(0, 30)}, {dasp.EventPush, 1, 25, 16, timer(1, 30)},
			{dasp.EventTimer, 0, 30, 0, []dasp.Action{order(dasp.Apply, 0, 1), waited}}}
		for i := range steps[:3] {
			steps[i].orders = []dasp.Action{order(dasp.Apply, steps[i].worker), order(dasp.Reply, steps[i].worker)}
		}
		c.change(steps)
		o := rivals.Defaults(3)
		o.Smin, o.Smax, o.Alpha, o.Gap = 0, 4, 0.5, c.gap
		w, s := newWatch(c.method, o, 0, []faults.Host{c.server, {}, {}, {}}), &script{}
		p := w.of(s)
		for _, e := range steps {
			s.orders = e.orders
			p.Step(dasp.Event{Kind: e.kind, Worker: e.worker, At: e.at * ms, Compute: e.compute * ms})
		}
		if c.want == "" && w.broken != "" || !strings.Contains(w.broken, c.want) {
			t.Errorf("%s %s: %q, want %q", c.method, c.gap, w.broken, c.want)
		}
	}
}

// TestWatchKnowsWhyOneLeaves: a crash before, or a pause within the lease; a pause of the server puts off what it sees.
func TestWatchKnowsWhyOneLeaves(t *testing.T) {
	const ms = time.Millisecond
	pause := func(from, to time.Duration) []faults.Window { return []faults.Window{{From: from * ms, To: to * ms}} }
	for _, c := range []struct {
		worker, server faults.Host
		lease          time.Duration
		fine           bool
	}{
		{faults.Host{Crash: 90 * ms}, faults.Host{}, 10 * ms, true},
		{faults.Host{Crash: 101 * ms}, faults.Host{}, 10 * ms, false},
		{faults.Host{Pauses: pause(80, 91)}, faults.Host{}, 10 * ms, true},
		{faults.Host{Pauses: pause(80, 90)}, faults.Host{}, 10 * ms, false},
		{faults.Host{Pauses: pause(60, 70)}, faults.Host{Pauses: pause(75, 100)}, 10 * ms, true},
		{faults.Host{}, faults.Host{Pauses: pause(75, 100)}, 10 * ms, false},
		{faults.Host{Slow: []faults.Slowness{{Window: faults.Window{To: time.Hour}, Factor: 2}}}, faults.Host{}, 10 * ms, false},
		{faults.Host{Crash: 90 * ms}, faults.Host{}, 0, false},
	} {
		w := newWatch("asp", rivals.Defaults(1), c.lease, []faults.Host{c.server, c.worker})
		w.of(&script{}).Step(dasp.Event{Kind: dasp.EventLeave, At: 100 * ms})
		if (w.broken == "") != c.fine {
			t.Errorf("%v, server %v, lease %v: %q", c.worker, c.server, c.lease, w.broken)
		}
	}
}

// TestReplayFinds: a run whose log or parameters are changed is found, and a good one is good.
func TestReplayFinds(t *testing.T) {
	for want, change := range map[string]func(v *service){
		"":                           func(*service) {},
		"other bits":                 func(v *service) { v.trained[40][3]++ },
		"has the loss":               func(v *service) { v.log.Pushes[9].Loss++ },
		"not contiguous":             func(v *service) { v.log.Updates[5].Version++ },
		"before version":             func(v *service) { v.log.Updates[5].At = 0 },
		"by the log, ordered in":     func(v *service) { v.log.Pushes[20].Applied++ },
		"clocks ahead":               func(v *service) { v.log.Pushes[20].Clock++ },
		"step":                       func(v *service) { v.log.Pushes[20].Step++ },
		"as it came":                 func(v *service) { v.log.Pushes[20].Pulled-- },
		"the log has":                func(v *service) { v.log.Pushes = slices.Clone(v.log.Pushes[:50]) },
		"ended after 97 gradients":   func(v *service) { v.log.Updates = v.log.Updates[:97] },
		"counts 7 gradients, want 6": func(v *service) { v.log.Updates[5].Pushes++ },
	} {
		v := &service{name: "asp", n: 3, options: rivals.Defaults(3), hosts: make([]faults.Host, 4), trained: [][]float32{begin()}}
		oktest.Nil(t, v.run(t.Context(), machines(cluster.Stream(1, 0, "", "test"), 3), 1, 1))
		change(v)
		if got := first(func() string { return v.watch.broken }, v.checkEnd, v.checkLog, v.replay); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
