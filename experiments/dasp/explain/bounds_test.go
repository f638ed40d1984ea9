package explain

import (
	"math"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/internal/oktest"
)

// TestQueueing: by hand, and against runs of a laboratory in which nothing but
// the computation and the links takes time.
func TestQueueing(t *testing.T) {
	// The last copy of six leaves at 6, computes for 4, arrives at 11; a full link
	// takes 6. With even sharing: 6 out, 4, 6 in.
	if queueing(6, 4, 0) != 11./6 || sharing(6, 4, 0) != 16./6 {
		t.Errorf("at the peak %g and %g", queueing(6, 4, 0), sharing(6, 4, 0))
	}
	// And six updates, as long as a transfer each.
	if queueing(6, 3, 1) != 16./6 || sharing(6, 3, 1) != 21./6 || queueing(6, 1, 10) != 68./60 {
		t.Errorf("with a slow server %g, %g and %g", queueing(6, 3, 1), sharing(6, 3, 1), queueing(6, 1, 10))
	}
	if queueing(1, 3, 2) != 1 || queueing(6, 100, 0) != 107./102 || sharing(1, 3, 2) != 1 || sharing(6, 0, 0) != 2 {
		t.Error("one worker, a long computation, none")
	}
	all := fullSizes()
	for _, x := range [][2]float64{{1, 0}, {4, 0}, {12, 0}, {3, 1}, {1, 3}, {8, 0.5}} {
		c, u := x[0], x[1]
		lab := laboratory{Hardware: hardware{Latency: 1e-3, Decision: 1e-6, Update: 1e5, Launch: 1e-3, Overhead: 1e-3, Jitter: 0}, Options: setup.Options()}
		w := lab.Hardware.platform("", equalTimes).Workers[0]
		compute := all["resnet18"].Seconds(&w, setup.FullBatch, 0, 0).Seconds()
		lab.Hardware.ServerLink = 4 * float64(all["resnet18"].Params) * c / compute * 8 / 1e9
		lab.Hardware.WorkerLink = lab.Hardware.ServerLink
		if u > 0 {
			lab.Hardware.Update = 12 * float64(all["resnet18"].Params) * c / (compute * u) / 1e9
		}
		time := map[string]float64{}
		for _, method := range []string{"bsp", "asp"} {
			cfg := lab.config(setup.Homogeneous, method, "resnet18", 0)
			log := oktest.Must(all["resnet18"].InOneStage(t.Context(), cfg))(t)
			time[method] = log.Stats(cfg.Warmup).Iteration.PerWorker
		}
		if got, want := time["bsp"]/time["asp"], queueing(6, c, u); math.Abs(got/want-1) > 0.01 {
			t.Errorf("c = %g, u = %g: BSP takes %.3f of ASP, the formula says %.3f", c, u, got, want)
		}
	}
}

// jittering: ten times as long a computation of 1 beside a steady 4 is 14 over 5;
// and by hand for the table's row: VGG-19-BN's 1.653 at m = 6 leaves it 0.748·
// 4.347/0.653 = 4.98 steady, ResNet-18 so 4.98/1.794 = 2.78, and 8.78/3.78 = 2.32.
func TestJittering(t *testing.T) {
	if got := jittering(10, 1, 4); got != 2.8 {
		t.Errorf("jittering %g, want 2.8", got)
	}
	all := fullSizes()
	if bytes, compute := weights(all); math.Abs(bytes-20.04/11.17) > 0.001 || math.Abs(compute-0.748) > 0.001 {
		t.Errorf("VGG-19-BN moves %.3f and computes %.3f of ResNet-18", bytes, compute)
	}
}

// The arguments use the paper's numbers: each is worked out by hand here.
func TestArguments(t *testing.T) {
	all, got := fullSizes(), map[string]float64{}
	for _, f := range arguments(demands(), all) {
		got[f.Key] = f.Value.(float64)
	}
	for key, want := range map[string]float64{
		"bsp.resnet18": 3.247, "bsp.vgg19_bn": 1.653, // 1/0.308, 1/0.605
		"both.jitter": 2.32, "both.jitter.at": 6, "straggler.faster": 67.6, "straggler.faster.pushes": 6.5, // 1/((6·0.179−1)/5)
	} {
		if x, ok := got[key]; !ok || math.Abs(x-want) > 2e-3*want {
			t.Errorf("%s is %g, want %g", key, x, want)
		}
	}
}
