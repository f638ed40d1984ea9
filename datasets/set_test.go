package datasets

import (
	"bytes"
	"math"
	"runtime/debug"
	"testing"
)

// ramp returns a set of two images whose bytes all differ.
func ramp(c, h, w int) *Set {
	s := &Set{Name: "ramp", Classes: 2}
	s.Train = Split{C: c, H: h, W: w, Labels: []byte{0, 1}, Pixels: make([]byte, 2*c*h*w)}
	for i := range s.Train.Pixels {
		s.Train.Pixels[i] = byte(i*37 + i/251)
	}
	s.Test = s.Train
	return s.finish()
}

func TestMomentsByDefinition(t *testing.T) {
	s := ramp(3, 32, 32)
	for c := range 3 {
		var sum, dev float64
		var all []float64
		for i := range s.Train.Len() {
			for _, v := range s.Train.image(i)[c*1024 : (c+1)*1024] {
				all = append(all, float64(v)/255)
				sum += float64(v) / 255
			}
		}
		mean := sum / float64(len(all))
		for _, v := range all {
			dev += (v - mean) * (v - mean)
		}
		std := math.Sqrt(dev / float64(len(all)))
		if math.Abs(mean-float64(s.Mean[c])) > 1e-6 || math.Abs(std-float64(s.Std[c])) > 1e-6 {
			t.Errorf("channel %d: %g ± %g, want %g ± %g", c, s.Mean[c], s.Std[c], mean, std)
		}
	}
}

// TestFillByDefinition compares Fill with the definition, pixel by pixel: pad with
// black, average 2×2, normalise, repeat.
func TestFillByDefinition(t *testing.T) {
	for _, c := range []struct {
		name                   string
		srcC, src, c, dst, pad int
		note                   string
	}{
		{"MNIST to LeNet-5", 1, 28, 1, 28, 0, ""},
		{"MNIST to ResNet-18", 1, 28, 3, 32, 2, "28×28×1 padded to 32×32 and repeated to 3 channels"},
		{"MNIST padded only", 1, 28, 1, 32, 2, "28×28×1 padded to 32×32"},
		{"MNIST to a 16×16 model", 1, 28, 3, 16, 2, "28×28×1 padded to 32×32, halved to 16×16 by 2×2 means and repeated to 3 channels"},
		{"CIFAR-10", 3, 32, 3, 32, 0, ""},
		{"CIFAR-10 to a 16×16 model", 3, 32, 3, 16, 0, "32×32×3 halved to 16×16 by 2×2 means"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ramp(c.srcC, c.src, c.src)
			if note, err := s.Adaptation(c.c, c.dst, c.dst); err != nil || note != c.note {
				t.Errorf("note %q, error %v, want %q", note, err, c.note)
			}
			size := c.c * c.dst * c.dst
			got := make([]float32, 3*size)
			must(t, s.Fill(got, &s.Train, []int{1, 0, 1}, c.c, c.dst, c.dst))
			step := (c.src + 2*c.pad) / c.dst
			for k, img := range []int{1, 0, 1} {
				for ch := range c.c {
					from := min(ch, c.srcC-1)
					for y := range c.dst {
						for x := range c.dst {
							sum := 0
							for p := range step * step {
								if sy, sx := y*step+p/step-c.pad, x*step+p%step-c.pad; sy >= 0 && sx >= 0 && sy < c.src && sx < c.src {
									sum += int(s.Train.image(img)[(from*c.src+sy)*c.src+sx])
								}
							}
							v := float64(sum) / float64(step*step) / 255
							want := (v - float64(s.Mean[from])) / float64(s.Std[from])
							if g := got[k*size+(ch*c.dst+y)*c.dst+x]; math.Abs(float64(g)-want) > 1e-6 {
								t.Fatalf("image %d, channel %d, (%d, %d): %g, want %g", k, ch, y, x, g, want)
							}
						}
					}
				}
			}
		})
	}
}

func TestFillErrors(t *testing.T) {
	s, dst := ramp(1, 28, 28), make([]float32, 28*28)
	for phrase, err := range map[string]error{
		"no adaptation of 28×28×1 images to input 64×64×3": s.Fill(dst, &s.Train, []int{0}, 3, 64, 64),
		"no adaptation of 28×28×1 images to input 28×28×2": s.Fill(dst, &s.Train, []int{0}, 2, 28, 28),
		"no adaptation of 28×28×1 images to input 28×32×1": s.Fill(dst, &s.Train, []int{0}, 1, 28, 32),
		"image 2, want 0 to 1":                             s.Fill(dst, &s.Train, []int{2}, 1, 28, 28),
		"image -1, want 0 to 1":                            s.Fill(dst, &s.Train, []int{-1}, 1, 28, 28),
		"dst holds 784 values, want 2 images × 784":        s.Fill(dst, &s.Train, []int{0, 1}, 1, 28, 28),
	} {
		wantError(t, err, "ramp", phrase)
	}
	if _, err := ramp(3, 32, 32).Adaptation(1, 32, 32); err == nil {
		t.Error("colour to grey: no error")
	}
}

func TestFillDoesNotAllocate(t *testing.T) {
	s := ramp(1, 28, 28)
	dst, idx := make([]float32, 2*3*32*32), []int{0, 1}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	// Of a thousand calls the few that another goroutine allocates round to none.
	if n := testing.AllocsPerRun(1000, func() { _ = s.Fill(dst, &s.Train, idx, 3, 32, 32) }); n != 0 {
		t.Errorf("%g allocations per call, want 0", n)
	}
}

func TestSyntheticIsSeeded(t *testing.T) {
	a, b, c := Synthetic(SyntheticConfig{Seed: 7}), Synthetic(SyntheticConfig{Seed: 7}), Synthetic(SyntheticConfig{Seed: 8})
	if a.SHA256 != b.SHA256 || a.SHA256 == c.SHA256 {
		t.Errorf("seeds 7, 7, 8 give %.8s, %.8s, %.8s", a.SHA256, b.SHA256, c.SHA256)
	}
	// Recorded from this code on linux/amd64: the bytes must be the same everywhere.
	if want := "a5f77f160df992e005af5ab45a5c341c7cbf8515b9d45fde6f0d1f45161147a5"; a.SHA256 != want {
		t.Errorf("seed 7: sha256 %s, want %s", a.SHA256, want)
	}
}

// Every image of the first classes is there once, in order, with its own pixels,
// label and place in the original; of the others none.
func TestFirstClasses(t *testing.T) {
	s := Synthetic(SyntheticConfig{})
	f := sure(s.FirstClasses(3))(t)
	for name, both := range map[string][2]*Split{"train": {&s.Train, &f.Train}, "test": {&s.Test, &f.Test}} {
		all, few, k := both[0], both[1], 0
		for i, label := range all.Labels {
			if label >= 3 {
				continue
			}
			if k >= few.Len() || few.Labels[k] != label || !bytes.Equal(few.image(k), all.image(i)) || few.Index[k] != int32(i) {
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
