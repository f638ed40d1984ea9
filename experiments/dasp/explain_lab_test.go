package dasp

import (
	"math"
	"testing"

	"gradsync/experiments/train"
)

// someLaboratory has everything unequal, so that nothing cancels.
func someLaboratory() laboratory {
	return laboratory{Hardware: hardware{ServerLink: 8, WorkerLink: 3, Latency: 0.7, Decision: 0.4, Update: 11, Launch: 40, Overhead: 5, Jitter: 0.3},
		Times: [6]float64{0.8, 1, 1.3, 2, 2.5, 6}, Options: options()}
}

// TestOneStageIsEnough: the search's quick runs give the times of the tables'
// own runs.
func TestOneStageIsEnough(t *testing.T) {
	all, err := modelCosts()
	if err != nil {
		t.Fatal(err)
	}
	lab := someLaboratory()
	if s := load(homogeneous).Server; s.Overhead != perMessage || s.FLOPS != serverFLOPS {
		t.Errorf("the reference server has %v per message and %g flop/s", s.Overhead, s.FLOPS)
	}
	for _, platform := range []string{homogeneous, heterogeneous} {
		for _, m := range models {
			for _, method := range methods {
				cfg := lab.config(platform, method, m, 3)
				cfg.MaxPushes = 180
				want, err := train.Run(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				log, err := all[m].fast(t.Context(), cfg)
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

func BenchmarkFast(b *testing.B) {
	all, _ := modelCosts()
	lab := someLaboratory()
	for _, m := range []string{"lenet5", "vgg19_bn"} {
		for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
			b.Run(m+method, func(b *testing.B) {
				for b.Loop() {
					cfg := lab.config(heterogeneous, method, m, 3)
					cfg.MaxPushes = 300
					log, err := all[m].fast(b.Context(), cfg)
					if err != nil {
						b.Fatal(err)
					}
					log.Stats(10)
				}
			})
		}
	}
}
