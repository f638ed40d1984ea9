package dasp

import (
	"bytes"
	"testing"
	"time"
)

// flight is a send that ends when told.
type flight struct{ landed bool }

func (f *flight) Done() bool { return f.landed }
func (f *flight) Err() error { return nil }

// TestSnapshotsAreNotOverwritten: the bytes of a version stay as they are while
// a reply carries them, are shared by replies of that version, and are used
// anew afterwards.
func TestSnapshotsAreNotOverwritten(t *testing.T) {
	var s snapshots
	a, b := &flight{}, &flight{}
	one := s.of(1, []float32{1, 2})
	s.track(a)
	if again := s.of(1, []float32{9, 9}); &again[0] != &one[0] {
		t.Error("two replies of one version do not share their bytes")
	}
	s.track(b)
	a.landed = true
	two := s.of(2, []float32{3, 4})
	if !bytes.Equal(one, appendFloats(nil, []float32{1, 2})) {
		t.Error("version 1 was overwritten while it was under way")
	}
	s.track(&flight{})
	b.landed = true
	if three := s.of(3, []float32{5, 6}); &three[0] != &one[0] || &three[0] == &two[0] {
		t.Error("bytes that have arrived are not used anew")
	}
}

// TestJoinStartsAtTheOldest: a joiner is registered at min(v) of the others, its
// iteration time unknown again.
func TestJoinStartsAtTheOldest(t *testing.T) {
	v := View{V: []int64{7, 0, 5}, F: []time.Duration{ms, ms, ms}, Present: []bool{true, false, true}, Newest: 7}
	v.Join(1)
	if v.V[1] != 5 || v.F[1] != 0 || !v.Present[1] {
		t.Errorf("joined at %d, f = %v, present %v: want 5, 0, true", v.V[1], v.F[1], v.Present[1])
	}
}
