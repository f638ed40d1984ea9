package collective_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
	"gradsync/shared/tensor/vec"
)

// sumFrom adds what `get` returns for start, start+1, … (mod n), in this order.
func sumFrom(start, n int, get func(i int) []float32) []float32 {
	sum := slices.Clone(get(start % n))
	for k := 1; k < n; k++ {
		vec.AddTo(sum, get((start+k)%n))
	}
	return sum
}

// ringSum returns the oracle of a ring of the given vectors: chunk c from position c.
func ringSum(xs [][]float32) []float32 {
	var all []float32
	for c := range xs {
		all = append(all, sumFrom(c, len(xs), func(i int) []float32 {
			lo, hi := collective.Chunk(len(xs[0]), len(xs), c)
			return xs[i][lo:hi]
		})...)
	}
	return all
}

// inputs returns the vectors of ranks 0 … n−1.
func inputs(n, length int) [][]float32 {
	xs := make([][]float32, n)
	for r := range xs {
		xs[r] = distinct(r, length)
	}
	return xs
}

// sums runs exchange on n ranks and compares the ranks' bits with want, nil: not taking part.
func sums(t *testing.T, what string, n, length int, want func(rank int) []float32, exchange func(cluster.Proc, []float32) error) *cluster.Trace {
	t.Helper()
	rt := virtual.New(cluster.Uniform(n, link, nil), virtual.Config{})
	got, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) ([]byte, error) {
		x := distinct(p.Rank(), length)
		err := exchange(p, x)
		return vec.AppendBytes(nil, x), err
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for rank := range got {
		if w := want(rank); string(got[rank]) != string(vec.AppendBytes(nil, w)) {
			t.Fatalf("%s: rank %d has other bits than the stated order of summation", what, rank)
		}
	}
	return trace
}

var lengths = []int{0, 1, 7, 64, 103}

// Chunks go through the ring in pieces of any length, in any order of ranks, some left out: the sums are those of whole
// chunks, and the bytes 2(N−1)K. So are the sums of vectors that are gathered whole, with N(N−1)K bytes.
func TestOrderAndSegmentOfARing(t *testing.T) {
	most := 17
	if testing.Short() {
		most = 5
	}
	for n := 1; n <= most; n++ {
		natural, reversed := make([]int, n), make([]int, n)
		for i := range natural {
			natural[i], reversed[i] = i, n-1-i
		}
		odd := natural[: (n+1)/2 : (n+1)/2]
		strided := make([]int, n)
		for i := range strided {
			strided[i] = i * 5 % n
		}
		orders := [][]int{nil, reversed, odd}
		if n%5 != 0 {
			orders = append(orders, strided)
		}
		for _, order := range orders {
			for _, length := range lengths {
				xs := inputs(n, length)
				members := natural
				if order != nil {
					members = order
				}
				ring := make([][]float32, len(members))
				for i, r := range members {
					ring[i] = xs[r]
				}
				sum := ringSum(ring)
				for _, segment := range []int{0, 1, 3, 10, 1000, -length} {
					r, bytes := collective.Ring{Order: order, Segment: segment}, 2*(len(members)-1)*4*length
					if segment < 0 {
						r.Segment, r.Short, bytes = 0, length, len(members)*(len(members)-1)*4*length
					}
					what := fmt.Sprintf("N=%d K=%d order %v segment %d short %d", n, length, order, r.Segment, r.Short)
					trace := sums(t, what, n, length, func(rank int) []float32 {
						if slices.Contains(members, rank) {
							return sum
						}
						return xs[rank]
					}, func(p cluster.Proc, x []float32) error {
						if !slices.Contains(members, p.Rank()) {
							return nil
						}
						return r.AllReduce(p, 3, x)
					})
					if got, want := trace.BodyBytes(), int64(bytes); got != want {
						t.Fatalf("%s: %d bytes, want %d", what, got, want)
					}
				}
			}
		}
	}
}

// The two halves of a pipelined ring on a part of the ranks are the whole.
func TestHalvesOfAPipelinedRing(t *testing.T) {
	const n, length = 5, 103
	ring, xs := collective.Ring{Order: []int{4, 1, 3}, Segment: 7}, inputs(n, length)
	sum := ringSum([][]float32{xs[4], xs[1], xs[3]})
	sums(t, "halves", n, length, func(rank int) []float32 {
		if slices.Contains(ring.Order, rank) {
			return sum
		}
		return xs[rank]
	}, func(p cluster.Proc, x []float32) error {
		at := slices.Index(ring.Order, p.Rank())
		if at < 0 {
			return nil
		}
		lo, hi, err := ring.ReduceScatter(p, 3, x)
		if err != nil {
			return err
		}
		if wl, wh := collective.Chunk(length, 3, at+1); lo != wl || hi != wh || !slices.Equal(x[lo:hi], sum[lo:hi]) {
			return fmt.Errorf("rank %d: [%d, %d), want [%d, %d), or another sum", p.Rank(), lo, hi, wl, wh)
		}
		return ring.AllGather(p, 3, x)
	})
}

