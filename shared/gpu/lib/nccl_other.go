//go:build nodl || !linux || !amd64

package lib

// initRank calls ncclCommInitRank. The name goes by value: on arm64 that is the address of a copy.
func (f *frame) initRank(function uintptr, rank, ranks int) int {
	f.out[0] = 0
	return f.call(function, f.set(address(&f.out), uintptr(ranks), address(&f.message), uintptr(rank)))
}
