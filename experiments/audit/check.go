package audit

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// Report says what a check made again, and the first thing that the trail has otherwise.
type Report struct {
	Method     string      `json:"method"`
	Runtime    string      `json:"runtime"`
	Workers    int         `json:"workers"`
	Seed       uint64      `json:"seed"`
	Pushes     int64       `json:"pushes"`
	Timers     int64       `json:"timers"`     // ends of a wait
	Decisions  int64       `json:"decisions"`  // gap, oldest worker, state and T_wait; 0 of a method without states
	Updates    int64       `json:"updates"`    // ordered: group, its order, weight, version
	Answers    int64       `json:"answers"`    // worker, version given, state, gap
	Drops      int64       `json:"drops"`      // gradients not used
	Batches    int64       `json:"batches"`    // mini-batches
	Algorithms bool        `json:"algorithms"` // whether Algorithms 1 and 2 written a second time decided beside the policy
	Difference *Difference `json:"difference"` // nil: all is as the rules give it
}

// Difference is one thing that the trail has otherwise than the rules give it.
type Difference struct {
	Line     int    `json:"line"` // of the file
	Push     int64  `json:"push"`
	Worker   int    `json:"worker"` // −1 of the end
	What     string `json:"what"`
	Recorded string `json:"recorded"`
	Rule     string `json:"rule"` // what the rule gives
	By       string `json:"by"`   // which rule
}

// The rules that a trail is compared with.
const (
	byBooks      = "the events before it"
	byAlgorithms = "Algorithms 1 and 2"
	byPolicy     = "the method's policy"
	bySeed       = "the seed"
)

// String returns the difference as one line.
func (d *Difference) String() string {
	who := ""
	if d.Worker >= 0 {
		who = fmt.Sprintf(" of worker %d", d.Worker)
	}
	return fmt.Sprintf("push %d%s (line %d of the file): %s is recorded as %s; by %s it is %s", d.Push, who, d.Line, d.What, d.Recorded, d.By, d.Rule)
}

// Check recomputes every decision of t from its events: versions held, steps, f, gap, oldest worker, state, T_wait,
// weight, group, order of summation, version given, drops, and the mini-batches. A fresh policy of the method is told of the
// events and must order what was recorded; of DASP so must Algorithms 1 and 2 as this package writes them. Nothing that was
// decided is read but to compare. Check stops at the first difference. It returns an error if no policy is like the header's.
func Check(t *Trail) (Report, error) {
	h := &t.Header
	r := Report{Method: h.Method, Runtime: h.Runtime, Workers: h.Workers, Seed: h.Seed, Algorithms: h.Method == "dasp"}
	o := h.Options
	o.Workers = h.Workers
	policy, err := rivals.New(h.Method, o)
	if err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	form, err := o.F()
	if err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	c := &checker{Report: &r, t: t, policy: policy, form: form, batches: newBatches(h), nodes: make([]worker, h.Workers)}
	if r.Algorithms {
		c.paper = newAlgorithms(o)
	}
	for i := range t.Events {
		c.line = i + 2
		if r.Difference = c.event(&t.Events[i]); r.Difference != nil {
			return r, nil
		}
	}
	c.line++
	r.Difference = c.end()
	return r, nil
}

// checker keeps the server's books by the rules.
type checker struct {
	*Report
	t       *Trail
	line    int
	policy  dasp.Policy
	form    dasp.DurationForm
	paper   *algorithms // nil of another method
	batches *batches
	nodes   []worker
	newest  int64
	done    int64 // updates that were made
	used    int64 // gradients in them
	push    int64 // instant of the last push
	last    int64 // instant of the last event
	made    int64 // instant of the last update
}

// worker holds what the books say of one.
type worker struct {
	version  int64
	steps    int64
	open     int64 // number of the push that waits for its answer, 0: none
	push     int64 // number of its last push
	due      int64 // end of its wait, 0: none
	answered int64 // instant at which the weights that it computes on left
}

// differs makes a Difference of the push number push of worker w.
func (c *checker) differs(push int64, w int, what, by string, recorded, rule any) *Difference {
	return &Difference{Line: c.line, Push: push, Worker: w, What: what, Recorded: fmt.Sprint(recorded), Rule: fmt.Sprint(rule), By: by}
}

