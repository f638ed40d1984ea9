//go:build nodl || !linux || !amd64

package lib

// hasDoubles says that functions with doubles among their arguments can be called.
const hasDoubles = false

func callDoubles(*[25]uintptr, *[1]uintptr) uintptr { panic("lib: no way to pass doubles here") }
