package quiz

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gradsync/papers/dasp"
)

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

// story runs DASP's policy on so many events of workers whose iterations take f.
// Messages take no time: only the order of events matters to a policy.
func story(c dasp.Config, f []time.Duration, events int) ([]scene, error) {
	policy, err := dasp.New(c)
	if err != nil {
		return nil, err
	}
	open, ok := policy.(interface{ View() dasp.View })
	if !ok {
		return nil, errors.New("quiz: dasp's policy does not show its view")
	}
	waits, next := make([]waiting, c.Workers), slices.Clone(f)
	var scenes []scene
	for range events {
		event, ok := earliest(waits, next, f)
		if !ok {
			return nil, fmt.Errorf("quiz: nobody of %d workers computes or has a timer", c.Workers)
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
	return scenes, nil
}

// earliest is the next event: a timer before a push of the same instant, and the
// lowest worker first.
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

// kind is what a scene shows, so that rare ones are asked as often as common ones.
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

// answered are the workers that the server sends weights to, ascending.
func (s scene) answered() (workers []int) {
	for _, o := range s.orders {
		if o.Kind == dasp.Reply {
			workers = append(workers, o.Workers...)
		}
	}
	slices.Sort(workers)
	return workers
}

// behind is a worker who has certainly no part in an answer now, and whom a new
// version would be more than smax ahead of; −1: there is none.
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
