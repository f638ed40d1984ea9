package model_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/tensor/model"
)

// TestLeNet5Layout: PyTorch's names, shapes and order, by hand.
func TestLeNet5Layout(t *testing.T) {
	m, _, _ := open(t, "lenet5")
	want := []model.Param{
		{"conv1.weight", []int{6, 1, 5, 5}, 0, 150}, {"conv1.bias", []int{6}, 150, 6},
		{"conv2.weight", []int{16, 6, 5, 5}, 156, 2400}, {"conv2.bias", []int{16}, 2556, 16},
		{"fc1.weight", []int{120, 400}, 2572, 48000}, {"fc1.bias", []int{120}, 50572, 120},
		{"fc2.weight", []int{84, 120}, 50692, 10080}, {"fc2.bias", []int{84}, 60772, 84},
		{"fc3.weight", []int{10, 84}, 60856, 840}, {"fc3.bias", []int{10}, 61696, 10},
	}
	if len(m.Params()) != len(want) {
		t.Fatalf("%d tensors, want %d", len(m.Params()), len(want))
	}
	for i, p := range m.Params() {
		if w := want[i]; p.Name != w.Name || !slices.Equal(p.Shape, w.Shape) || p.Offset != w.Offset || p.Length != w.Length {
			t.Errorf("tensor %d is %v, want %v", i, p, w)
		}
	}
	c, h, w := m.Input()
	if m.NumParams() != 61706 || m.Classes() != 10 || c != 1 || h != 28 || w != 28 || m.Name() != "lenet5" {
		t.Errorf("%s: %d parameters, %d classes, input %d×%d×%d", m.Name(), m.NumParams(), m.Classes(), c, h, w)
	}
}

// TestInit: within ±1/√fan_in, filling that range, with mean 0 and variance
// bound²/3; the same stream gives the same numbers.
func TestInit(t *testing.T) {
	for _, name := range model.Names() {
		m, _, params := open(t, name)
		again := make([]float32, len(params))
		m.Init(again, rand.New(rand.NewPCG(42, 0)))
		if !slices.Equal(params, again) {
			t.Errorf("%s: the same stream gave other parameters", name)
		}
		for _, p := range m.Params() {
			if len(p.Shape) == 1 {
				continue
			}
			fan := p.Length / p.Shape[0]
			bound := 1 / math.Sqrt(float64(fan))
			var largest, sum, squares float64
			for _, v := range params[p.Offset : p.Offset+p.Length] {
				largest = max(largest, math.Abs(float64(v)))
				sum += float64(v)
				squares += float64(v) * float64(v)
			}
			n := float64(p.Length)
			if largest > bound*1.0001 || largest < 0.9*bound {
				t.Errorf("%s.%s: largest %g, bound %g", name, p.Name, largest, bound)
			}
			// Five standard errors of a uniform's mean and mean square.
			if math.Abs(sum/n) > 5*bound/math.Sqrt(3*n) || math.Abs(squares/n-bound*bound/3) > 5*0.3*bound*bound/math.Sqrt(n) {
				t.Errorf("%s.%s: mean %g, mean square %g, bound %g", name, p.Name, sum/n, squares/n, bound)
			}
		}
	}
}

// TestTensorsRoundTrip: out and back, in another order; and what must be refused.
func TestTensorsRoundTrip(t *testing.T) {
	m, _, params := open(t, "lenet5")
	tensors := m.Tensors(params)
	slices.Reverse(tensors)
	back := make([]float32, len(params))
	if err := m.SetTensors(back, tensors); err != nil || !slices.Equal(back, params) {
		t.Fatalf("round trip: %v", err)
	}
	clear(back)
	if mlp, _, other := open(t, "mlp"); m.SetTensors(back, mlp.Tensors(other)) == nil {
		t.Error("the MLP's tensors fit LeNet-5")
	}
	if m.SetTensors(back, tensors[1:]) == nil {
		t.Error("a missing tensor was not missed")
	}
	twice := slices.Clone(tensors)
	twice[0] = twice[1]
	if m.SetTensors(back, twice) == nil {
		t.Error("a repeated tensor was accepted")
	}
	bent := slices.Clone(tensors)
	bent[len(bent)-1].Shape = []int{6, 25}
	if m.SetTensors(back, bent) == nil {
		t.Error("another shape was accepted")
	}
	if slices.ContainsFunc(back, func(v float32) bool { return v != 0 }) {
		t.Error("a refused file changed the parameters")
	}
}

// Widths and classes of the small networks, their parameters counted by hand.
func TestSmallNetworksScale(t *testing.T) {
	for _, c := range []struct {
		spec            model.Spec
		params, classes int
	}{
		{model.Spec{Name: "mlp", Classes: 3}, 784*512 + 512 + 512*512 + 512 + 512*3 + 3, 3},
		{model.Spec{Name: "mlp", Classes: 26}, 784*512 + 512 + 512*512 + 512 + 512*26 + 26, 26},
		{model.Spec{Name: "mlp", Width: 0.125}, 784*64 + 64 + 64*64 + 64 + 64*10 + 10, 10},
		{model.Spec{Name: "cnn", Width: 0.25, Classes: 2}, 3*8*9 + 8 + 8*16*9 + 16 + 16*64*32 + 32 + 32*2 + 2, 2},
		{model.Spec{Name: "lenet5", Classes: 10}, 61706, 10},
		{model.Spec{Name: "resnet18", Classes: 4}, 11173962 - 6*513, 4},
	} {
		if m, err := model.Build(c.spec); err != nil || m.NumParams() != c.params || m.Classes() != c.classes {
			t.Errorf("%+v: %v, %d parameters, %d classes, want %d and %d", c.spec, err, m.NumParams(), m.Classes(), c.params, c.classes)
		}
	}
	for _, spec := range []model.Spec{
		{Name: "mlp", Classes: 1}, {Name: "mlp", Classes: 257}, {Name: "lenet5", Width: 0.5}, {Name: "cnn", Width: 1. / 64}, {Name: "mlp", Width: 17},
	} {
		if _, err := model.Build(spec); err == nil {
			t.Errorf("%+v: no error", spec)
		}
	}
}