// event checks one event and brings the books up to date.
func (c *checker) event(e *Event) *Difference {
	if e.Event == EventPush {
		return c.arrived(e)
	}
	n := &c.nodes[e.Worker]
	if n.due == 0 {
		return c.differs(n.push, e.Worker, "the end of a wait", byBooks, instant(e.At), "none: the worker does not wait for a time")
	}
	if d := c.overdue(n.due, e.Worker); d != nil {
		return d
	}
	if e.At < n.due || e.At < c.push || c.virtual() && e.At != n.due {
		return c.differs(n.open, e.Worker, "the end of a wait", byBooks, instant(e.At), instant(max(n.due, c.push)))
	}
	due := n.due
	n.due, c.last = 0, e.At
	c.Timers++
	if c.paper != nil {
		if d := c.ordered(e, due, byAlgorithms, c.paper.over(e.Worker)); d != nil {
			return d
		}
	}
	return c.carry(e, due, dasp.Event{Kind: dasp.EventTimer, Worker: e.Worker, At: time.Duration(e.At)})
}

// over tells whether the updates that were made reach a bound of the header.
func (c *checker) over() bool {
	h := &c.t.Header
	return h.MaxPushes > 0 && c.used >= h.MaxPushes || h.MaxUpdates > 0 && c.done >= h.MaxUpdates
}

// extent describes a run's length, or its bounds.
func extent(gradients, updates int64) string {
	return fmt.Sprintf("%d gradients used and %d updates", gradients, updates)
}

func (c *checker) virtual() bool { return c.t.Header.Runtime == "virtual" }

// overdue returns a difference if the wait of another worker than w ended before limit, and the trail does not say so: the
// server ends the earliest first.
func (c *checker) overdue(limit int64, w int) *Difference {
	for i, x := range c.nodes {
		if x.due > 0 && (x.due < limit || x.due == limit && i < w) {
			return c.differs(x.open, i, "the end of a wait", byBooks, "missing", instant(x.due))
		}
	}
	return nil
}

// arrived checks a push: what the books know of it, the decision, the orders.
func (c *checker) arrived(e *Event) *Difference {
	p, n := e.Push, &c.nodes[e.Worker]
	differs := func(what string, recorded, rule any) *Difference {
		return c.differs(p.Number, e.Worker, what, byBooks, recorded, rule)
	}
	since := c.push
	if c.virtual() { // a real clock may be a tick early when a wait ends
		since = max(c.last, c.push)
		if d := c.overdue(e.At, -1); d != nil {
			return d
		}
	}
	f := int64(c.form.F(dasp.Push{Sent: time.Duration(p.Sent), Received: time.Duration(e.At), Compute: time.Duration(p.Compute)}))
	switch {
	case p.Number != c.Pushes+1:
		return differs("the push's number", p.Number, c.Pushes+1)
	case n.open > 0:
		return differs("a push", "made", fmt.Sprintf("none: push %d of the worker is not answered", n.open))
	case p.Step != n.steps:
		return differs("the worker's step", p.Step, n.steps)
	case e.At < since:
		return differs("the instant", instant(e.At), "at least "+instant(since))
	case c.virtual() && c.over() && e.At > c.made:
		return differs("a push", "made at "+instant(e.At), "none: the run reached its bound at "+instant(c.made))
	case p.Held != n.version:
		return differs("the version held", p.Held, n.version)
	case c.virtual() && p.Sent != n.answered: // version 0 leaves at the start
		return differs("the instant at which its weights left", instant(p.Sent), instant(n.answered))
	case p.Sent < n.answered || p.Sent > e.At:
		return differs("the instant at which its weights left", instant(p.Sent), instant(n.answered)+" to "+instant(e.At))
	case p.Compute < 0:
		return differs("the computation's time", nanoseconds(p.Compute), "at least 0")
	case p.F != f:
		return differs("f", nanoseconds(p.F), nanoseconds(f))
	case p.Answered != 0 && p.Answered < e.At:
		return differs("the instant of the answer", instant(p.Answered), "at least "+instant(e.At))
	}
	if wrong, rule := c.batches.check(e.Worker, p); wrong != "" {
		return c.differs(p.Number, e.Worker, "the mini-batch", bySeed, wrong, rule)
	}
	c.Pushes++
	if c.batches != nil {
		c.Batches++
	}
	c.push, c.last = e.At, e.At
	n.steps, n.open, n.push, n.answered = n.steps+1, p.Number, p.Number, p.Answered
	return c.decided(e, f)
}

