package model_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gradsync/shared/internal/enginetest"
	"gradsync/shared/tensor"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/model"
)

// batch draws n random images with labels that differ between neighbours.
func batch(m *model.Model, n int, seed uint64) ([]float32, []uint8) {
	r := rand.New(rand.NewPCG(seed, 1))
	c, h, w := m.Input()
	x := make([]float32, n*c*h*w)
	for i := range x {
		x[i] = float32(r.IntN(2001)-1000) / 500 // exact on every machine
	}
	labels := make([]uint8, n)
	for i := range labels {
		labels[i] = uint8((i*7 + int(seed)) % m.Classes())
	}
	return x, labels
}

// open builds a network for the portable engine, the deep ones narrow and for 16×16 images.
func open(t testing.TB, name string) (*model.Model, tensor.Engine, []float32) {
	t.Helper()
	return openOn(t, name, "portable")
}

func openOn(t testing.TB, name, engine string) (*model.Model, tensor.Engine, []float32) {
	t.Helper()
	spec := model.Spec{Name: name}
	switch name {
	case "resnet18", "vgg19_bn":
		spec.Width, spec.Image = 0.125, 16
	case "resnet110": // its stem has a quarter of their channels
		spec.Width, spec.Image = 0.25, 16
	}
	m := sure(model.Build(spec))(t)
	e := sure(tensor.Lookup(engine))(t)
	params := make([]float32, m.NumParams())
	m.Init(params, rand.New(rand.NewPCG(42, 0)))
	return m, e, params
}

// onEvery runs f for every network on every engine.
func onEvery(t *testing.T, f func(t *testing.T, m *model.Model, e tensor.Engine, params []float32)) {
	for _, engine := range tensor.Engines() {
		for _, name := range model.Names() {
			t.Run(engine+"/"+name, func(t *testing.T) {
				m, e, params := openOn(t, name, engine)
				f(t, m, e, params)
			})
		}
	}
}

// deepOnOne leaves the network of 110 layers, whose operations are ResNet-18's, to the first engine unless GRADSYNC_LONG is set.
func deepOnOne(t *testing.T, m *model.Model, e tensor.Engine) {
	t.Helper()
	if m.Name() == "resnet110" && e.Name() != tensor.Engines()[0] && os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("110 layers take long: set GRADSYNC_LONG=1")
	}
}

// freshStats returns the statistics before any batch, nil without batch norms.
func freshStats(m *model.Model) []float32 {
	if m.NumStats() == 0 {
		return nil
	}
	stats := make([]float32, m.NumStats())
	m.InitStats(stats)
	return stats
}

// TestGradientLeavesLayerByLayer: on sees every layer once, last first, and what
// it sees is final and is the gradient buffer itself.
func TestGradientLeavesLayerByLayer(t *testing.T) {
	onEvery(t, func(t *testing.T, m *model.Model, e tensor.Engine, params []float32) {
		w := m.NewWorkspace(e, 4, 1)
		x, labels := batch(m, 4, 1)
		kept := slices.Clone(x)
		grads, seen := make([]float32, len(params)), make([]float32, len(params))
		var order []int
		for i := range grads {
			grads[i] = float32(math.NaN()) // all of it must be overwritten
		}
		sure(w.Gradient(params, grads, x, labels, func(l int, g []float32) error {
			order = append(order, l)
			at := m.Layers()[l]
			if len(g) != at.Length || &g[0] != &grads[at.Offset] {
				t.Errorf("layer %d came with %d values, want its %d", l, len(g), at.Length)
			}
			copy(seen[at.Offset:], g)
			return nil
		}))(t)
		slices.Reverse(order)
		for i, l := range order {
			if l != i || len(order) != len(m.Layers()) {
				t.Errorf("order, reversed, %v", order)
				break
			}
		}
		if !slices.Equal(seen, grads) || !slices.Equal(x, kept) {
			t.Errorf("a gradient changed after it was handed over, or an input did")
		}
	})
}

