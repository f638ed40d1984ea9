package dasp

import (
	"math"
	"testing"
	"time"

	"gradsync/experiments/train"
)

// TestOneStageIsEnough: runs in one stage give the times of the tables' own runs.
func TestOneStageIsEnough(t *testing.T) {
	all := modelCosts()
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
				log, err := all[m].inOneStage(t.Context(), cfg)
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
	all := modelCosts()
	lab := someLaboratory()
	for _, m := range []string{"lenet5", "vgg19_bn"} {
		for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
			b.Run(m+method, func(b *testing.B) {
				for b.Loop() {
					cfg := lab.config(heterogeneous, method, m, 3)
					cfg.MaxPushes = 300
					log, err := all[m].inOneStage(b.Context(), cfg)
					if err != nil {
						b.Fatal(err)
					}
					log.Stats(10)
				}
			})
		}
	}
}

// Every push and update is train.Run's, by the same worker in the same state and
// at the same time, to the nanoseconds that a drawn jitter rounds away per layer.
func TestOneStageIsTrainRunPushByPush(t *testing.T) {
	for _, c := range []struct {
		platform, model string
		which           int
	}{{mixedPair, anchorModel, 5}, {sixteen, "resnet18", 6}, {mixedPair, "lenet5", 0}} {
		cfg := contestants(int64(len(load(c.platform).Workers)))[c.which].config(load(c.platform), c.model, 64, 3)
		want, err := train.Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		network := costsOf(c.model)
		got, err := network.inOneStage(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Pushes) != len(want.Log.Pushes) || len(got.Updates) != len(want.Log.Updates) {
			t.Fatalf("%+v: %d pushes, %d updates; want %d, %d", c, len(got.Pushes), len(got.Updates), len(want.Log.Pushes), len(want.Log.Updates))
		}
		for i, p := range want.Log.Pushes {
			q := got.Pushes[i]
			if d := q.Received - p.Received; q.Worker != p.Worker || q.Applied != p.Applied || q.State != p.State || d.Abs() > 50*time.Microsecond*time.Duration(1+i/64) {
				t.Fatalf("%+v: push %d is %+v, want %+v", c, i, q, p)
			}
		}
	}
}
