package explain

import (
	"math"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/shared/cluster"
)

// One worker waits for nobody; for two the expected maximum is 2·Φ(σ/√2); for
// six it is compared with draws of the platform's own jitter.
func TestLongest(t *testing.T) {
	for _, cv := range []float64{0.05, 0.5, 2} {
		sigma := math.Sqrt(math.Log(1 + cv*cv))
		if got := longest(1, cv); math.Abs(got-1) > 1e-6 {
			t.Errorf("one worker, cv %g: %g", cv, got)
		}
		if got, want := longest(2, cv), math.Erfc(-sigma/2); math.Abs(got-want) > 1e-6 {
			t.Errorf("two workers, cv %g: %g, want %g", cv, got, want)
		}
	}
	h := cluster.Host{Jitter: 0.5}
	r := cluster.Stream(1, 0, "", "test")
	const n = 100000
	sum := 0.0
	for range n {
		most := 0.0
		for range 6 {
			most = max(most, h.DrawJitter(r))
		}
		sum += most
	}
	if got := longest(6, 0.5); math.Abs(got-sum/n) > 0.01 {
		t.Errorf("six workers: %g, drawn %g", got, sum/n)
	}
	for _, f := range []float64{1.2, 2, 3.25} {
		if got := longest(6, jitterFor(6, f)); math.Abs(got-f) > 1e-6 {
			t.Errorf("the jitter for %g gives %g", f, got)
		}
	}
}

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
	for c := 0.25; c < 60; c *= 1.1 {
		for u := 0.01; u < 60; u *= 1.1 {
			if queueing(6, c, u) > inTurn || sharing(6, c, u) > evenly {
				t.Errorf("c = %g, u = %g: %g and %g are more than %g and %g", c, u, queueing(6, c, u), sharing(6, c, u), inTurn, evenly)
			}
		}
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
			log, err := all["resnet18"].InOneStage(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			time[method] = log.Stats(cfg.Warmup).Iteration.PerWorker
		}
		if got, want := time["bsp"]/time["asp"], queueing(6, c, u); math.Abs(got/want-1) > 0.01 {
			t.Errorf("c = %g, u = %g: BSP takes %.3f of ASP, the formula says %.3f", c, u, got, want)
		}
	}
}

// TestLastingStragglers: what the arguments say of bounds on clocks holds in
// runs without jitter: neither SSP nor DSSP leaves the slowest worker behind.
func TestLastingStragglers(t *testing.T) {
	all := fullSizes()
	lab := someLaboratory()
	lab.Hardware.Jitter, lab.Times = 0, [6]float64{1, 1, 1, 1, 1, 8}
	time := map[string]float64{}
	for _, method := range []string{"bsp", "ssp", "dssp", "asp"} {
		cfg := lab.config(setup.Heterogeneous, method, "resnet18", 0)
		log, err := all["resnet18"].InOneStage(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		time[method] = log.Stats(cfg.Warmup).Iteration.PerWorker
	}
	if time["ssp"]/time["bsp"] < 1/inTurn || time["dssp"]/time["ssp"] < setup.PerWorker/(setup.PerWorker+setup.DSSPUpper) || time["asp"]/time["bsp"] > 0.4 {
		t.Errorf("iteration times %v", time)
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
	all := fullSizes()
	got := map[string]float64{}
	for _, f := range arguments(demands(), all) {
		got[f.Key] = f.Value.(float64)
	}
	for key, want := range map[string]float64{
		"bsp.resnet18": 3.247, "bsp.vgg19_bn": 1.653, "bsp.lenet5": 1.203, // 1/0.308, 1/0.605, 1/0.831
		"queue.turn": 11. / 6, "queue.even": 16. / 6, "queue.turn.update": 16. / 6, "queue.even.update": 21. / 6,
		"jittered.vgg19_bn": 29.06, "jittered.lenet5": 9.05, // 0.653/2.247, 0.203/2.247
		"both.jitter": 2.32, "both.jitter.at": 6,
		"straggler.faster": 67.6, "straggler.faster.queued": 1.81, "straggler.faster.pushes": 6.5, // 1/((6·0.179−1)/5), 1/((6·0.179·3.5−1)/5)
		"ssp.stated": 0.3055, "ssp.turn": 0.375, "ssp.even": 6. / 21, // 0.179/0.586
		"dssp.stated": 0.5949, "dssp.gain": 150. / 165, // 0.586/0.985
	} {
		if x, ok := got[key]; !ok || math.Abs(x-want) > 2e-3*want {
			t.Errorf("%s is %g, want %g", key, x, want)
		}
	}
	if x := longest(setup.Workers, got["jitter.needed"]); math.Abs(x-got["bsp.resnet18"]) > 1e-6 {
		t.Errorf("the jitter needed makes the longest %g means long", x)
	}
}
