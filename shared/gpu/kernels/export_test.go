package kernels

import "slices"

// Known says whether a queue can launch the kernel of that name.
func Known(name string) bool {
	return slices.ContainsFunc(signatures[:], func(s struct{ name, params string }) bool { return s.name == name })
}
