package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/internal/oktest"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// Where the order of summation is the method's, every runtime gives the same
// bits.
func TestRuntimesGiveTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	for _, sync := range []string{"ring", "naive", "halving-doubling", "hierarchical", "ringsparse", "bsp"} {
		want := ""
		for _, runtime := range Runtimes {
			c := quick(sync)
			c.Platform, c.Workers, c.Runtime, c.MaxPushes, c.EvalEvery = uneven(4), 4, runtime, 12, -1
			if sync == "hierarchical" {
				c.PerNode = 2
			}
			o := mustRun(t, c)
			if want == "" {
				want = o.ParamsSHA256
			}
			if o.ParamsSHA256 != want || o.Updates != 3 {
				t.Errorf("%s on %s: %d updates, parameters %.12s, want 3 and %.12s", sync, runtime, o.Updates, o.ParamsSHA256, want)
			}
			if kernel := o.KernelBytes; (runtime == "tcp") != (kernel > o.BytesSent) {
				t.Errorf("%s on %s: %d bytes of bodies, the kernel counted %d", sync, runtime, o.BytesSent, kernel)
			}
		}
	}
}

// RingSparse whose blocks stay gradients is the dense ring to the bit, whatever
// codec they travel in and on whatever runtime.
func TestRingSparseOfGradientsIsTheRing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	c := quick("ring")
	want := mustRun(t, c)
	for _, codec := range []string{"auto", "dense", "bitmap", "coo", "rle"} {
		for _, runtime := range []string{"virtual", "local"} {
			c := quick("ringsparse")
			c.Runtime, c.RingSparse = runtime, &ringsparse.Options{Kinds: "gradients", Codec: codec}
			got := mustRun(t, c)
			if got.ParamsSHA256 != want.ParamsSHA256 {
				t.Errorf("%s on %s: parameters %.12s, the ring has %.12s", codec, runtime, got.ParamsSHA256, want.ParamsSHA256)
			}
			if codec == "dense" && got.BytesSent != want.BytesSent {
				t.Errorf("dense on %s: %d bytes, the ring sends %d", runtime, got.BytesSent, want.BytesSent)
			}
			if tot := got.RingSparse.Totals; tot.Sent.Blocks == 0 || tot.Chosen[ringsparse.Weights] != 0 || int64(tot.Sent.Bytes) != got.BytesSent {
				t.Errorf("%s on %s: totals %+v beside %d bytes", codec, runtime, tot, got.BytesSent)
			}
		}
	}
}

// A bucket is one exchange of consecutive layers, last first.
func TestBuckets(t *testing.T) {
	layers := []cluster.Layer{{Offset: 0, Length: 10}, {Offset: 10, Length: 1}, {Offset: 11, Length: 2}, {Offset: 13, Length: 7}}
	for bytes, want := range map[int64][]bucket{
		0: {{3, 3, 13, 7}, {2, 2, 11, 2}, {1, 1, 10, 1}, {0, 0, 0, 10}}, 30: {{2, 3, 11, 9}, {0, 1, 0, 11}},
		36: {{2, 3, 11, 9}, {0, 1, 0, 11}}, 37: {{1, 3, 10, 10}, {0, 0, 0, 10}}, 9999: {{0, 3, 0, 20}},
	} {
		if diff := cmp.Diff(want, buckets(layers, bytes), cmp.AllowUnexported(bucket{})); diff != "" {
			t.Errorf("%d bytes:\n%s", bytes, diff)
		}
	}
	c := quick("naive") // sums in rank order: no bit depends on buckets or overlap
	one := mustRun(t, c)
	c.Bucket = 100 << 10
	fused := mustRun(t, c)
	c.Bucket, c.NoOverlap = 0, true
	late := mustRun(t, c)
	if one.ParamsSHA256 != fused.ParamsSHA256 || one.ParamsSHA256 != late.ParamsSHA256 || one.BytesSent != fused.BytesSent {
		t.Error("buckets or overlap change what a naive exchange computes")
	}
	if !(*late.VirtualSeconds > *one.VirtualSeconds) || *fused.VirtualSeconds == *one.VirtualSeconds {
		t.Errorf("layer by layer %g s, fused %g s, without overlap %g s", *one.VirtualSeconds, *fused.VirtualSeconds, *late.VirtualSeconds)
	}
}

