package collective_test

import (
	"context"
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/local"
)

// The ring on three ranks with a vector of three numbers each.
func ExampleRing() {
	host := cluster.Host{Name: "host", FLOPS: 1e9, Bandwidth: 125e6}
	ranks := local.New(cluster.Uniform(3, host, nil), local.Config{})
	out, trace, err := cluster.Run(context.Background(), ranks, func(p cluster.Proc) ([]float32, error) {
		v := []float32{1, 10, 100}[p.Rank()]
		x := []float32{v, v, v}
		return x, collective.Ring{}.AllReduce(p, 1, x)
	})
	if err != nil {
		panic(err)
	}
	for rank, sum := range out {
		fmt.Printf("rank %d: %v in %d messages\n", rank, sum, trace.Sent[rank].Messages)
	}
	// Output:
	// rank 0: [111 111 111] in 4 messages
	// rank 1: [111 111 111] in 4 messages
	// rank 2: [111 111 111] in 4 messages
}
