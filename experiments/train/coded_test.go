package train

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

// inBlocks returns a small training of coded SGD's kind on n nodes.
func inBlocks(sync string, n, redundancy, micro int) Config {
	c := quick(sync)
	c.Platform, c.Workers, c.BatchSize, c.MaxPushes, c.MaxUpdates, c.EvalEvery = uneven(n), n, 50, 0, 3, -1
	c.Model, c.Width, c.Classes = "mlp", 1./16, 3
	c.Coded = &codedsgd.Options{Redundancy: redundancy, MicroBlocks: micro}
	return c
}

// Sums of integers have no order: whatever the nodes, the redundancy and the exchange, the same micro-blocks give the
// bits of one node that computes all. Times on a shared trajectory stand on it.
func TestMicroBlocksAreOneTrajectory(t *testing.T) {
	oktest.Slow(t)
	want := mustRun(t, inBlocks(codedsgd.SSGDMulticast, 1, 1, 12)).ParamsSHA256
	for _, n := range []int{2, 3, 4} {
		for r := 1; r <= min(n, 3); r++ {
			for _, sync := range []string{codedsgd.CSSGD, "literal", codedsgd.SSGDMulticast, codedsgd.SSGDUnicast} {
				c := inBlocks(sync, n, r, 12)
				if sync == "literal" {
					c.Sync, c.Coded.Literal = codedsgd.CSSGD, true
				}
				o := mustRun(t, c)
				if o.ParamsSHA256 != want {
					t.Errorf("%s, n = %d, r = %d: parameters %.12s, one node has %.12s", sync, n, r, o.ParamsSHA256, want)
				}
				if none := r == n; none != (o.BytesSent == 0) {
					t.Errorf("%s, n = %d, r = %d: %d bytes sent", sync, n, r, o.BytesSent)
				}
			}
		}
	}
	c := inBlocks(codedsgd.CSSGD, 3, 2, 12)
	c.SpeedAware = true
	o := mustRun(t, c)
	if o.ParamsSHA256 == want {
		t.Error("blocks by speed are the equal ones: the platform's nodes differ")
	}
	for i, v := range o.Coded.Options.Speeds {
		if v != c.Platform.Workers[i].FLOPS {
			t.Errorf("speed of node %d: %g, the platform has %g", i, v, c.Platform.Workers[i].FLOPS)
		}
	}
}

// The same bits on every runtime, exchanges in earnest: where nothing is shared
// between ranks every holder computes its blocks itself.
func TestCodedRuntimesGiveTheSameBits(t *testing.T) {
	for _, sync := range codedsgd.Methods() {
		want := ""
		for _, runtime := range Runtimes {
			c := inBlocks(sync, 4, 2, 0)
			c.Runtime = runtime
			o := mustRun(t, c)
			if want == "" {
				want = o.ParamsSHA256
			}
			if o.ParamsSHA256 != want || o.Updates != 3 {
				t.Errorf("%s on %s: %d updates, parameters %.12s, want 3 and %.12s", sync, runtime, o.Updates, o.ParamsSHA256, want)
			}
		}
	}
}

// One gradient per block is another rounding to int32 and nothing else: after three
// steps no parameter is further off than rounding in three steps allows.
func TestWholeGradientsDifferByRounding(t *testing.T) {
	params := func(r, micro int) []float32 {
		c := inBlocks(codedsgd.CSSGD, 4, r, micro)
		cfg := oktest.Must(c.withDefaults())(t)
		m := oktest.Must(cfg.network())(t)
		x := &runner{cfg: cfg, out: &Outcome{}}
		oktest.Nil(t, x.prepare(m))
		oktest.Nil(t, x.train(t.Context()))
		return x.final
	}
	a := params(2, 12)
	for _, r := range []int{1, 2, 3} {
		b := params(r, 0)
		worst, same := 0.0, cmp.Equal(a, b)
		for i := range a {
			worst = max(worst, math.Abs(float64(a[i]-b[i])))
		}
		// Another order of float32 sums within a block: 50 images, 2⁻²⁴ each of sums below 8.
		if worst > 3*0.05*50*8*0x1p-24 || same {
			t.Errorf("r = %d: off by up to %g, the same bits: %v", r, worst, same)
		}
	}
}

