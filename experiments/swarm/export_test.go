package swarm

import "slices"

// Survives reports whether a method's ranks go on without those that are lost.
func Survives(method string) bool { return slices.Contains(survive, method) }
