package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// NoPython as Torch.Python leaves PyTorch out.
const NoPython = "none"

// Torch is where PyTorch's worker comes from.
type Torch struct {
	Scripts fs.FS  // torch_step.py and what it imports
	Python  string // an interpreter; "": the first one with PyTorch
	dir     string
	python  string
}

// Find looks for an interpreter that has PyTorch and unpacks the scripts for
// it; Close removes them. The error says what was tried.
func (t *Torch) Find(ctx context.Context) error {
	if t.Python == NoPython {
		return &Unable{"no PyTorch: switched off by --python " + NoPython}
	}
	tried := []string{"python3", "/usr/bin/python3"}
	if t.Python != "" {
		tried = []string{t.Python}
		if _, err := exec.LookPath(t.Python); errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			return &Unable{fmt.Sprintf("no PyTorch: --python %s: it does not exist", t.Python)}
		}
	}
	for _, python := range tried {
		probe := exec.CommandContext(ctx, python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('torch'))")
		if probe.Run() == nil {
			t.python = python
			return t.unpack()
		}
	}
	if len(tried) > 1 {
		return &Unable{fmt.Sprintf("no PyTorch: neither %s can import torch (--python names another)", strings.Join(tried, " nor "))}
	}
	return &Unable{fmt.Sprintf("no PyTorch: %s cannot import torch", t.Python)}
}

func (t *Torch) unpack() (err error) {
	if t.dir, err = os.MkdirTemp("", "gradsync-bench"); err != nil {
		return err
	}
	names, err := fs.Glob(t.Scripts, "*.py")
	for _, name := range names {
		var text []byte
		if text, err = fs.ReadFile(t.Scripts, name); err == nil {
			err = os.WriteFile(filepath.Join(t.dir, name), text, 0o600)
		}
		if err != nil {
			break
		}
	}
	return err
}

// Command starts a worker.
func (t *Torch) Command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.python, filepath.Join(t.dir, "torch_step.py"))
	// Without the first two, Debian's PyTorch spins on threads of two pools.
	return WithEnvironment(cmd, "OPENBLAS_NUM_THREADS=1", "OMP_WAIT_POLICY=passive", "PYTHONDONTWRITEBYTECODE=1")
}

// Close removes the scripts.
func (t *Torch) Close() error {
	if t.dir == "" {
		return nil
	}
	return os.RemoveAll(t.dir)
}

// Contender is PyTorch for a job: a process, or one for each concurrent step.
func (t *Torch) Contender(j Job) Contender {
	j.Contender = PyTorch
	n := max(j.Concurrent, 1)
	j.Concurrent = 1
	if n == 1 {
		return &Process{Job: j, Command: t.Command}
	}
	var g Group
	for range n {
		g = append(g, &Process{Job: j, Command: t.Command})
	}
	return g
}
