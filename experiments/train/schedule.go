package train

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"gradsync/internal/atomic"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// schedule holds what decides an asynchronous run's bits: in which order gradients arrived, and
// what the method ordered then. Replaying a schedule on a real clock reproduces the recorded run
// bit for bit.
type schedule struct {
	Method     string  `json:"method"`
	Model      string  `json:"model"`
	Workers    int     `json:"workers"`
	Seed       uint64  `json:"seed"`
	MaxPushes  int64   `json:"max_pushes"`
	MaxUpdates int64   `json:"max_updates"`
	Events     []event `json:"events"`
}

// event is one call of the policy and its answer.
type event struct {
	Kind    dasp.EventKind `json:"kind"`
	Worker  int            `json:"worker"`
	Actions []dasp.Action  `json:"actions"`
}

func (c *Config) newSchedule() *schedule {
	return &schedule{Method: c.Sync, Model: c.Model, Workers: c.Workers, Seed: c.Seed, MaxPushes: c.MaxPushes, MaxUpdates: c.MaxUpdates}
}

// recorder is a policy that writes down what it is asked and answers.
type recorder struct {
	dasp.Policy
	*schedule
}

func (r recorder) Step(e dasp.Event) []dasp.Action {
	actions := r.Policy.Step(e)
	kept := slices.Clone(actions)
	for i := range kept {
		kept[i].Workers = slices.Clone(kept[i].Workers)
	}
	r.Events = append(r.Events, event{e.Kind, e.Worker, kept})
	return actions
}

// write stores the schedule.
func (s *schedule) write(path string) error {
	raw, err := json.Marshal(s)
	if err == nil {
		err = atomic.WriteFile(path, raw)
	}
	if err != nil {
		return fmt.Errorf("train: record: %w", err)
	}
	return nil
}

// readSchedule reads a recorded schedule that is one of c's run.
func (c *Config) readSchedule() (*schedule, error) {
	raw, err := os.ReadFile(c.Replay)
	if err != nil {
		return nil, fmt.Errorf("train: replay: %w", err)
	}
	s, own := &schedule{}, c.newSchedule()
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("train: replay: %s is no recorded order of arrival: %w", c.Replay, err)
	}
	events := s.Events
	s.Events = nil
	if a, b := fmt.Sprintf("%+v", *s), fmt.Sprintf("%+v", *own); a != b {
		return nil, input(fmt.Errorf("train: replay: %s was recorded of another run: %s, this one is %s", c.Replay, a, b))
	}
	for i, e := range events {
		if e.Worker < 0 || e.Worker >= c.Workers || e.Kind != dasp.EventPush && e.Kind != dasp.EventTimer {
			return nil, fmt.Errorf("train: replay: %s: event %d is of kind %d, worker %d", c.Replay, i, e.Kind, e.Worker)
		}
	}
	s.Events = events
	return s, nil
}

// player is a policy that answers as the recorded one did. What was ordered when
// a timer ran out is ordered with the gradient before it: nothing came between.
type player struct {
	*schedule
	next int
}

func (f *player) Name() string { return f.Method }

func (f *player) Step(dasp.Event) []dasp.Action {
	var out []dasp.Action
	for first := f.next; f.next < len(f.Events) && (f.next == first || f.Events[f.next].Kind == dasp.EventTimer); f.next++ {
		for _, a := range f.Events[f.next].Actions {
			if a.Kind != dasp.SetTimer {
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
	for _, e := range s.Events {
		if e.Kind == dasp.EventPush {
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
