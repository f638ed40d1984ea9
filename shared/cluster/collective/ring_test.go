package collective_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// link is CLUSTER's reference link: α = 50 µs, 1.25 GB/s.
var link = cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}

// distinct returns a buffer whose sums depend on their order.
func distinct(rank, n int) []float32 {
	x := make([]float32, n)
	r := cluster.Stream(7, rank, "", "test")
	for i := range x {
		x[i] = float32(r.NormFloat64()) * float32(math.Pow(10, float64(rank%5)))
	}
	return x
}

func TestRingSumsEveryChunkInRingOrder(t *testing.T) {
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n - 1, n, 3*n + 1, 257} {
			rt := virtual.New(cluster.Uniform(n, link, nil), virtual.Config{})
			got, trace, err := cluster.Run(context.Background(), rt, func(p cluster.Proc) ([]float32, error) {
				x := distinct(p.Rank(), length)
				return x, collective.RingAllReduce(p, 3, x)
			})
			must(t, err)
			want := make([]float32, length)
			for c := range n {
				lo, hi := collective.Chunk(length, n, c)
				copy(want[lo:hi], distinct(c, length)[lo:hi])
				for k := 1; k < n; k++ {
					x := distinct((c+k)%n, length)
					for i := lo; i < hi; i++ {
						want[i] += x[i]
					}
				}
			}
			for rank := range got {
				if fmt.Sprint(got[rank]) != fmt.Sprint(want) && length > 0 {
					t.Fatalf("N=%d K=%d rank %d: %v, want %v", n, length, rank, got[rank], want)
				}
			}
			// 2(N−1)K bytes over all ranks, K = 4·length: the blog's formula.
			if got, want := trace.BodyBytes(), int64(2*(n-1)*4*length); got != want {
				t.Fatalf("N=%d: %d bytes sent, want %d", n, got, want)
			}
		}
	}
}
