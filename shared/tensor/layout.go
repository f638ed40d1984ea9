package tensor

import "gradsync/shared/tensor/vec"

// Layout is how an engine lays out a batch of n images of some size (all its
// channels, rows and columns).
//
// Source: ours: what lets an engine put images into vector lanes
type Layout int

const (
	// ImageMajor is [n][channel][row][column], as PyTorch's NCHW.
	ImageMajor Layout = iota
	// BatchInner is [channel][row][column][pitch], the pitch being n rounded up to
	// a multiple of Lanes: one vector holds the same element of Lanes images. The
	// lanes behind the last image are padding: zeros in an imported batch and in
	// every gradient, whatever follows from zeros elsewhere (behind a batch norm that
	// can be large, for the statistics are not theirs). An engine keeps gradients
	// so, and lets no padding into a sum over images but by a zero gradient.
	BatchInner
)

// Lanes is how many images a vector of BatchInner holds. It is part of the bit
// class, whatever the width of the machine's registers.
const Lanes = 16

// Pitch returns the distance of two elements of one image: 1, or n rounded up to
// whole vectors.
func (l Layout) Pitch(n int) int {
	if l == ImageMajor {
		return 1
	}
	return (n + Lanes - 1) / Lanes * Lanes
}

// Len returns the length of a buffer of n images.
func (l Layout) Len(n, size int) int {
	if l == ImageMajor {
		return n * size
	}
	return l.Pitch(n) * size
}

// Import lays out images, [n][size], in dst. An image-major batch is copied.
// Panics if a buffer is too short.
func (l Layout) Import(dst, images []float32, n, size int) {
	if l == ImageMajor {
		copy(dst[:n*size], images[:n*size])
		return
	}
	pitch := l.Pitch(n)
	if pitch > n {
		clear(dst[:size*pitch])
	}
	vec.Transpose(dst, pitch, images, size, n, size)
}

// Export writes a laid-out batch as images, [n][size]: Import's inverse.
func (l Layout) Export(images, src []float32, n, size int) {
	if l == ImageMajor {
		copy(images[:n*size], src[:n*size])
		return
	}
	vec.Transpose(images, size, src, l.Pitch(n), size, n)
}
