package quiz

import (
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/kit"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
)

var daspMakers = []maker{{"dasp.oldest", daspOldest}, {"dasp.state", daspState}, {"dasp.wait", daspWait}, {"dasp.weight", daspWeight},
	{"dasp.update", daspUpdate},
	{"dasp.version", daspVersion}, {"dasp.next", daspNext}, {"dasp.bound", daspBound}}

// the states by their value less one; they are called the same in both languages.
var states = []Text{same(dasp.QIS.String()), same(dasp.WSS.String()), same(dasp.FSS.String())}

// situation draws what the server knows as worker n's gradient arrives, so that n is
// in the given state.
func situation(d draw, state dasp.State) (c dasp.Config, v dasp.View, n int) {
	c = dasp.Config{Workers: d.from(3, 6), Smin: int64(d.from(1, 4)), Alpha: pick(d, 0.25, 0.5, 0.75)}
	c.Smax = c.Smin + int64(d.from(1, 4))
	lo, hi := int64(0), c.Smin // of v_n − v_min
	switch state {
	case dasp.WSS:
		lo, hi = c.Smin+1, c.Smax
	case dasp.FSS:
		lo, hi = c.Smax+1, c.Smax+4
	}
	v = dasp.NewView(c.Workers)
	least, most := int64(d.from(3, 30)), 0
	for i := range v.V {
		v.V[i] = least + int64(d.from(0, 9))
		v.F[i] = time.Duration(4*d.from(5, 40)) * time.Millisecond
	}
	two := d.Perm(c.Workers)[:2]
	n = two[0]
	v.V[two[1]], v.V[n] = least, least+int64(d.from(int(lo), int(hi)))
	most = int(slices.Max(v.V))
	v.Newest = int64(most + d.from(0, 2))
	return c, v, n
}

// ms writes a duration as a number of milliseconds.
func ms(t time.Duration) string { return rounded(float64(t) / float64(time.Millisecond)) }

func allMs(ts []time.Duration) string { return listed(kit.Map(ts, ms)) }

func daspOldest(d draw) (expected, facts) {
	_, v, _ := situation(d, dasp.WSS)
	least, id := v.Oldest()
	return sequence(int64(id), least), facts{"v": v.V, "least": least, "id": id}
}

func daspState(d draw) (expected, facts) {
	c, v, n := situation(d, pick(d, dasp.QIS, dasp.WSS, dasp.FSS))
	least, _ := v.Oldest()
	found := c.Decide(v, n)
	return oneOf(int(found.State)-1, states...), facts{"c": c, "v": v.V, "n": n, "least": least, "found": found}
}

func daspWait(d draw) (expected, facts) {
	c, v, n := situation(d, dasp.WSS)
	if _, id := v.Oldest(); d.from(1, 4) > 1 { // who is behind is slower, as a rule
		v.F[id] += v.F[n]
	}
	found := c.Decide(v, n)
	return exactly(rat(int64(found.Wait), int64(time.Millisecond)), milliseconds), facts{"c": c, "v": v.V, "f": v.F, "n": n, "found": found}
}

func daspWeight(d draw) (expected, facts) {
	c := dasp.Config{Workers: d.from(2, 12)}
	state, members, says := dasp.QIS, 1, facts{"N": c.Workers}
	if !d.coin() {
		state, members = dasp.WSS, d.from(2, c.Workers)
		says["K"] = members
	}
	w := c.Weight(state, members)
	says["weight"] = w
	return exactly(fraction(w), none), says
}

func daspUpdate(d draw) (expected, facts) {
	c := dasp.Config{Workers: pick(d, 4, 8)}
	state, members := dasp.QIS, 1
	if d.coin() {
		state, members = dasp.WSS, pick(d, 2, 4)
	}
	w, sum := d.small(2), make([]float32, 2)
	before, rate := slices.Clone(w), pick(d, 1, 0.5)
	var pushed [][]float32
	for range members {
		g := d.small(2)
		pushed = append(pushed, g)
		for i, x := range g {
			sum[i] += x
		}
	}
	weight, total := c.Weight(state, members), slices.Clone(sum)
	(&dasp.Optimiser{Rate: rate}).Step(w, sum, weight)
	return sequence(w...), facts{"group": state != dasp.QIS, "N": c.Workers, "rate": rate, "w": before, "g": pushed, "weight": weight, "sum": total, "new": w}
}

