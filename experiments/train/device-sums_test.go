package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// summing is a machine with some fake devices and NCCL.
type summing struct {
	cuda, nccl *fake.Library
	engines    []*engine.Engine
}

func openSumming(t *testing.T, n int, lazy bool) *summing {
	t.Helper()
	f := &summing{cuda: faketest.Library(t, fake.Options{Devices: n, Lazy: lazy})}
	library, err := fake.BuildNCCL()
	if err == nil {
		f.nccl, err = f.cuda.NCCL(library)
	}
	oktest.Nil(t, err)
	set := oktest.Must(lib.FindNCCL([]string{filepath.Dir(f.cuda.Path)}))(t)
	for i := range n {
		d := oktest.Must(driver.Open(f.cuda.Path, i))(t)
		e := oktest.Must(engine.New(d))(t)
		e.Collect(set)
		f.engines = append(f.engines, e)
		t.Cleanup(func() { oktest.Nil(t, errors.Join(e.Close(), d.Close())) })
	}
	return f
}

// config is a training on the devices, or with messages on one of them.
func (f *summing) config(runtime string, collective bool) Config {
	c := quick("ring")
	c.Platform, c.Runtime, c.Engine, c.EvalEvery, c.EvalImages = uneven(len(f.engines)), runtime, "", 4, 20
	c.Model, c.Width, c.Classes = "mlp", 1./16, 3
	c.MaxPushes, c.MaxUpdates, c.Batch, c.Momentum = 0, 4, 2, 0.5
	if !collective {
		Backends["device"] = func(m *model.Model, batch int) (model.Stepper, error) {
			return m.NewWorkspace(f.engines[0], batch, 1), nil
		}
		c.Backend = "device"
		return c
	}
	for _, e := range f.engines {
		c.Devices = append(c.Devices, e)
	}
	return c
}

// left counts what is open.
func (f *summing) left(t *testing.T) int {
	t.Helper()
	a, err := f.cuda.Count("open")
	b, other := f.nccl.Count("open")
	files, third := filepath.Glob(filepath.Join(filepath.Dir(f.cuda.Path), "nccl-*"))
	oktest.Nil(t, errors.Join(err, other, third))
	return a + b + len(files)
}

// TestDevicesSum: a training whose gradients the devices sum ends where messages lead it, but for
// roundings, with the same bits on all ranks (Run compares them); what is summed are the gradients
// and what is sent is the group's name. Nothing stays behind.
func TestDevicesSum(t *testing.T) {
	for _, runtime := range []string{"local", "tcp"} {
		f := openSumming(t, 3, runtime == "local")
		defer delete(Backends, "device")
		before := f.left(t)
		want, got := mustRun(t, f.config(runtime, false)), mustRun(t, f.config(runtime, true))
		if got.Collective != "NCCL 2.28.3" || got.Engine != "cuda (bit class cuda/nccl 2.28.3)" || want.Collective != "" {
			t.Errorf("%s: %q on %q, and with messages %q", runtime, got.Collective, got.Engine, want.Collective)
		}
		if len(got.Curve) != len(want.Curve) || len(got.Curve) == 0 || got.Updates != 4 {
			t.Fatalf("%s: %d evaluations, %d updates", runtime, len(got.Curve), got.Updates)
		}
		for i, p := range got.Curve {
			if p.Updates != want.Curve[i].Updates || !(math.Abs(p.Loss-want.Curve[i].Loss) < 1e-5) {
				t.Errorf("%s: loss %v after %d updates, want %v after %d", runtime, p.Loss, p.Updates, want.Curve[i].Loss, want.Curve[i].Updates)
			}
		}
		m, err := model.Build(model.Spec{Name: "mlp", Width: 1. / 16, Classes: 3})
		if err != nil {
			t.Fatal(err)
		}
		calls, err := f.nccl.Count("ncclAllReduce")
		bytes, other := f.nccl.Count("bytes summed")
		if errors.Join(err, other) != nil || calls != 3*4*len(m.Layers()) || bytes != 3*4*4*m.NumParams() || got.BytesSent != 2*128 {
			t.Errorf("%s: %d sums of %d bytes, %d bytes sent, %v", runtime, calls, bytes, got.BytesSent, err)
		}
		if left := f.left(t); left != before {
			t.Errorf("%s: %d things are open, %d were before", runtime, left, before)
		}
	}
}

// TestDevicesSumFails: whichever call of NCCL's fails, or of CUDA's in the run's first half, where
// nothing is given back yet, the run ends with an error that names it, and nothing stays behind.
func TestDevicesSumFails(t *testing.T) {
	f := openSumming(t, 2, false)
	before := f.left(t)
	c := f.config("local", true)
	c.EvalEvery, c.MaxUpdates = -1, 2
	count := func(l *fake.Library) int {
		n, err := l.Count("calls")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	was, cuda := count(f.nccl), count(f.cuda)
	mustRun(t, c)
	sums, all := count(f.nccl)-was, count(f.cuda)-cuda
	for _, k := range []struct {
		library     *fake.Library
		name        string
		all, stride int
	}{{f.nccl, "gpu: NCCL 2.28.3: nccl", sums, 1}, {f.cuda, "gpu: cu", all / 2, max(all/24, 1)}} {
		l, name, all := k.library, k.name, k.all
		for n := 1; n <= all; n += k.stride {
			if err := l.FailAt(n, 2); err != nil {
				t.Fatal(err)
			}
			_, err := Run(context.Background(), c)
			if err == nil || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "ncclCommInitRank: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("call %d of %d: %v, want %s… in one line", n, all, err, name)
			}
			if err := l.FailAt(-1, 0); err != nil {
				t.Fatal(err)
			}
			if left := f.left(t); left != before {
				t.Fatalf("call %d, %v: %d things are open, %d were before", n, err, left, before)
			}
		}
	}
}

// TestDevicesCannotSum: what devices cannot do instead of messages is refused in one line.
func TestDevicesCannotSum(t *testing.T) {
	for says, change := range map[string]func(c *Config){
		"for naive, ring, halving-doubling, not for bsp": func(c *Config) { c.Sync = "bsp" },
		"not for ringsparse":                             func(c *Config) { c.Sync = "ringsparse" },
		"not for hierarchical":                           func(c *Config) { c.Sync, c.PerNode = "hierarchical", 1 },
		"not on virtual":                                 func(c *Config) { c.Runtime = "virtual" },
		"the backend native":                             func(c *Config) { c.Backend = "gorgonia" },
		"no buckets":                                     func(c *Config) { c.Bucket = 1 },
		"no exchange after":                              func(c *Config) { c.NoOverlap = true },
		"no segments":                                    func(c *Config) { c.Segment = 1 },
		"7 images for all workers are no multiple":       func(c *Config) { c.BatchSize = 7 },
		"0 devices for the 3 ranks of this process":      func(*Config) {},
		"in a timing-only run":                           func(c *Config) { c.TimingOnly = true },
	} {
		c := quick("ring")
		c.Runtime, c.Devices = "local", []tensor.Collective{}
		change(&c)
		var in *InputError
		if _, err := Run(context.Background(), c); !errors.As(err, &in) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