// decided checks what Algorithm 1 gave for a push, and the orders.
func (c *checker) decided(e *Event, f int64) *Difference {
	p := e.Push
	switch _, states := c.policy.(dasp.Decider); {
	case states && p.Decision == nil:
		return c.differs(p.Number, e.Worker, "the decision", byPolicy, "none", "gap, oldest, state and wait")
	case !states && p.Decision != nil:
		return c.differs(p.Number, e.Worker, "the decision", byPolicy, "state "+p.Decision.State, "none: the method has no states")
	}
	if c.paper != nil {
		d, orders := c.paper.push(e.Worker, f)
		for i := range orders {
			if orders[i].Order == timer {
				orders[i].Until = e.At + d.Wait
			}
		}
		if x := c.same(e, byAlgorithms, d); x != nil {
			return x
		}
		if x := c.ordered(e, e.At, byAlgorithms, orders); x != nil {
			return x
		}
	}
	return c.carry(e, e.At, dasp.Event{Kind: dasp.EventPush, Worker: e.Worker, At: time.Duration(e.At), Compute: time.Duration(f)})
}

// same compares the recorded decision with what a rule gives.
func (c *checker) same(e *Event, by string, rule Decision) *Difference {
	got := *e.Push.Decision
	for _, x := range []struct {
		what           string
		recorded, rule any
	}{
		{"the gap", got.Gap, rule.Gap}, {"the oldest worker", got.Oldest, rule.Oldest}, {"the state", got.State, rule.State},
		{"T_wait", nanoseconds(got.Wait), nanoseconds(rule.Wait)},
	} {
		if x.recorded != x.rule {
			return c.differs(e.Push.Number, e.Worker, x.what, by, x.recorded, x.rule)
		}
	}
	return nil
}

// carry tells the policy of the event, compares, and carries out its orders in the books.
func (c *checker) carry(e *Event, due int64, ev dasp.Event) *Difference {
	var orders []Order
	for _, a := range c.policy.Step(ev) {
		orders = append(orders, OrderOf(a))
	}
	if p, states := c.policy.(dasp.Decider); states && e.Push != nil {
		c.Decisions++
		if d := c.same(e, byPolicy, DecisionOf(p.Decided())); d != nil {
			return d
		}
	}
	if d := c.ordered(e, due, byPolicy, orders); d != nil {
		return d
	}
	for i, o := range orders {
		if d := c.keep(e, o, e.Orders[i]); d != nil {
			return d
		}
	}
	return nil
}

// ordered compares the recorded orders of an event with what a rule gives.
func (c *checker) ordered(e *Event, due int64, by string, rule []Order) *Difference {
	version := c.newest
	for i := range max(len(rule), len(e.Orders)) {
		if i >= len(e.Orders) {
			push, w := c.of(e, rule[i])
			return c.differs(push, w, "an order", by, "missing", rule[i].words())
		}
		got := e.Orders[i]
		push, w := c.of(e, got)
		if i >= len(rule) {
			return c.differs(push, w, "an order", by, got.words(), "none")
		}
		want := rule[i]
		if want.Order == update {
			version++
		}
		if want.Order == update || want.Order == answer {
			want.Version = version
		}
		for _, worker := range want.Workers {
			want.Pushes = append(want.Pushes, c.nodes[worker].open)
		}
		what, recorded, is := got.against(want)
		if what != "" {
			return c.differs(push, w, what, by, recorded, is)
		}
	}
	return nil
}

// of returns the push that an order is about, and its worker: of an update the event's.
func (c *checker) of(e *Event, o Order) (push int64, w int) {
	w = e.Worker
	if o.Order != update && c.nodes[o.Workers[0]].open > 0 {
		w = o.Workers[0]
	}
	return c.nodes[w].push, w
}

