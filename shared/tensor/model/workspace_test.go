package model_test

import (
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
	_ "gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// batch draws n random images with labels that differ between neighbours.
func batch(m *model.Model, n int, seed uint64) ([]float32, []uint8) {
	r := rand.New(rand.NewPCG(seed, 1))
	c, h, w := m.Input()
	x := make([]float32, n*c*h*w)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	labels := make([]uint8, n)
	for i := range labels {
		labels[i] = uint8((i*7 + int(seed)) % m.Classes())
	}
	return x, labels
}

func open(t testing.TB, name string) (*model.Model, tensor.Engine, []float32) {
	t.Helper()
	m, err := model.New(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := tensor.Lookup("portable")
	if err != nil {
		t.Fatal(err)
	}
	params := make([]float32, m.NumParams())
	m.Init(params, rand.New(rand.NewPCG(42, 0)))
	return m, e, params
}

// TestOverfitsOneBatch: a few dozen steps on one batch bring the loss near zero.
func TestOverfitsOneBatch(t *testing.T) {
	for _, name := range model.Names() {
		m, e, params := open(t, name)
		w := m.NewWorkspace(e, 16, 1)
		x, labels := batch(m, 16, 3)
		grads := make([]float32, len(params))
		sgd := optim.SGD{Rate: 0.05, Momentum: 0.9}
		var first, last float64
		for i := range 100 {
			loss, err := w.Gradient(params, grads, x, labels, nil)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = loss
			}
			last = loss
			sgd.Step(params, grads)
		}
		// ln 10 = 2.30 is the loss of equal logits; fresh parameters are near it.
		if first < 1.8 || first > 3 || last > 0.1 {
			t.Errorf("%s: loss went from %.3f to %.3f, want from about 2.3 to below 0.1", name, first, last)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, name := range model.Names() {
		b.Run(name, func(b *testing.B) {
			m, e, params := open(b, name)
			const n = 16
			w := m.NewWorkspace(e, n, 1)
			x, labels := batch(m, n, 3)
			grads := make([]float32, len(params))
			var flop float64
			for _, l := range m.Layers() {
				flop += n * (l.ForwardFLOP + l.BackwardFLOP)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Gradient(params, grads, x, labels, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
