package gorgonia

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gtensor "gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/model"
)

// chains are the networks this backend does.
var chains = []string{"cnn", "lenet5", "mlp"}

// problem is a network with fresh parameters and one batch of noise.
type problem struct {
	m         *model.Model
	params, x []float32
	labels    []uint8
}

func newProblem(t testing.TB, name string, n int) problem {
	t.Helper()
	m, err := model.New(name)
	must(t, err)
	r := rand.New(rand.NewPCG(11, uint64(n)))
	p := problem{m: m, params: make([]float32, m.NumParams()), labels: make([]uint8, n)}
	m.Init(p.params, r)
	c, h, w := m.Input()
	p.x = make([]float32, n*c*h*w)
	for i := range p.x {
		p.x[i] = float32(r.NormFloat64())
	}
	for i := range p.labels {
		p.labels[i] = uint8(r.IntN(m.Classes()))
	}
	return p
}

// distance returns ‖a−b‖ relative to ‖b‖.
func distance(a []float32, b []float64) float64 {
	var d, n float64
	for i := range a {
		d += (float64(a[i]) - b[i]) * (float64(a[i]) - b[i])
		n += b[i] * b[i]
	}
	return math.Sqrt(d / n)
}

// TestPortableAgainstOracle: the portable engine's float32 gradients agree with Gorgonia's float64 ones to 1e-5 of each
// tensor's norm (24-bit mantissas and sums of up to 4,096 terms give about 1e-6).
func TestPortableAgainstOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, name := range chains {
		for _, n := range []int{1, 5} {
			p := newProblem(t, name, n)
			oracle, err := newOracle(p.m, n)
			must(t, err)
			want := make([]float64, len(p.params))
			wantLoss, err := oracle.Gradient64(p.params, want, p.x, p.labels)
			must(t, err)
			got := make([]float32, len(p.params))
			loss, err := p.m.NewWorkspace(portable.New(), n, 1).Gradient(p.params, got, p.x, p.labels, nil)
			must(t, err)
			if math.Abs(loss-wantLoss) > 1e-5*wantLoss {
				t.Errorf("%s, %d images: loss %v, want %v", name, n, loss, wantLoss)
			}
			for _, q := range p.m.Params() {
				if d := distance(got[q.Offset:q.Offset+q.Length], want[q.Offset:q.Offset+q.Length]); !(d < 1e-5) {
					t.Errorf("%s, %d images: gradient of %s is off by %.2g of its norm", name, n, q.Name, d)
				}
			}
		}
	}
}

// TestStepper: the float32 backend agrees with the portable engine, in loss, logits and gradients, also for a smaller
// batch, and hands gradients over last layer first, each complete.
func TestStepper(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, name := range chains {
		s, err := NewStepper(newProblem(t, name, 4).m, 4)
		must(t, err)
		for _, n := range []int{4, 3, 4} {
			p := newProblem(t, name, n)
			w := p.m.NewWorkspace(portable.New(), n, 1)
			want, got := make([]float32, len(p.params)), make([]float32, len(p.params))
			wantLoss, err := w.Gradient(p.params, want, p.x, p.labels, nil)
			must(t, err)
			next := len(p.m.Layers()) - 1
			loss, err := s.Gradient(p.params, got, p.x, p.labels, func(l int, grad []float32) error {
				at := p.m.Layers()[l]
				if l != next || &grad[0] != &got[at.Offset] || len(grad) != at.Length {
					t.Errorf("%s: layer %d came, want %d", name, l, next)
				}
				if d := distance(grad, float64s(want[at.Offset:at.Offset+at.Length])); !(d < 1e-4) {
					t.Errorf("%s, %d images: gradient of %s is off by %.2g of its norm when handed over", name, n, at.Name, d)
				}
				next--
				return nil
			})
			if err != nil || next != -1 || math.Abs(loss-wantLoss) > 1e-4 {
				t.Errorf("%s: loss %v, want %v; %d layers missing; %v", name, loss, wantLoss, next+1, err)
			}
			a, err := s.Logits(p.params, p.x, n)
			must(t, err)
			b, err := w.Logits(p.params, p.x, n)
			must(t, err)
			if d := distance(a, float64s(b)); len(a) != len(b) || !(d < 1e-4) {
				t.Errorf("%s: logits are off by %.2g of their norm", name, d)
			}
		}
	}
}

func float64s(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

// TestRefusesDeepNetworks: batch norms and shortcuts are refused by name, with what to do.
func TestRefusesDeepNetworks(t *testing.T) {
	for _, name := range model.Names() {
		m, err := model.New(name)
		must(t, err)
		_, err = NewStepper(m, 2)
		switch done := slices.Contains(chains, name); {
		case done && err != nil:
			t.Errorf("%s: %v", name, err)
		case !done && (err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "use an engine")):
			t.Errorf("%s: %v, want an error that says what to do", name, err)
		}
	}
}

// TestStepperErrors: OnGrad's error ends the step and comes back itself; what does not fit is refused.
func TestStepperErrors(t *testing.T) {
	p := newProblem(t, "lenet5", 2)
	s, err := NewStepper(p.m, 2)
	must(t, err)
	stop := errors.New("stop")
	calls, grads := 0, make([]float32, len(p.params))
	var on gtensor.OnGrad = func(int, []float32) error { calls++; return stop }
	if _, err := s.Gradient(p.params, grads, p.x, p.labels, on); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("error %v after %d calls, want OnGrad's after one", err, calls)
	}
	if _, err := s.Gradient(p.params, grads, p.x, []uint8{1, 10}, nil); err == nil {
		t.Error("label 10 of 10 classes was accepted")
	}
	if _, err := s.Gradient(p.params, grads, p.x, []uint8{1, 2, 3}, nil); err == nil {
		t.Error("three labels for two images were accepted")
	}
	if _, err := s.Gradient(p.params, grads, p.x, p.labels, nil); err != nil {
		t.Errorf("after an aborted step: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
