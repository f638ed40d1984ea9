package virtual

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Against the slow twin: whatever is pushed and popped, the least (time, sequence) comes first. Events come from
// streams that are each in order, as a link's are, and at any time.
func TestQueuePopsInOrderOfTimeThenSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		var twin []event
		now, streams := int64(0), rapid.IntRange(0, 2*lanes).Draw(t, "streams")
		for i := range rapid.IntRange(1, 400).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "pop") > 0 {
				e := event{at: now + int64(rapid.IntRange(0, 9).Draw(t, "at")), seq: uint64(i), who: int32(i)}
				if streams > 0 {
					e.at = now + int64(100*rapid.IntRange(1, streams).Draw(t, "stream"))
				}
				q.push(e)
				twin = append(twin, e)
				continue
			}
			got, ok := q.pop()
			if ok != (len(twin) > 0) {
				t.Fatalf("pop of %d events: %v", len(twin), ok)
			}
			if !ok {
				continue
			}
			least := 0
			for k := range twin {
				if twin[k].before(&twin[least]) {
					least = k
				}
			}
			if got != twin[least] {
				t.Fatalf("popped %+v, want %+v", got, twin[least])
			}
			now = max(now, got.at)
			twin = append(twin[:least], twin[least+1:]...)
		}
	})
}

// What is rounded without floating-point is what the formula of seconds gives.
func TestAfterIsLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e engine
		d := rapid.Int64Range(0, int64(exact)-1).Draw(t, "nanoseconds")
		if got, want := e.after(5, time.Duration(d)), e.later(5, time.Duration(d).Seconds()); got != want {
			t.Fatalf("after %d ns: %d ps, want %d", d, got, want)
		}
		x := rapid.Float64Range(0, 4e6).Draw(t, "seconds")
		if got, want := e.later(0, x), int64(math.Round(x/picosecond)); got != want {
			t.Fatalf("%g s: %d ps, want %d", x, got, want)
		}
	})
}
