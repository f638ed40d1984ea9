package dynamic

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/papers/dasp"
)

const second = time.Second

// push is a gradient in seconds: weights of a version left at sent.
func pushOf(worker int, pulled int64, sent, received, replied time.Duration, state dasp.State) dasp.Push {
	return dasp.Push{Worker: worker, Pulled: pulled, Sent: sent * second, Received: received * second, Replied: replied * second, State: state}
}

func TestWaits(t *testing.T) {
	l := &dasp.Log{Workers: 2, Pushes: []dasp.Push{
		pushOf(0, 0, 0, 2, 5, 0),          // held by a method without states
		pushOf(1, 0, 0, 3, 4, dasp.QIS),   // the server's own time
		pushOf(0, 1, 5, 6, 9, dasp.WSS),   // waits
		pushOf(1, 1, 4, 7, 8, dasp.FSS),   // waits
		pushOf(0, 2, 9, 10, 10, dasp.FSS), // answered at once
		{Worker: 1, Received: 9 * second, Replied: 20 * second, Abandoned: true},
	}}
	waits := waitsOf(l)
	if want := []wait{{0, 2, 5}, {0, 6, 9}, {1, 7, 8}}; !reflect.DeepEqual(waits, want) {
		t.Fatalf("waits %v, want %v", waits, want)
	}
	for _, c := range []struct {
		from, to float64
		but      int
		want     float64
	}{{0, 100, -1, 7}, {3, 7.5, -1, 2 + 1.5 + 0.5}, {3, 7.5, 0, 0.5}, {5, 6, -1, 0}} {
		if got := waitedIn(waits, c.from, c.to, c.but); got != c.want {
			t.Errorf("waited in [%g, %g) but worker %d: %g, want %g", c.from, c.to, c.but, got, c.want)
		}
	}
	// Windows of 1 s around 7 s: 2 to 5 is in windows −5 to −3, two wait in 7 to 8.
	mean, n := waitingAround(waits, []speedChange{{At: 7}, {At: 3}, {At: 90}}, 1, 2, 40)
	want := make([]float64, windowsBefore+windowsAfter)
	for b, x := range map[int]float64{-5: 1, -4: 1, -3: 1, -1: 1, 0: 2, 1: 1} {
		want[b+windowsBefore] = x
	}
	if n != 1 || !reflect.DeepEqual(mean, want) {
		t.Errorf("%d events, %v, want %v of the one whose windows are within the run", n, mean, want)
	}
	counts := statesAround(l, []speedChange{{At: 7}}, 1, 2, 40)
	for i, want := range []map[int]int64{{-4: 1}, {-1: 1}, {0: 1, 3: 1}} {
		for b, x := range counts[i] {
			if x != want[b-windowsBefore] {
				t.Errorf("%s, window %d: %d pushes, want %d", setup.States[i], b-windowsBefore, x, want[b-windowsBefore])
			}
		}
	}
}