// By hand for N = 4: (x0 + x2) + (x1 + x3), each x_i with its folded one first.
func TestHalvingDoublingSumsABalancedTree(t *testing.T) {
	for n := 1; n <= 17; n++ {
		for _, length := range lengths {
			xs, power := inputs(n, length), 1
			for 2*power <= n {
				power *= 2
			}
			for r := power; r < n; r++ {
				vec.AddTo(xs[r-power], xs[r])
			}
			for m := power; m > 1; m /= 2 {
				for i := range m / 2 {
					vec.AddTo(xs[i], xs[i+m/2])
				}
			}
			what := fmt.Sprintf("N=%d K=%d", n, length)
			trace := sums(t, what, n, length, func(int) []float32 { return xs[0] }, func(p cluster.Proc, x []float32) error {
				return collective.HalvingDoubling(p, 3, x)
			})
			if got, want := trace.BodyBytes(), int64(2*(n-1)*4*length); got != want {
				t.Fatalf("%s: %d bytes, want %d", what, got, want)
			}
		}
	}
}

// Each of G chunks is summed in its node, then over the nodes in M chunks.
func TestHierarchicalSumsNodesFirst(t *testing.T) {
	for n := 1; n <= race.Less(17, 8); n++ {
		for perNode := 1; perNode <= n; perNode++ {
			if n%perNode != 0 {
				continue
			}
			for _, length := range lengths {
				xs := inputs(n, length)
				var want []float32
				for c := range perNode {
					lo, hi := collective.Chunk(length, perNode, c)
					nodes := make([][]float32, n/perNode)
					for k := range nodes {
						nodes[k] = sumFrom(c, perNode, func(i int) []float32 { return xs[k*perNode+i][lo:hi] })
					}
					want = append(want, ringSum(nodes)...)
				}
				what := fmt.Sprintf("N=%d in nodes of %d, K=%d", n, perNode, length)
				trace := sums(t, what, n, length, func(int) []float32 { return want }, func(p cluster.Proc, x []float32) error {
					return collective.Hierarchical(p, 3, perNode, x)
				})
				if got, want := trace.BodyBytes(), int64(2*(n-1)*4*length); got != want {
					t.Fatalf("%s: %d bytes, want %d", what, got, want)
				}
			}
		}
	}
}

// What cannot be is an error on every rank, before a message is sent.
func TestImpossibleRings(t *testing.T) {
	for want, exchange := range map[string]func(cluster.Proc, []float32) error{
		"6 ranks in nodes of 4": func(p cluster.Proc, x []float32) error { return collective.Hierarchical(p, 1, 4, x) },
		"6 ranks in nodes of 0": func(p cluster.Proc, x []float32) error { return collective.Hierarchical(p, 1, 0, x) },
		"pieces of -1 elements": func(p cluster.Proc, x []float32) error { return collective.Ring{Segment: -1}.AllReduce(p, 1, x) },
		"rank 1 is twice in it": func(p cluster.Proc, x []float32) error {
			return collective.Ring{Order: []int{0, 1, 1}}.AllReduce(p, 1, x)
		},
		"none of 6 ranks":        func(p cluster.Proc, x []float32) error { return collective.Ring{Order: []int{0, 6}}.AllGather(p, 1, x) },
		"is not in ring order [": func(p cluster.Proc, x []float32) error { return collective.Ring{Order: []int{}}.AllReduce(p, 1, x) },
	} {
		rt := virtual.New(cluster.Uniform(6, link, nil), virtual.Config{})
		_, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) {
			if err := exchange(p, make([]float32, 5)); err == nil || !strings.Contains(err.Error(), want) {
				return 0, fmt.Errorf("rank %d: %v", p.Rank(), err)
			}
			return 0, nil
		})
		if err != nil || trace.Sent[0].Messages != 0 {
			t.Errorf("want %q: %v, %d messages", want, err, trace.Sent[0].Messages)
		}
	}
}
