package swarm

import (
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/audit"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster/faults"
)

// watch looks at all events that reach a policy and all that it orders, keeps clocks, versions and who is present by
// itself, and notes the first promise that is broken. It and the policy have nothing in common but what they see.
//
//	ssp     answer ⇔ t_n − min(t) ≤ s
//	dssp    answer ⇒ t_n − min(t) ≤ s_U;  t_n − min(t) ≤ s_L ⇒ answer
//	gssp    answer ⇔ t_group − min(t_group) ≤ s
//	asp     every gradient is answered at once
//	bsp     a round has all that are present, on one version; ends when all have come
//	backup  a round has N of N + m, or all that are present, on one version; only older gradients are dropped
//	dasp    v_n − min(v) ≤ Smax after a WSS or FSS answer; v_new − min(v) ≤ Smax + N − 2 at every instant;
//	        T_wait has the length of equation (1), in which nobody is answered and after which the server wakes
//
// All minima are over the living: who has left counts in none.
type watch struct {
	method  string
	options rivals.Options
	lease   time.Duration
	elastic bool
	notice  time.Duration
	crawls  bool // slowness makes workers silent too
	hosts   []faults.Host

	present  []bool
	asks     []bool // gradient at the server, not answered
	unused   []bool // gradient at the server, neither used nor dropped
	clock    []int64
	held     []int64 // version
	newest   int64
	answered []int           // in this event
	tested   []int           // of them, those that were in WSS or FSS
	f        []time.Duration // of the last iteration, 0: unknown
	due      []time.Duration // end of T_wait
	timer    time.Duration   // set in this event, 0: none

	arrivals     []arrival
	applies      []dasp.Action
	latest       []int // by worker: its last arrival
	left, joined int
	broken       string
}

// arrival is a gradient as the watch saw it, in order, as in Log.Pushes.
type arrival struct {
	worker  int
	held    int64
	ahead   int64 // of the slowest clock
	applied int64 // version, 0: none
}

func newWatch(method string, o rivals.Options, lease time.Duration, hosts []faults.Host) *watch {
	n := o.Workers
	w := &watch{method: method, options: o, lease: lease, hosts: hosts, present: make([]bool, n), asks: make([]bool, n),
		unused: make([]bool, n), clock: make([]int64, n), held: make([]int64, n), latest: make([]int, n),
		f: make([]time.Duration, n), due: make([]time.Duration, n)}
	for i := range w.present {
		w.present[i] = true
	}
	return w
}

// of returns policy, watched.
func (w *watch) of(policy dasp.Policy) dasp.Policy {
	p := &watched{policy, w}
	if d, ok := policy.(dasp.Decider); ok {
		return &decider{p, d}
	}
	return p
}

// watched is a policy under a watch.
type watched struct {
	dasp.Policy
	watch *watch
}

// decider is one that tells what it decided.
type decider struct {
	*watched
	inner dasp.Decider
}

func (d *decider) Decided() dasp.Decision { return d.inner.Decided() }

// Step lets the policy take a step, and looks at what came and what it orders.
func (p *watched) Step(ev dasp.Event) []dasp.Action {
	w := p.watch
	w.answered, w.tested, w.timer = w.answered[:0], w.tested[:0], 0
	w.event(ev)
	actions := p.Policy.Step(ev)
	for _, a := range actions {
		w.action(a)
	}
	w.after(ev)
	return actions
}

// fail notes the first promise that is broken.
func (w *watch) fail(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
	}
}

// slowest returns the least of values over the living but skip, and whether there is one.
func (w *watch) slowest(values []int64, skip int) (least int64, any bool) {
	for i, v := range values {
		if i != skip && w.present[i] && (!any || v < least) {
			least, any = v, true
		}
	}
	return least, any
}

// event notes what happened.
func (w *watch) event(ev dasp.Event) {
	n := ev.Worker
	switch ev.Kind {
	case dasp.EventLeave:
		w.leave(n, ev.At)
	case dasp.EventJoin:
		if w.present[n] {
			w.fail("at %v worker %d joins and has not left", ev.At, n)
		}
		w.joined++
		if c, others := w.slowest(w.clock, n); others { // who comes back is as far as the slowest
			w.clock[n] = c
		}
		w.present[n], w.asks[n], w.f[n], w.due[n] = true, true, 0, 0
		w.arrive(n)
	case dasp.EventPush:
		if !w.present[n] || w.asks[n] {
			w.fail("at %v a gradient of worker %d, which has left or waits", ev.At, n)
		}
		w.clock[n]++
		w.asks[n], w.unused[n], w.f[n] = true, true, ev.Compute
		w.due[n] = ev.At + w.wait(n)
		w.arrive(n)
	}
}