// A block's gradient is the sum over its images: of all images the mean that other
// methods compute, times their number, whatever the passes.
func TestBlockGradIsASum(t *testing.T) {
	c := inBlocks(codedsgd.CSSGD, 1, 1, 0)
	c.BatchSize, c.Engine = 300, "portable"
	cfg := oktest.Must(c.withDefaults())(t)
	m := oktest.Must(cfg.network())(t)
	x := &runner{cfg: cfg, out: &Outcome{}}
	oktest.Nil(t, x.prepare(m))
	task := &codedTask{task: x.replicaTask(0)}
	got := make([]float32, m.NumParams())
	var layers []int
	loss := oktest.Must(task.BlockGrad(0, 0, 300, got, func(l int) { layers = append(layers, l) }))(t)
	if diff := cmp.Diff([]int{2, 1, 0}, layers); diff != "" {
		t.Errorf("layers done:\n%s", diff)
	}
	sum, single := make([]float64, len(got)), make([]float32, len(got))
	var losses float64
	for i := range 300 {
		l := oktest.Must(task.BlockGrad(0, i, i+1, single, func(int) {}))(t)
		losses += l
		for j, g := range single {
			sum[j] += float64(g)
		}
	}
	for j := range sum {
		if math.Abs(sum[j]-float64(got[j])) > 1e-4*(1+math.Abs(sum[j])) {
			t.Fatalf("parameter %d: %g in three passes, %g image by image", j, got[j], sum[j])
		}
	}
	if math.Abs(loss-losses) > 1e-3*losses {
		t.Errorf("loss %g, image by image %g", loss, losses)
	}
	if _, err := task.BlockGrad(0, 7, 7, got, func(int) {}); err != nil || got[0] != 0 || got[len(got)-1] != 0 {
		t.Errorf("a block of no images: %v, gradient %g", err, got[0])
	}
}

// Algorithm 1, step 8: of a run that gets worse its best parameters are kept, which no step's own are.
func TestBestParametersAreKept(t *testing.T) {
	c := inBlocks(codedsgd.CSSGD, 3, 2, 0)
	c.Rate, c.EvalEvery, c.Best = 40, 3, true
	best := mustRun(t, c)
	c.Best = false
	if last := mustRun(t, c); best.Best == nil || last.Best != nil || best.ParamsSHA256 == last.ParamsSHA256 {
		t.Fatalf("best %v, parameters %.12s and %.12s", best.Best, best.ParamsSHA256, last.ParamsSHA256)
	}
	if best.Best.Updates != 0 {
		t.Errorf("steps of 40 times the gradient: best after %d updates, want the first parameters", best.Best.Updates)
	}
	c.Rate, c.Best = 0.05, true
	if o := mustRun(t, c); o.Best.Updates != 3 {
		t.Errorf("small steps: best after %d updates, want the last", o.Best.Updates)
	}
}

// Options of coded SGD that cannot be run, or would be ignored, are one line.
func TestCodedOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no batch": func(c *Config) { c.BatchSize = 0 }, "momentum": func(c *Config) { c.Momentum = 0.9 },
		"bucket": func(c *Config) { c.Bucket = 1 << 10 }, "another method": func(c *Config) { c.Sync = "ring" },
		"redundancy":   func(c *Config) { c.Coded.Redundancy = 9 },
		"micro-blocks": func(c *Config) { c.Coded.MicroBlocks = 5 }, "classes": func(c *Config) { c.Classes = 11 },
	} {
		c := inBlocks(codedsgd.CSSGD, 3, 2, 0)
		change(&c)
		var asked *InputError // of what was asked for: exit code 2
		if _, err := Run(t.Context(), c); !errors.As(err, &asked) {
			t.Errorf("%s: %v, want an error of the input", name, err)
		}
	}
}

// On virtual time the holders of a block share one computation of it: the second takes over what the first computed,
// even if it would compute something else, and nothing is kept after the last. On a real clock every holder computes.
func TestHoldersShareABlock(t *testing.T) {
	for runtime, holders := range map[string]int{"virtual": 2, "local": 0} {
		c := inBlocks(codedsgd.CSSGD, 3, 2, 0)
		c.Runtime = runtime
		cfg := oktest.Must(c.withDefaults())(t)
		m := oktest.Must(cfg.network())(t)
		x := &runner{cfg: cfg, out: &Outcome{}}
		oktest.Nil(t, x.prepare(m))
		b := x.sharedBlocks()
		if holders == 0 {
			if b != nil {
				t.Errorf("%s: blocks are shared", runtime)
			}
			continue
		}
		if b == nil || b.holders != holders {
			t.Fatalf("%s: shared %+v, want %d holders", runtime, b, holders)
		}
		one, other := &codedTask{task: x.replicaTask(0), blocks: b}, &codedTask{task: x.replicaTask(1), blocks: b}
		other.params[0]++
		first, second := make([]float32, m.NumParams()), make([]float32, m.NumParams())
		for lo := 0; lo < 20; lo += 10 {
			for _, half := range []struct {
				task  *codedTask
				grads []float32
			}{{one, first}, {other, second}} {
				oktest.Must(half.task.BlockGrad(0, lo, lo+10, half.grads, func(int) {}))(t)
			}
			if !cmp.Equal(first, second) || first[len(first)-1] == 0 {
				t.Errorf("images from %d on: the second holder computed by itself", lo)
			}
		}
		if len(b.open) != 0 {
			t.Errorf("%d blocks are kept after their last holder", len(b.open))
		}
	}
}
