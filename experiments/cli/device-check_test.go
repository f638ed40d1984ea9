package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/shared/gpu/check"
	fakegpu "gradsync/shared/gpu/fake"
)

// TestCheckDevice: two fake cards with a fake NCCL pass the check that a real card takes, and the file tells it all.
// Nothing stays open.
func TestCheckDevice(t *testing.T) {
	cuda, nccl := withNCCL(t, "2")
	file := filepath.Join(t.TempDir(), "gpu.json")
	rc, out, msg := gradsync("devices", "--check", file)
	if rc != exitOK || strings.Count(out, " right\n") != 22 || strings.Count(out, "\n") != 22 {
		t.Errorf("exit %d: %s%s", rc, out, msg)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r check.Report
	if err := json.Unmarshal(text, &r); err != nil || !r.Right || len(r.Cards) != 2 || r.Sum == nil || r.Sum.Values != 2<<20 {
		t.Errorf("%v: %.200s", err, text)
	}
	for _, l := range []*fakegpu.Library{cuda, nccl} {
		if n, err := l.Count("open"); n != 0 || err != nil {
			t.Errorf("%d things were not given back, %v", n, err)
		}
	}
}

// TestCheckNoDevice: without a card one line says so and there is no file.
func TestCheckNoDevice(t *testing.T) {
	t.Setenv("GRADSYNC_CUDA_DRIVER", "/nowhere/libcuda.so.1")
	file := filepath.Join(t.TempDir(), "gpu.json")
	rc, out, msg := gradsync("devices", "--check", file)
	if _, err := os.Stat(file); err == nil || rc != exitFailed || out != "" || !strings.HasSuffix(msg, noGPU+"\n") {
		t.Errorf("exit %d: %s%s, file %v", rc, out, msg, err)
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