// arrive notes a message of a worker.
func (w *watch) arrive(n int) {
	least, _ := w.slowest(w.clock, -1)
	w.latest[n] = len(w.arrivals)
	w.arrivals = append(w.arrivals, arrival{worker: n, held: w.held[n], ahead: w.clock[n] - least})
}

// leave checks that a crash or a pause made the worker silent.
func (w *watch) leave(n int, at time.Duration) {
	w.left++
	h := w.hosts[n+1]
	crashed := h.Crash > 0 && h.Crash <= at
	told := w.elastic && crashed // of the loss, before any lease and also while a gradient waits
	if !w.present[n] || !told && (w.lease == 0 || w.asks[n]) {
		w.fail("at %v worker %d leaves, which had left, has sent its gradient or has no lease", at, n)
	}
	w.present[n], w.asks[n] = false, false
	from := at - w.lease
	pauses := slices.Clone(w.hosts[0].Pauses)
	for { // a server that slept sees it late; one pause may begin within another
		i := slices.IndexFunc(pauses, func(p faults.Window) bool { return p.Meets(from, at) })
		if i < 0 {
			break
		}
		from -= pauses[i].To - pauses[i].From
		pauses = slices.Delete(pauses, i, i+1)
	}
	silent := crashed || slices.ContainsFunc(h.Pauses, func(p faults.Window) bool { return p.Meets(from, at) })
	for _, s := range h.Slow {
		silent = silent || w.crawls && s.Meets(from, at)
	}
	if !silent {
		w.fail("at %v worker %d is left out: it neither crashed nor paused since %v", at, n, from)
	}
}

// action notes an order.
func (w *watch) action(a dasp.Action) {
	switch a.Kind {
	case dasp.Apply:
		w.newest++
		w.applies = append(w.applies, dasp.Action{Workers: slices.Clone(a.Workers), Weight: a.Weight})
		for _, n := range a.Workers {
			if !w.unused[n] || !w.present[n] {
				w.fail("version %d uses a gradient of worker %d that is used, has not come or is of one who left", w.newest, n)
			}
			if w.rounds() && w.held[n] != w.newest-1 {
				w.fail("round %d has a gradient of worker %d on version %d", w.newest, n, w.held[n])
			}
			w.unused[n] = false
			w.arrivals[w.latest[n]].applied = w.newest
		}
		w.roundOf(len(a.Workers))
	case dasp.Drop:
		for _, n := range a.Workers {
			if w.present[n] && w.held[n] == w.newest {
				w.fail("a gradient of worker %d on the newest version, %d, is dropped", n, w.newest)
			}
			w.unused[n] = false
		}
	case dasp.SetTimer:
		w.timer = a.At
	case dasp.Reply:
		for _, n := range a.Workers {
			if !w.present[n] || !w.asks[n] || w.unused[n] {
				w.fail("an answer to worker %d, which has left, has not asked or whose gradient is open", n)
			}
			w.asks[n], w.held[n] = false, w.newest
			w.answered = append(w.answered, n)
			if a.State > dasp.QIS {
				w.tested = append(w.tested, n)
			}
		}
	}
}

// living counts who is present.
func (w *watch) living() (n int) {
	for _, here := range w.present {
		if here {
			n++
		}
	}
	return n
}

// waiting counts who waits for an answer.
func (w *watch) waiting() (n int) {
	for _, asks := range w.asks {
		if asks {
			n++
		}
	}
	return n
}

// roundOf checks how many gradients an update of a method with barriers has.
func (w *watch) roundOf(k int) {
	if quorum := w.quorum(); w.rounds() && k != quorum {
		w.fail("round %d has %d gradients of %d living workers, want %d", w.newest, k, w.living(), quorum)
	}
}

// rounds reports whether updates are of all that hold one version.
func (w *watch) rounds() bool { return w.method == "bsp" || w.method == "backup" }

// quorum returns how many gradients end a round.
func (w *watch) quorum() int {
	if w.method == "backup" {
		return min(len(w.present)-w.options.Backup, w.living())
	}
	return w.living()
}

// after checks the method's bounds once an event is over.
func (w *watch) after(ev dasp.Event) {
	o, at := w.options, ev.At
	w.buried(at)
	switch w.method {
	case "asp":
		if n := w.waiting(); n > 0 {
			w.fail("at %v %d workers wait", at, n)
		}
	case "bsp", "backup":
		if n := w.waiting(); n > 0 && n >= w.quorum() {
			w.fail("at %v %d workers wait, and %d end a round", at, n, w.quorum())
		}
	case "ssp":
		w.bounded(at, w.clock, o.Staleness, o.Staleness)
	case "dssp":
		w.bounded(at, w.clock, o.Lower, o.Upper)
	case "gssp":
		w.bounded(at, w.groupClocks(), o.Staleness, o.Staleness)
	case "dasp":
		w.spread(at)
		w.timed(ev)
	}
}

