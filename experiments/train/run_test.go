package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gradsync/experiments/method"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/asm"
	"gradsync/shared/tensor/engine/portable"
)

// uneven returns a platform of n workers, each half as slow again as the one before.
func uneven(n int) *cluster.Platform {
	h := cluster.Host{Name: "w", FLOPS: 8e12, Jitter: 0.05, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	p := cluster.Uniform(n, h, &h)
	for i := range p.Workers {
		p.Workers[i].FLOPS /= math.Pow(1.5, float64(i))
	}
	return p
}

// No evaluation, rank or computation outlives its run.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick returns a small training, on the faster engine where the processor has it: scoring the
// test images takes most of the time.
func quick(sync string) Config {
	engine := portable.Name
	if slices.Contains(tensor.Engines(), asm.Name) {
		engine = asm.Name
	}
	return Config{Engine: engine, Sync: sync, Model: "lenet5", Data: "synthetic", Platform: uneven(3), Batch: 4, MaxPushes: 36, EvalEvery: 12, EvalImages: 100}
}

func mustRun(t *testing.T, c Config) *Outcome {
	t.Helper()
	return oktest.Must(Run(context.Background(), c))(t)
}

// text returns the outcome as train --json prints it, without the wall time.
func text(t *testing.T, o *Outcome) string {
	t.Helper()
	o.WallSeconds = 0
	return string(oktest.Must(json.MarshalIndent(o, "", " "))(t))
}

// Same configuration, same outcome, on every run and for GOMAXPROCS 1, 2, 7;
// another seed gives another one.
func TestSameOutcome(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a second: make test has it")
	}
	for _, sync := range []string{"dasp", "asp", "ring"} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var want string
		for _, procs := range []int{1, 2, 7} {
			runtime.GOMAXPROCS(procs)
			c := quick(sync)
			c.Threads = procs
			got := text(t, mustRun(t, c))
			if want == "" {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s with GOMAXPROCS %d differs from GOMAXPROCS 1:\n%s", sync, procs, diff)
			}
		}
		c := quick(sync)
		var at []int64
		for _, p := range mustRun(t, c).Curve {
			at = append(at, p.Pushes)
		}
		// Every 12 of 36 gradients; DASP's groups may step over a multiple.
		if len(at) != 3 || at[0] < 12 || at[1] < 24 || at[2] != 36 || sync != "dasp" && at[0]+at[1] != 36 {
			t.Errorf("%s was evaluated after %v gradients", sync, at)
		}
		c.Seed = 1
		if got := mustRun(t, c); strings.Contains(want, got.ParamsSHA256) {
			t.Errorf("%s: seeds 0 and 1 give the same parameters", sync)
		}
	}
}

// BSP, the naive exchange and SSP(0) sum in rank order: the same bits. The ring
// sums in ring order: the same parameters up to rounding.
func TestSynchronousMethodsAgree(t *testing.T) {
	dir := t.TempDir()
	run := func(sync string) (*Outcome, string) {
		c := quick(sync)
		c.Save = filepath.Join(dir, sync+".safetensors")
		return mustRun(t, c), c.Save
	}
	bsp, file := run("bsp")
	naive, _ := run("naive")
	if bsp.ParamsSHA256 != naive.ParamsSHA256 {
		t.Error("bsp and naive end with different parameters")
	}
	if bsp.Updates != 12 || bsp.Pushes != 36 || naive.Updates != 12 {
		t.Errorf("bsp made %d updates of %d pushes, naive %d; want 12 of 36", bsp.Updates, bsp.Pushes, naive.Updates)
	}
	ring, ringFile := run("ring")
	if ring.ParamsSHA256 == bsp.ParamsSHA256 {
		t.Error("the ring gives bsp's bits: it does not sum in ring order")
	}
	c := quick("bsp")
	m, s := modelOf(t, c)
	a, b := make([]float32, m.NumParams()), make([]float32, m.NumParams())
	oktest.Nil(t, errors.Join(LoadState(file, m, 0, a, nil), LoadState(ringFile, m, 0, b, nil)))
	for i := range a {
		if d := math.Abs(float64(a[i] - b[i])); d > 1e-5 {
			t.Fatalf("parameter %d: bsp %g, ring %g", i, a[i], b[i])
		}
	}
	// The saved parameters are the evaluated ones.
	accuracy, _, err := s.evaluate(a, 0)
	if err != nil || accuracy != *bsp.TestAccuracy || ParamsHash(a) != bsp.ParamsSHA256 {
		t.Errorf("the saved parameters reach %g (%v), the run reported %g", accuracy, err, *bsp.TestAccuracy)
	}
}

