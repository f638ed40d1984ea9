//go:build unix && !linux

package emulated

// noReserve is Linux's alone; the others reserve nothing for what cannot be read.
const noReserve = 0
