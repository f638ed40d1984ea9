package scale

import (
	"fmt"
	"runtime"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor/model"
)

// BenchmarkRounds times on one core what the largest points of the study take: rings by the recurrence, the methods of a server
// by events, a first round and one more:
//
//	go test -run - -bench Rounds/dasp -benchtime 1x -cpu 1 ./experiments/scale
//
// B/rank is what the runtime has of the system, over the ranks: of one benchmark a process, since it never falls.
func BenchmarkRounds(b *testing.B) {
	p := planOf("standard")
	lenet := p.Cases[0]
	m, err := model.New(lenet.Model)
	oktest.Nil(b, err)
	for _, x := range []point{{lenet, "bsp", 60_000}, {lenet, "asp", 60_000}, {lenet, "dasp", 60_000},
		{lenet, "ring", 10_000}, {lenet, "ring", 100_000}, {lenet, "hierarchical", 100_000}} {
		b.Run(fmt.Sprintf("%s/%d", x.Method, x.Workers), func(b *testing.B) {
			for b.Loop() {
				if x.Method == "ring" || x.Method == "hierarchical" {
					_, err = p.ring(b.Context(), x, m.NumParams(), 1, 0)
				} else {
					_, _, err = p.served(b.Context(), x, 0)
				}
				oktest.Nil(b, err)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			b.ReportMetric(float64(mem.Sys)/float64(x.Workers), "B/rank")
		})
	}
}
