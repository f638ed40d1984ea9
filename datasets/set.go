// Package datasets opens the image sets that the experiments train on: MNIST
// and Fashion-MNIST (IDX files), CIFAR-10 (binary or Python archive, packed or
// not), an embedded Fashion-MNIST subset, a seeded synthetic set for tests, and
// sets of own images that Import makes (README.md).
//
// # Look-up
//
// Open looks nowhere for a Dir of Embedded; else in Options.Dir (the flag --data-dir), then in $GRADSYNC_DATA, then
// in the user's cache folder, then among the embedded sets, and takes the first
// place that holds the set. In each place it tries the layouts that the official
// archives, `gradsync data fetch`, Debian's dataset packages and torchvision leave:
//
//	DIR/mnist/train-images-idx3-ubyte.gz        DIR/MNIST/raw/train-images-idx3-ubyte
//	DIR/fashion-mnist/…                         DIR/FashionMNIST/raw/…
//	DIR/cifar-10-batches-bin/data_batch_1.bin   DIR/cifar-10-binary.tar.gz
//	DIR/cifar-10-batches-py/data_batch_1        DIR/cifar-10-python.tar.gz
//
// or the files directly in DIR; a set of own images lies in DIR/NAME. A place that was named explicitly and does not
// exist is an error. So is a place that holds the set in part or broken: a set
// that is there is never passed over in silence. A folder that simply holds no
// such set is passed, and Set.Note says so.
//
// # Trust
//
// Files are untrusted. How much is read or allocated follows from the manifest in
// this package, or of own images from the length of the file, never from a size that
// a file states about itself. Each bad input
// gives one error that names the file and what is wrong with it. Nothing is
// downloaded unless Fetch is called.
package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"sync"
)

// Split is the training or the test half of a set.
type Split struct {
	Pixels  []byte  // N×C×H×W, one byte per value, 0 to 255
	Labels  []uint8 // N
	C, H, W int
	Index   []int32 // position of each image in the original split; nil: identity
}

// Len returns the number of images.
func (s *Split) Len() int { return len(s.Labels) }

// image returns the C×H×W bytes of image i, not copied.
func (s *Split) image(i int) []byte {
	n := s.C * s.H * s.W
	return s.Pixels[i*n : (i+1)*n]
}

// Origins of a Set.
const (
	OriginEmbedded  = "embedded"
	originDirectory = "directory"
	originCache     = "cache"
	originSynthetic = "synthetic"
)

// Set is one opened data set. It must not be copied after first use.
type Set struct {
	Name        string
	Classes     int
	Train, Test Split
	Mean, Std   []float32 // per channel, of the training pixels scaled to 0…1
	Origin      string    // embedded, directory, cache or synthetic
	Path        string    // folder or file that it was read from; "" for embedded and synthetic
	// SHA256 identifies the content, whatever container it came in: the hash of
	// training pixels, training labels, test pixels, test labels, in this order.
	SHA256  string
	Licence string
	Note    string // what a reader has to know about this set, in words; may be ""

	tables sync.Once
	whole  [][]float32 // [channel][byte] normalised value
	halved [][]float32 // [channel][sum of 4 bytes] normalised mean of 2×2 pixels
}

// finish fills in the fields that follow from the images.
func (s *Set) finish() *Set {
	h := sha256.New()
	for _, sp := range []*Split{&s.Train, &s.Test} {
		h.Write(sp.Pixels)
		h.Write(sp.Labels)
	}
	s.SHA256 = hex.EncodeToString(h.Sum(nil))
	s.Mean, s.Std = moments(&s.Train)
	return s
}

// moments returns mean and standard deviation per channel of pixels scaled to
// 0…1. The sums are integers, so the result does not depend on any order.
func moments(sp *Split) (mean, std []float32) {
	plane := sp.H * sp.W
	mean, std = make([]float32, sp.C), make([]float32, sp.C)
	for c := range sp.C {
		var count [256]uint64
		for i := range sp.Len() {
			for _, v := range sp.image(i)[c*plane : (c+1)*plane] {
				count[v]++
			}
		}
		var n, sum, square uint64
		for v, k := range count {
			n += k
			sum += k * uint64(v)
			square += k * uint64(v*v)
		}
		m := float64(sum) / float64(n)
		variance := float64(square)/float64(n) - float64(m*m)
		mean[c], std[c] = float32(m/255), float32(math.Sqrt(variance)/255)
	}
	return mean, std
}

// Fill writes the images of the given indices into dst, one after the other as
// c×h×w float32, normalised per channel to (v/255 − mean) / std and adapted to
// the model's input as Adaptation says. Several goroutines may call it at once.
//
// Errors: an adaptation that does not exist, an index outside the split, a dst
// shorter than len(indices)·c·h·w.
func (s *Set) Fill(dst []float32, split *Split, indices []int, c, h, w int) error {
	a, err := adapt(split.C, split.H, split.W, c, h, w)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", s.Name, err)
	}
	size := c * h * w
	if len(dst) < len(indices)*size {
		return fmt.Errorf("datasets: %s: fill: dst holds %d values, want %d images × %d", s.Name, len(dst), len(indices), size)
	}
	s.tables.Do(s.buildTables)
	for k, i := range indices {
		if i < 0 || i >= split.Len() {
			return fmt.Errorf("datasets: %s: fill: image %d, want 0 to %d", s.Name, i, split.Len()-1)
		}
		s.fillOne(dst[k*size:(k+1)*size], split.image(i), a)
	}
	return nil
}

// Unnormalised returns the same images with pixels as shares of 255: black is
// exactly +0, and so are the gradients of weights that see nothing but black.
func (s *Set) Unnormalised() *Set {
	u := &Set{Name: s.Name, Classes: s.Classes, Train: s.Train, Test: s.Test, Origin: s.Origin, Path: s.Path,
		SHA256: s.SHA256, Licence: s.Licence, Note: s.Note,
		Mean: make([]float32, len(s.Mean)), Std: make([]float32, len(s.Std))}
	for i := range u.Std {
		u.Std[i] = 1
	}
	return u
}

// buildTables tabulates normalisation: a pixel has 256 values, a 2×2 sum 1,021.
func (s *Set) buildTables() {
	for c := range s.Mean {
		mean, std := float64(s.Mean[c]), float64(s.Std[c])
		if std == 0 { // a constant channel carries nothing; do not divide by zero
			std = 1
		}
		whole, halved := make([]float32, 256), make([]float32, 4*255+1)
		for v := range whole {
			whole[v] = float32((float64(v)/255 - mean) / std)
		}
		for v := range halved {
			halved[v] = float32((float64(v)/(4*255) - mean) / std)
		}
		s.whole, s.halved = append(s.whole, whole), append(s.halved, halved)
	}
}

// FirstClasses returns the images of classes 0 … n−1 alone, in their order and normalised as in
// the whole set. SHA256 stays the whole set's, which with n says which images these are.
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
		out.Pixels = append(out.Pixels, s.image(i)...)
		at := int32(i)
		if s.Index != nil {
			at = s.Index[i]
		}
		out.Index = append(out.Index, at)
	}
	return out
}
