package audit

import (
	"math"

	"gradsync/papers/dasp/rivals"
)

// algorithms carries out Algorithms 1 and 2 of DASP with equations (1) and (2), written a second time from
// the paper and from the readings that papers/dasp/doc.go lists. It shares no code with the policy: numbers
// are float64, states are words, and every set is found anew from the nodes at each event.
type algorithms struct {
	rivals.Options
	newest int64
	nodes  []station
	orders []Order
}

// station is all that is known of one node.
type station struct {
	v       int64   // version that it holds
	f       float64 // its last iteration, ns; 0: unknown
	waits   bool
	used    bool // while it waits: an update has its gradient
	free    bool // while it waits: nothing but the bound Smax holds it
	awaits  int  // literal FSS: whose completion frees it
	decided Decision
}

func newAlgorithms(o rivals.Options) *algorithms {
	return &algorithms{Options: o, nodes: make([]station, o.Workers)}
}

// push carries out Algorithm 1 for a gradient of node n whose iteration took f, and what of Algorithm 2
// follows from it.
func (a *algorithms) push(n int, f int64) (Decision, []Order) {
	a.orders = nil
	me := &a.nodes[n]
	me.f = float64(f)
	for i := range a.nodes {
		if x := &a.nodes[i]; x.waits && x.decided.State == "FSS" && x.awaits == n {
			x.free = true
		}
	}
	d := a.decide(n)
	if d.State == "QIS" && !(a.Arrivals == "join" && a.group()) {
		a.update([]int{n}, a.weightQIS())
		me.decided = d
		a.answer([]int{n})
	} else {
		*me = station{v: me.v, f: me.f, waits: true, awaits: -1, decided: d}
		switch {
		case d.State == "WSS" && d.Wait > 0:
			a.orders = append(a.orders, Order{Order: timer, Workers: []int{n}})
		case d.State == "FSS" && a.FSS == "literal" && !a.nodes[d.Oldest].waits:
			me.awaits = d.Oldest
		default:
			me.free = d.State != "QIS"
		}
	}
	a.release()
	return d, a.orders
}

// over ends node n's T_wait.
func (a *algorithms) over(n int) []Order {
	a.orders = nil
	a.nodes[n].free = true
	a.release()
	return a.orders
}

// decide compares node n with the oldest: lines 3 to 14 of Algorithm 1.
func (a *algorithms) decide(n int) Decision {
	post := a.Gap == "post"
	oldest := -1
	for i := range a.nodes {
		if post && i == n {
			continue
		}
		if oldest < 0 || a.nodes[i].v < a.nodes[oldest].v {
			oldest = i
		}
	}
	d := Decision{Oldest: oldest}
	switch {
	case post && oldest >= 0:
		d.Gap = a.newest + 1 - a.nodes[oldest].v
	case !post:
		d.Gap = a.nodes[n].v - a.nodes[oldest].v
	}
	switch {
	case d.Gap <= a.Smin:
		d.State = "QIS"
	case d.Gap <= a.Smax:
		d.State = "WSS"
		d.Wait = Equation1(a.Options, a.nodes[n].f, a.nodes[oldest].f)
	default:
		d.State = "FSS"
	}
	return d
}

// Equation1 returns T_wait in whole nanoseconds, from 0 to fj; 0 while a time is unknown.
func Equation1(o rivals.Options, fi, fj float64) int64 {
	if fi <= 0 || fj <= 0 {
		return 0
	}
	var t float64
	switch o.Wait {
	case "absolute":
		t = o.Alpha * math.Abs(fj-fi)
	case "convex":
		own := o.Alpha * fi
		t = own + float64((1-o.Alpha)*fj)
	case "oldest":
		t = o.Alpha * fj
	default:
		t = o.Alpha * (fj - fi)
	}
	return int64(math.Round(math.Min(math.Max(t, 0), fj)))
}

// weightQIS returns equation (2) in QIS: 1/N, or 1.
func (a *algorithms) weightQIS() float64 {
	if a.QISWeight == "1" || a.QISWeight == "1/K" {
		return 1
	}
	return 1 / float64(a.Workers)
}

// weightGroup returns equation (2) in WSS and FSS: 1/K, or 1/N.
func (a *algorithms) weightGroup(k int) float64 {
	if a.GroupWeight == "1/N" {
		return 1 / float64(a.Workers)
	}
	return 1 / float64(k)
}

// release makes the updates and gives the answers that are due: a group's update when one of it is free and
// the new version is within Smax of everybody who stays behind, then answers without a new version.
func (a *algorithms) release() {
	for {
		free := a.which(func(x *station) bool { return x.waits && (x.free || x.decided.State == "QIS") })
		leads := a.which(func(x *station) bool { return x.waits && !x.used && (x.free || x.decided.State == "QIS" && !a.group()) })
		done := a.which(func(x *station) bool { return x.waits && x.used && (x.free || x.decided.State == "QIS") })
		switch {
		case len(leads) > 0 && a.bounded(a.newest+1, free):
			group := a.which(func(x *station) bool { return x.waits && !x.used })
			a.update(group, a.weightGroup(len(group)))
			a.answer(free)
		case len(done) > 0 && a.bounded(a.newest, done):
			a.answer(done)
		default:
			return
		}
	}
}

// which returns the nodes for which ok holds, lowest id first.
func (a *algorithms) which(ok func(*station) bool) (ids []int) {
	for i := range a.nodes {
		if ok(&a.nodes[i]) {
			ids = append(ids, i)
		}
	}
	return ids
}

// group reports whether a gradient in WSS or FSS waits for its update.
func (a *algorithms) group() bool {
	return len(a.which(func(x *station) bool { return x.waits && !x.used && x.decided.State != "QIS" })) > 0
}

// bounded reports whether version, handed to the nodes of ids, is at most Smax ahead of every other; the literal
// reading of line 15 does not ask.
func (a *algorithms) bounded(version int64, ids []int) bool {
	if a.FSS == "literal" {
		return true
	}
	handed := map[int]bool{}
	for _, i := range ids {
		handed[i] = true
	}
	for i := range a.nodes {
		if !handed[i] && version-a.nodes[i].v > a.Smax {
			return false
		}
	}
	return true
}

// update makes one version of the gradients of ids: line 7 of Algorithm 2.
func (a *algorithms) update(ids []int, weight float64) {
	a.newest++
	for _, i := range ids {
		a.nodes[i].used = true
	}
	a.orders = append(a.orders, Order{Order: update, Workers: ids, Weight: weight})
}

// answer hands the newest version to each of ids: lines 8 and 9 of Algorithm 2.
func (a *algorithms) answer(ids []int) {
	for _, i := range ids {
		x := &a.nodes[i]
		a.orders = append(a.orders, Order{Order: answer, Workers: []int{i}, State: x.decided.State, Gap: x.decided.Gap})
		*x = station{v: a.newest, f: x.f}
	}
}