// On goroutines and the wall clock synchronous methods give virtual's bits.
func TestLocalGivesTheSameBits(t *testing.T) {
	for _, sync := range []string{"bsp", "ring", "naive"} {
		c := quick(sync)
		want := mustRun(t, c)
		c.Runtime = "local"
		got := mustRun(t, c)
		if got.VirtualSeconds != nil {
			t.Errorf("%s: a run on the wall clock claims %g virtual seconds", sync, *got.VirtualSeconds)
		}
		if got.ParamsSHA256 != want.ParamsSHA256 || *got.TestAccuracy != *want.TestAccuracy || got.BytesSent != want.BytesSent || got.Updates != want.Updates {
			t.Errorf("%s: local %d updates, %d bytes, parameters %.8s; virtual %d, %d, %.8s", sync,
				got.Updates, got.BytesSent, got.ParamsSHA256, want.Updates, want.BytesSent, want.ParamsSHA256)
		}
	}
	c := quick("bsp")
	c.TimingOnly = true
	virtual := mustRun(t, c)
	c.Runtime = "local"
	// Computations sleep at least the platform's time, messages go unslowed.
	if got := mustRun(t, c); got.Iteration.PerUpdate < 0.5*virtual.Iteration.PerUpdate {
		t.Errorf("timing-only on local: %g s per update, virtual %g s", got.Iteration.PerUpdate, virtual.Iteration.PerUpdate)
	}
	c = quick("dasp")
	c.Runtime = "local"
	// The last update is a whole group: of one gradient to one of each worker.
	if got := mustRun(t, c); got.Pushes < 36 || got.Pushes > 38 {
		t.Errorf("dasp on local used %d gradients, want 36 to 38", got.Pushes)
	}
}

// A timing-only run has the events of the trained one: the same virtual times.
func TestTimingOnlyKeepsTime(t *testing.T) {
	for _, sync := range []string{"bsp", "dasp", "ssp", "ring", "naive"} {
		c := quick(sync)
		trained := mustRun(t, c)
		c.TimingOnly = true
		timed := mustRun(t, c)
		if *trained.VirtualSeconds != *timed.VirtualSeconds || !cmp.Equal(trained.Iteration, timed.Iteration) || trained.BytesSent != timed.BytesSent {
			t.Errorf("%s: trained in %g s (%+v, %d bytes), timing-only %g s (%+v, %d bytes)", sync, *trained.VirtualSeconds,
				trained.Iteration, trained.BytesSent, *timed.VirtualSeconds, timed.Iteration, timed.BytesSent)
		}
		if timed.TestAccuracy != nil || timed.ParamsSHA256 != "" || timed.Data != nil {
			t.Errorf("%s: a timing-only run claims accuracy %v and parameters %q", sync, timed.TestAccuracy, timed.ParamsSHA256)
		}
	}
}

// Evaluation beside the training and evaluation that may end it see the same.
func TestTargetEndsTheRun(t *testing.T) {
	oktest.Slow(t)
	for _, sync := range []string{"asp", "ring"} {
		c := quick(sync)
		c.Rate, c.MaxPushes, c.EvalEvery = 0.1, 240, 24
		free := mustRun(t, c)
		var first *Point
		for i, p := range free.Curve {
			if p.Accuracy > free.Curve[0].Accuracy {
				first = &free.Curve[i]
				break
			}
		}
		if first == nil || first.Pushes == free.Pushes {
			t.Fatalf("%s: the accuracy never rises before the end, choose other parameters: %+v", sync, free.Curve)
		}
		c.TargetAccuracy = first.Accuracy
		if got := mustRun(t, c); got.Reached == nil || !cmp.Equal(*got.Reached, *first) || got.Updates != first.Updates {
			t.Errorf("%s: with the target %g the run ended after %d updates at %+v; without, it passed it at %+v",
				sync, c.TargetAccuracy, got.Updates, got.Reached, *first)
		}
		c.TargetAccuracy = 1
		if got := mustRun(t, c); got.Reached != nil && got.Reached.Accuracy < 1 {
			t.Errorf("%s: %+v counts as a target of 1 reached", sync, got.Reached)
		}
	}
}

func TestCancelledRunIsAnError(t *testing.T) {
	for _, sync := range []string{"dasp", "ring"} {
		ctx, cancel := context.WithCancel(context.Background())
		c := quick(sync)
		c.MaxPushes = 1 << 40
		c.TimingOnly = true
		c.Progress = func(pushes, _ int64) {
			if pushes > 100 {
				cancel()
			}
		}
		if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled run returned %v", sync, err)
		}
		cancel()
	}
}