// against returns the first thing in which a recorded order is not the rule's; "" if there is none.
func (o Order) against(rule Order) (what, recorded, is string) {
	switch {
	case o.Order != rule.Order:
		return "an order", o.words(), rule.words()
	case !slices.Equal(o.Workers, rule.Workers) && o.Order == update:
		return "the group", fmt.Sprint(o.Workers), fmt.Sprint(rule.Workers)
	case !slices.Equal(o.Workers, rule.Workers):
		return "an order", o.words(), rule.words()
	case !slices.Equal(o.Pushes, rule.Pushes):
		return "the list of pushes of an order (" + o.Order + ")", fmt.Sprint(o.Pushes), fmt.Sprint(rule.Pushes)
	case o.Weight != rule.Weight:
		return "the weight", strconv.FormatFloat(o.Weight, 'g', -1, 64), strconv.FormatFloat(rule.Weight, 'g', -1, 64)
	case o.Version != rule.Version && o.Order == update:
		return "the version made", fmt.Sprint(o.Version), fmt.Sprint(rule.Version)
	case o.Version != rule.Version:
		return "the version given", fmt.Sprint(o.Version), fmt.Sprint(rule.Version)
	case o.State != rule.State:
		return "the state of the answer", orNone(o.State), orNone(rule.State)
	case o.Gap != rule.Gap:
		return "the gap of the answer", fmt.Sprint(o.Gap), fmt.Sprint(rule.Gap)
	case o.Until != rule.Until:
		return "the end of T_wait", instant(o.Until), instant(rule.Until)
	}
	return "", "", ""
}

// keep carries out one order of the rule, which recorded equals but for its instants.
func (c *checker) keep(e *Event, o, recorded Order) *Difference {
	switch o.Order {
	case update:
		c.newest++
		c.Updates++
		if recorded.Done == 0 {
			break // the run ended before
		}
		if since := max(c.made, e.At); recorded.Done < since || c.done != c.newest-1 {
			push, w := c.of(e, o)
			return c.differs(push, w, "the instant of an update", byBooks, instant(recorded.Done), "at least "+instant(since)+", and none after one that was not made")
		}
		if c.over() {
			push, w := c.of(e, o)
			return c.differs(push, w, "an update", byBooks, "made", "none: the run had reached its bound, "+extent(c.used, c.done))
		}
		c.made = recorded.Done
		c.done++
		c.used += int64(len(o.Workers))
	case answer:
		for _, w := range o.Workers {
			c.Answers++
			c.nodes[w].version, c.nodes[w].open, c.nodes[w].due = c.newest, 0, 0
		}
	case timer:
		c.nodes[o.Workers[0]].due = o.Until
	case drop:
		c.Drops += int64(len(o.Workers))
	}
	return nil
}

// end checks the last line, and that the run came to a bound of the header; one with a target may have ended before.
func (c *checker) end() *Difference {
	end := c.t.End
	n := c.last
	if c.virtual() {
		if d := c.overdue(end.At, -1); d != nil {
			return d
		}
	}
	switch {
	case end.Pushes != c.Pushes:
		return c.differs(min(end.Pushes, c.Pushes)+1, -1, "the number of pushes at the end", byBooks, end.Pushes, c.Pushes)
	case end.Updates != c.done:
		return c.differs(c.Pushes, -1, "the number of updates at the end", byBooks, end.Updates, c.done)
	case !c.over() && c.t.Header.TargetAccuracy == 0:
		h := &c.t.Header
		return c.differs(c.Pushes, -1, "the end", byBooks, "after "+extent(c.used, c.done), "after "+extent(h.MaxPushes, h.MaxUpdates)+" (0: no bound)")
	case end.At < max(c.push, c.made), c.virtual() && end.At < n:
		return c.differs(c.Pushes, -1, "the instant of the end", byBooks, instant(end.At), "at least "+instant(max(n, c.made)))
	}
	return nil
}

// words describes an order for a message.
func (o Order) words() string {
	switch o.Order {
	case update:
		return fmt.Sprintf("an update of the gradients of %v", o.Workers)
	case answer:
		return fmt.Sprintf("an answer to %v", o.Workers)
	case timer:
		return fmt.Sprintf("a wait of worker %d", o.Workers[0])
	}
	return fmt.Sprintf("the gradients of %v dropped", o.Workers)
}

func instant(ns int64) string { return time.Duration(ns).String() }

func nanoseconds(ns int64) string { return strconv.FormatInt(ns, 10) + " ns" }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
