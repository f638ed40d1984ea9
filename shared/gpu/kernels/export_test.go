package kernels

import (
	"slices"
	"unsafe"
)

// Known says whether a queue can launch the kernel of that name.
func Known(name string) bool {
	return slices.ContainsFunc(signatures[:], func(s struct{ name, params string }) bool { return s.name == name })
}

// Names lists the kernels that a queue can launch, sorted.
func Names() (names []string) {
	for _, s := range signatures {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

// Prefix sums n counts as PackBitmap and UnpackBitmap do.
func (q *Queue) Prefix(n int, counts, offsets unsafe.Pointer) error {
	return q.prefix(n, counts, offsets)
}
