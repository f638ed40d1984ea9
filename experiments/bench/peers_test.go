package bench

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Concurrent steps are a process each, with the threads of one step.
func TestTorchContenders(t *testing.T) {
	torch := &Torch{}
	g, ok := torch.Contender(Job{Kind: KindStep, Contender: PyTorch, Threads: 3, Concurrent: 2}).(group)
	if !ok || len(g) != 2 {
		t.Fatalf("%d processes, want 2", len(g))
	}
	for _, c := range g {
		if j := c.(*Process).Job; j.Concurrent != 1 || j.Threads != 3 || j.Contender != PyTorch {
			t.Errorf("job %+v", j)
		}
	}
	if _, ok := torch.Contender(Job{Kind: KindStep, Concurrent: 1}).(*Process); !ok {
		t.Error("one step is more than one process")
	}
}

// What is said of an interpreter that is not there, that has no PyTorch, that is
// switched off, and of the usual ones without it.
func TestTorchNotFound(t *testing.T) {
	dir, sep := t.TempDir(), string(os.PathSeparator)
	t.Setenv("PATH", dir)
	self, err := os.Executable() // a program that is no Python
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(behaviour, "die")
	for python, want := range map[string]string{
		dir + sep + "python": dir + sep + "python: it does not exist",
		"no-such-python":     "--python no-such-python: it does not exist",
		self:                 self + " cannot import torch",
		NoPython:             "switched off by --python none",
	} {
		var unable *Unable
		if err := (&Torch{Python: python}).Find(t.Context()); !errors.As(err, &unable) || !strings.HasPrefix(unable.Why, "no PyTorch: ") ||
			!strings.HasSuffix(unable.Why, want) {
			t.Errorf("--python %s: %v, want %q", python, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that no interpreter can be asked
	if err := (&Torch{}).Find(ctx); err == nil || !strings.Contains(err.Error(), "neither python3 nor /usr/bin/python3 can import torch") {
		t.Errorf("without --python: %v", err)
	}
}

// An interpreter that is not there is Unable; the scripts are gone after Close.
func TestTorchScripts(t *testing.T) {
	torch := &Torch{Python: "no-such-python", Scripts: fstest.MapFS{"torch_step.py": {Data: []byte("pass")}, "notes.md": {}}}
	var unable *Unable
	if err := torch.Find(t.Context()); !errors.As(err, &unable) {
		t.Errorf("%v", err)
	}
	if err := torch.unpack(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(torch.dir)
	if err != nil || len(files) != 1 || files[0].Name() != "torch_step.py" {
		t.Errorf("%v, %v", files, err)
	}
	if env := torch.Command(t.Context()).Env; !slices.Contains(env, "OPENBLAS_NUM_THREADS=1") || !slices.Contains(env, "OMP_WAIT_POLICY=passive") {
		t.Errorf("environment %q", env)
	}
	if err := torch.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(torch.dir); !os.IsNotExist(err) {
		t.Errorf("after Close: %v", err)
	}
}
