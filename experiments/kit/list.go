package kit

import "math"

// Must returns x where an error is a programmer's mistake: names are constants, files are
// embedded.
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// OnlyIf returns x where it is meant, else no number.
func OnlyIf(meant bool, x float64) float64 {
	if meant {
		return x
	}
	return math.NaN()
}

// ShareOf returns 100·part/of, no number where there is nothing to share.
func ShareOf(part, of int) float64 { return OnlyIf(of > 0, 100*float64(part)/float64(of)) }

// Map returns what of gives for every one of a list, in its order.
func Map[C, D any](list []C, of func(C) D) (out []D) {
	for _, c := range list {
		out = append(out, of(c))
	}
	return out
}

// Extent returns the smallest and the largest of what of gives.
func Extent[T any](list []T, of func(T) float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range list {
		lo, hi = min(lo, of(x)), max(hi, of(x))
	}
	return lo, hi
}

// Largest returns the largest of what of gives, at least 0.
func Largest[T any](list []T, of func(T) int64) (largest int64) {
	for _, x := range list {
		largest = max(largest, of(x))
	}
	return largest
}

// CountIf returns for how many of a list is holds.
func CountIf[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

// Find returns the first of a list for which is holds; without one it panics, since keys are
// constants.
func Find[T any](list []T, is func(T) bool) T {
	for _, x := range list {
		if is(x) {
			return x
		}
	}
	panic("kit: nothing found in a list that should have it")
}