// TestSameBitsForAnyThreads also checks that a second call repeats the first.
func TestSameBitsForAnyThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	onEvery(t, func(t *testing.T, m *model.Model, e tensor.Engine, params []float32) {
		x, labels := batch(m, 3, 2)
		var want []float32
		for _, threads := range []int{1, 1, 2, 3} {
			grads := make([]float32, len(params))
			w := m.NewWorkspace(e, 3, threads)
			for range 2 {
				if _, err := w.Gradient(params, grads, x, labels, nil); err != nil {
					t.Fatal(err)
				}
			}
			if want == nil {
				want = grads
			}
			if !slices.Equal(want, grads) {
				t.Errorf("gradient differs on %d threads", threads)
			}
		}
	})
}

// TestNoAllocationPerStep: no step allocates after the first.
func TestNoAllocationPerStep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	onEvery(t, func(t *testing.T, m *model.Model, e tensor.Engine, params []float32) {
		x, labels := batch(m, 2, 2)
		grads := make([]float32, len(params))
		for _, threads := range []int{1, 2} {
			w := m.NewWorkspace(e, 2, threads)
			w.SetStats(freshStats(m))
			on := func(int, []float32) error { return nil }
			step := func() {
				if _, err := w.Gradient(params, grads, x, labels, on); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Logits(params, x, 2); err != nil {
					t.Fatal(err)
				}
				if m.NumStats() > 0 {
					if err := w.Observe(params, x, 2, 0.5); err != nil {
						t.Fatal(err)
					}
				}
			}
			if n := enginetest.Quiet(step); n != 0 {
				t.Errorf("%v allocations per step on %d threads, want 0", n, threads)
			}
		}
	})
}

// TestLogitsGiveTheLoss: the loss is the cross entropy of Logits.
func TestLogitsGiveTheLoss(t *testing.T) {
	m, e, params := open(t, "lenet5")
	w := m.NewWorkspace(e, 5, 1)
	x, labels := batch(m, 5, 6)
	loss := sure(w.Gradient(params, make([]float32, len(params)), x, labels, nil))(t)
	logits := sure(w.Logits(params, x, 5))(t)
	var want float64
	for i, l := range labels {
		var total float64
		for _, z := range logits[i*10 : (i+1)*10] {
			total += math.Exp(float64(z))
		}
		want += (math.Log(total) - float64(logits[i*10+int(l)])) / 5
	}
	if math.Abs(loss-want) > 1e-6 {
		t.Errorf("loss %v, the logits say %v", loss, want)
	}
}

func TestWorkspaceRefuses(t *testing.T) {
	m, e, params := open(t, "lenet5")
	w := m.NewWorkspace(e, 4, 1)
	x, labels := batch(m, 4, 1)
	grads := make([]float32, len(params))
	stop, calls := errors.New("stop"), 0
	if _, err := w.Gradient(params, grads, x, labels, func(int, []float32) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("OnGrad's error: got %v after %d calls", err, calls)
	}
	big, bigLabels := batch(m, 5, 1)
	for what, f := range map[string]func() error{
		"label":   func() error { _, err := w.Gradient(params, grads, x, []uint8{1, 2, 3, 10}, nil); return err },
		"batch":   func() error { _, err := w.Gradient(params, grads, big, bigLabels, nil); return err },
		"empty":   func() error { _, err := w.Gradient(params, grads, nil, nil, nil); return err },
		"images":  func() error { _, err := w.Gradient(params, grads, x[1:], labels, nil); return err },
		"params":  func() error { _, err := w.Gradient(params[1:], grads, x, labels, nil); return err },
		"grads":   func() error { _, err := w.Gradient(params, grads[1:], x, labels, nil); return err },
		"logits":  func() error { _, err := w.Logits(params, x, 3); return err },
		"logits0": func() error { _, err := w.Logits(params, nil, 0); return err },
	} {
		if f() == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sure[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}
