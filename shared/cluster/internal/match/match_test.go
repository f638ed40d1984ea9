package match

import (
	"slices"
	"testing"

	"gradsync/shared/cluster"
)

// What a lost rank leaves: its receives are withdrawn in posting order, one from any rank takes its old place, and
// nothing overtakes a message that never became whole.
func TestWhatALostRankLeaves(t *testing.T) {
	key := func(from int, tag cluster.Tag) Key { return Key{From: from, Tag: tag} }
	var b Box[int, string]
	for i, k := range []Key{key(cluster.Any, 1), key(2, 1), key(3, 1), key(2, 2), key(cluster.Any, 1)} {
		b.Post(k, i)
	}
	if got := b.Lose(2); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("lost %v, want receives 1 and 3", got)
	}
	if r, ok := b.Deliver(key(2, 1), "half"); r != 0 || !ok {
		t.Fatalf("%d, %v", r, ok)
	}
	older := func(posted int) bool { return posted < 0 }
	if m, ok := b.Again(key(cluster.Any, 1), 0, older); ok {
		t.Fatalf("matched %q", m)
	}
	for _, want := range []int{0, 2, 4} { // 2 is for rank 3 alone, from whom they come
		if r, ok := b.Take(key(3, 1)); r != want || !ok {
			t.Errorf("took %d, %v, want %d", r, ok, want)
		}
	}
	for _, m := range []string{"a", "half", "b"} {
		b.Keep(key(2, 1), m)
	}
	b.Keep(key(3, 1), "c")
	b.Forget(key(2, 1), func(m string) bool { return m == "half" })
	b.Forget(key(2, 1), func(m string) bool { return m == "gone" })
	for i, want := range []string{"a", "c"} {
		if m, ok := b.Again(key(cluster.Any, 1), i, older); m != want || !ok {
			t.Errorf("matched %q, %v, want %q", m, ok, want)
		}
	}
	b.Keep(key(2, 1), "d")
	if b.Forget(key(2, 1), func(string) bool { return true }); len(b.early) != 0 {
		t.Errorf("%d messages are left", len(b.early))
	}
}