// Worker 1 is slow until 10 s. By clocks it has pushed 1 of the others' 3 and
// becomes no older than worker 2 at its third push; by versions its next answer
// is enough.
func TestReleases(t *testing.T) {
	l := &dasp.Log{Workers: 3, End: 40 * second, Pushes: []dasp.Push{
		pushOf(0, 0, 0, 2, 2, dasp.QIS), pushOf(2, 0, 0, 3, 3, dasp.QIS), pushOf(0, 1, 2, 4, 4, dasp.QIS),
		pushOf(1, 0, 0, 5, 5, dasp.QIS), pushOf(2, 2, 3, 6, 6, dasp.QIS), pushOf(0, 3, 4, 7, 15, 0),
		pushOf(2, 5, 6, 9, 14, 0), pushOf(1, 4, 5, 12, 13, 0), pushOf(1, 8, 13, 14, 14, dasp.QIS),
		pushOf(1, 9, 14, 16, 16, dasp.QIS), pushOf(2, 9, 14, 18, 18, dasp.QIS), pushOf(0, 9, 15, 19, 19, dasp.QIS),
	}}
	for i, p := range l.Pushes {
		l.Updates = append(l.Updates, dasp.Update{Version: int64(i + 1), At: p.Received})
	}
	ending := speedChange{At: 10, Until: 30, Worker: 1}
	// clocks at 10 s: 3, 1, 3. Its pushes at 12, 14 and 16: 2, 3 (as old as the
	// others, still one of the oldest), 4. Others wait 10–15 and 10–14: 9 s;
	// its own wait of 1 s is none of theirs.
	got := releasesOf(l, false, []speedChange{ending}, 2, 0)
	if want := []release{{Pushes: 3, Versions: 3, Units: 3, Waited: 4.5, Seen: true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("by clock: %+v, want %+v", got, want)
	}
	// versions at 10 s: 3 (worker 0), 4 (worker 1), 5: worker 1 is not the oldest.
	if got := releasesOf(l, true, []speedChange{ending}, 2, 0); len(got) != 0 {
		t.Errorf("by version, worker 0 is older: %+v", got)
	}
	l.Pushes[5].Pulled = 6 // now it is: answered with version 8 at 13 s
	got = releasesOf(l, true, []speedChange{ending}, 2, 0)
	if want := []release{{Pushes: 1, Versions: 1, Units: 1.5, Waited: 3, Seen: true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("by version: %+v, want %+v", got, want)
	}
	ending.Until = 13
	got = releasesOf(l, false, []speedChange{ending}, 2, 0)
	if want := []release{{Pushes: 1, Versions: 1, Units: 1.5, Waited: 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("cut off at 13 s: %+v, want %+v", got, want)
	}
	for name, e := range map[string]speedChange{"nobody": {10, 30, -1}, "before the warm-up": {1, 30, 1}, "after the end": {50, 60, 1}} {
		if got := releasesOf(l, false, []speedChange{e}, 2, 2); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A group is answered at one instant with one version: its members are of the
// same age then, whatever their order in the log.
func TestReleasesSeeAGroupAtOnce(t *testing.T) {
	l := &dasp.Log{Workers: 2, End: 40 * second, Pushes: []dasp.Push{
		pushOf(1, 0, 0, 5, 6, dasp.FSS), pushOf(0, 1, 0, 5, 6, dasp.FSS),
		pushOf(1, 2, 6, 8, 8, dasp.QIS), pushOf(0, 2, 6, 9, 9, dasp.QIS), pushOf(1, 3, 8, 11, 11, dasp.QIS),
	}}
	got := releasesOf(l, true, []speedChange{{At: 1, Until: 30, Worker: 1}}, 1, 0)
	if len(got) != 1 || got[0].Units != 7 || got[0].Pushes != 2 {
		t.Errorf("%+v, want 7 s: as old as worker 0 from 6 s, newer from 8 s", got)
	}
}

func TestTimeLineIsCutToItsWindow(t *testing.T) {
	l := &dasp.Log{Workers: 2, Pushes: []dasp.Push{
		pushOf(0, 0, 0, 2, 2, dasp.QIS), pushOf(1, 0, 0, 5, 9, dasp.WSS), pushOf(0, 1, 2, 12, 13, dasp.FSS), pushOf(1, 2, 9, 14, 15, dasp.QIS),
	}}
	plan := speedPlan{Onsets: []speedChange{{4, 8, 1}, {20, 22, 0}}}
	f := timeLineOf("dasp", l, plan, 3, 11)
	if len(f.Slowed) != 1 || f.Slowed[0] != (lineBand{Method: "dasp", Worker: 2, From: 4000, To: 8000}) {
		t.Errorf("slowed %+v, want worker 2 from 4000 to 8000 ms", f.Slowed)
	}
	var got []string
	for _, b := range f.Bands {
		if b.From < 3000 || b.To > 11000 || b.To <= b.From {
			t.Errorf("band %+v outside the window", b)
		}
		got = append(got, b.State)
	}
	if s := strings.Join(got, " "); s != "compute WSS compute compute" {
		t.Errorf("bands %s", s)
	}
	if f.Arrived != 1 || f.Waited != 4000 {
		t.Errorf("%d gradients arrive and workers wait %g ms, want 1 and 4000", f.Arrived, f.Waited)
	}
	if first := firstAfter([]speedChange{{9, 10, 0}, {1, 2, 1}, {5, 6, 2}}, 3); first.At != 5 || math.IsNaN(first.Until) {
		t.Errorf("first onset from 3 s on: %+v", first)
	}
}