func TestConfigErrors(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"no method":       func(c *Config) { c.Sync = "rsp" },
		"no platform":     func(c *Config) { c.Platform = nil },
		"no network":      func(c *Config) { c.Model = "alexnet" },
		"9 workers":       func(c *Config) { c.Workers = 9 },
		"needs a server":  func(c *Config) { c.Platform.Server = nil },
		"no end":          func(c *Config) { c.MaxPushes = 0 },
		"rate":            func(c *Config) { c.Rate = math.NaN() },
		"no backend":      func(c *Config) { c.Backend = "torch" },
		"no engine":       func(c *Config) { c.Engine = "abacus" },
		"no runtime":      func(c *Config) { c.Runtime = "moon" },
		"worker's share":  func(c *Config) { c.Batch = 1 << 20 },
		"train: lease of": func(c *Config) { c.Lease = -time.Second },
		"no server":       func(c *Config) { c.Sync, c.Lease = "ring", time.Second },
		"duration f":      func(c *Config) { c.Sync, c.Options = "asp", &rivals.Options{Duration: "wall"} },
		"target accuracy": func(c *Config) { c.TargetAccuracy = 70 },
		"Smax":            func(c *Config) { c.Options = &rivals.Options{Smin: 3, Smax: 3} },
		"cannot write":    func(c *Config) { c.Save = filepath.Join(t.TempDir(), "none", "w") },
		"no such file":    func(c *Config) { c.Load = filepath.Join(t.TempDir(), "none") },
	} {
		c := quick("dasp")
		spoil(&c)
		if _, err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestTraceIsChromeJSON(t *testing.T) {
	c := quick("dasp")
	c.Trace, c.TimingOnly = filepath.Join(t.TempDir(), "t.json"), true
	mustRun(t, c)
	raw := oktest.Must(os.ReadFile(c.Trace))(t)
	var doc struct {
		TraceEvents []struct {
			Name, Ph, Cat string
			Dur           float64
			Pid           int
		}
	}
	oktest.Nil(t, json.Unmarshal(raw, &doc))
	ranks := map[int]float64{}
	for _, e := range doc.TraceEvents {
		if e.Name == "" || e.Dur < 0 {
			t.Fatalf("event %+v", e)
		}
		if e.Ph == "X" && e.Cat == "compute" {
			ranks[e.Pid] += e.Dur
		}
	}
	if len(ranks) != 4 || ranks[3] < ranks[0] {
		t.Errorf("compute time by rank is %v µs, want a server and three workers, who work more", ranks)
	}
}

// The fields of all families lie flat in a Config's JSON: what names a run by it knows of no families.
func TestFamiliesLieFlat(t *testing.T) {
	raw, err := json.Marshal(Config{Server: Server{Options: &rivals.Options{}, Lease: 1}, AllReduce: AllReduce{Bucket: 1, NoOverlap: true},
		CodedSGD: CodedSGD{SpeedAware: true}})
	oktest.Nil(t, err)
	var flat map[string]json.RawMessage
	oktest.Nil(t, json.Unmarshal(raw, &flat))
	for _, key := range []string{"sync", "options", "lease", "bucket", "no_overlap", "speed_aware"} {
		if flat[key] == nil {
			t.Errorf("no %s in %s", key, raw)
		}
	}
}

// A registered method's parameters are its descriptor's defaults where nothing is given.
func TestParametersOfRegisteredMethods(t *testing.T) {
	t.Cleanup(method.Scratch())
	method.Register(method.Method{Name: "mine", Family: method.Server, Flags: []method.Flag{
		{Name: "mine-cap", Default: 2.0, Help: "cap"}, {Name: "mine-floor", Default: 0.5, Help: "floor"}}})
	given := rivals.Options{Own: []rivals.Parameter{{Flag: "mine-cap", Value: 7}}}
	o := Server{Options: &given}.options("mine", 3)
	if o.Param("mine-cap", -1) != 7 || o.Param("mine-floor", -1) != 0.5 || len(given.Own) != 1 {
		t.Errorf("%+v of %+v, want 7 as given and 0.5 by default", o.Own, given.Own)
	}
	if other := (Server{Options: &rivals.Options{}}).options("ssp", 3); len(other.Own) != 0 {
		t.Errorf("ssp has %+v", other.Own)
	}
}
