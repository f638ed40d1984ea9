package tensor

import (
	"fmt"
	"slices"
	"testing"
)

// TestLayout: what an imported batch looks like, by hand from the definition.
func TestLayout(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 32, 33} {
		pitch := map[int]int{1: 16, 2: 16, 15: 16, 16: 16, 17: 32, 32: 32, 33: 48}[n]
		const size = 5
		images := make([]float32, n*size)
		for i := range images {
			images[i] = float32(i + 1)
		}
		for _, l := range []Layout{ImageMajor, BatchInner} {
			what := fmt.Sprintf("layout %d of %d images", l, n)
			wantPitch, wantLen := 1, n*size
			if l == BatchInner {
				wantPitch, wantLen = pitch, pitch*size
			}
			if l.Pitch(n) != wantPitch || l.Len(n, size) != wantLen {
				t.Errorf("%s: pitch %d, length %d; want %d, %d", what, l.Pitch(n), l.Len(n, size), wantPitch, wantLen)
			}
			got := make([]float32, wantLen+1)
			for i := range got {
				got[i] = -7
			}
			l.Import(got, images, n, size)
			for e := range size {
				for i := range pitch {
					switch {
					case i < n && l == ImageMajor && got[i*size+e] != images[i*size+e],
						i < n && l == BatchInner && got[e*pitch+i] != images[i*size+e]:
						t.Fatalf("%s: element %d of image %d is elsewhere: %v", what, e, i, got)
					case i >= n && l == BatchInner && got[e*pitch+i] != 0:
						t.Fatalf("%s: padding of element %d is %v", what, e, got[e*pitch+i])
					}
				}
			}
			if got[wantLen] != -7 {
				t.Errorf("%s: wrote behind the batch", what)
			}
			back := make([]float32, len(images)+1)
			l.Export(back, got, n, size)
			if !slices.Equal(back[:len(images)], images) || back[len(images)] != 0 {
				t.Errorf("%s: came back as %v", what, back)
			}
		}
	}
}

// TestLayoutPanics: a short buffer is a programmer's mistake in every layout.
func TestLayoutPanics(t *testing.T) {
	for _, l := range []Layout{ImageMajor, BatchInner} {
		full, images := make([]float32, l.Len(3, 4)), make([]float32, 12)
		less := len(full) - 1 // the last image's last element is missing
		if l == BatchInner {
			less = len(full) - Lanes + 2
		}
		for what, f := range map[string]func(){
			"import to":   func() { l.Import(full[1:], images, 3, 4) },
			"import from": func() { l.Import(full, images[1:], 3, 4) },
			"export to":   func() { l.Export(images[:11:11], full, 3, 4) },
			"export from": func() { l.Export(images, full[:less:less], 3, 4) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("layout %d, %s a short buffer: no panic", l, what)
					}
				}()
				f()
			}()
		}
	}
}
