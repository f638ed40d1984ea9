package train

import (
	"errors"
	"math"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor/model"
)

// TestOnDevice: whole trainings on a fake GPU, whose ranks compute on it at once, end where
// the CPU's do, and give back all of its memory.
func TestOnDevice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	built, err := fake.Build(kernels.Sources())
	if errors.Is(err, fake.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, runtime := range []string{"virtual", "local"} {
		l, err := fake.New(built, t.TempDir(), fake.Options{Lazy: true})
		if err != nil {
			t.Fatal(err)
		}
		d, err := driver.Open(l.Path, 0)
		if err != nil {
			t.Fatal(err)
		}
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
