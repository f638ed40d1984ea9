package codedsgd_test

import (
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// BenchmarkTimingOnly is one step of ten nodes at redundancy 3: 2,520 packets.
func BenchmarkTimingOnly(b *testing.B) {
	layers := newQuadratic(400_000, 260_000, 5_000).layers
	_, _, err := cluster.Run(b.Context(), virtual.New(network(10), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, codedsgd.Job{Layers: layers, Batch: 1600, Steps: int64(b.N),
			Options: codedsgd.Options{Redundancy: 3, MicroBlocks: 360}})
	})
	must(b, err)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
	b.ReportAllocs()
}
