package enginetest

import (
	"math"
	"testing"

	"gradsync/shared/tensor"
)

// sizes are the batches: below, at and above whole vectors.
var sizes = []int{1, 2, 3, 16, 17, 20, 33}

// guarded is how many elements behind an output watch for what is written there.
const guarded = 8

// plain returns an output that is no batch, full of NaN: what an engine forgot to
// write shows.
func plain(n int) []float32 {
	v := make([]float32, n+guarded)
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// output returns a batch for an engine to write.
func output(e tensor.Engine, n, size int) []float32 { return plain(e.Layout().Len(n, size)) }

// gradient lays out images with zeros in the padding.
func gradient(e tensor.Engine, images []float32, n int) []float32 {
	size := len(images) / n
	v := make([]float32, e.Layout().Len(n, size))
	e.Layout().Import(v, images, n, size)
	return v
}

// activation lays out images with finite garbage in the padding.
func activation(e tensor.Engine, images []float32, n int) []float32 {
	v := gradient(e, images, n)
	for i := range padding(e, v, n) {
		v[i] = 1e4 + float32(i%7)
	}
	return v
}

// padding iterates over the padding of a batch.
func padding[T any](e tensor.Engine, v []T, n int) func(yield func(int, T) bool) {
	return func(yield func(int, T) bool) {
		if e.Layout() == tensor.ImageMajor {
			return
		}
		pitch := e.Layout().Pitch(n)
		for i, x := range v[:len(v)/pitch*pitch] {
			if i%pitch >= n && !yield(i, x) {
				return
			}
		}
	}
}

// images reads a batch that an engine wrote, and checks what must hold of an
// activation: the padding is finite and the guard untouched.
func images(t *testing.T, what string, e tensor.Engine, v []float32, n, size int) []float32 {
	t.Helper()
	untouched(t, what, v, e.Layout().Len(n, size))
	for i, x := range padding(e, v[:e.Layout().Len(n, size)], n) {
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			t.Fatalf("%s: padding at %d is %g, want a finite value", what, i, x)
		}
	}
	out := make([]float32, n*size)
	e.Layout().Export(out, v, n, size)
	return out
}

// gradients returns images for a gradient: the padding is zero.
func gradients(t *testing.T, what string, e tensor.Engine, v []float32, n, size int) []float32 {
	t.Helper()
	for i, x := range padding(e, v[:e.Layout().Len(n, size)], n) {
		if x != 0 {
			t.Fatalf("%s: padding at %d is %g, want 0", what, i, x)
		}
	}
	return images(t, what, e, v, n, size)
}

// untouched checks the guard behind n outputs.
func untouched(t *testing.T, what string, v []float32, n int) {
	t.Helper()
	for _, x := range v[n:] {
		if x == x {
			t.Fatalf("%s: wrote %g behind its %d outputs", what, x, n)
		}
	}
}
