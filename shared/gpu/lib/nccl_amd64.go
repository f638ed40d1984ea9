//go:build linux && !nodl

package lib

// initRank calls ncclCommInitRank. The name goes by value: on amd64 its 16 words lie on the
// stack, behind the six arguments that registers hold, of which three are of no meaning.
func (f *frame) initRank(function uintptr, rank, ranks int) int {
	f.out[0] = 0
	args := append(make([]uintptr, 0, 22), address(&f.out), uintptr(ranks), uintptr(rank), 0, 0, 0)
	f.setDoubles(function, 0, 0, append(args, f.idWords()[:]...))
	return int(int32(uint32(callDoubles(&f.doubles, &f.block))))
}
