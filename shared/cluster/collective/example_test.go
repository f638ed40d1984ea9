package collective_test

import (
	"context"
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/local"
)

// The ring in its two halves, on three ranks with a vector of three numbers each.
func ExampleRing() {
	host := cluster.Host{Name: "host", FLOPS: 1e9, Bandwidth: 125e6}
	ranks := local.New(cluster.Uniform(3, host, nil), local.Config{})
	type halves struct{ Scattered, Gathered []float32 }
	out, trace, err := cluster.Run(context.Background(), ranks, func(p cluster.Proc) (h halves, err error) {
		v := []float32{1, 10, 100}[p.Rank()]
		x := []float32{v, v, v}
		ring, tag := collective.Ring{}, cluster.Tag(1)
		if _, _, err = ring.ReduceScatter(p, tag, x); err != nil {
			return h, err
		}
		h.Scattered = append(h.Scattered, x...) // one chunk of it, 111, is the sum of all ranks
		err = ring.AllGather(p, tag, x)
		h.Gathered = x
		return h, err
	})
	if err != nil {
		panic(err)
	}
	for rank, h := range out {
		fmt.Printf("rank %d: %v, then %v, in %d messages\n", rank, h.Scattered, h.Gathered, trace.Sent[rank].Messages)
	}
	// Output:
	// rank 0: [1 111 101], then [111 111 111], in 4 messages
	// rank 1: [11 10 111], then [111 111 111], in 4 messages
	// rank 2: [111 110 100], then [111 111 111], in 4 messages
}
