package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/gpu"
	fakegpu "gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
)

const noGPU = "gpu: none (/nowhere/libcuda.so.1 not found: NVIDIA's driver is not installed here)"

// short is a training of a moment.
var short = fields("train --sync ring --model mlp --width 0.0625 --data synthetic --pushes 6 --eval-every -1 --json")

// TestBrokenGPU: a GPU that cannot be described has its reason beside its number; the others compute.
func TestBrokenGPU(t *testing.T) {
	faketest.Machine(t, fakegpu.Options{Devices: 2, Broken: 1})
	t.Setenv(gpu.EnvRequire, "1")
	t.Setenv(gpu.EnvLibraries, "none")
	rc, out, msg := gradsync("devices")
	if rc != exitOK || !strings.Contains(out, "cuda:0     none (cuDeviceTotalMem: CUDA_ERROR_UNKNOWN (999): ") ||
		!strings.Contains(out, "cuda:1     fake GPU on the CPU, ") {
		t.Errorf("exit code %d, %s%s", rc, out, msg)
	}
	if s := gpu.Probe(1); s.Reason != nil {
		t.Error(s)
	}
	d := oktest.Must(gpu.Open(gpu.Options{Index: 1}))(t)
	oktest.Nil(t, d.Close())
}

// TestWithoutGPU: a GPU that was asked for and is not there ends the command, auto says in
// its one line that there is none and who computes instead.
func TestWithoutGPU(t *testing.T) {
	for _, c := range []struct {
		flags, require string
		rc             int
		says           string
	}{
		{"", "", exitOK, noGPU + "; engine "}, {"--device auto", "1", exitFailed, noGPU},
		{"--device cuda", "", exitFailed, noGPU}, {"--device cuda:1", "", exitFailed, noGPU},
		{"--device cpu", "1", exitOK, "engine "}, {"--engine portable", "1", exitOK, "engine portable: by --engine"},
		{"--tf32", "", exitFailed, noGPU},
	} {
		t.Setenv(gpu.EnvRequire, c.require)
		rc, _, msg := gradsync(append(slices.Clone(short), fields(c.flags)...)...)
		if rc != c.rc || !strings.Contains(msg, c.says) || c.rc != exitOK && strings.Count(msg, "\n") != 1 {
			t.Errorf("%s (%s=%s): exit %d, want %d: %s", c.flags, gpu.EnvRequire, c.require, rc, c.rc, msg)
		}
		if c.flags == "--device cpu" && strings.Contains(msg, "gpu:") {
			t.Errorf("--device cpu looked for a GPU: %s", msg)
		}
	}
	if rc, out, _ := gradsync("devices"); rc != exitOK || !strings.HasPrefix(out, noGPU+"\n") || !strings.Contains(out, "cpu        engine portable\n") {
		t.Errorf("devices: exit %d: %s", rc, out)
	}
	t.Setenv(gpu.EnvRequire, "1")
	if rc, _, msg := gradsync("devices"); rc != exitFailed || !strings.Contains(msg, "no GPU") {
		t.Errorf("devices: exit %d: %s", rc, msg)
	}
}

// TestWithGPU: every command that computes gradients takes the GPU by its number or by auto,
// says so in one line, names it in its outcome and gives all memory back; profiles other than
// paper take it only when told.
func TestWithGPU(t *testing.T) {
	const line = "gpu: fake GPU on the CPU, 8 GiB, compute capability 9.0, CUDA 12.9; engine cuda\n"
	oktest.Slow(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		line bool
	}{
		{"train --sync ring --model mlp --width 0.0625 --data synthetic --pushes 6 --eval-every -1 --json", true},
		{"train --sync ring --model mlp --width 0.0625 --data synthetic --pushes 6 --eval-every -1 --json --device cuda:0", true},
		{"train --sync ring --model mlp --width 0.0625 --data synthetic --pushes 6 --eval-every -1 --json --device cpu", false},
		{"grad --samples 0:2 --json --out " + dir + "/g --device cuda", true},
		{"grad --samples 0:2 --json --out " + dir + "/h", false},
		{"run ring/equals-sgd --profile ci --json --out " + dir, false},
		{"run codedsgd/fig8 --profile ci --seeds 0 --json --device cuda --out " + dir, true},
	} {
		l := faketest.Machine(t, fakegpu.Options{})
		rc, out, msg := gradsync(fields(c.args)...)
		if rc != exitOK || strings.Contains(msg, line) != c.line {
			t.Errorf("%s: exit %d: %s", c.args, rc, msg)
		}
		if sidecar, err := os.ReadFile(dir + "/codedsgd/ci/fig8.run.json"); err == nil {
			out += string(sidecar)
			if !strings.Contains(out, `"accelerator": "fake GPU on the CPU, 8 GiB, `) {
				t.Errorf("%s: %s", c.args, sidecar)
			}
		}
		if c.line && !strings.Contains(out, `"cuda (bit class cuda)"`) {
			t.Errorf("%s: %s", c.args, out)
		}
		launched, err := l.Count("cuLaunchKernel")
		if err != nil || (launched > 0) != c.line { // bench's worker is another process
			t.Errorf("%s: %d kernels, %v", c.args, launched, err)
		}
		if n, err := l.Count("open"); n != 0 || err != nil {
			t.Errorf("%s: %d things were not given back, %v", c.args, n, err)
		}
	}
}

