package widget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// committedWalk returns the walk of the committed results, the same in every profile.
func committedWalk(t *testing.T) *daspWalk {
	t.Helper()
	var first *daspWalk
	for _, profile := range []string{"quick", "ci"} {
		r := oktest.Must(result.Read(result.Path("../../experiments/results", "dasp/walk", profile)))(t)
		w := oktest.Must(walkOf(r, r.Frame("events")))(t)
		if first == nil {
			first = w
		}
		if fmt.Sprint(*w) != fmt.Sprint(*first) {
			t.Errorf("profile %s walks otherwise", profile)
		}
	}
	return first
}

// A worker is shown as waiting while its last event has no answer, and all three states
// and four kinds of event are met.
func TestTheWaitsOfTheWalk(t *testing.T) {
	w, met := committedWalk(t), map[string]bool{}
	for at := range len(w.Events) + 1 {
		last, since := map[int]daspEvent{}, map[int]int{}
		for i, e := range w.Events[:at] {
			last[e.Worker] = e
			met[e.What], met[e.State] = true, true
			if e.What == "push" {
				since[e.Worker] = i
			}
		}
		var want []string
		for i := range at {
			for n, e := range last {
				if since[n] == i && e.Sent == "" {
					want = append(want, fmt.Sprintf("%d %s", n, e.State))
				}
			}
		}
		var got []string
		list, _ := worked(t, "daspWaiting", w, at).([]any)
		for _, x := range list {
			m, _ := x.(map[string]any)
			got = append(got, fmt.Sprintf("%v %v", m["worker"], m["state"]))
			if m["until"] == "" && m["untilWorker"] == -1.0 {
				t.Errorf("event %d: nobody says until when worker %v waits", at, m["worker"])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("event %d: %v wait, by the table %v", at, got, want)
		}
	}
	if len(met) != 7 {
		t.Errorf("met only %v", met)
	}
}

// Every event is told in both languages with its numbers and the lines that apply.
func TestTheWalkInWords(t *testing.T) {
	oktest.Slow(t)
	lines := map[string]string{"push QIS": "QIS; Algorithm 1, lines 5–6", "push WSS": "WSS; Algorithm 1, lines 7–12", "push FSS": "FSS; Algorithm 1, lines 13–15"}
	w := committedWalk(t)
	for i, e := range w.Events {
		en, zh := fmt.Sprint(worked(t, "daspSaid", w, i+1, "en")), fmt.Sprint(worked(t, "daspSaid", w, i+1, "zh"))
		wants := []string{e.Time, fmt.Sprintf("orker %d", e.Worker)}
		switch e.What {
		case "push":
			wants = append(wants, lines["push "+e.State], fmt.Sprintf("version %d. The oldest version still in use is %d (worker %d), so the gap is %d",
				e.Held, e.Min, e.Oldest, e.Gap))
			if e.State == "WSS" {
				wants = append(wants, " "+e.Wait)
			}
		case "release":
			wants = append(wants, "released from "+e.State, fmt.Sprintf("goes on with version %d", e.V[e.Worker-1]))
		}
		if e.Group > 0 {
			wants = append(wants, fmt.Sprintf("staleness %d", e.Staleness))
		}
		if e.Group > 1 {
			wants = append(wants, fmt.Sprintf("K = %d", e.Group))
		}
		for _, want := range wants {
			if !strings.Contains(strings.ReplaceAll(en, "\u00a0", " "), strings.ReplaceAll(want, "\u00a0", " ")) {
				t.Errorf("event %d: %q lacks %q", i+1, en, want)
			}
		}
		if !strings.Contains(zh, fmt.Sprintf("节点 %d", e.Worker)) || strings.Contains(zh, "worker") || strings.Contains(en+zh, "undefined") {
			t.Errorf("event %d: %q, %q", i+1, en, zh)
		}
	}
}

// The buttons lead to the next wait, round from the end.
func TestTheNextWait(t *testing.T) {
	oktest.Slow(t)
	w := committedWalk(t)
	for _, state := range []string{"WSS", "FSS", ""} {
		var places []float64
		for i, e := range w.Events {
			if e.What == "push" && e.State != "QIS" && (state == "" || e.State == state) {
				places = append(places, float64(i+1))
			}
		}
		for at := range len(w.Events) + 1 {
			want := places[0]
			for _, p := range places {
				if p > float64(at) {
					want = p
					break
				}
			}
			if got := worked(t, "daspNext", w, at, state); got != want {
				t.Errorf("after %d the next wait %q is at %v, want %v", at, state, got, want)
			}
		}
	}
}

// A frame of events that would be told wrongly is refused.
func TestUnreadableWalksAreRefused(t *testing.T) {
	for want, harm := range map[string]func(r *result.Result, f *frame){
		"a column is missing":        func(_ *result.Result, f *frame) { f.Columns[3].Key = "kind" },
		"or the frame of the states": func(r *result.Result, _ *frame) { r.Frames = r.Frames[:1] },
		"gaps up to 3 in QIS, up":    func(r *result.Result, _ *frame) { r.Frame("walk").Rows[1][2] = 2.0 },
		"row 4: worker 9":            func(_ *result.Result, f *frame) { f.Rows[4][2] = 9.0 },
		"versions [1 2 3 4 99 0]":    func(_ *result.Result, f *frame) { f.Rows[4][f.At("v5")] = 99.0 },
		`"joins" in state`:           func(_ *result.Result, f *frame) { f.Rows[7][3] = "joins" },
		"for worker 7":               func(_ *result.Result, f *frame) { f.Rows[9][f.At("until_worker")] = 7.0 },
		"no event":                   func(_ *result.Result, f *frame) { f.Rows = nil },
	} {
		l := committedOf(t, "dasp/walk")
		harm(l.Result, l.Frame("events"))
		if w, err := widgetOf(l, "events"); err == nil || w != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
