package match

import (
	"fmt"
	"slices"

	"gradsync/shared/cluster"
)

// CheckMessage panics on what only a wrong program asks of rank's Proc.
func CheckMessage(op string, rank, size, peer int, tag cluster.Tag, m *cluster.Msg) {
	if peer < 0 || peer >= size {
		panic(fmt.Sprintf("cluster: rank %d: %s: peer %d of %d ranks", rank, op, peer, size))
	}
	if tag < 0 || tag >= cluster.MaxTag {
		panic(fmt.Sprintf("cluster: rank %d: %s: tag %d, want 0 ≤ tag < %d", rank, op, tag, cluster.MaxTag))
	}
	if m == nil || m.Size() < 0 {
		panic(fmt.Sprintf("cluster: rank %d: %s: no message, or a negative size", rank, op))
	}
}

// CheckGroup panics on a broadcast that only a wrong program asks for.
func CheckGroup(rank, size int, group []int, root int, tag cluster.Tag, m *cluster.Msg) {
	if !slices.Contains(group, rank) || !slices.Contains(group, root) {
		panic(fmt.Sprintf("cluster: rank %d: broadcast from rank %d to %v: both must be members", rank, root, group))
	}
	for _, member := range group {
		CheckMessage("broadcast", rank, size, member, tag, m)
	}
}

// Others returns group without root, in order.
func Others(group []int, root int) []int {
	return slices.DeleteFunc(slices.Clone(group), func(r int) bool { return r == root })
}
