package train

import (
	"fmt"
	"slices"

	"gradsync/experiments/audit"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// recorder is a policy that writes down what it is asked, decides and answers.
type recorder struct {
	dasp.Policy
	events []audit.Event
}

func (r *recorder) Step(e dasp.Event) []dasp.Action {
	actions := r.Policy.Step(e)
	noted := audit.Event{Event: audit.EventTimer, At: int64(e.At), Worker: e.Worker, Orders: []audit.Order{}}
	if e.Kind == dasp.EventPush {
		noted.Event, noted.Push = audit.EventPush, &audit.Push{F: int64(e.Compute)}
		if p, ok := r.Policy.(dasp.Decider); ok {
			d := audit.DecisionOf(p.Decided())
			noted.Push.Decision = &d
		}
	}
	for _, a := range actions {
		noted.Orders = append(noted.Orders, audit.OrderOf(a))
	}
	r.events = append(r.events, noted)
	return actions
}

// Decided returns what the policy decided on the latest push, none if it decides nothing: the server
// asks, and a recorded run costs what it costs unrecorded.
func (r *recorder) Decided() (d dasp.Decision) {
	if p, ok := r.Policy.(dasp.Decider); ok {
		d = p.Decided()
	}
	return d
}

// record writes the audit trail of a run: what the policy was asked and answered, with what the server's log and the data
// know of it.
func (r *runner) record(rec *recorder, log *dasp.Log) error {
	c := r.cfg
	t := &audit.Trail{Header: c.header(), Events: rec.events}
	if r.shared != nil {
		set := r.shared.set
		t.Header.Data = &audit.Data{Name: set.Name, Images: set.Train.Len(), SHA256: set.SHA256, RawPixels: c.RawPixels}
		t.Header.Engine, t.Header.FirstParams, t.End.Params = r.shared.engine, ParamsHash(r.init), ParamsHash(r.final)
	}
	tasks := make([]*task, c.Workers)
	open := make([]int64, c.Workers) // each worker's latest push
	for i := range t.Events {
		e := &t.Events[i]
		if e.Push != nil {
			p := log.Pushes[t.End.Pushes]
			t.End.Pushes++
			open[e.Worker] = t.End.Pushes
			e.Number, e.Step, e.Held, e.Sent, e.Compute, e.Answered = t.End.Pushes, p.Step, p.Pulled, int64(p.Sent), int64(p.Compute), int64(p.Replied)
			if r.shared != nil {
				if tasks[e.Worker] == nil {
					tasks[e.Worker] = newTask(r.shared, c.Seed, e.Worker, c.Workers, nil)
				}
				e.Batch = slices.Clone(tasks[e.Worker].indices(p.Step))
			}
		}
		for k := range e.Orders {
			number(&e.Orders[k], open, log, &t.End)
		}
	}
	t.End.At, t.End.Updates = int64(log.End), int64(len(log.Updates))
	return t.Write(c.Record)
}

// number gives an order the pushes that it is about and its version; end.Updates counts the versions ordered so far.
func number(o *audit.Order, open []int64, log *dasp.Log, end *audit.End) {
	for _, w := range o.Workers {
		o.Pushes = append(o.Pushes, open[w])
	}
	switch o.Action().Kind {
	case dasp.Apply:
		end.Updates++
		if n := int(end.Updates); n <= len(log.Updates) {
			o.Done = int64(log.Updates[n-1].At)
		}
		o.Version = end.Updates
	case dasp.Reply:
		o.Version = end.Updates
	}
}

// header describes the run but for its data.
func (c *Config) header() audit.Header {
	return audit.Header{Method: c.Sync, Options: *c.Options, Workers: c.Workers, Seed: c.Seed, Runtime: c.Runtime, Platform: c.Platform.Name,
		Model: c.Model, Width: c.Width, Image: c.Image, Classes: c.Classes, Batch: c.Batch, Rate: c.Rate, Momentum: c.Momentum,
		WeightDecay: c.WeightDecay, MaxPushes: c.MaxPushes, MaxUpdates: c.MaxUpdates, TargetAccuracy: c.TargetAccuracy}
}

// schedule holds the part of a trail that a run follows: the workers in whose order gradients arrive, and what was
// ordered then. On a real clock this reproduces the recorded run bit for bit.
type schedule struct {
	method string
	events []audit.Event
}

// readSchedule reads the trail of a run that is c's in all that the order of arrival depends on, but not in how it came about.
func (c *Config) readSchedule() (*schedule, error) {
	t, err := audit.Read(c.Replay)
	if err != nil {
		return nil, fmt.Errorf("train: replay: %w", err)
	}
	if a, b := followed(t.Header), followed(c.header()); a != b {
		return nil, input(fmt.Errorf("train: replay: %s was recorded of another run: %s, this one is %s", c.Replay, a, b))
	}
	return &schedule{t.Header.Method, t.Events}, nil
}

// followed writes what of a header a run must have in common with the run that it follows.
func followed(h audit.Header) string {
	return fmt.Sprintf("%s, %s, %d workers, seed %d, up to %d gradients and %d updates (0: no bound)",
		h.Method, h.Model, h.Workers, h.Seed, h.MaxPushes, h.MaxUpdates)
}

// player is a policy that answers as the recorded one did. What was ordered when
// a timer ran out is ordered with the gradient before it: nothing came between.
type player struct {
	*schedule
	next int
}

func (f *player) Name() string { return f.method }

func (f *player) Step(dasp.Event) []dasp.Action {
	var out []dasp.Action
	for first := f.next; f.next < len(f.events) && (f.next == first || f.events[f.next].Event == audit.EventTimer); f.next++ {
		for _, o := range f.events[f.next].Orders {
			if a := o.Action(); a.Kind != dasp.SetTimer {
				out = append(out, a)
			}
		}
	}
	return out
}

// inOrder is the server's Proc in a run that follows a schedule: where the server would take any
// worker's gradient it gets the recorded worker's.
type inOrder struct {
	cluster.Proc
	workers []int // of the pushes not yet asked for
}

func (s *schedule) proc(p cluster.Proc) *inOrder {
	o := &inOrder{Proc: p}
	for _, e := range s.events {
		if e.Event == audit.EventPush {
			o.workers = append(o.workers, e.Worker)
		}
	}
	return o
}

func (o *inOrder) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	if from == cluster.Any && len(o.workers) > 0 {
		from, o.workers = o.workers[0]+1, o.workers[1:]
	}
	return o.Proc.Irecv(from, tag, into)
}
