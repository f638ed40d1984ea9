package datasets

import "fmt"

// FirstClasses returns the images of classes 0 … n−1 alone, in their order and
// normalised as those of the whole set. SHA256 stays that of the whole set, which
// with n says which images these are.
func (s *Set) FirstClasses(n int) (*Set, error) {
	if n < 2 || n > s.Classes {
		return nil, fmt.Errorf("datasets: %s: first %d classes, want 2 to %d", s.Name, n, s.Classes)
	}
	if n == s.Classes {
		return s, nil
	}
	note := fmt.Sprintf("classes 0 to %d of %d", n-1, s.Classes)
	if s.Note != "" {
		note = s.Note + "; " + note
	}
	return &Set{Name: s.Name, Classes: n, Train: s.Train.firstClasses(n), Test: s.Test.firstClasses(n), Mean: s.Mean, Std: s.Std,
		Origin: s.Origin, Path: s.Path, SHA256: s.SHA256, Licence: s.Licence, Note: note}, nil
}

func (s *Split) firstClasses(n int) Split {
	out := Split{C: s.C, H: s.H, W: s.W}
	for i, label := range s.Labels {
		if int(label) >= n {
			continue
		}
		out.Labels = append(out.Labels, label)
		out.Pixels = append(out.Pixels, s.Image(i)...)
		at := int32(i)
		if s.Index != nil {
			at = s.Index[i]
		}
		out.Index = append(out.Index, at)
	}
	return out
}
