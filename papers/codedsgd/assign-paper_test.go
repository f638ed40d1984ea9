package codedsgd_test

import (
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
)

// assignment of n nodes at redundancy r.
func assignment(t testing.TB, n, r int) *codedsgd.Assignment {
	t.Helper()
	return sure(codedsgd.Assign(n, r))(t)
}

// every runs f for all 1 ≤ r ≤ n ≤ most.
func every(t testing.TB, most int, f func(a *codedsgd.Assignment, n, r int)) {
	t.Helper()
	for n := 1; n <= most; n++ {
		for r := 1; r <= n; r++ {
			f(assignment(t, n, r), n, r)
		}
	}
}

// subsets by recursion, apart from the code under test.
func subsets(from, n, k int) (all [][]int) {
	if k == 0 {
		return [][]int{{}}
	}
	for v := from; v < n; v++ {
		for _, rest := range subsets(v+1, n, k-1) {
			all = append(all, append([]int{v}, rest...))
		}
	}
	return all
}

// "combinations(U, r)": block q belongs to the q-th subset, and Index finds it again.
func TestAlgorithm2Line1BlocksAreTheSubsets(t *testing.T) {
	every(t, 8, func(a *codedsgd.Assignment, n, r int) {
		want := subsets(0, n, r)
		if a.Blocks() != len(want) {
			t.Fatalf("n=%d r=%d: %d blocks, want %d", n, r, a.Blocks(), len(want))
		}
		for q, holders := range want {
			if got := a.Holders(q); !slices.Equal(got, holders) || a.Index(holders) != q {
				t.Errorf("n=%d r=%d block %d: holders %v, want %v; index %d", n, r, q, got, holders, a.Index(holders))
			}
		}
		for _, none := range [][]int{nil, make([]int, r+1), {n}, {-1}, {1, 0}, {0, 0}} {
			if i := a.Index(none); i >= 0 && len(none) > 0 {
				t.Errorf("n=%d r=%d: %v is block %d", n, r, none, i)
			}
		}
		if got, want := a.Groups(), subsets(0, n, r+1); len(got) != len(want) || !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Errorf("n=%d r=%d: groups %v, want %v", n, r, got, want)
		}
	})
}

// "Each node's blocks are μ = r·C(n,r)/n", and a block is on exactly r nodes.
func TestSection21EveryNodeHasMuBlocks(t *testing.T) {
	every(t, 8, func(a *codedsgd.Assignment, n, r int) {
		copies := make([]int, a.Blocks())
		for i := range n {
			of := a.Of(i)
			if len(of)*n != r*a.Blocks() || !slices.IsSorted(of) {
				t.Errorf("n=%d r=%d: node %d has %d blocks of %d: %v", n, r, i, len(of), a.Blocks(), of)
			}
			for q := range a.Blocks() {
				if a.Holds(i, q) != slices.Contains(of, q) || a.Holds(i, q) != slices.Contains(a.Holders(q), i) {
					t.Errorf("n=%d r=%d: node %d, block %d: Holds, Of and Holders differ", n, r, i, q)
				}
				if a.Holds(i, q) {
					copies[q]++
				}
			}
		}
		for q, c := range copies {
			if c != r {
				t.Errorf("n=%d r=%d: block %d is on %d nodes", n, r, q, c)
			}
		}
	})
	for _, bad := range [][2]int{{0, 0}, {0, 1}, {3, 0}, {3, 4}, {63, 1}, {-1, -1}} {
		if _, err := codedsgd.Assign(bad[0], bad[1]); err == nil {
			t.Errorf("Assign%v: no error", bad)
		}
	}
	if a := assignment(t, 62, 31); a.Index(a.Holders(a.Blocks()-1)) != a.Blocks()-1 || a.Blocks() != 465428353255261088 {
		t.Errorf("62 nodes at 31: %d blocks, last held by %v", a.Blocks(), a.Holders(a.Blocks()-1))
	}
}

// "split(F_j, C.size)": pieces cover the batch and differ by one sample at most, and
// how it is cut does not depend on n and r.
func TestAlgorithm2Line5PiecesCoverTheBatch(t *testing.T) {
	for batch := range 70 {
		for _, pieces := range []int{12, 24, 60} {
			first := assignment(t, 1, 1).Split(batch, pieces, nil)
			for _, a := range []*codedsgd.Assignment{assignment(t, 4, 2), assignment(t, 4, 1), assignment(t, 12, 11), assignment(t, 3, 2)} {
				if b := a.Split(batch, pieces, nil); !slices.Equal(b, first) {
					t.Fatalf("%d samples in %d pieces: %v on %d nodes, %v on one", batch, pieces, b, a.Nodes(), first)
				}
			}
			if first[0] != 0 || first[pieces] != batch {
				t.Errorf("%d samples in %d pieces: %v", batch, pieces, first)
			}
			for i := range pieces {
				if size := first[i+1] - first[i]; size < batch/pieces || size > (batch+pieces-1)/pieces {
					t.Errorf("%d samples in %d pieces: piece %d has %d", batch, pieces, i, size)
				}
			}
		}
	}
}
