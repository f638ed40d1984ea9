package virtual

import (
	"testing"

	"pgregory.net/rapid"
)

// Against the slow twin: whatever is pushed and popped, the least (time,
// sequence) comes first.
func TestHeapPopsInOrderOfTimeThenSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap
		var twin []event
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "pop") > 0 {
				e := event{at: rapid.Int64Range(0, 9).Draw(t, "at"), seq: uint64(i)}
				h.push(e)
				twin = append(twin, e)
				continue
			}
			got, ok := h.pop()
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
			twin = append(twin[:least], twin[least+1:]...)
		}
	})
}
