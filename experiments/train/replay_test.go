package train

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"gradsync/internal/oktest"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/tensor/safetensors"
)

// own returns a short training whose clock is the trained network itself.
func own(sync string, o rivals.Options) Config {
	return Config{Engine: quick(sync).Engine, Sync: sync, Model: "lenet5", Platform: uneven(6), Seed: 3, Batch: 4, Data: "synthetic",
		MaxPushes: 36, EvalEvery: 11, EvalImages: 40, Server: Server{Options: &o}, Clock: &Clock{}}
}

// A replay with the trained network as its own clock is the run itself, bit for
// bit, for every method that there is, with its options.
func TestReplayIsTheRun(t *testing.T) {
	oktest.Slow(t)
	for _, sync := range rivals.Names() {
		for _, change := range []func(*Config, *rivals.Options){
			func(*Config, *rivals.Options) {},
			func(_ *Config, o *rivals.Options) { o.Arrivals, o.FSS, o.Gap = "join", "literal", "post" },
			func(c *Config, _ *rivals.Options) { c.Momentum, c.WeightDecay = 0.5, 1e-3 },
		} {
			o := rivals.Defaults(6)
			cfg := own(sync, o)
			change(&cfg, &o)
			cfg.Model, cfg.Width, cfg.Clock = "mlp", 1.0/16, &Clock{Width: 1.0 / 16} // which a clock times as any other
			cfg.Options, cfg.Batch, cfg.EvalImages, cfg.MaxPushes, cfg.EvalEvery = &o, 1, 10, 24, 8
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

// The clock decides the events: another batch or width of the clock changes the times and which updates there are, and
// the events are those of the clock's own timing-only run.
func TestTheClockKeepsTheTime(t *testing.T) {
	oktest.Slow(t)
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
	if narrow := mustRun(t, cfg); narrow.Iteration.PerWorker >= trained.Iteration.PerWorker/2 {
		t.Errorf("the narrow network's iteration takes %g s, the wide one's %g s", narrow.Iteration.PerWorker, trained.Iteration.PerWorker)
	}
}

// An interrupted run goes on from its checkpoint and ends in the same bits,
// wherever it was interrupted, and more than once.
func TestCheckpointGoesOn(t *testing.T) {
	oktest.Slow(t)
	for _, sync := range []string{"bsp", "asp", "dasp", "backup"} {
		o := rivals.Defaults(6)
		o.Arrivals = "join"
		cfg := own(sync, o)
		want := mustRun(t, cfg)
		cfg.Checkpoint = filepath.Join(t.TempDir(), "state")
		for _, stop := range []int64{1, 13, 14, 25} {
			interrupt(t, cfg, stop)
		}
		got, first := resumed(t, cfg)
		if first < 25 {
			t.Errorf("%s: went on from gradient %d, the last interruption was at 25", sync, first)
		}
		same(t, sync, got, want)
	}
}

// interrupt cancels a run after stop gradients.
func interrupt(t *testing.T, cfg Config, stop int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg.Progress = func(n, _ int64) {
		if n >= stop {
			cancel()
		}
	}
	if _, err := Run(ctx, cfg); !errors.Is(err, context.Canceled) {
		t.Fatalf("%s, interrupted at %d: %v", cfg.Sync, stop, err)
	}
}

// resumed runs to the end and says after how many gradients it went on.
func resumed(t *testing.T, cfg Config) (o *Outcome, first int64) {
	t.Helper()
	cfg.Progress = func(n, _ int64) {
		if first == 0 {
			first = n
		}
	}
	return mustRun(t, cfg), first
}

func same(t *testing.T, name string, got, want *Outcome) {
	t.Helper()
	got.WallSeconds, want.WallSeconds = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: resumed %+v\nin one piece %+v", name, got, want)
	}
}

// A run that is killed goes on from the last state that it wrote on its way, which may be an old one.
func TestCheckpointOnTheWay(t *testing.T) {
	oktest.Slow(t)
	defer func(d time.Duration) { checkpointEvery = d }(checkpointEvery)
	checkpointEvery = 0
	cfg := own("dasp", rivals.Defaults(6))
	want := mustRun(t, cfg)
	dir := t.TempDir()
	cfg.Checkpoint = filepath.Join(dir, "state")
	copied := false
	cfg.Progress = func(n, _ int64) { // before the checkpoint of this update
		if raw, err := os.ReadFile(cfg.Checkpoint); err == nil && n > 12 && !copied {
			copied = os.WriteFile(filepath.Join(dir, "old"), raw, 0o644) == nil
		}
	}
	same(t, "with checkpoints", mustRun(t, cfg), want)
	if !copied {
		t.Fatal("no state was written on the way")
	}
	cfg.Checkpoint = filepath.Join(dir, "old")
	got, first := resumed(t, cfg)
	if first < 12 || first > 20 {
		t.Errorf("went on from gradient %d, the state was of about 12", first)
	}
	same(t, "from an old state", got, want)
}

// What is no checkpoint of this very run counts as none: the run begins anew and ends in the same bits.
func TestCheckpointOfAnotherRun(t *testing.T) {
	oktest.Slow(t)
	cfg := own("dasp", rivals.Defaults(6))
	want := mustRun(t, cfg)
	cfg.Checkpoint = filepath.Join(t.TempDir(), "state")
	other := cfg
	other.Seed++
	interrupt(t, other, 13)
	got, first := resumed(t, cfg)
	if first > 7 {
		t.Errorf("another seed's state was taken: first gradient %d", first)
	}
	same(t, "another seed", got, want)
	interrupt(t, cfg, 13)
	whole := oktest.Must(safetensors.Read(cfg.Checkpoint))(t)
	for name, spoil := range map[string]func(*safetensors.File){
		"no parameters": func(f *safetensors.File) { f.Tensors[0].Name = "x" },
		"no worker":     func(f *safetensors.File) { f.Tensors = f.Tensors[:1] },
		"no curve":      func(f *safetensors.File) { f.Metadata["curve"] = "" },
		"no version":    func(f *safetensors.File) { f.Metadata["version"] = "900" },
		"flipped": func(f *safetensors.File) {
			f.Tensors[0].Data = slices.Clone(f.Tensors[0].Data)
			f.Tensors[0].Data[7] += 0.5
		},
	} {
		f := safetensors.File{Metadata: maps.Clone(whole.Metadata), Tensors: slices.Clone(whole.Tensors)}
		spoil(&f)
		if name != "flipped" {
			f.Metadata["seal"] = seal(f)
		}
		oktest.Nil(t, safetensors.Write(cfg.Checkpoint, f))
		got, first := resumed(t, cfg)
		if first > 7 {
			t.Errorf("%s: the state was taken: first gradient %d", name, first)
		}
		same(t, name, got, want)
	}
	oktest.Nil(t, os.WriteFile(cfg.Checkpoint, []byte("torn"), 0o644))
	got, _ = resumed(t, cfg)
	same(t, "torn", got, want)
}