// A run on a real clock that follows a recorded order of arrival has its bits.
func TestReplayFollowsTheRecordedOrder(t *testing.T) {
	oktest.Slow(t)
	for _, sync := range []string{"asp", "dasp"} {
		c := quick(sync)
		c.Record = filepath.Join(t.TempDir(), "run.jsonl")
		want := mustRun(t, c)
		c.Record, c.Replay = "", c.Record
		for _, runtime := range Runtimes {
			c.Runtime = runtime
			if got := mustRun(t, c); got.ParamsSHA256 != want.ParamsSHA256 || got.Updates != want.Updates {
				t.Errorf("%s on %s: %d updates to %.12s, recorded %d to %.12s", sync, runtime, got.Updates, got.ParamsSHA256, want.Updates, want.ParamsSHA256)
			}
		}
		c.Seed++
		var in *InputError
		if _, err := Run(context.Background(), c); !errors.As(err, &in) || !strings.Contains(err.Error(), "another run") {
			t.Errorf("the order of another seed: %v", err)
		}
		oktest.Nil(t, os.WriteFile(c.Replay, []byte("{}"), 0o644))
		if _, err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "no audit trail") {
			t.Errorf("a broken file: %v", err)
		}
	}
}

// A batch that is no multiple of the ranks is shared unevenly, and every image counts the same:
// the sums over images are divided by the weights.
func TestUnevenBatch(t *testing.T) {
	sizes, sum := map[int]int{}, float32(0)
	for worker := range 3 {
		task := &task{}
		task.share(worker, 3, 10)
		sizes[task.batch]++
		sum += task.weight / float32(task.batch) // of one image, times 3/10
	}
	if sizes[4] != 1 || sizes[3] != 2 || sum < 0.899 || sum > 0.901 {
		t.Errorf("batches %v, weight per image summing to %g, want 4, 3, 3 and 3·3/10", sizes, sum)
	}
	even, uneven := quick("ring"), quick("ring")
	even.BatchSize, uneven.BatchSize = 12, 10
	a, b := mustRun(t, quick("ring")), mustRun(t, even)
	if a.ParamsSHA256 != b.ParamsSHA256 {
		t.Error("12 images of 3 workers are not 4 of each")
	}
	if c := mustRun(t, uneven); c.ParamsSHA256 == a.ParamsSHA256 || c.Batch != 4 {
		t.Errorf("10 images of 3 workers: batch %d, parameters %.12s", c.Batch, c.ParamsSHA256)
	}
	for _, sync := range []string{"bsp", "ring"} {
		c := quick(sync)
		c.BatchSize = 2
		if _, err := Run(context.Background(), c); err == nil {
			t.Errorf("%s: 2 images of 3 workers are accepted", sync)
		}
	}
}

// What a method cannot do, or would ignore, is refused.
func TestExchangeOptionsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"momentum 0.9":                 func(c *Config) { c.Sync, c.Momentum = "ringsparse", 0.9 },
		"no buckets":                   func(c *Config) { c.Sync, c.Bucket = "ringsparse", 10 },
		"divisor of 3 workers":         func(c *Config) { c.Sync, c.PerNode = "hierarchical", 2 },
		"segments are of the ring":     func(c *Config) { c.Sync, c.Segment = "naive", 5 },
		"not of bsp":                   func(c *Config) { c.Sync, c.NoOverlap = "bsp", true },
		"but the method is ring":       func(c *Config) { c.Sync, c.RingSparse = "ring", &ringsparse.Options{} },
		`tie "both"`:                   func(c *Config) { c.Sync, c.RingSparse = "ringsparse", &ringsparse.Options{Tie: "both"} },
		"no runtime \"pvm\"":           func(c *Config) { c.Runtime = "pvm" },
		"recorded and followed with a": func(c *Config) { c.Sync, c.Record = "ring", "x" },
		"record x or follow y":         func(c *Config) { c.Sync, c.Record, c.Replay = "asp", "x", "y" },
		"a mask is of ringsparse":      func(c *Config) { c.Sync, c.Mask = "ring", []bool{true} },
	} {
		c := quick("ring")
		change(&c)
		var in *InputError
		if _, err := Run(context.Background(), c); !errors.As(err, &in) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an input error with %q", err, want)
		}
	}
}

// Pixels as shares of 255 leave the gradient of what sees only black exactly zero.
func TestRawPixelsLeaveExactZeros(t *testing.T) {
	density := func(raw bool) float64 {
		c := quick("ringsparse")
		c.Model, c.RawPixels, c.MaxPushes, c.EvalEvery = "mlp", raw, 3, -1
		c.Data = "fashion-mnist"
		c.RingSparse = &ringsparse.Options{Kinds: "gradients", LogChoices: true}
		for _, ch := range mustRun(t, c).RingSparse.Choices {
			if ch.Layer == 0 && ch.Hop == 0 {
				return ch.GradientDensity
			}
		}
		t.Fatal("no choice of the first layer")
		return 0
	}
	if raw, normalised := density(true), density(false); !(raw < 0.8*normalised) {
		t.Errorf("density of the first layer's gradient: %g of raw pixels, %g of normalised ones", raw, normalised)
	}
}
