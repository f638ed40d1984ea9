//go:build !unix

package emulated

// reserve returns addresses that no allocation of the host has.
func reserve() (base, end uint64, release func()) { return fixedBase, fixedEnd, func() {} }
