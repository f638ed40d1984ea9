package setup

import (
	"testing"

	"gradsync/experiments/train"
)

// Every cell of Tables 4 and 5 takes the same time in one stage as layer by layer, to the
// microsecond, and so do the instants of all events: the digests are equal.
func TestOneStageTimesTheTablesCells(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, platform := range []string{Homogeneous, Heterogeneous} {
		for _, model := range Models {
			costs := FullSizeOf(model)
			for _, method := range Methods {
				for seed := range uint64(3) {
					cfg := Timing(Load(platform), method, model, seed)
					cfg.Launch, cfg.Overhead = train.DefaultLaunch, train.DefaultOverhead
					want, err := train.Run(t.Context(), cfg)
					if err != nil {
						t.Fatal(err)
					}
					log, err := costs.InOneStage(t.Context(), cfg)
					if err != nil {
						t.Fatal(err)
					}
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
