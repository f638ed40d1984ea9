package dasp

import (
	"fmt"
	"strings"
	"time"

	result "gradsync/experiments/result1"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// walkTable lists every event with what each worker holds afterwards.
func walkTable(p *cluster.Platform, rows []walkRow, c dasp.Config) result.Table {
	t := result.Table{ID: "events", Title: "Every event", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("The first %d gradients of a timing-only run of LeNet-5 on platform %s: what reached the policy, what Config.Decide found for it and what the policy ordered, recorded step by step. "+
			"Smin = %d, Smax = %d versions, α = %g. Min(v): of a push what Algorithm 1 compares with, else what is left. Staleness: versions made between the pull of a gradient and its own. K: gradients in its update. Answered: when the weights leave the server. Versions are those held after the event; an answer counts at the instant it is decided.",
			walkPushes, p.Name, c.Smin, c.Smax, c.Alpha),
		Columns: []result.Column{{Key: "event", Title: "event"}, {Key: "time", Title: "time", Unit: "ms", Digits: 2}, {Key: "worker", Title: "worker"},
			{Key: "what", Title: "what"}, {Key: "state", Title: "state"}, {Key: "why", Title: "why"}, {Key: "by", Title: "after an event of worker"},
			{Key: "held", Title: "computed on version"}, {Key: "min", Title: "min(v)"}, {Key: "oldest", Title: "held by worker"}, {Key: "gap", Title: "gap", Unit: "versions"},
			{Key: "twait", Title: "T_wait", Unit: "ms", Digits: 3}, {Key: "until", Title: "waits until"},
			{Key: "staleness", Title: "staleness", Unit: "versions"}, {Key: "group", Title: "K"}, {Key: "sent", Title: "answered", Unit: "ms", Digits: 2}, {Key: "newest", Title: "newest version"}}}
	for w := range c.Workers {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("v%d", w+1), Title: fmt.Sprintf("worker %d holds", w+1)})
	}
	for i, r := range rows {
		row := []any{i + 1, ms(r.At), r.Worker + 1, r.What, r.State.String(), r.Why, r.By + 1, r.Held, r.Min, r.Oldest + 1, r.Gap, nil, nil, nil, nil, nil, r.Newest}
		if r.What == walkPush && r.State == dasp.WSS {
			row[11] = ms(r.Wait)
		}
		if u := r.until(); u != "" {
			row[12] = u
		}
		if r.Group > 0 {
			row[13], row[14] = r.Staleness, r.Group
		}
		if r.Answered {
			row[15] = ms(r.Sent)
		}
		for _, v := range r.After {
			row = append(row, v)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// walkTotals sums up the same gradients by the state that they were found in.
func walkTotals(l *dasp.Log, c dasp.Config) result.Table {
	t := result.Table{ID: "walk", Title: "The walk in numbers", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("The same %d gradients by state, each with its whole wait, from its arrival to the instant the next weights leave the server; in QIS that is the server's own time. Gap: what a state is for.", walkPushes),
		Columns: []result.Column{{Key: "state", Title: "state"}, {Key: "from", Title: "gap from", Unit: "versions"}, {Key: "to", Title: "gap to", Unit: "versions"},
			{Key: "pushes", Title: "gradients"}, {Key: "waited", Title: "waited", Unit: "ms", Digits: 2}, {Key: "longest", Title: "longest wait", Unit: "ms", Digits: 2},
			{Key: "gap", Title: "largest gap", Unit: "versions"}, {Key: "staleness", Title: "largest staleness", Unit: "versions"}}}
	bounds := [][2]any{{0, c.Smin}, {c.Smin + 1, c.Smax}, {c.Smax + 1, nil}}
	for i, s := range []dasp.State{dasp.QIS, dasp.WSS, dasp.FSS} {
		var n, gap, stale int64
		var all, longest time.Duration
		for _, p := range l.Pushes[:walkPushes] {
			if p.State == s {
				n++
				all += p.Replied - p.Received
				longest, gap, stale = max(longest, p.Replied-p.Received), max(gap, p.Gap), max(stale, p.Applied-1-p.Pulled)
			}
		}
		row := []any{s.String(), bounds[i][0], bounds[i][1], n, ms(all), ms(longest), gap, stale}
		if n == 0 {
			row = append(row[:4], nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// walkFigure draws the window in which the gradients arrive.
func walkFigure(l *dasp.Log) result.Figure {
	end := l.Pushes[walkPushes-1].Received
	f := lanes("dasp", l, end)
	f.ID, f.Title, f.Kind = "window", "The walk as time lines", result.TimingOnly
	f.Caption = fmt.Sprintf("The %d gradients of the table, one lane per worker, fastest device first. “compute” is pull, computation and push; what follows is the wait for the answer, by state.", walkPushes)
	return f
}

// walkNotes say what a reader will meet, and where.
func walkNotes(l *dasp.Log, rows []walkRow) []string {
	first := map[string]int{}
	var stale, group int
	for i, r := range rows {
		key := r.State.String()
		if _, ok := first[key]; !ok && r.What == walkPush {
			first[key] = i + 1
		}
		stale, group = max(stale, int(r.Staleness)), max(group, r.Group)
	}
	var met []string
	for _, s := range states {
		if at, ok := first[s]; ok {
			met = append(met, fmt.Sprintf("%s at event %d", s, at))
		}
	}
	notes := []string{fmt.Sprintf("%d events in %.1f ms. First met: %s. The largest staleness is %d versions, the largest group %d gradients.",
		len(rows), ms(l.Pushes[walkPushes-1].Received), strings.Join(met, ", "), stale, group)}
	for _, s := range states {
		if _, ok := first[s]; !ok {
			notes = append(notes, fmt.Sprintf("No gradient of this run was in %s.", s))
		}
	}
	return notes
}
