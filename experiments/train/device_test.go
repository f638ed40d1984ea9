package train

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/gpu"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/tensor/model"
)

// TestOnDevice: whole trainings on a fake GPU, whose ranks compute on it at once, end where
// the CPU's do, and give back all of its memory.
func TestOnDevice(t *testing.T) {
	for _, runtime := range []string{"virtual", "local"} {
		l := faketest.Library(t, fake.Options{Lazy: true})
		d := faketest.Open(t, l)
		e, err := engine.New(d)
		if err != nil {
			t.Fatal(err)
		}
		Backends["device"] = func(m *model.Model, batch int) (model.Stepper, error) { return m.NewWorkspace(e, batch, 1), nil }
		defer delete(Backends, "device")
		c := quick("ring")
		c.Runtime, c.MaxPushes, c.EvalEvery, c.EvalImages = runtime, 12, 6, 20
		want := mustRun(t, c).Curve
		c.Engine, c.Backend = "", "device"
		got := mustRun(t, c).Curve
		if len(got) != len(want) || len(got) == 0 {
			t.Fatalf("%s: %d evaluations, want %d", runtime, len(got), len(want))
		}
		for i, p := range got {
			if p.Pushes != want[i].Pushes || !(math.Abs(p.Loss-want[i].Loss) < 1e-4) {
				t.Errorf("%s: loss %v after %d gradients, want %v after %d", runtime, p.Loss, p.Pushes, want[i].Loss, want[i].Pushes)
			}
		}
		if n, err := l.Count("cuLaunchKernel"); n == 0 || err != nil {
			t.Errorf("%s: %d kernels were launched, %v", runtime, n, err)
		}
		if err := errors.Join(e.Close(), d.Close()); err != nil {
			t.Errorf("%s: %v", runtime, err)
		}
	}
}

// TestCancelledOnDevice: a run that is cancelled in the middle of a pass returns when nothing uses
// the device any more, and has given all of it back.
func TestCancelledOnDevice(t *testing.T) {
	coded := inBlocks(codedsgd.Compressed, 3, 1, 0)
	coded.Runtime = "local" // blocks stay on the device
	for name, c := range map[string]Config{"dasp": quick("dasp"), "ringsparse": quick("ringsparse"), "compressed": coded} {
		l := faketest.Machine(t, fake.Options{})
		d, err := gpu.Open(gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		count := func(what string) int {
			n, err := l.Count(what)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before, enough := count("open"), count("calls")+300
		c.Engine, c.MaxPushes, c.MaxUpdates, c.EvalEvery = gpu.Name, 1_000_000, 0, -1
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := Run(ctx, c)
			ended <- err
		}()
		for count("calls") < enough && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		calls := count("calls")
		if open := count("open"); open != before {
			t.Errorf("%s: %d things are open, before %d", name, open, before)
		}
		time.Sleep(50 * time.Millisecond)
		if more := count("calls") - calls; more != 0 {
			t.Errorf("%s: %d calls after the run", name, more)
		}
		if err := d.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
