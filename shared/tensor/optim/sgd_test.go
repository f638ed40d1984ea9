package optim

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestPyTorch replays torch.optim.SGD: values from PyTorch 1.13 in float32,
// three steps from θ = (1, −2) with gradients (0.5, −0.25), (−1, 2), (0.125, 3).
func TestPyTorch(t *testing.T) {
	gradients := [][]float32{{0.5, -0.25}, {-1, 2}, {0.125, 3}}
	for _, c := range []struct {
		sgd  SGD
		want [2]float64
	}{
		{SGD{Rate: 0.1, Momentum: 0, WeightDecay: 0}, [2]float64{1.0374999, -2.4749999}},
		{SGD{Rate: 0.1, Momentum: 0, WeightDecay: 0.01}, [2]float64{1.03450298, -2.46885586}},
		{SGD{Rate: 0.1, Momentum: 0.9, WeightDecay: 0}, [2]float64{1.04200006, -2.61224985}},
		{SGD{Rate: 0.05, Momentum: 0.9, WeightDecay: 0.01}, [2]float64{1.01821864, -2.30049133}},
	} {
		sgd, theta := c.sgd, []float32{1, -2}
		for _, g := range gradients {
			kept := [2]float32(g)
			sgd.Step(theta, g)
			if kept != [2]float32(g) {
				t.Errorf("%+v changed the gradient", c.sgd)
			}
		}
		for i, w := range c.want {
			if math.Abs(float64(theta[i])-w) > 3e-7*math.Abs(w) {
				t.Errorf("%+v: θ[%d] = %v, want %v", c.sgd, i, theta[i], w)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	s := SGD{Rate: 0.1, Momentum: 0.9, WeightDecay: 1e-4}
	p, g := make([]float32, 1000), make([]float32, 1000)
	if n := testing.AllocsPerRun(10, func() { s.Step(p, g) }); n != 0 {
		t.Errorf("%v allocations per step, want 0", n)
	}
}

func TestLengthsMustAgree(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two parameters took three gradients")
		}
	}()
	(&SGD{Rate: 1}).Step(make([]float32, 2), make([]float32, 3))
}
