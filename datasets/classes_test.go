package datasets

import (
	"bytes"
	"testing"
)

// Every image of the first classes is there once, in order, with its own pixels,
// label and place in the original; of the others none.
func TestFirstClasses(t *testing.T) {
	s := Synthetic(SyntheticConfig{})
	f, err := s.FirstClasses(3)
	if err != nil {
		t.Fatal(err)
	}
	for name, both := range map[string][2]*Split{"train": {&s.Train, &f.Train}, "test": {&s.Test, &f.Test}} {
		all, few := both[0], both[1]
		k := 0
		for i, label := range all.Labels {
			if label >= 3 {
				continue
			}
			if k >= few.Len() || few.Labels[k] != label || !bytes.Equal(few.Image(k), all.Image(i)) || few.Index[k] != int32(i) {
				t.Fatalf("%s: image %d of class %d is not number %d", name, i, label, k)
			}
			k++
		}
		if k != few.Len() || k == 0 {
			t.Errorf("%s: %d images, want %d", name, few.Len(), k)
		}
	}
	if f.Classes != 3 || f.Mean[0] != s.Mean[0] || f.SHA256 != s.SHA256 || f.Note == s.Note {
		t.Errorf("classes %d, mean %g, note %q", f.Classes, f.Mean[0], f.Note)
	}
	if same, err := s.FirstClasses(s.Classes); err != nil || same != s {
		t.Errorf("all classes: another set, %v", err)
	}
	for _, n := range []int{1, s.Classes + 1} {
		if _, err := s.FirstClasses(n); err == nil {
			t.Errorf("first %d classes: no error", n)
		}
	}
}
