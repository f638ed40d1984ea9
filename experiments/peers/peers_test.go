package peers

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gradsync/datasets"
	"gradsync/internal/oktest"
	"gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
	"gradsync/shared/tensor/safetensors"
)

// images is the embedded data set's folder: both sides read the same files.
const images = "../../datasets/embedded"

// environment keeps Debian's PyTorch from spinning on its own threads.
func environment() []string {
	return append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_WAIT_POLICY=passive", "PYTHONDONTWRITEBYTECODE=1")
}

// findTorch returns a Python that has PyTorch and numpy, or skips the test.
func findTorch(t *testing.T) string {
	t.Helper()
	candidates := []string{"python3", "/usr/bin/python3"}
	if named := os.Getenv("GRADSYNC_PYTHON"); named != "" {
		candidates = []string{named}
	}
	for _, python := range candidates {
		probe := exec.Command(python, "-c", "import importlib.util as u, sys; sys.exit(not (u.find_spec('torch') and u.find_spec('numpy')))")
		probe.Env = environment()
		if probe.Run() == nil {
			return python
		}
	}
	t.Skipf("none of %v has torch and numpy: install PyTorch, or name a Python that has it in GRADSYNC_PYTHON", candidates)
	return ""
}

// run runs a script of this folder and decodes the JSON it prints.
func run(t *testing.T, python string, into any, script string, args ...string) {
	t.Helper()
	cmd := exec.Command(python, append([]string{script}, args...)...)
	cmd.Env = environment()
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", script, args, err, out, complaint.String())
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%s printed %q: %v", script, out, err)
	}
}

// embedded opens the compiled-in set, whatever this machine has besides.
func embedded(t *testing.T) *datasets.Set {
	t.Helper()
	empty := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, empty)
	}
	t.Setenv(datasets.EnvDir, "")
	set := oktest.Must(datasets.Open("fashion-mnist", datasets.Options{}))(t)
	if set.Origin != datasets.OriginEmbedded {
		t.Fatalf("opened %s, want the embedded set", set.Origin)
	}
	return set
}

// net is a network in training on the embedded images.
type net struct {
	*testing.T
	m             *model.Model
	set           *datasets.Set
	work          *model.Workspace
	params, grads []float32
}

const batch = 32

func newNet(t *testing.T, name string) *net {
	m := oktest.Must(model.New(name))(t)
	n := &net{t, m, embedded(t), m.NewWorkspace(portable.New(), batch, 2), make([]float32, m.NumParams()), make([]float32, m.NumParams())}
	m.Init(n.params, rand.New(rand.NewPCG(1, 1)))
	return n
}

// load returns images from … from+batch−1 of a split.
func (n *net) load(split *datasets.Split, from int) ([]float32, []uint8) {
	n.Helper()
	c, h, w := n.m.Input()
	var indices []int
	for i := from; i < min(from+batch, split.Len()); i++ {
		indices = append(indices, i)
	}
	x := make([]float32, len(indices)*c*h*w)
	oktest.Nil(n, n.set.Fill(x, split, indices, c, h, w))
	return x, split.Labels[from : from+len(indices)]
}

// gradient fills grads from the batch at from.
func (n *net) gradient(from int) float64 {
	n.Helper()
	x, labels := n.load(&n.set.Train, from)
	return oktest.Must(n.work.Gradient(n.params, n.grads, x, labels, nil))(n)
}

func (n *net) save(v []float32) string {
	n.Helper()
	path := filepath.Join(n.TempDir(), "v.safetensors")
	oktest.Nil(n, safetensors.Write(path, safetensors.File{Tensors: n.m.Tensors(v)}))
	return path
}

// TestGradientsEqualPyTorch: on several batches, at fresh and at trained weights, every tensor's gradient agrees to
// 1e-4 of its norm. Starting PyTorch takes seconds, so this is LeNet-5 on one batch unless GRADSYNC_LONG is set.
func TestGradientsEqualPyTorch(t *testing.T) {
	python := findTorch(t)
	names, starts := []string{"cnn", "lenet5", "mlp"}, []int{0, 96, 5000} // deep_test.go has the deep ones
	if os.Getenv("GRADSYNC_LONG") == "" {
		names, starts = []string{"lenet5"}, []int{96}
		t.Log("LeNet-5, one batch; set GRADSYNC_LONG=1 for the MLP, the CNN and several batches")
	}
	for _, name := range names {
		n, sgd := newNet(t, name), optim.SGD{Rate: 0.05}
		for _, from := range starts {
			loss := n.gradient(from)
			ours, theirs := n.save(n.grads), filepath.Join(t.TempDir(), "torch.safetensors")
			var made struct{ Loss float64 }
			samples := strconv.Itoa(from) + ":" + strconv.Itoa(from+batch)
			run(t, python, &made, "torch_grad.py", "--model", name, "--load", n.save(n.params), "--data", images, "--samples", samples, "--out", theirs)
			if d := loss - made.Loss; d > 1e-5 || d < -1e-5 {
				t.Errorf("%s, samples %s: loss %v, PyTorch %v", name, samples, loss, made.Loss)
			}
			var result struct {
				Within   bool
				Distance map[string]float64
			}
			run(t, python, &result, "torch_grad.py", "--compare", ours, theirs, "--tolerance", "1e-4")
			if !result.Within || len(result.Distance) != len(n.m.Params()) {
				t.Errorf("%s, samples %s: distances %v", name, samples, result.Distance)
			}
			t.Logf("%s, samples %s: loss %.6f, distances %v", name, samples, loss, result.Distance)
			for i := range 10 { // the next batch is seen by other weights
				n.gradient(200 + batch*i)
				sgd.Step(n.params, n.grads)
			}
		}
	}
}

// TestAccuracyEqualsPyTorch: a LeNet-5 trained for a moment and saved here is
// right on as many test images there, to the last.
func TestAccuracyEqualsPyTorch(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("trains and starts PyTorch, some 10 s: set GRADSYNC_LONG=1")
	}
	python := findTorch(t)
	n, sgd := newNet(t, "lenet5"), optim.SGD{Rate: 0.02, Momentum: 0.9}
	for i := range 150 {
		n.gradient(batch * i)
		sgd.Step(n.params, n.grads)
	}
	test, correct := &n.set.Test, 0
	for from := 0; from < test.Len(); from += batch {
		x, labels := n.load(test, from)
		z := oktest.Must(n.work.Logits(n.params, x, len(labels)))(t)
		for i, l := range labels {
			best := 0
			for j := range 10 {
				if z[i*10+j] > z[i*10+best] {
					best = j
				}
			}
			if best == int(l) {
				correct++
			}
		}
	}
	var there struct{ Correct, Total int }
	run(t, python, &there, "torch_eval.py", "--model", "lenet5", "--load", n.save(n.params), "--data", images)
	t.Logf("%d of %d here, %d of %d in PyTorch", correct, test.Len(), there.Correct, there.Total)
	if there.Correct != correct || there.Total != test.Len() {
		t.Errorf("%d of %d right here, %d of %d in PyTorch", correct, test.Len(), there.Correct, there.Total)
	}
	if correct < test.Len()/2 { // chance is a tenth
		t.Errorf("only %d of %d after 150 steps: nothing was learnt", correct, test.Len())
	}
}