// buried checks that on an elastic run nobody counts among the living for long after a crash: the server is told within
// notice, or when it wakes.
func (w *watch) buried(at time.Duration) {
	late := w.notice + time.Millisecond
	for _, p := range w.hosts[0].Pauses {
		late += p.To - p.From
	}
	for n, here := range w.present {
		if h := w.hosts[n+1]; w.elastic && here && h.Crash > 0 && at > h.Crash+late {
			w.fail("at %v worker %d is still among the living: it crashed at %v", at, n, h.Crash)
		}
	}
}

// bounded checks that nobody answered is more than upper clocks ahead of the slowest of the living, and nobody who waits
// at most lower.
func (w *watch) bounded(at time.Duration, clock []int64, lower, upper int64) {
	slow, _ := w.slowest(clock, -1)
	for _, n := range w.answered {
		if ahead := clock[n] - slow; ahead > upper {
			w.fail("at %v worker %d is answered %d clocks ahead of the slowest of the living, want at most %d", at, n, ahead, upper)
		}
	}
	for n, asks := range w.asks {
		if ahead := clock[n] - slow; asks && w.present[n] && ahead <= lower {
			w.fail("at %v worker %d waits %d clocks ahead of the slowest of the living; up to %d it goes on", at, n, ahead, lower)
		}
	}
}

// groupClocks returns each worker's group's mean clock over the living, rounded down.
func (w *watch) groupClocks() []int64 {
	out := make([]int64, len(w.clock))
	for _, group := range w.options.Groups {
		var sum, n int64
		for _, i := range group {
			if w.present[i] {
				sum, n = sum+w.clock[i], n+1
			}
		}
		for _, i := range group {
			out[i] = sum / max(n, 1)
		}
	}
	return out
}

// spread checks DASP's bounds; those readings that have none are let go.
func (w *watch) spread(at time.Duration) {
	if w.options.FSS == "literal" {
		return
	}
	oldest, any := w.slowest(w.held, -1)
	for _, n := range w.tested {
		if ahead := w.held[n] - oldest; ahead > w.options.Smax {
			w.fail("at %v worker %d in WSS or FSS is handed a version %d ahead of the oldest of the living, Smax is %d", at, n, ahead, w.options.Smax)
		}
	}
	if w.options.Gap == "post" || w.options.Arrivals == "join" {
		return
	}
	bound := max(w.options.Smax+int64(len(w.held))-2, 1)
	if spread := w.newest - oldest; any && spread > bound {
		w.fail("at %v the newest version is %d ahead of the oldest of the living, want at most Smax + N − 2 = %d", at, spread, bound)
	}
}

// wait returns T_wait of a gradient of worker n that has just come, by equation (1) as the audit has it: 0 unless it is
// in WSS.
func (w *watch) wait(n int) time.Duration {
	v, skip, oldest := w.held[n], -1, -1
	if w.options.Gap == "post" {
		v, skip = w.newest+1, n
	}
	for i, held := range w.held {
		if i != skip && w.present[i] && (oldest < 0 || held < w.held[oldest]) {
			oldest = i
		}
	}
	if oldest < 0 || v-w.held[oldest] <= w.options.Smin || v-w.held[oldest] > w.options.Smax {
		return 0
	}
	return time.Duration(audit.Equation1(w.options, float64(w.f[n]), float64(w.f[oldest])))
}

// timed checks that T_wait is as long as it should be: what is ordered, that nobody is answered within it, and that its
// end is seen at once unless the server sleeps.
func (w *watch) timed(ev dasp.Event) {
	n := ev.Worker
	if ev.Kind == dasp.EventPush && max(w.timer, ev.At) != w.due[n] {
		w.fail("at %v worker %d, f %v, waits until %v; by equation (1) until %v",
			ev.At, n, w.f[n], max(w.timer, ev.At), w.due[n])
	}
	for _, i := range w.answered {
		if ev.At < w.due[i] {
			w.fail("at %v worker %d is answered, which by equation (1) waits until %v", ev.At, i, w.due[i])
		}
	}
	sleeps := func(p faults.Window) bool { return p.Meets(w.due[n], ev.At) }
	if ev.Kind == dasp.EventTimer && ev.At > w.due[n] && !slices.ContainsFunc(w.hosts[0].Pauses, sleeps) {
		w.fail("at %v worker %d's wait is over, by equation (1) at %v", ev.At, n, w.due[n])
	}
}
