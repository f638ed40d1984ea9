//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/gpu/check"
	fakegpu "gradsync/shared/gpu/fake"
)

// TestCheckDevice: two fake cards with a fake NCCL pass the check that a real card takes, and the file tells it all.
// Nothing stays open.
func TestCheckDevice(t *testing.T) {
	cuda, nccl := withNCCL(t, "2")
	models, patience := checkedModels, checkedFor
	t.Cleanup(func() { checkedModels, checkedFor = models, patience })
	checkedModels, checkedFor = []string{"mlp"}, 0
	t.Setenv("PATH", t.TempDir()) // no python3
	file := filepath.Join(t.TempDir(), "gpu.json")
	rc, out, msg := gradsync("devices", "--check", file)
	if rc != exitOK || strings.Count(out, " right\n") != 22 || strings.Count(out, "\n") != 23 || !strings.Contains(out, "training step of mlp") {
		t.Errorf("exit %d: %s%s", rc, out, msg)
	}
	text := oktest.Must(os.ReadFile(file))(t)
	var r check.Report
	if err := json.Unmarshal(text, &r); err != nil || !r.Right || len(r.Cards) != 2 || r.Sum == nil || r.Sum.Values != 2<<20 ||
		len(r.Steps) != 1 || !strings.Contains(r.NoPyTorch, "executable file not found") {
		t.Errorf("%v: %.200s", err, text)
	}
	wrong := 0
	for call := 1; call <= 10; call++ { // of NCCL's fails
		oktest.Nil(t, nccl.FailAt(call, 3))
		var failed check.Report
		checkSum(&failed)
		said := failed.NoSum
		if failed.Sum != nil && !failed.Sum.OK() {
			said, wrong = failed.Sum.Error, call
		}
		if (failed.Sum == nil || !failed.Sum.OK()) && !strings.Contains(said, "what it has to say (3)") {
			t.Errorf("call %d fails: %+v, %s", call, failed.Sum, failed.NoSum)
		}
	}
	if wrong < 5 {
		t.Errorf("the last of NCCL's calls in the sum is %d", wrong)
	}
	oktest.Nil(t, nccl.FailAt(wrong, 3)) // the rest is told all the same
	rc, _, msg = gradsync("devices", "--check", file)
	var failed check.Report
	err := json.Unmarshal(oktest.Must(os.ReadFile(file))(t), &failed)
	if err != nil || rc != exitDiffer || failed.Right || failed.Sum == nil || failed.Sum.OK() || !failed.LeNet5.OK() {
		t.Errorf("exit %d, %v, %s%+v", rc, err, msg, failed)
	}
	for _, l := range []*fakegpu.Library{cuda, nccl} {
		if n, err := l.Count("open"); n != 0 || err != nil {
			t.Errorf("%d things were not given back, %v", n, err)
		}
	}
}

// TestRightReport: a wrong kernel, other bits or a wrong sum makes a report wrong.
func TestRightReport(t *testing.T) {
	ok, off, bits := check.Outcome{Same: true}, check.Outcome{Same: true, Off: 1}, check.Outcome{}
	for _, c := range []struct {
		r    check.Report
		want bool
	}{
		{check.Report{Kernels: []check.Outcome{ok}, LeNet5: ok}, true},
		{check.Report{LeNet5: ok}, false},
		{check.Report{Kernels: []check.Outcome{ok, off}, LeNet5: ok}, false},
		{check.Report{Kernels: []check.Outcome{ok}, LeNet5: bits}, false},
		{check.Report{Kernels: []check.Outcome{ok}, LeNet5: ok, Sum: &off}, false},
		{check.Report{Kernels: []check.Outcome{ok}, LeNet5: ok, Sum: &ok}, true},
	} {
		if c.r.Judge(); c.r.Right != c.want {
			t.Errorf("%+v: want %t", c.r, c.want)
		}
	}
}

// TestTorchStep: the time is that of the line that the script prints; what the script says instead is the reason.
func TestTorchStep(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("what stands for python3 needs sh: ", err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for text, want := range map[string]float64{
		"echo library: PyTorch 2\nprintf '%s\\t7\\t2.5e+06\\tns/op\\n' $2\n": 2.5, "echo no PyTorch: here; exit 1\n": 0, "echo Benchmark 7 1 ns/op; exit 1\n": 0,
	} {
		oktest.Nil(t, os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\n"+text), 0o755))
		got, err := torchStep(dir, "lenet5")
		if got != want || (err == nil) != (want > 0) || strings.Contains(text, "no PyTorch") && !strings.HasSuffix(err.Error(), "exit status 1: no PyTorch: here") {
			t.Errorf("%q: %g ms, %v", text, got, err)
		}
	}
}
