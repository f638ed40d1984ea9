//go:build !nodl

package lib

// hasDoubles says that functions with doubles among their arguments can be called.
const hasDoubles = true

// doublesAt is the address of a C function of ours (doubles_linux_amd64.s): purego.SyscallN
// gives the same numbers to both kinds of registers.
var doublesAt uintptr

// callDoubles calls a function with two doubles, in the order of its signature, and up to
// 22 other arguments: a holds its address, the doubles' bits and the arguments.
func callDoubles(a *[25]uintptr, block *[1]uintptr) uintptr {
	block[0] = address(a)
	return invoke(doublesAt, block[:])
}