func daspVersion(d draw) (expected, facts) {
	c, v, n := situation(d, dasp.QIS)
	least, _ := v.Oldest()
	says := facts{"c": c, "v": slices.Clone(v.V), "newest": v.Newest, "n": n, "least": least}
	v.Updated()
	v.Handed(n)
	after, id := v.Oldest()
	says["handed"], says["after"], says["id"] = v.V[n], after, id
	return sequence(v.V[n], after), says
}

func daspBound(d draw) (expected, facts) {
	c, _, _ := situation(d, dasp.QIS)
	bound := formula.SpreadBound(c.Smax, c.Workers)
	return whole(bound, none), facts{"c": c, "bound": bound}
}

// draws bounds how many stories are told until one has a scene to ask about.
const draws = 20

func daspNext(d draw) (expected, facts) {
	for range draws {
		c, f := crew(d)
		scenes := story(c, f, 60)
		kinds := map[int][]scene{}
		for i, s := range scenes {
			if i >= c.Workers && s.plain(c) {
				kinds[s.kind()] = append(kinds[s.kind()], s)
			}
		}
		if of := kinds[d.from(0, 4)]; len(of) > 0 {
			s := of[d.IntN(len(of))]
			return set(s.answered()), s.says(c)
		}
	}
	panic("quiz: no story has a scene of the kind drawn")
}

// crew draws workers one of which is a straggler: the thresholds, and how long their
// iterations take.
func crew(d draw) (c dasp.Config, f []time.Duration) {
	c = dasp.Config{Workers: d.from(3, 4), Smin: int64(d.from(1, 2)), Alpha: 0.5}
	c.Smax = c.Smin + int64(d.from(1, 2))
	for range c.Workers {
		f = append(f, time.Duration(2*d.from(5, 15))*time.Millisecond)
	}
	f[d.IntN(c.Workers)] *= time.Duration(d.from(2, 4))
	return c, f
}

// plain reports whether a scene is asked about: no gradient of a waiting worker is in
// the model already, every f is known, and where nothing happens one worker says why.
func (s scene) plain(c dasp.Config) bool {
	used := slices.ContainsFunc(s.waits, func(w waiting) bool { return w.applied })
	return !used && !slices.Contains(s.view.F, 0) && (s.kind() != 2 || s.behind(c.Smax) >= 0)
}

// says tells what the server knew at a scene's event, and what the policy ordered.
func (s scene) says(c dasp.Config) facts {
	n, timer, version := s.event.Worker, s.event.Kind == dasp.EventTimer, s.view.Newest
	var waits, orders []facts
	for i, w := range s.waits {
		if w.state != 0 && !(w.due != 0 && i == n && timer) {
			waits = append(waits, facts{"worker": i, "state": w.state, "due": w.due})
		}
	}
	for _, o := range s.orders {
		switch o.Kind {
		case dasp.SetTimer:
			orders = append(orders, facts{"until": o.At})
		case dasp.Apply:
			version++
			orders = append(orders, facts{"until": 0, "version": version, "workers": o.Workers, "weight": o.Weight})
		}
	}
	least, _ := s.view.Oldest()
	says := facts{"c": c, "v": s.view.V, "f": s.view.F, "newest": s.view.Newest, "n": n, "t": s.event.At, "timer": timer, "waits": waits, "found": s.found,
		"least": least, "orders": orders, "answered": s.answered(), "held": s.kind() == 2}
	if i := s.behind(c.Smax); i >= 0 {
		says["behind"], says["version"], says["ahead"] = i, version+1, version+1-s.view.V[i]
	}
	return says
}

