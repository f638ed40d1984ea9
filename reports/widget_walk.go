package reports

import (
	"fmt"
	"slices"
	"strconv"

	"gradsync/experiments/result"
)

// daspWalk is a recorded run as assets/widgets-dasp.js walks it.
type daspWalk struct {
	Workers int         `json:"workers"`
	Smin    int         `json:"smin"`
	Smax    int         `json:"smax"`
	Events  []daspEvent `json:"events"`
}

// daspEvent is one row of the table of events: numbers of workers from 1, times as
// the table words them.
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
	// "" and -1 where the table has nothing.
	Wait      string `json:"wait"`
	Until     string `json:"until"`
	Sent      string `json:"sent"`
	Staleness int    `json:"staleness"`
	Group     int    `json:"group"`
}

// walkOf reads the table of events, and the thresholds from that of the states.
func walkOf(r *result.Result, t result.Table, v tableView) (*daspWalk, error) {
	cols := columnsOf(t, "time", "worker", "what", "state", "why", "by", "held", "min", "oldest", "gap", "twait", "until", "staleness", "group", "sent", "newest", "v1")
	at := slices.IndexFunc(r.Tables, func(o result.Table) bool { return o.ID == "walk" })
	if cols == nil || at < 0 || len(v.Columns) != len(t.Columns) {
		return nil, fmt.Errorf("a column is missing, or the table of the states")
	}
	w := &daspWalk{}
	if err := w.readThresholds(r.Tables[at]); err != nil {
		return nil, err
	}
	for column(t, "v"+strconv.Itoa(w.Workers+1)) >= 0 {
		w.Workers++
	}
	for i, row := range t.Rows {
		number := func(key string) int { return int(exact(row[cols[key]])) }
		word := func(key string) string { return raw(row[cols[key]]) }
		text := func(key string) string {
			if row[cols[key]] == nil {
				return ""
			}
			return withUnit(v.Rows[i][cols[key]].Text, t.Columns[cols[key]].Unit)
		}
		e := daspEvent{Time: text("time"), Worker: number("worker"), What: word("what"), State: word("state"), Why: word("why"), By: number("by"),
			Held: number("held"), Min: number("min"), Oldest: number("oldest"), Gap: number("gap"), Newest: number("newest"),
			Wait: text("twait"), Until: word("until"), Sent: text("sent"), Staleness: number("staleness"), Group: number("group")}
		for n := range w.Workers {
			e.V = append(e.V, int(exact(row[cols["v1"]+n])))
		}
		if e.Worker < 1 || e.Worker > w.Workers || e.Oldest < 1 || e.Oldest > w.Workers || e.Gap < 0 || e.Newest < slices.Max(e.V) || slices.Min(e.V) < 0 {
			return nil, fmt.Errorf("row %d: worker %v, oldest %v, gap %v, versions %v of %v", i, row[cols["worker"]], row[cols["oldest"]], row[cols["gap"]], e.V, row[cols["newest"]])
		}
		if !slices.Contains([]string{"push", "timer", "used", "release"}, e.What) || !slices.Contains([]string{"QIS", "WSS", "FSS"}, e.State) {
			return nil, fmt.Errorf("row %d: %q in state %q", i, e.What, e.State)
		}
		w.Events = append(w.Events, e)
	}
	if len(w.Events) == 0 {
		return nil, fmt.Errorf("no event")
	}
	return w, nil
}

// readThresholds takes Smin and Smax from the gaps that QIS and WSS are for.
func (w *daspWalk) readThresholds(t result.Table) error {
	state, to := column(t, "state"), column(t, "to")
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
		return fmt.Errorf("table %s: gaps up to %d in QIS, up to %d in WSS", t.ID, w.Smin, w.Smax)
	}
	return nil
}
