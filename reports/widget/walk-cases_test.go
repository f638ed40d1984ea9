package widget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// waitingAt lists who is shown as waiting, in which state and for whom: "1 WSS 6, …".
func waitingAt(t *testing.T, w *daspWalk, at int) string {
	t.Helper()
	var out []string
	list, _ := worked(t, "daspWaiting", w, at).([]any)
	for _, x := range list {
		m, _ := x.(map[string]any)
		out = append(out, fmt.Sprintf("%v %v %v", m["worker"], m["state"], m["untilWorker"]))
	}
	return strings.Join(out, ", ")
}

// The first eight events of the committed walk are all answered at once: nobody is
// shown as waiting, and no button leads to a wait.
func TestAWalkWhereNobodyWaits(t *testing.T) {
	l := committedOf(t, "dasp/walk")
	f := l.Frame("events")
	f.Rows = f.Rows[:8]
	w := oktest.Must(walkOf(l.Result, f))(t)
	for at := range len(w.Events) + 1 {
		if got := waitingAt(t, w, at); got != "" {
			t.Errorf("after event %d wait %s", at, got)
		}
	}
	for _, state := range []string{"", "WSS", "FSS"} {
		if got := worked(t, "daspNext", w, 0, state); got != 0.0 {
			t.Errorf("a wait %q is at %v", state, got)
		}
	}
	if said := fmt.Sprint(worked(t, "daspSaid", w, 8, "en")); !strings.Contains(said, "it goes on at once (QIS;") {
		t.Errorf("the last event is told as %q", said)
	}
}

// By hand from the frame: before event 13 workers 1, 4, 2 and 5 wait for worker 6, the
// slowest; its push makes version 9 and frees them one by one, into one update.
func TestSeveralWaitForOne(t *testing.T) {
	w := committedWalk(t)
	for at, want := range map[int]string{
		8: "", 9: "1 WSS 6", 12: "1 WSS 6, 4 WSS 6, 2 FSS 6, 5 WSS 6", 13: "1 WSS 6, 4 WSS 6, 2 FSS 6, 5 WSS 6",
		14: "4 WSS 6, 2 FSS 6, 5 WSS 6", 15: "4 WSS 6, 5 WSS 6", 16: "5 WSS 6", 17: "",
	} {
		if got := waitingAt(t, w, at); got != want {
			t.Errorf("after event %d wait %q, want %q", at, got, want)
		}
	}
}

// The end has nobody before it left out: every wait that the table answers is over,
// the words are of the last row, and the axis reaches the newest version.
func TestTheLastEvent(t *testing.T) {
	w := committedWalk(t)
	n := len(w.Events)
	last := w.Events[n-1]
	if said := fmt.Sprint(worked(t, "daspSaid", w, n, "en")); !strings.HasPrefix(said, last.Time+": worker ") {
		t.Errorf("the end is told as %q", said)
	}
	if said := fmt.Sprint(worked(t, "daspSaid", w, n+1, "en")); !strings.HasPrefix(said, "All 6 workers hold version 0") {
		t.Errorf("beyond the end it says %q", said)
	}
	for at := range n + 1 {
		axis, _ := worked(t, "daspAxis", w, at).(map[string]any)
		from, to, held := axis["from"].(float64), axis["from"].(float64)+axis["count"].(float64)-1, []int{0}
		if at > 0 {
			held = append(slices.Clone(w.Events[at-1].V), w.Events[at-1].Held)
		}
		if float64(slices.Min(held)) < from || float64(slices.Max(held)) > to {
			t.Errorf("after event %d versions %v, the axis goes from %v to %v", at, held, from, to)
		}
	}
}

// Staleness counted from the versions alone: the update that uses a gradient makes version n from n − 1, and the
// gradient is of the version held; whoever was used while waiting is released with the same.
func TestStalenessIsTheVersionsBetween(t *testing.T) {
	w := committedWalk(t)
	used, again := map[int]int{}, 0
	for i, e := range w.Events {
		made := e.Newest
		if e.What == "push" {
			delete(used, e.Worker)
		}
		if e.What == "used" {
			used[e.Worker] = e.Newest
		}
		if at := used[e.Worker]; e.What == "release" && at > 0 {
			made = at
			again++
			if said := fmt.Sprint(worked(t, "daspSaid", w, i+1, "en")); !strings.Contains(said, fmt.Sprintf("used already, one of K = %d in version %d ", e.Group, at)) {
				t.Errorf("event %d: %q", i+1, said)
			}
		}
		if e.Group > 0 && e.Staleness != made-1-e.Held {
			t.Errorf("event %d: staleness %d of a gradient of version %d in version %d", i+1, e.Staleness, e.Held, made)
		}
	}
	if again != 8 {
		t.Errorf("%d workers are released whose gradient was used before, want the 8 of the table", again)
	}
}

// Rows that the walk would tell wrongly are refused with what is wrong with them.
func TestWalksThatCannotBe(t *testing.T) {
	for want, harm := range map[string]func(f *frame){
		"row 3: worker is six, not a number from 0":          func(f *frame) { f.Rows[3][2] = "six" },
		"row 3: worker 0, oldest 4":                          func(f *frame) { f.Rows[3][2] = 0.0 },
		"row 8: held is 2.5, not":                            func(f *frame) { f.Rows[8][f.At("held")] = 2.5 },
		"row 8: time is soon, not a time":                    func(f *frame) { f.Rows[8][1] = "soon" },
		`row 2: "release" of worker 3, which waits: false`:   func(f *frame) { f.Rows[2][3] = "release" },
		`row 13: "push" of worker 1, which waits: true`:      func(f *frame) { f.Rows[13][3] = "push" },
		"row 29: staleness is many, not a number from 0":     func(f *frame) { f.Rows[29][f.At("staleness")] = "many" },
		"row 10: worker 2, oldest 7, versions [6 7 8 4 5 0]": func(f *frame) { f.Rows[10][f.At("oldest")] = 7.0 },
	} {
		l := committedOf(t, "dasp/walk")
		harm(l.Frame("events"))
		if _, err := widgetOf(l, "events"); err == nil || !strings.HasPrefix(err.Error(), "frame events: "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
