package peers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor"
	_ "gradsync/shared/tensor/engine/asm"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
)

// deepCase is a deep network on a batch of noise, and the files that tell PyTorch about it.
type deepCase struct {
	*testing.T
	m                *model.Model
	params, stats, x []float32
	labels           []uint8
	flags            []string
	noise, state     string
}

func newDeep(t *testing.T, spec model.Spec, n int) *deepCase {
	m := oktest.Must(model.Build(spec))(t)
	r := rand.New(rand.NewPCG(3, 1))
	d := &deepCase{T: t, m: m, params: make([]float32, m.NumParams()), stats: make([]float32, m.NumStats()), labels: make([]uint8, n)}
	m.Init(d.params, r)
	m.InitStats(d.stats)
	for _, p := range m.Params() { // norms that do something
		if len(p.Shape) == 1 {
			for i := range p.Length {
				d.params[p.Offset+i] += 0.2 * float32(r.NormFloat64())
			}
		}
	}
	for i := range d.stats {
		d.stats[i] += 0.3 * r.Float32()
	}
	c, h, w := m.Input()
	d.x = make([]float32, n*c*h*w)
	for i := range d.x {
		d.x[i] = float32(r.NormFloat64())
	}
	labels := make([]float32, n)
	for i := range labels {
		d.labels[i] = uint8(r.IntN(10))
		labels[i] = float32(d.labels[i])
	}
	d.noise = d.write("noise", safetensors.Tensor{Name: "x", Shape: []int{n, c, h, w}, Data: d.x},
		safetensors.Tensor{Name: "labels", Shape: []int{n}, Data: labels})
	d.state = d.write("state", append(m.Tensors(d.params), m.StatTensors(d.stats)...)...)
	d.flags = []string{"--model", spec.Name, "--width", fmt.Sprint(spec.Width), "--image", fmt.Sprint(spec.Image),
		"--load", d.state, "--data", d.noise, "--samples", fmt.Sprintf("0:%d", n), "--double"}
	return d
}

func (d *deepCase) write(name string, tensors ...safetensors.Tensor) string {
	d.Helper()
	path := filepath.Join(d.TempDir(), name+".safetensors")
	oktest.Nil(d, safetensors.Write(path, safetensors.File{Tensors: tensors}))
	return path
}

// difference returns ‖a−b‖/‖b‖, and which part of it the largest entry carries.
func difference(a, b []float32) (relative, largest float64) {
	var d, n, top float64
	for i, x := range a {
		e := float64(x) - float64(b[i])
		d, n, top = math.Hypot(d, e), math.Hypot(n, float64(b[i])), max(top, math.Abs(e))
	}
	return d / n, top / d
}

// distance compares ours with the tensors of PyTorch's file, from the last to the first: the worst distance of those
// that skip does not name. Kink tells whether the first that is off by more than 1e-4 is so in one channel alone.
func (d *deepCase) distance(what string, ours []safetensors.Tensor, path string, skip func(string) bool) (worst float64, kink bool) {
	d.Helper()
	file, theirs := oktest.Must(safetensors.Read(path))(d), map[string][]float32{}
	for _, t := range file.Tensors {
		theirs[t.Name] = t.Data
	}
	if len(theirs) != len(ours) {
		d.Fatalf("%s: %d tensors, PyTorch has %d", what, len(ours), len(theirs))
	}
	which := ""
	for _, t := range slices.Backward(ours) {
		if len(theirs[t.Name]) != len(t.Data) {
			d.Fatalf("%s: PyTorch has %d values of %s, want %d", what, len(theirs[t.Name]), t.Name, len(t.Data))
		}
		if skip(t.Name) {
			continue
		}
		off, largest := difference(t.Data, theirs[t.Name])
		if worst <= 1e-4 && off > 1e-4 {
			kink = largest > 0.99
		}
		if !(off <= worst) {
			worst, which = off, t.Name
		}
	}
	d.Logf("%s: %d tensors, the worst %s at %.2g of its norm", what, len(ours), which, worst)
	return worst, kink
}

