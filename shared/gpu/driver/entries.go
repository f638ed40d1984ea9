package driver

import (
	"fmt"
	"slices"
	"strings"
)

// entries reads the parameters of every kernel of a PTX text: their sizes in bytes.
func entries(ptx string) map[string][]int {
	all := map[string][]int{}
	for rest := ptx; ; {
		_, after, ok := strings.Cut(rest, ".entry ")
		if !ok {
			return all
		}
		name, after, ok := strings.Cut(after, "(")
		list, after, closed := strings.Cut(after, ")")
		if !ok || !closed {
			return all
		}
		sizes := []int{}
		for _, p := range strings.Split(list, ",") {
			switch f := strings.Fields(p); {
			case len(f) < 3:
			case strings.HasSuffix(f[1], "64"):
				sizes = append(sizes, 8)
			default:
				sizes = append(sizes, 4)
			}
		}
		all[strings.TrimSpace(name)] = sizes
		rest = after
	}
}

// entry checks that a module has a kernel with these parameters.
func entry(all map[string][]int, name string, params []int) error {
	found, ok := all[name]
	if !ok {
		return Failed("cuModuleGetFunction", codeNotFound, fmt.Sprintf("the PTX has no kernel %s", name))
	}
	if len(params) > MostParams {
		return Failed("cuModuleGetFunction", codeInvalid, fmt.Sprintf("kernel %s has more than %d parameters", name, MostParams))
	}
	if !slices.Equal(found, params) {
		return Failed("cuModuleGetFunction", codeInvalid, fmt.Sprintf("kernel %s has parameters of %v bytes, want %v", name, found, params))
	}
	return nil
}

// cellsFit checks a launch before it goes to the device.
func cellsFit(f Func, grid, block Dim, cells []uint64) error {
	threads := uint64(block.X) * uint64(block.Y) * uint64(block.Z)
	switch {
	case f.name == "":
		return Failed("cuLaunchKernel", codeHandle, "no function")
	case len(cells) != f.params:
		return Failed("cuLaunchKernel", codeInvalid, fmt.Sprintf("kernel %s takes %d arguments, not %d", f.name, f.params, len(cells)))
	case grid.X == 0 || grid.Y == 0 || grid.Z == 0 || threads == 0 || threads > 1024 || grid.Y > 65535 || grid.Z > 65535:
		return Failed("cuLaunchKernel", codeInvalid, fmt.Sprintf("kernel %s: a grid of %v blocks of %v threads", f.name, grid, block))
	}
	return nil
}
