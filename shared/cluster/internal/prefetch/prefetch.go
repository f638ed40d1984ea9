// Package prefetch asks for memory before it is needed. It changes no result: a processor may ignore it,
// and an address that is not there any more, or never was, does no harm.
package prefetch

// Line is how many bytes one line of a cache has.
const Line = 64
