package widget

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gradsync/experiments/result"
	"gradsync/reports/typeset"
)

// daspWalk is a recorded run as assets/widgets-dasp.js walks it.
type daspWalk struct {
	Workers int         `json:"workers"`
	Smin    int         `json:"smin"`
	Smax    int         `json:"smax"`
	Events  []daspEvent `json:"events"`
}

// daspEvent is one row of the frame of events: numbers of workers from 1, times as
// the table prints them.
type daspEvent struct {
	Time   string `json:"time"`
	Worker int    `json:"worker"`
	What   string `json:"what"` // push, timer, used or release
	State  string `json:"state"`
	Why    string `json:"why"`
	By     int    `json:"by"`
	Held   int    `json:"held"`
	Min    int    `json:"min"`
	Oldest int    `json:"oldest"`
	Gap    int    `json:"gap"`
	Newest int    `json:"newest"`
	V      []int  `json:"v"` // held by each worker afterwards
	// "" and -1 where the frame has nothing.
	Wait        string `json:"wait"`
	Until       string `json:"until"`       // the time until which the worker waits
	UntilWorker int    `json:"untilWorker"` // or the worker whose return it waits for
	Sent        string `json:"sent"`
	Staleness   int    `json:"staleness"`
	Group       int    `json:"group"`
}

// walkOf reads the frame of events, and the thresholds from the frame of states.
func walkOf(r *result.Result, t *frame) (*daspWalk, error) {
	cols := columnsOf(t, "time", "worker", "what", "state", "why", "by", "held", "min", "oldest", "gap", "twait", "until", "until_worker", "staleness",
		"group", "sent", "newest", "v1")
	at := slices.IndexFunc(r.Frames, func(o frame) bool { return o.ID == "walk" })
	if cols == nil || at < 0 {
		return nil, fmt.Errorf("a column is missing, or the frame of the states")
	}
	w := &daspWalk{}
	if err := w.readThresholds(&r.Frames[at]); err != nil {
		return nil, err
	}
	for t.At("v"+strconv.Itoa(w.Workers+1)) >= 0 {
		w.Workers++
	}
	for i, row := range t.Rows {
		e, err := w.event(t, cols, row)
		if err == nil {
			err = w.follows(e)
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		w.Events = append(w.Events, e)
	}
	if len(w.Events) == 0 {
		return nil, fmt.Errorf("no event")
	}
	return w, nil
}

// event reads one row.
func (w *daspWalk) event(t *frame, cols map[string]int, row []any) (e daspEvent, err error) {
	// A number that is no whole one from 0 is refused, an empty cell where it may not be, too.
	whole := func(at int, empty bool) int {
		x := exact(row[at])
		if empty && row[at] == nil {
			return -1
		}
		if (x < 0 || x != math.Trunc(x)) && err == nil {
			err = fmt.Errorf("%s is %v, not a number from 0", t.Columns[at].Key, typeset.Raw(row[at]))
		}
		return int(x)
	}
	number := func(key string) int { return whole(cols[key], false) }
	word := func(key string) string { return typeset.Raw(row[cols[key]]) }
	text := func(key string, empty bool) string {
		at := cols[key]
		if row[at] == nil && empty {
			return ""
		}
		if exact(row[at]) < 0 && err == nil {
			err = fmt.Errorf("%s is %v, not a time", key, typeset.Raw(row[at]))
		}
		return typeset.WithUnit(printed(t.Columns[at], row[at]), t.Columns[at].Unit)
	}
	e = daspEvent{Time: text("time", false), Worker: number("worker"), What: word("what"), State: word("state"), Why: word("why"), By: number("by"),
		Held: number("held"), Min: number("min"), Oldest: number("oldest"), Gap: number("gap"), Newest: number("newest"),
		Wait: text("twait", true), Until: text("until", true), UntilWorker: whole(cols["until_worker"], true), Sent: text("sent", true),
		Staleness: whole(cols["staleness"], true), Group: whole(cols["group"], true)}
	for n := range w.Workers {
		e.V = append(e.V, whole(cols["v1"]+n, false))
	}
	if err != nil {
		return e, err
	}
	if e.Worker < 1 || e.Worker > w.Workers || e.Oldest < 1 || e.Oldest > w.Workers || e.Newest < slices.Max(e.V) {
		return e, fmt.Errorf("worker %v, oldest %v, versions %v of %v", row[cols["worker"]], row[cols["oldest"]], e.V, row[cols["newest"]])
	}
	if e.UntilWorker > w.Workers || e.Until != "" && e.UntilWorker >= 0 {
		return e, fmt.Errorf("waits until %q and for worker %d", e.Until, e.UntilWorker)
	}
	if !slices.Contains([]string{"push", "timer", "used", "release"}, e.What) || !slices.Contains([]string{"QIS", "WSS", "FSS"}, e.State) {
		return e, fmt.Errorf("%q in state %q", e.What, e.State)
	}
	return e, nil
}

// follows reports an event that cannot come after the others: a push of whoever waits,
// or anything else of whoever does not.
func (w *daspWalk) follows(e daspEvent) error {
	waits := false
	for _, b := range w.Events {
		if b.Worker == e.Worker {
			waits = b.What == "push" && b.State != "QIS" || waits && b.What != "release"
		}
	}
	if waits == (e.What == "push") {
		return fmt.Errorf("%q of worker %d, which waits: %t", e.What, e.Worker, waits)
	}
	return nil
}

// readThresholds takes Smin and Smax from the gaps that QIS and WSS are for.
func (w *daspWalk) readThresholds(t *frame) error {
	state, to := t.At("state"), t.At("to")
	for _, row := range t.Rows {
		if state < 0 || to < 0 {
			break
		}
		switch row[state] {
		case "QIS":
			w.Smin = int(exact(row[to]))
		case "WSS":
			w.Smax = int(exact(row[to]))
		}
	}
	if w.Smin < 0 || w.Smax <= w.Smin {
		return fmt.Errorf("frame %s: gaps up to %d in QIS, up to %d in WSS", t.ID, w.Smin, w.Smax)
	}
	return nil
}
