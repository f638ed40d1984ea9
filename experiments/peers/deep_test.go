package peers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/shared/tensor"
	_ "gradsync/shared/tensor/engine/asm"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
)

// deepCase is a deep network on a batch of noise, and the files that tell
// PyTorch about it.
type deepCase struct {
	*testing.T
	m             *model.Model
	params, stats []float32
	x             []float32
	labels        []uint8
	flags         []string
	noise, state  string
}

func newDeep(t *testing.T, spec model.Spec, n int) *deepCase {
	m, err := model.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	d := &deepCase{T: t, m: m, params: make([]float32, m.NumParams()), stats: make([]float32, m.NumStats()), labels: make([]uint8, n)}
	m.Init(d.params, r)
	m.InitStats(d.stats)
	for _, p := range m.Params() { // norms that do something
		if strings.Contains(p.Name, "bn") || len(p.Shape) == 1 {
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
	if err := safetensors.Write(path, safetensors.File{Tensors: tensors}); err != nil {
		d.Fatal(err)
	}
	return path
}

// agree compares two files with torch_grad.py: all tensors but those that skip
// names agree to 1e-4 of their norms.
func (d *deepCase) agree(python, what, ours, theirs string, skip func(string) bool) {
	d.Helper()
	var result struct{ Distance map[string]float64 }
	run(d.T, python, &result, "torch_grad.py", "--compare", ours, theirs, "--tolerance", "1e30")
	worst, which := 0.0, ""
	for name, distance := range result.Distance {
		if !skip(name) && !(distance <= worst) {
			worst, which = distance, name
		}
	}
	d.Logf("%s: %d tensors, the worst %s at %.2g of its norm", what, len(result.Distance), which, worst)
	if !(worst <= 1e-4) {
		d.Errorf("%s: %s is off by %.2g of its norm, want 1e-4", what, which, worst)
	}
}

// TestDeepNetworksEqualPyTorch: loss, gradients of every tensor, the running
// statistics after the step, and the logits of inference agree with PyTorch in
// float64. The bias of a convolution before a batch norm has gradient 0, of
// which both sides show only rounding: those tensors are compared with 0. The
// batches are small because among a million activations one is so near 0 that
// float32 gives it the other sign, and a bias's gradient moves by up to 1 %.
func TestDeepNetworksEqualPyTorch(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("starts PyTorch several times, up to a minute: set GRADSYNC_LONG=1")
	}
	python := findTorch(t)
	for _, c := range []struct {
		spec   model.Spec
		images int
	}{
		{model.Spec{Name: "resnet18", Width: 0.125, Image: 16}, 20}, {model.Spec{Name: "vgg19_bn", Width: 0.125, Image: 16}, 20},
		{model.Spec{Name: "resnet18", Width: 0.125, Image: 32}, 4}, {model.Spec{Name: "vgg19_bn", Width: 0.5, Image: 32}, 4},
		{model.Spec{Name: "resnet18", Width: 1, Image: 16}, 4}, {model.Spec{Name: "vgg19_bn", Width: 1, Image: 16}, 4},
	} {
		t.Run(fmt.Sprintf("%s,width=%g,image=%d", c.spec.Name, c.spec.Width, c.spec.Image), func(t *testing.T) {
			d := newDeep(t, c.spec, c.images)
			dir := t.TempDir()
			grads, stats, logits := filepath.Join(dir, "g.safetensors"), filepath.Join(dir, "s.safetensors"), filepath.Join(dir, "z.safetensors")
			var made struct{ Loss float64 }
			run(t, python, &made, "torch_grad.py", append(d.flags, "--out", grads, "--state", stats)...)
			run(t, python, &struct{}{}, "torch_grad.py", append(d.flags, "--eval", "--out", filepath.Join(dir, "e.safetensors"), "--logits", logits)...)
			for _, name := range tensor.Engines() {
				d.compare(python, name, made.Loss, grads, stats, logits)
			}
		})
	}
}

// compare runs one engine against PyTorch's files.
func (d *deepCase) compare(python, name string, loss float64, grads, stats, logits string) {
	e, err := tensor.Lookup(name)
	if err != nil {
		d.Fatal(err)
	}
	n := len(d.labels)
	w := d.m.NewWorkspace(e, n, 2)
	moved := append([]float32(nil), d.stats...)
	w.SetStats(d.stats)
	z, err := w.Logits(d.params, d.x, n)
	if err != nil {
		d.Fatal(err)
	}
	all := func(string) bool { return false }
	d.agree(python, name+", logits", d.write("z", safetensors.Tensor{Name: "logits", Shape: []int{n, 10}, Data: z}), logits, all)
	got := make([]float32, len(d.params))
	w.SetStats(moved)
	ours, err := w.Gradient(d.params, got, d.x, d.labels, nil)
	if err != nil {
		d.Fatal(err)
	}
	if diff := ours - loss; diff > 1e-5 || diff < -1e-5 {
		d.Errorf("%s: loss %v, PyTorch %v", name, ours, loss)
	}
	d.agree(python, name+", statistics", d.write("s", d.m.StatTensors(moved)...), stats, all)
	lost := func(p string) bool { // the bias of a convolution before a norm
		return d.m.Name() == "vgg19_bn" && strings.HasPrefix(p, "features.") && strings.HasSuffix(p, ".bias") && d.convolution(p)
	}
	d.agree(python, name+", gradients", d.write("g", d.m.Tensors(got)...), grads, lost)
	for i, p := range d.m.Params() {
		if !lost(p.Name) {
			continue
		}
		weight := d.m.Params()[i-1]
		if b, w := norm(got[p.Offset:p.Offset+p.Length]), norm(got[weight.Offset:weight.Offset+weight.Length]); !(b <= 1e-4*w) {
			d.Errorf("%s: the gradient of %s has norm %g, want 0; its weight's has %g", name, p.Name, b, w)
		}
	}
}

// convolution tells whether a bias belongs to a convolution: its weight has four
// dimensions.
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