// TestWithLibraries: libraries that are found compute, and the line and the outcome name them;
// --tf32 is another bit class.
func TestWithLibraries(t *testing.T) {
	oktest.Slow(t)
	l := faketest.Machine(t, fakegpu.Options{Capability: 80})
	built, err := fakegpu.BuildLibraries()
	if err == nil {
		_, _, err = l.Libraries(built, filepath.Dir(l.Path), 12)
	}
	oktest.Nil(t, err)
	t.Setenv(gpu.EnvLibraries, filepath.Dir(l.Path))
	for flag, last := range map[string]string{"--tf32=false": "", "--tf32": "/tf32"} {
		rc, out, msg := gradsync(append(slices.Clone(short), flag)...)
		line := ", cuBLAS 12.4, cuDNN 9.7" + strings.ToUpper(strings.Replace(last, "/", ", ", 1)) + "; engine cuda\n"
		class := `"cuda (bit class cuda-lib/fake GPU on the CPU/cublas 12.4.2/cudnn 9.7.5` + last + `)"`
		if rc != exitOK || !strings.Contains(msg, line) || !strings.Contains(out, class) {
			t.Errorf("%s: exit %d: %s%s, want %s and class %s", flag, rc, msg, out, line, class)
		}
	}
	if rc, out, msg := gradsync("devices"); rc != exitOK || !strings.Contains(out, "library    cuDNN: 9.7 ("+filepath.Dir(l.Path)) {
		t.Errorf("devices: exit %d: %s%s", rc, out, msg)
	}
}

// TestLosesGPU: a device that breaks off or has no room ends the training with one line that says what to do.
func TestLosesGPU(t *testing.T) {
	oktest.Slow(t)
	l := faketest.Machine(t, fakegpu.Options{})
	oktest.Nil(t, l.FailAt(200, 700))
	wide := append(slices.Clone(short), "--width", "1")
	rc, _, msg := gradsync(wide...)
	if rc != exitFailed || !strings.Contains(msg, "CUDA_ERROR_ILLEGAL_ADDRESS (700)") || !strings.Contains(msg, "run again with --device cpu") {
		t.Errorf("exit %d: %s", rc, msg)
	}
	faketest.Machine(t, fakegpu.Options{Memory: 1 << 20})
	rc, _, msg = gradsync(wide...)
	if rc != exitFailed || !strings.Contains(msg, "wanted") || !strings.Contains(msg, "free of 1048576 bytes") || !strings.Contains(msg, "a smaller batch") {
		t.Errorf("exit %d: %s", rc, msg)
	}
}

// TestDevicesOf: the list has what a script asks for.
func TestDevicesOf(t *testing.T) {
	list := func(o fakegpu.Options) (got struct {
		GPUs      []deviceObject `json:"gpus"`
		None      string         `json:"no_gpu"`
		Libraries []string       `json:"libraries"`
	}) {
		faketest.Machine(t, o)
		rc, out, msg := gradsync("devices", "--json")
		if err := json.Unmarshal([]byte(out), &got); rc != exitOK || err != nil {
			t.Fatalf("exit %d, %v: %s", rc, err, msg)
		}
		return got
	}
	got := list(fakegpu.Options{})
	want := deviceObject{Device: "cuda:0", Usable: true, Name: "fake GPU on the CPU", Memory: 8 << 30, Capability: "9.0", CUDA: "12.9", PCI: "0000:00:00.0"}
	if len(got.GPUs) != 1 || got.None != "" || len(got.Libraries) != 3 || !strings.HasPrefix(got.Libraries[1], "cuDNN: none (") ||
		!strings.HasPrefix(got.Libraries[2], "NCCL: none (") {
		t.Fatalf("%+v", got)
	}
	want.Release = got.GPUs[0].Release // of this machine's kernel module
	if got.GPUs[0] != want {
		t.Errorf("%+v, want %+v", got.GPUs[0], want)
	}
	if got := list(fakegpu.Options{Capability: 61}); len(got.GPUs) != 1 || got.GPUs[0].Usable || !strings.Contains(got.GPUs[0].Why, "the kernels need 7.5") {
		t.Errorf("%+v", got)
	}
	if got := list(fakegpu.Options{Version: 10010}); len(got.GPUs) != 0 || !strings.Contains(got.None, "CUDA 10.1") {
		t.Errorf("%+v", got)
	}
}
