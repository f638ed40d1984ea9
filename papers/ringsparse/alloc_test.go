package ringsparse_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"gradsync/papers/ringsparse"
)

// Stores and buffers live as long as a run: a further step allocates less than a quarter of one rank's parameters, on
// all ranks together and with the runtime's own share. Sums fill in, so buffers have room for dense blocks from the
// beginning. In virtual time ranks take turns, and with the collector at rest no turn makes what another one would not.
func TestBuffersAreReused(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const n, first, second = 4, 40000, 20000
	allocated := func(steps int64, o ringsparse.Options) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		traffic(t, n, func(rank int) ringsparse.Job {
			return ringsparse.Job{Task: newQuadratic(rank, 0.2, 0.5, first, second), Rate: eta, Steps: steps, Options: o}
		})
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, o := range []ringsparse.Options{{Bandwidth: 1e8}, {Codec: "dense"}, {Kinds: "gradients", Codec: "bitmap"}, {Codec: "coo"},
		{Threshold: 1e-3, Bandwidth: 1e8}, {Exchange: "all-gather", Bandwidth: 1e8}} {
		allocated(1, o) // whatever is made once per process
		if perStep := (allocated(4, o) - allocated(2, o)) / 2; perStep > 4*(first+second)/4 {
			t.Errorf("%+v: %d bytes per step", o, perStep)
		}
	}
}
