package dasp_test

import (
	"testing"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// BenchmarkTimingOnly: pushes of a 60-layer, 11-million-parameter model, six
// workers, no arithmetic: what a table of iteration times costs.
func BenchmarkTimingOnly(b *testing.B) {
	layers := make([]cluster.Layer, 60)
	for i := range layers {
		work := cluster.Work{FLOP: 1e7}
		layers[i] = cluster.Layer{Length: 186_000, Forward: work, Backward: work}
	}
	job := dasp.Job{Layers: layers, MaxPushes: int64(max(b.N, 6)), Rate: 0.1,
		Policy: func() dasp.Policy { return mustPolicy(b, "dasp", rivals.Defaults(6)) }}
	p := gpus(1, 1.2, 1.4, 1.6, 1.9, 3.6)
	p.Server.Memory = 20e9
	rt := newVirtual(p)
	if _, _, err := cluster.Run(b.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) { return dasp.Run(p, job) }); err != nil {
		b.Fatal(err)
	}
}