// TestDeepNetworksEqualPyTorch: loss, gradients of every tensor, the running statistics after the step, and logits and
// gradients of inference agree with PyTorch in float64 to 1e-4 of each tensor's norm.
//
// Among a million activations one may be so near 0 that float32 gives it the other sign. Then the norm before it is off
// in that one channel, and everything further from the output by less than 5 %; nothing else is accepted. The bias of a
// convolution before a batch norm has gradient 0, of which both sides show only rounding: it is compared with 0.
func TestDeepNetworksEqualPyTorch(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("starts PyTorch several times, a few minutes: set GRADSYNC_LONG=1")
	}
	python := findTorch(t)
	for _, spec := range []model.Spec{
		{Name: "resnet18", Width: 0.125, Image: 16}, {Name: "vgg19_bn", Width: 0.125, Image: 16},
		{Name: "resnet18", Width: 0.125, Image: 32}, {Name: "vgg19_bn", Width: 0.5, Image: 32},
		{Name: "resnet18", Width: 1, Image: 16}, {Name: "vgg19_bn", Width: 1, Image: 16},
		{Name: "resnet110", Width: 1, Image: 32},
	} {
		t.Run(fmt.Sprintf("%s,width=%g,image=%d", spec.Name, spec.Width, spec.Image), func(t *testing.T) {
			d := newDeep(t, spec, 17)
			dir, theirs := t.TempDir(), torchFiles{}
			for i, name := range []*string{&theirs.grads, &theirs.stats, &theirs.inference, &theirs.logits} {
				*name = filepath.Join(dir, fmt.Sprintf("%d.safetensors", i))
			}
			var made struct{ Loss float64 }
			run(t, python, &made, "torch_grad.py", append(d.flags, "--out", theirs.grads, "--state", theirs.stats)...)
			run(t, python, &struct{}{}, "torch_grad.py", append(d.flags, "--eval", "--out", theirs.inference, "--logits", theirs.logits)...)
			for _, name := range tensor.Engines() {
				d.compare(name, made.Loss, theirs)
			}
		})
	}
}

// torchFiles holds what torch_grad.py wrote: of the training step, and of inference by the running statistics.
type torchFiles struct{ grads, stats, inference, logits string }

// compare runs one engine against PyTorch's files.
func (d *deepCase) compare(name string, loss float64, theirs torchFiles) {
	e := oktest.Must(tensor.Lookup(name))(d)
	n := len(d.labels)
	w := d.m.NewWorkspace(e, n, 2)
	moved := append([]float32(nil), d.stats...)
	w.SetStats(d.stats)
	z := oktest.Must(w.Logits(d.params, d.x, n))(d)
	all := func(string) bool { return false }
	if off, _ := d.distance(name+", logits", []safetensors.Tensor{{Name: "logits", Data: z}}, theirs.logits, all); !(off <= 1e-4) {
		d.Errorf("%s: logits are off by %.2g of their norm", name, off)
	}
	got := make([]float32, len(d.params))
	oktest.Must(w.InferenceGradient(d.params, got, d.x, d.labels))(d)
	d.gradients(name+", inference", got, theirs.inference, all)
	w.SetStats(moved)
	ours := oktest.Must(w.Gradient(d.params, got, d.x, d.labels, nil))(d)
	if diff := ours - loss; diff > 1e-4 || diff < -1e-4 {
		d.Errorf("%s: loss %v, PyTorch %v", name, ours, loss)
	}
	if off, _ := d.distance(name+", statistics", d.m.StatTensors(moved), theirs.stats, all); !(off <= 1e-4) {
		d.Errorf("%s: statistics are off by %.2g of a norm", name, off)
	}
	lost := func(p string) bool { // the bias of a convolution before a norm
		return d.m.Name() == "vgg19_bn" && strings.HasPrefix(p, "features.") && strings.HasSuffix(p, ".bias") && d.convolution(p)
	}
	d.gradients(name+", training", got, theirs.grads, lost)
	for i, p := range d.m.Params() {
		if !lost(p.Name) {
			continue
		}
		weight := d.m.Params()[i-1]
		if b, w := norm(got[p.Offset:p.Offset+p.Length]), norm(got[weight.Offset:weight.Offset+weight.Length]); !(b <= 1e-3*w) {
			d.Errorf("%s: the gradient of %s has norm %g, want 0; its weight's has %g", name, p.Name, b, w)
		}
	}
}

// gradients compares the gradients of one engine with PyTorch's.
func (d *deepCase) gradients(what string, got []float32, path string, skip func(string) bool) {
	d.Helper()
	if off, kink := d.distance(what+" gradients", d.m.Tensors(got), path, skip); !(off <= 1e-4 || kink && off < 0.05) {
		d.Errorf("%s: a gradient is off by %.2g of its norm, one channel alone: %t", what, off, kink)
	}
}

// convolution reports whether a bias belongs to a convolution: its weight has four dimensions.
func (d *deepCase) convolution(bias string) bool {
	for _, p := range d.m.Params() {
		if p.Name == strings.TrimSuffix(bias, "bias")+"weight" {
			return len(p.Shape) == 4
		}
	}
	return false
}

func norm(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}
