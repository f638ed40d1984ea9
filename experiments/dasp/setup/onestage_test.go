package setup

import (
	"testing"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// Every cell of Tables 4 and 5 takes the same time in one stage as layer by layer, to the
// microsecond, and so do the instants of all events: the digests are equal.
func TestOneStageTimesTheTablesCells(t *testing.T) {
	oktest.Slow(t)
	for _, platform := range []string{Homogeneous, Heterogeneous} {
		for _, model := range Models {
			costs := FullSizeOf(model)
			for _, method := range Methods {
				for seed := range uint64(3) {
					cfg := Timing(Load(platform), method, model, seed)
					cfg.Launch, cfg.Overhead = train.DefaultLaunch, train.DefaultOverhead
					want := oktest.Must(train.Run(t.Context(), cfg))(t)
					log := oktest.Must(costs.InOneStage(t.Context(), cfg))(t)
					got := log.Stats(cfg.Warmup).Iteration
					if d := got.PerWorker - want.Iteration.PerWorker; d > 1e-6 || d < -1e-6 || log.Digest() != want.Log.Digest() {
						t.Errorf("%s, %s, %s, seed %d: %.9g s in one stage, %.9g s layer by layer, same run: %v", platform, model, method, seed,
							got.PerWorker, want.Iteration.PerWorker, log.Digest() == want.Log.Digest())
					}
				}
			}
		}
	}
}
