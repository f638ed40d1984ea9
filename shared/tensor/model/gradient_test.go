package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
)

func widened(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

// TestGradientAgainstReference: loss and every tensor's gradient agree with a plain float64 computation to 1e-4 of the
// tensor's norm. The gradient of a convolution's bias before a batch norm is 0; it is compared with the norm of the
// weight's.
func TestGradientAgainstReference(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	onEvery(t, againstReference)
}

func againstReference(t *testing.T, m *model.Model, e tensor.Engine, params []float32) {
	const n = 5
	x, labels := batch(m, n, 4)
	f := &reference{m: m, params: widened(params)}
	wantLoss, d := f.loss(widened(x), labels)
	want := f.backward(widened(x), d)
	got := make([]float32, len(params))
	if loss := sure(m.NewWorkspace(e, n+1, 2).Gradient(params, got, x, labels, nil))(t); math.Abs(loss-wantLoss) > 1e-5 {
		t.Errorf("loss %v, want %v", loss, wantLoss)
	}
	compareGradients(t, m, got, want)
}

func compareGradients(t *testing.T, m *model.Model, got []float32, want []float64) {
	t.Helper()
	var before float64
	for _, p := range m.Params() {
		var diff, norm float64
		for i, g := range want[p.Offset : p.Offset+p.Length] {
			diff = math.Hypot(diff, float64(got[p.Offset+i])-g)
			norm = math.Hypot(norm, g)
		}
		if norm < 1e-9*before {
			norm = before
		}
		if !(diff <= 1e-4*norm) {
			t.Errorf("gradient of %s is off by %.2g of its norm", p.Name, diff/norm)
		}
		before = norm
	}
}

// TestKnots: networks whose outputs are read several times, so that what may be
// fused or computed in place elsewhere may not be here.
func TestKnots(t *testing.T) {
	conv := func(in int) layer.Layer { return layer.Conv2D{Inputs: in, Outputs: 3, K: 3, Stride: 1, Pad: 1} }
	norm, relu, add := layer.BatchNorm{Channels: 3}, layer.ReLU{}, layer.Add{}
	for name, steps := range map[string][]model.Step{
		"a ReLU whose input a convolution still needs": {
			{"a", conv(2), nil}, {"b", conv(3), []int{0}}, {"", relu, []int{0}}, {"", add, []int{1, 2}}},
		"a ReLU whose input is added later": {
			{"a", conv(2), nil}, {"", relu, nil}, {"b", conv(3), nil}, {"", add, []int{2, 0}}},
		"a norm read with and without ReLU": {
			{"a", conv(2), nil}, {"n", norm, nil}, {"", relu, nil}, {"b", conv(3), nil}, {"", add, []int{3, 1}}},
		"a sum over a norm's ReLU": {
			{"a", conv(2), nil}, {"n", norm, nil}, {"", relu, nil}, {"b", conv(3), []int{0}}, {"", add, []int{2, 3}}, {"", relu, nil}},
		"a step added to itself": {{"a", conv(2), nil}, {"n", norm, nil}, {"", add, []int{1, 1}}, {"", relu, nil}},
		"shortcuts in shortcuts": {
			{"a", conv(2), nil}, {"", relu, nil}, {"b", conv(3), []int{1}}, {"n", norm, nil}, {"", add, []int{3, 1}},
			{"", relu, nil}, {"c", conv(3), nil}, {"", add, []int{6, 5}}, {"", add, []int{7, 1}}, {"", relu, nil}},
	} {
		steps = append(steps, model.Step{Layer: layer.MaxPool{Size: 2, Stride: 2}}, model.Step{Layer: layer.AvgPool{}},
			model.Step{Name: "fc", Layer: layer.Linear{Inputs: 3, Outputs: 4}})
		m := sure(model.FromSteps(layer.Shape{C: 2, H: 6, W: 6}, steps))(t)
		params := make([]float32, m.NumParams())
		m.Init(params, rand.New(rand.NewPCG(2, 2)))
		for _, engine := range tensor.Engines() {
			t.Run(engine+"/"+name, func(t *testing.T) { againstReference(t, m, sure(tensor.Lookup(engine))(t), params) })
		}
	}
}

// TestReferenceAgainstDifferences: the reference agrees with central differences
// of its own loss, at a few entries of every tensor of the deep networks.
func TestReferenceAgainstDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	const step = 1e-7 // larger ones cross kinks, smaller ones show rounding
	for _, name := range []string{"lenet5", "resnet18", "resnet110", "vgg19_bn"} {
		m, _, params := open(t, name)
		x32, labels := batch(m, 3, 5)
		x := widened(x32)
		f := &reference{m: m, params: widened(params)}
		_, d := f.loss(x, labels)
		grads := f.backward(x, d)
		r := rand.New(rand.NewPCG(6, 6))
		lossAt := func(i int, delta float64) float64 {
			kept := f.params[i]
			defer func() { f.params[i] = kept }()
			f.params[i] += delta
			loss, _ := f.loss(x, labels)
			return loss
		}
		for k, p := range m.Params() {
			stride := map[string]int{"lenet5": 1, "resnet110": 25}[name]
			if stride == 0 {
				stride = 5
			}
			if k%stride != 0 && k < len(m.Params())-2 {
				continue // every kind of tensor comes by: the forward passes are slow
			}
			i := p.Offset + r.IntN(p.Length)
			slope := (lossAt(i, step) - lossAt(i, -step)) / (2 * step)
			if math.Abs(slope-grads[i]) > 1e-4*math.Abs(grads[i])+1e-6 {
				t.Errorf("%s: ∂L/∂%s[%d] is %g, central difference %g", name, p.Name, i-p.Offset, grads[i], slope)
			}
		}
	}
}
