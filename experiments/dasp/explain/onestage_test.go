package explain

import (
	"math"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
)

// TestOneStageIsEnough: runs in one stage give the times of the tables' own runs.
func TestOneStageIsEnough(t *testing.T) {
	all := setup.ModelCosts()
	lab := someLaboratory()
	if s := setup.Load(setup.Homogeneous).Server; s.Overhead != perMessage || s.FLOPS != serverFLOPS {
		t.Errorf("the reference server has %v per message and %g flop/s", s.Overhead, s.FLOPS)
	}
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, m := range setup.Models {
			for _, method := range setup.Methods {
				cfg := lab.config(platform, method, m, 3)
				cfg.MaxPushes = 180
				want, err := train.Run(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				log, err := all[m].InOneStage(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				got, w := log.Stats(cfg.Warmup).Iteration, want.Iteration
				for i, pair := range [][2]float64{{got.PerWorker, w.PerWorker}, {got.PerPush, w.PerPush}, {got.PerUpdate, w.PerUpdate}} {
					if math.Abs(pair[0]/pair[1]-1) > 1e-6 {
						t.Errorf("%s, %s, %s, reading %d: %.9g s in one stage, %.9g s layer by layer", platform, m, method, i, pair[0], pair[1])
					}
				}
			}
		}
	}
}

func BenchmarkOneStage(b *testing.B) {
	all := setup.ModelCosts()
	lab := someLaboratory()
	for _, m := range []string{"lenet5", "vgg19_bn"} {
		for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
			b.Run(m+method, func(b *testing.B) {
				for b.Loop() {
					cfg := lab.config(setup.Heterogeneous, method, m, 3)
					cfg.MaxPushes = 300
					log, err := all[m].InOneStage(b.Context(), cfg)
					if err != nil {
						b.Fatal(err)
					}
					log.Stats(10)
				}
			})
		}
	}
}
