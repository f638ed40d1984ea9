package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gradsync/papers/dasp/rivals"
	"gradsync/shared/tensor/safetensors"
)

// own is a short training whose clock is the trained network itself.
func own(sync string, o rivals.Options) Config {
	return Config{Sync: sync, Model: "lenet5", Platform: uneven(6), Seed: 3, Batch: 4, Data: "synthetic",
		MaxPushes: 36, EvalEvery: 11, EvalImages: 40, Options: &o, Clock: &Clock{}}
}

// A replay with the trained network as its own clock is the run itself, bit for
// bit, for every method that there is, with its options.
func TestReplayIsTheRun(t *testing.T) {
	for _, sync := range rivals.Names() {
		for _, change := range []func(*Config, *rivals.Options){
			func(*Config, *rivals.Options) {},
			func(_ *Config, o *rivals.Options) { o.Arrivals, o.FSS, o.Gap = "join", "literal", "post" },
			func(c *Config, _ *rivals.Options) { c.Momentum, c.WeightDecay = 0.5, 1e-3 },
		} {
			o := rivals.Defaults(6)
			cfg := own(sync, o)
			change(&cfg, &o)
			cfg.Options = &o
			replayed := mustRun(t, cfg)
			cfg.Clock = nil
			direct := mustRun(t, cfg)
			replayed.WallSeconds, direct.WallSeconds = 0, 0
			for i := range direct.Log.Pushes { // a timing-only pass has no losses
				direct.Log.Pushes[i].Loss = 0
			}
			if !reflect.DeepEqual(replayed, direct) {
				t.Errorf("%s: replayed %+v\ndirect %+v", sync, replayed, direct)
			}
			if direct.ParamsSHA256 == "" || len(direct.Curve) != 3 {
				t.Errorf("%s: %d evaluations, hash %q", sync, len(direct.Curve), direct.ParamsSHA256)
			}
		}
	}
}

// The clock decides the events: another batch or width of the clock changes the
// times and which updates there are, and the events are those of the clock's own
// timing-only run.
func TestTheClockKeepsTheTime(t *testing.T) {
	cfg := own("dasp", rivals.Defaults(6))
	cfg.Model, cfg.Width, cfg.Image, cfg.Data = "resnet18", 1.0/64, 16, ""
	cfg.Clock = &Clock{Batch: 64}
	cfg.MaxPushes = 24
	trained := mustRun(t, cfg)
	timing := cfg
	timing.Clock, timing.TimingOnly, timing.Batch, timing.Width, timing.Image = nil, true, 64, 0, 0
	wide := mustRun(t, timing)
	if !reflect.DeepEqual(trained.Log, wide.Log) || !reflect.DeepEqual(trained.Iteration, wide.Iteration) || trained.BytesSent != wide.BytesSent {
		t.Errorf("events %+v, the clock's own %+v", trained.Iteration, wide.Iteration)
	}
	cfg.Clock = &Clock{Width: cfg.Width, Image: cfg.Image}
	narrow := mustRun(t, cfg)
	if narrow.Iteration.PerWorker >= trained.Iteration.PerWorker/2 {
		t.Errorf("the narrow network's iteration takes %g s, the wide one's %g s", narrow.Iteration.PerWorker, trained.Iteration.PerWorker)
	}
}

// An interrupted run goes on from its checkpoint and ends in the same bits,
// wherever it was interrupted, and more than once.
func TestCheckpointGoesOn(t *testing.T) {
	for _, sync := range []string{"bsp", "asp", "dasp"} {
		cfg := own(sync, rivals.Defaults(6))
		want := mustRun(t, cfg)
		cfg.Checkpoint = filepath.Join(t.TempDir(), "state")
		for _, stop := range []int64{13, 14, 25} {
			ctx, cancel := context.WithCancel(t.Context())
			cfg.Progress = func(n, _ int64) {
				if n >= stop {
					cancel()
				}
			}
			if _, err := Run(ctx, cfg); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, interrupted at %d: %v", sync, stop, err)
			}
			cancel()
		}
		var first int64
		cfg.Progress = func(n, _ int64) {
			if first == 0 {
				first = n
			}
		}
		got := mustRun(t, cfg)
		if first < 25 {
			t.Errorf("%s: went on from gradient %d, the last interruption was at 25", sync, first)
		}
		got.WallSeconds, want.WallSeconds = 0, 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: resumed %+v\nin one piece %+v", sync, got, want)
		}
		if _, err := os.Stat(cfg.Checkpoint); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the checkpoint of a finished run is left: %v", sync, err)
		}
	}
}

// A checkpoint of another run is refused and kept.
func TestCheckpointOfAnotherRun(t *testing.T) {
	cfg := own("dasp", rivals.Defaults(6))
	cfg.Checkpoint = filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(t.Context())
	cfg.Progress = func(int64, int64) { cancel() }
	if _, err := Run(ctx, cfg); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	cfg.Progress = nil
	cfg.Seed++
	if _, err := Run(t.Context(), cfg); err == nil {
		t.Error("a checkpoint of another seed was taken")
	}
	cfg.Seed--
	if err := safetensors.Write(cfg.Checkpoint, safetensors.File{Metadata: map[string]string{"run": "x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), cfg); err == nil {
		t.Error("a checkpoint without a state was taken")
	}
	if _, err := os.Stat(cfg.Checkpoint); err != nil {
		t.Errorf("the refused checkpoint: %v", err)
	}
}
