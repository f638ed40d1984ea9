package bench

import (
	"errors"
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

// Concurrent steps are a process each, with the threads of one step.
func TestTorchContenders(t *testing.T) {
	torch := &Torch{}
	g, ok := torch.Contender(Job{Kind: KindStep, Threads: 3, Concurrent: 2}).(Group)
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
