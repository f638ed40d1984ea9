package explain

import (
	"math"
	"runtime"
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// someLaboratory has everything unequal, so that nothing cancels.
func someLaboratory() laboratory {
	return laboratory{Hardware: hardware{ServerLink: 8, WorkerLink: 3, Latency: 0.7, Decision: 0.4, Update: 11, Launch: 40, Overhead: 5, Jitter: 0.3},
		Times: [6]float64{0.8, 1, 1.3, 2, 2.5, 6}, Options: setup.Options()}
}

// TestHostsTime: launch and overhead are a homogeneous worker's own, and a
// heterogeneous worker of time t takes t times as long for everything.
func TestHostsTime(t *testing.T) {
	all, lab := fullSizes(), someLaboratory()
	cfg := lab.config(setup.Heterogeneous, "asp", "lenet5", 0)
	seconds := func(worker int, launch, overhead time.Duration) float64 {
		return all["lenet5"].Seconds(&cfg.Platform.Workers[worker], cfg.Batch, launch, overhead).Seconds()
	}
	// Worker 1 has time 1; 5 ms, and three times 40 µs for each of five layers.
	if got := seconds(1, cfg.Launch, cfg.Overhead) - seconds(1, 0, 0); math.Abs(got-5.6e-3) > 1e-4 {
		t.Errorf("the host takes %.4g s, want 5 + 0.6 ms", got)
	}
	if got := seconds(5, cfg.Launch, cfg.Overhead) / seconds(1, cfg.Launch, cfg.Overhead); math.Abs(got-6) > 1e-3 {
		t.Errorf("the worker of time 6 takes %.4g times as long", got)
	}
}

// TestRatios: every ratio is DASP's time over that of its own baseline, model
// and cluster, whatever the number of processors.
func TestRatios(t *testing.T) {
	all := fullSizes()
	other := someLaboratory()
	other.Hardware.ServerLink, other.Times[5], other.Options.Staleness = 2, 9, 1
	labs := []laboratory{someLaboratory(), other}
	for _, procs := range []int{1, 3} {
		before := runtime.GOMAXPROCS(procs)
		e := newEvaluator(t.Context(), all, 90, 3)
		found, err := e.ratios(labs, subsets()[0].Of)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		for j, l := range labs {
			for _, i := range []int{0, 4, 9, 13, 17} {
				d := e.want[i]
				run := func(method string) train.IterationTime {
					cfg := l.config(d.Platform, method, d.Model, searchSeed)
					cfg.MaxPushes, cfg.Warmup = 90, 3
					o, err := train.Run(t.Context(), cfg)
					if err != nil {
						t.Fatal(err)
					}
					return o.Iteration
				}
				ours, base := run("dasp"), run(d.Against)
				want := [len(meanings)]float64{ours.PerWorker / base.PerWorker, ours.PerPush / base.PerPush, ours.PerUpdate / base.PerUpdate,
					ours.ByWorker[0] / base.ByWorker[0]}
				for k := range meanings {
					if math.Abs(found[j][k][i]/want[k]-1) > 1e-5 {
						t.Errorf("%d processors, laboratory %d, %s, %s: %.6g, want %.6g", procs, j, d.ID, meanings[k], found[j][k][i], want[k])
					}
				}
			}
		}
		// No run of the two is the same: the link decides all.
		if e.runs != 48 || e.candidates != 2 {
			t.Errorf("%d runs for %d laboratories, want 24 each", e.runs, e.candidates)
		}
		if _, err := e.ratios(labs, subsets()[0].Of); err != nil || e.runs != 48 {
			t.Errorf("asked again: %d runs, %v", e.runs, err)
		}
	}
}

// TestOneStageIsEnough: runs in one stage give the times of the tables' own runs.
func TestOneStageIsEnough(t *testing.T) {
	all, lab := fullSizes(), someLaboratory()
	if s := setup.Load(setup.Homogeneous).Server; s.Overhead != perMessage || s.FLOPS != serverFLOPS {
		t.Errorf("the reference server has %v per message and %g flop/s", s.Overhead, s.FLOPS)
	}
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, m := range setup.Models {
			for _, method := range setup.Methods {
				cfg := lab.config(platform, method, m, 3)
				cfg.MaxPushes = 180
				want := oktest.Must(train.Run(t.Context(), cfg))(t)
				log := oktest.Must(all[m].InOneStage(t.Context(), cfg))(t)
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
	all, lab := fullSizes(), someLaboratory()
	for _, m := range []string{"lenet5", "vgg19_bn"} {
		for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
			b.Run(m+method, func(b *testing.B) {
				for b.Loop() {
					cfg := lab.config(setup.Heterogeneous, method, m, 3)
					cfg.MaxPushes = 300
					log := oktest.Must(all[m].InOneStage(b.Context(), cfg))(b)
					log.Stats(10)
				}
			})
		}
	}
}