// scene is one event of a run: what the server knew, and what it ordered.
type scene struct {
	view   dasp.View // before the event, but for f of it
	waits  []waiting // before the event
	event  dasp.Event
	found  dasp.Decision // of a push
	orders []dasp.Action
}

// waiting is a worker whose gradient is at the server.
type waiting struct {
	state   dasp.State // 0: it computes
	due     time.Duration
	applied bool // its gradient is in the model already
}

// story runs DASP's policy on the given number of events of workers whose iterations take f.
// Messages take no time: only the order of events matters to a policy.
func story(c dasp.Config, f []time.Duration, events int) []scene {
	policy := kit.Must(dasp.New(c))
	open := policy.(interface{ View() dasp.View })
	waits, next := make([]waiting, c.Workers), slices.Clone(f)
	var scenes []scene
	for range events {
		event, ok := earliest(waits, next, f)
		if !ok {
			panic(fmt.Sprintf("quiz: nobody of %d workers computes or has a timer", c.Workers))
		}
		s := scene{view: cloned(open.View()), waits: slices.Clone(waits), event: event}
		n := event.Worker
		if event.Kind == dasp.EventPush {
			s.view.Finished(n, event.Compute)
			s.found = c.Decide(s.view, n)
			waits[n].state = s.found.State
		} else {
			waits[n].due = 0
		}
		for _, order := range policy.Step(event) {
			order.Workers = slices.Clone(order.Workers)
			s.orders = append(s.orders, order)
			for _, w := range order.Workers {
				switch order.Kind {
				case dasp.Apply:
					waits[w].applied = true
				case dasp.SetTimer:
					waits[w].due = order.At
				case dasp.Reply:
					waits[w], next[w] = waiting{}, event.At+f[w]
				}
			}
		}
		scenes = append(scenes, s)
	}
	return scenes
}

// earliest returns the next event: a timer before a push of the same instant, and the lowest
// worker first.
func earliest(waits []waiting, next, f []time.Duration) (e dasp.Event, ok bool) {
	for i, w := range waits {
		at, kind, compute := next[i], dasp.EventPush, f[i]
		if w.state != 0 {
			at, kind, compute = w.due, dasp.EventTimer, 0
			if at == 0 {
				continue // it waits for others
			}
		}
		if !ok || at < e.At || at == e.At && kind == dasp.EventTimer && e.Kind == dasp.EventPush {
			e, ok = dasp.Event{Kind: kind, Worker: i, At: at, Compute: compute}, true
		}
	}
	return e, ok
}

func cloned(v dasp.View) dasp.View {
	return dasp.View{V: slices.Clone(v.V), F: slices.Clone(v.F), Present: slices.Clone(v.Present), Newest: v.Newest}
}

// kind returns what a scene shows, so that rare ones are asked as often as common ones.
func (s scene) kind() int {
	applied, replied := 0, 0
	for _, o := range s.orders {
		switch o.Kind {
		case dasp.SetTimer:
			return 1
		case dasp.Apply:
			applied += len(o.Workers)
		case dasp.Reply:
			replied++
		}
	}
	switch {
	case replied == 0:
		return 2 // held
	case applied > 1:
		return 3 // a group
	case s.event.Kind == dasp.EventPush && s.found.State == dasp.QIS:
		return 0
	}
	return 4 // a group of one
}

// answered returns the workers that the server sends weights to, ascending.
func (s scene) answered() (workers []int) {
	for _, o := range s.orders {
		if o.Kind == dasp.Reply {
			workers = append(workers, o.Workers...)
		}
	}
	slices.Sort(workers)
	return workers
}

// behind returns a worker who has certainly no part in an answer now, and whom a new version would
// be more than smax ahead of; −1: there is none.
func (s scene) behind(smax int64) int {
	for i, w := range s.waits {
		busy := w.state == 0 && i != s.event.Worker
		later := w.state == dasp.WSS && w.due > s.event.At
		if (busy || later) && s.view.Newest+1-s.view.V[i] > smax {
			return i
		}
	}
	return -1
}
