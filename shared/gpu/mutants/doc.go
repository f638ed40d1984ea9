// Package mutants plants mistakes into the kernels and holds the two ways of running them
// without a card to finding each: the emulator, which says what is wrong and where, and
// the fake driver, on which results come out wrong. It has tests alone.
package mutants
